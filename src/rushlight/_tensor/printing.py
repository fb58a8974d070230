"""Text of tensors, as PyTorch writes it, and its options."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor

__all__ = ["set_printoptions"]


@dataclass(frozen=True)
class Options:
    """How many digits and elements are printed."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": Options(),
    "short": Options(precision=2, edgeitems=2),
    "full": Options(threshold=math.inf),
}
_lock = threading.Lock()  # one thread may print while another changes the options
_options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Says how tensors are printed.

    ``precision``: digits behind the point (4). ``threshold``: tensors of more elements are
    summarised (1000) by the first and last ``edgeitems`` (3) of each dimension. ``linewidth``:
    characters a line (80). ``sci_mode``: scientific notation always, never, or (None) where
    numbers differ by more than 1000 times or are very large or small. ``profile``: ``"default"``,
    ``"short"`` or ``"full"`` (no summaries) to start from.

    >>> rushlight.set_printoptions(precision=2)
    >>> rushlight.tensor([1 / 3])
    tensor([0.33])
    >>> rushlight.set_printoptions(profile="default")
    """
    global _options  # noqa: PLW0603
    if profile is not None and profile not in _PROFILES:
        raise ValueError(f"no profile '{profile}'; there are {', '.join(_PROFILES)}")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems,
             "linewidth": linewidth}  # fmt: skip
    with _lock:
        options = _options if profile is None else _PROFILES[profile]
        changes: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        _options = replace(options, **changes, sci_mode=sci_mode)


class Numbers:
    """One format for all numbers of a tensor: integers, decimals or scientific."""

    def __init__(self, values: Sequence[Any], floating: bool, options: Options) -> None:
        self.floating, self.precision = floating, options.precision
        self.whole, self.scientific, self.width = True, False, 1
        if not floating:
            self.width = max((len(str(v)) for v in values), default=1)
            return
        finite = [v for v in values if math.isfinite(v) and v != 0]
        if finite:
            sizes = [abs(v) for v in finite]
            low, high = min(sizes), max(sizes)
            self.whole = all(v == math.ceil(v) for v in finite)
            self.scientific = high / low > 1000 or high > 1e8 or (not self.whole and low < 1e-4)
        if finite and options.sci_mode is not None:
            self.scientific = options.sci_mode
        self.width = max((len(self._digits(v)) for v in finite), default=1)

    def _digits(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{self.precision}e}"
        if not self.whole:
            return f"{value:.{self.precision}f}"
        return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"

    def text(self, value: Any) -> str:
        return (self._digits(value) if self.floating else str(value)).rjust(self.width)


class Complex:
    """Real and imaginary parts, each in a format of its own."""

    def __init__(self, values: Sequence[complex], options: Options) -> None:
        self.real = Numbers([v.real for v in values], True, options)
        self.imag = Numbers([v.imag for v in values], True, options)
        self.width = self.real.width + self.imag.width + 1

    def text(self, value: complex) -> str:
        imag = (self.imag.text(value.imag) + "j").lstrip()
        return self.real.text(value.real) + ("" if imag[0] in "+-" else "+") + imag


def _flat(values: Any) -> Iterator[Any]:
    if not isinstance(values, list):
        yield values
        return
    for part in values:
        yield from _flat(part)


def _edges(tensor: Tensor, count: int) -> Tensor:
    """The first and last elements of every dimension that has more."""
    for d, size in enumerate(tensor.shape):
        if size > 2 * count:
            parts = (ops.narrow(tensor, d, 0, count), ops.narrow(tensor, d, size - count, count))
            tensor = ops.cat(parts, d)
    return tensor


def _body(tensor: Tensor, indent: int, options: Options) -> str:
    """The numbers in brackets."""
    if tensor.dtype in (_C.float16, _C.bfloat16):
        tensor = tensor.to(_C.float32)
    summarised = tensor.numel() > options.threshold
    shape = tuple(tensor.shape)
    values = (_edges(tensor, options.edgeitems) if summarised else tensor).tolist()
    flat = list(_flat(values))
    numbers: Numbers | Complex = (
        Complex(flat, options)
        if tensor.dtype.is_complex
        else Numbers(flat, tensor.dtype.is_floating_point, options)
    )
    cut = [summarised and size > 2 * options.edgeitems for size in shape]

    def nested(part: Any, depth: int) -> str:
        if depth == len(shape):
            return numbers.text(part)
        write: Callable[[Any], str] = lambda inner: nested(inner, depth + 1)  # noqa: E731
        texts = [write(inner) for inner in part]
        last = depth == len(shape) - 1
        if cut[depth]:
            texts.insert(options.edgeitems, " ..." if last else "...")
        if not last:
            gap = "," + "\n" * (len(shape) - depth - 1) + " " * (indent + depth + 1)
            return f"[{gap.join(texts)}]"
        width = max(1, (options.linewidth - indent - depth) // (numbers.width + 2))
        lines = [", ".join(texts[i : i + width]) for i in range(0, len(texts), width)]
        return "[" + (",\n" + " " * (indent + depth + 1)).join(lines) + "]"

    return nested(values, 0)


def text_of(tensor: Tensor) -> str:
    """What ``repr`` and ``str`` of a tensor give."""
    options = _options
    default = _C.get_default_dtype()
    suffixes = []
    prefix = "tensor("
    if tensor.numel() == 0:
        text = prefix + "[]"
        if tensor.ndim != 1:
            suffixes.append(f"size={tuple(tensor.shape)}")
        if tensor.dtype != default:
            suffixes.append(f"dtype={tensor.dtype}")
    else:
        text = prefix + _body(tensor, len(prefix), options)
        wide = _C.complex128 if default == _C.float64 else _C.complex64
        if tensor.dtype not in (default, wide, _C.int64, _C.bool):
            suffixes.append(f"dtype={tensor.dtype}")
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
            column = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"
