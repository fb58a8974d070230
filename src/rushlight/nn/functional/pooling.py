"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight import _operators as ops
from rushlight._C import Tensor
from rushlight.nn.functional.call import Sizes, call

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
]


def _max_pool(
    rank: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    name = f"max_pool{rank}d{'_with_indices' if return_indices else ''}.default"
    return call(
        name, input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode
    )


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: ``[N, C, L]`` or ``[C, L]``."""
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: ``[N, C, H, W]`` or ``[C, H, W]``."""
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: ``[N, C, D, H, W]`` or ``[C, D, H, W]``."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _output_size(input: Tensor, output_size: Any, rank: int) -> list[int]:
    wanted = [output_size] * rank if isinstance(output_size, int) else list(output_size)
    sizes = input.shape[input.ndim - rank :]
    return [n if w is None else w for w, n in zip(wanted, sizes, strict=True)]


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows as ``output_size`` says."""
    return ops.adaptive_avg_pool1d(input, _output_size(input, output_size, 1))


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows as ``output_size`` says; None keeps a size."""
    found: Tensor = call("adaptive_avg_pool2d.default", input, _output_size(input, output_size, 2))
    return found


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows as ``output_size`` says; None keeps a size."""
    found: Tensor = call("adaptive_avg_pool3d.default", input, _output_size(input, output_size, 3))
    return found


def _adaptive_max_pool(rank: int, input: Tensor, output_size: Any, return_indices: bool) -> Any:
    found = call(f"adaptive_max_pool{rank}d.default", input, _output_size(input, output_size, rank))
    return found if return_indices else found[0]


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as ``output_size`` says."""
    return _adaptive_max_pool(1, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as ``output_size`` says."""
    return _adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows as ``output_size`` says."""
    return _adaptive_max_pool(3, input, output_size, return_indices)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _max_pool(
        1, input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return found


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool1d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool(1, input, output_size, True)
    return found


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _max_pool(
        2, input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return found


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool2d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool(2, input, output_size, True)
    return found


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool3d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _max_pool(
        3, input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return found


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool3d` and the positions of the largest elements in their plane."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool(3, input, output_size, True)
    return found


def _lp_pool(
    rank: int,
    average: Callable[..., Tensor],
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None,
    ceil_mode: bool,
) -> Tensor:
    sizes = [kernel_size] * rank if isinstance(kernel_size, int) else list(kernel_size)
    powers = average(
        ops.pow(input, norm_type), sizes, sizes if stride is None else stride, 0, ceil_mode
    )
    total = ops.sign(powers) * ops.relu(ops.abs(powers)) * math.prod(sizes)
    return ops.pow(total, 1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm (without absolute values) of each window."""
    from rushlight._operators_nn_functional import avg_pool1d

    return _lp_pool(1, avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm (without absolute values) of each window."""
    from rushlight._operators_nn_functional import avg_pool2d

    return _lp_pool(2, avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm (without absolute values) of each window."""
    from rushlight._operators_nn_functional import avg_pool3d

    return _lp_pool(3, avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode)
