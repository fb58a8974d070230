"""Small programs as tutorials have them; each takes the module that `import … as torch` names."""

from __future__ import annotations

from typing import Any


def game_of_life(torch: Any) -> Any:
    """A glider, twelve generations on a torus."""
    world = torch.zeros(8, 8, dtype=torch.int64)
    world[0, 1] = world[1, 2] = 1
    world[2, :3] = 1
    for _ in range(12):
        turned = [
            torch.roll(world, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
        ]
        around = torch.stack(turned).sum(0)
        world = ((around == 3) | ((world == 1) & (around == 2))).long()
    return world


def power_method(torch: Any) -> Any:
    """The largest eigenvalue of a symmetric matrix."""
    a = torch.tensor([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]], dtype=torch.float64)
    v = torch.ones(3, dtype=torch.float64)
    for _ in range(200):
        v = a @ v
        v /= v.norm()
    return v @ a @ v


def least_squares(torch: Any) -> Any:
    """A line through noisy points."""
    x = torch.linspace(0, 1, 20, dtype=torch.float64)
    y = 3 * x - 1 + 0.01 * torch.sin(50 * x)
    a = torch.stack([x, torch.ones_like(x)], 1)
    return torch.linalg.lstsq(a, y[:, None]).solution.flatten()


def svd_compression(torch: Any) -> Any:
    """A picture of rank two, kept by two singular values."""
    i = torch.arange(30, dtype=torch.float64)
    picture = torch.outer(i.sin(), i.cos()) + torch.outer(i, torch.ones_like(i))
    u, s, vh = torch.linalg.svd(picture, full_matrices=False)
    return (u[:, :2] * s[:2]) @ vh[:2] - picture


def fft_denoise(torch: Any) -> Any:
    """A sine below a whistle of small amplitude."""
    t = torch.arange(128, dtype=torch.float64) / 128
    clean = torch.sin(2 * torch.pi * 5 * t)
    spectrum = torch.fft.rfft(clean + 0.2 * torch.sin(2 * torch.pi * 40 * t))
    spectrum[spectrum.abs() < 20] = 0
    return torch.fft.irfft(spectrum, n=128) - clean


def k_means(torch: Any) -> Any:
    """Three groups on a line."""
    x = torch.tensor([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.2]])
    centres = x[[0, 3, 5]].clone()
    for _ in range(5):
        nearest = torch.cdist(x, centres).argmin(1)
        for k in range(3):
            centres[k] = x[nearest == k].mean(0)
    return centres


def page_rank(torch: Any) -> Any:
    """Four pages, damping 0.85."""
    links = torch.tensor([[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0]]).double()
    step = (links / links.sum(1, keepdim=True)).T
    rank = torch.full((4,), 0.25, dtype=torch.float64)
    for _ in range(100):
        rank = 0.15 / 4 + 0.85 * step @ rank
    return rank


def black_scholes(torch: Any) -> Any:
    """Prices of calls at five strikes."""
    strike = torch.linspace(80, 120, 5, dtype=torch.float64)
    d1 = (torch.log(100 / strike) + (0.05 + 0.5 * 0.2**2)) / 0.2
    normal = lambda x: 0.5 * (1 + torch.erf(x / 2**0.5))  # noqa: E731
    return 100 * normal(d1) - strike * torch.exp(torch.tensor(-0.05).double()) * normal(d1 - 0.2)


def gray_scott(torch: Any) -> Any:
    """Two substances that react and spread, by slices written in place."""
    u, v = torch.ones(16, 16, dtype=torch.float64), torch.zeros(16, 16, dtype=torch.float64)
    u[6:10, 6:10], v[6:10, 6:10] = 0.5, 0.25

    def spread(x: Any) -> Any:
        out = torch.zeros_like(x)
        inner = x[1:-1, 1:-1]
        out[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * inner
        return out

    for _ in range(30):
        reaction = u * v * v
        u += 0.16 * spread(u) - reaction + 0.035 * (1 - u)
        v += 0.08 * spread(v) + reaction - 0.095 * v
    return torch.stack([u, v])


def softmax_regression(torch: Any) -> Any:
    """Gradient descent with the gradient written out."""
    x = torch.tensor([[0.0, 1], [1, 0], [0.2, 0.9], [0.8, 0.1]], dtype=torch.float64)
    wanted = torch.nn.functional.one_hot(torch.tensor([0, 1, 0, 1]), 2).double()
    w = torch.zeros(2, 2, dtype=torch.float64)
    for _ in range(100):
        w -= 0.5 * x.T @ (torch.softmax(x @ w, 1) - wanted) / len(x)
    return torch.softmax(x @ w, 1)


def n_body(torch: Any) -> Any:
    """Three bodies for twenty steps; energy and momentum change little."""
    position = torch.tensor([[0.0, 0], [1, 0], [0, 2]], dtype=torch.float64)
    speed = torch.tensor([[0.0, 0], [0, 1], [-0.7, 0]], dtype=torch.float64)
    mass = torch.tensor([1.0, 1e-3, 1e-3], dtype=torch.float64)
    for _ in range(20):
        between = position[None] - position[:, None]
        pull = between / (between.pow(2).sum(-1, keepdim=True) + 1e-3) ** 1.5
        speed += 0.01 * (mass[None, :, None] * pull).sum(1)
        position += 0.01 * speed
    return torch.cat([position, speed], 1)


PROGRAMS = [game_of_life, power_method, least_squares, svd_compression, fft_denoise, k_means,
            page_rank, black_scholes, gray_scott, softmax_regression, n_body]  # fmt: skip
