"""The tutorials' programs under `rushlight`: what is known of their results."""

from __future__ import annotations

import rushlight as torch

from . import programs


def test_a_glider_moves_by_three() -> None:
    world = programs.game_of_life(torch)
    assert world.sum() == 5
    assert world[3, 4] == 1 and world[5, 3:6].sum() == 3


def test_linear_algebra() -> None:
    a = torch.tensor([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]], dtype=torch.float64)
    assert abs(programs.power_method(torch) - torch.linalg.eigvalsh(a)[-1]) < 1e-9
    slope, start = programs.least_squares(torch).tolist()
    assert abs(slope - 3) < 0.02 and abs(start + 1) < 0.02
    assert programs.svd_compression(torch).abs().max() < 1e-9
    assert programs.fft_denoise(torch).abs().max() < 1e-9


def test_iterations() -> None:
    assert torch.allclose(programs.k_means(torch).flatten(), torch.tensor([0.1, 5.05, 9.1]))
    rank = programs.page_rank(torch)
    assert abs(rank.sum() - 1) < 1e-12 and rank.argmax() == 2
    prices = programs.black_scholes(torch)
    assert abs(prices[2] - 10.4506) < 1e-4 and bool((prices.diff() < 0).all())
    likely = programs.softmax_regression(torch)
    assert likely.argmax(1).tolist() == [0, 1, 0, 1]


def test_simulations() -> None:
    u, v = programs.gray_scott(torch)
    assert torch.allclose(u, u.T) and torch.allclose(v, v.flip(0))
    motion = programs.n_body(torch)
    mass = torch.tensor([1.0, 1e-3, 1e-3], dtype=torch.float64)
    momentum = (mass[:, None] * motion[:, 2:]).sum(0)
    assert torch.allclose(momentum, torch.tensor([-0.7e-3, 1e-3], dtype=torch.float64))
