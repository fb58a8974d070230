"""The programs of benchmarks/lazy.py, each in NumPy's names (NumPy, JAX, MLX) and in PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = tuple[Any, ...]


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@dataclass(frozen=True)
class Program:
    name: str
    inputs: Callable[..., Sequence[np.ndarray]]
    numpy: Callable[..., Arrays]
    torch: Callable[..., Arrays]
    sizes: Sequence[tuple[int, ...]] = ((),)
    numexpr: str | None = None
    labels: Sequence[str] = field(default=())

    def cases(self) -> Iterator[tuple[str, Sequence[np.ndarray]]]:
        for size in self.sizes:
            yield "x".join(f"{s:,}" for s in size), self.inputs(*size)


def two(n: int) -> Sequence[np.ndarray]:
    return normal(n), normal(n) + 3


VECTORS = ((1_000,), (100_000,), (10_000_000,))


def chain3(m: Any, x: Any, y: Any) -> Arrays:
    return ((x + y) * x - 0.5,)


def chain6(m: Any, x: Any, y: Any) -> Arrays:
    a = x * y + 1.5
    return (a * a - x / y,)


def chain12(m: Any, x: Any, y: Any) -> Arrays:
    a = x * 0.5 + y
    b = a * a + x
    c = b * 0.25 - a * y
    return (abs(c) + m.sqrt(abs(b)) * x - y * 2.0,)


def squared_error(m: Any, x: Any, y: Any) -> Arrays:
    d = x - y
    return ((d * d).sum(),)


def softmax(m: Any, x: Any) -> Arrays:
    e = m.exp(x - m.max(x, axis=-1, keepdims=True))
    return (e / m.sum(e, axis=-1, keepdims=True),)


def softmax_torch(m: Any, x: Any) -> Arrays:
    e = m.exp(x - x.amax(-1, keepdim=True))
    return (e / e.sum(-1, keepdim=True),)


def layer_norm(m: Any, x: Any, w: Any) -> Arrays:
    mean = m.mean(x, axis=-1, keepdims=True)
    d = x - mean
    return (d / m.sqrt(m.mean(d * d, axis=-1, keepdims=True) + 1e-5) * w,)


def layer_norm_torch(m: Any, x: Any, w: Any) -> Arrays:
    d = x - x.mean(-1, keepdim=True)
    return (d / m.sqrt((d * d).mean(-1, keepdim=True) + 1e-5) * w,)


def variance(m: Any, x: Any) -> Arrays:
    return (m.var(x, axis=-1),)


def variance_torch(m: Any, x: Any) -> Arrays:
    return (x.var(-1, correction=0),)


def small_matrices(m: Any, a: Any, x: Any) -> Arrays:
    for _ in range(20):
        x = a @ x + x * 0.1
    return (x,)


def adds(m: Any, x: Any, y: Any) -> Arrays:
    for _ in range(100):
        x = x + y
    return (x,)


def particles(m: Any, p: Any, v: Any) -> Arrays:
    for _ in range(5):
        d = p[:, None, :] - p[None, :, :]
        r = (d * d).sum(-1) + 0.01
        f = -(d / (r * m.sqrt(r))[:, :, None]).sum(1)
        v = v + f * 0.001
        p = p + v * 0.001
    return p, v


def gray_scott(m: Any, u: Any, v: Any) -> Arrays:
    def laplacian(z: Any) -> Any:
        return m.roll(z, 1, 0) + m.roll(z, -1, 0) + m.roll(z, 1, 1) + m.roll(z, -1, 1) - z * 4.0

    for _ in range(10):
        uvv = u * v * v
        u, v = (
            u + laplacian(u) * 0.16 - uvv + (1.0 - u) * 0.035,
            v + laplacian(v) * 0.08 + uvv - v * 0.1,
        )
    return u, v


def black_scholes(m: Any, s: Any, k: Any) -> Arrays:
    t, r, sigma = 0.5, 0.02, 0.3
    root = sigma * t**0.5
    d1 = (m.log(s / k) + (r + sigma * sigma / 2) * t) / root
    d2 = d1 - root

    def cdf(x: Any) -> Any:
        return 0.5 + 0.5 * m.tanh(0.7978845608 * (x + 0.044715 * x * x * x))

    call = s * cdf(d1) - k * 0.99005 * cdf(d2)
    return call, call - s + k * 0.99005


def k_means(m: Any, x: Any, c: Any) -> Arrays:
    for _ in range(3):
        d = (x * x).sum(1)[:, None] - 2.0 * (x @ c.T) + (c * c).sum(1)[None, :]
        nearest = m.argmin(d, 1)
        one = (nearest[:, None] == m.arange(c.shape[0])[None, :]) * 1.0
        c = (one.T @ x) / (one.sum(0)[:, None] + 1e-6)
    return (c,)


def power_iteration(m: Any, a: Any, v: Any) -> Arrays:
    for _ in range(10):
        v = a @ v
        v = v / m.sqrt((v * v).sum())
    return ((v * (a @ v)).sum(),)


PROGRAMS = (
    Program("chain of 3", two, chain3, chain3, VECTORS, "(x + y) * x - 0.5"),
    Program("chain of 6", two, chain6, chain6, VECTORS, "(x * y + 1.5) ** 2 - x / y"),
    Program("chain of 12", two, chain12, chain12, VECTORS),
    Program("squared error", two, squared_error, squared_error, VECTORS, "sum((x - y) ** 2)"),
    Program("softmax", lambda n, k: [normal(n, k)], softmax, softmax_torch,
            ((32, 100), (1000, 1000))),
    Program("layer norm", lambda n, k: [normal(n, k), normal(k)], layer_norm, layer_norm_torch,
            ((32, 100), (1000, 1000))),
    Program("variance", lambda n, k: [normal(n, k)], variance, variance_torch,
            ((32, 100), (1000, 1000))),
    Program("small matrices", lambda n: [normal(n, n) / n, normal(n, n)], small_matrices,
            small_matrices, ((4,), (16,), (64,))),
    Program("100 adds", two, adds, adds, ((10,), (10_000,))),
    Program("particles", lambda n: [normal(n, 3), normal(n, 3)], particles, particles, ((300,),)),
    Program("Gray-Scott", lambda n: [normal(n, n) * 0.01 + 1, abs(normal(n, n)) * 0.1], gray_scott,
            gray_scott, ((64,), (512,))),
    Program("Black-Scholes", lambda n: [abs(normal(n)) + 50, abs(normal(n)) + 45], black_scholes,
            black_scholes, ((1000,), (1_000_000,))),
    Program("k-means", lambda n, d, k: [normal(n, d), normal(k, d)], k_means, k_means,
            ((10_000, 8, 16),)),
    Program("power iteration", lambda n: [normal(n, n), normal(n)], power_iteration,
            power_iteration, ((32,), (512,))),
)  # fmt: skip
