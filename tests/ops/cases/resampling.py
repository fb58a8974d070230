"""Resampling of images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .table import Case, Source, serves

RANKS = {"1d": 1, "2d": 2, "3d": 3}


def _rank(operator: str) -> int:
    return next(rank for name, rank in RANKS.items() if name in operator)


@serves("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec",
        "_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec")  # fmt: skip
def nearest(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = _rank(operator)
    for dtype in ("float32", "float64"):
        x = source((2, 3, *(4, 5, 3)[:rank]), dtype)
        yield (x, [7, 3, 5][:rank], None), {}
        yield (x, None, [2.0, 2.0, 2.0][:rank]), {}
        yield (x, None, [1.5, 0.6, 2.3][:rank]), {}


@serves("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec",
        "upsample_bicubic2d.vec")  # fmt: skip
def smooth(operator: str) -> Iterator[Case]:
    source = Source(operator)
    rank = _rank(operator)
    for dtype in ("float32", "float64"):
        x = source((2, 3, *(4, 5, 3)[:rank]), dtype)
        for corners in (False, True):
            yield (x, [7, 3, 5][:rank], corners, None), {}
            yield (x, [1, 1, 1][:rank], corners, None), {}
            yield (x, None, corners, [2.0, 2.0, 2.0][:rank]), {}
            yield (x, None, corners, [1.5, 0.6, 2.3][:rank]), {}


@serves("upsample_nearest2d.default", "upsample_bilinear2d.default", "upsample_bicubic2d.default")
def by_size(operator: str) -> Iterator[Case]:
    source = Source(operator)
    flags = () if "nearest" in operator else (False,)
    yield (source((2, 3, 4, 5)), [8, 3], *flags), {}
    yield (source((2, 3, 4, 5)), [8, 10], *flags, 2.0, 2.0), {}


@serves("grid_sampler_2d.default", "grid_sampler.default")
def grids(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            for corners in (False, True):
                x, grid = source((2, 3, 4, 5)), source((2, 3, 4, 2), "float32", -1.3, 1.3)
                yield (x, grid, mode, padding, corners), {}


@serves("affine_grid_generator.default")
def affine_grids(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for corners in (False, True):
        yield (source((2, 2, 3)), [2, 1, 4, 5], corners), {}


@serves("max_unpool2d.default")
def unpool(operator: str) -> Iterator[Case]:
    source = Source(operator)
    indices = np.array([[[[0, 3], [9, 14]]]])
    yield (source((1, 1, 2, 2)), indices, [4, 4]), {}
