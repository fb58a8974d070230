"""A random program in the making. Every call is run at once by a *guide* (a library with PyTorch's
names, eager), so that the next one can be chosen to fit the tensors there are."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .calls import Call, Program, Var
from .observe import ERRORS, IN_PLACE, dtype_name, parts_of, value_of

MAX_ELEMENTS = 400
MAX_LIVE = 14
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = ("float32",) * 6 + ("float64", "float64", "int64", "int64", "int32", "bool", "bool",
          "uint8", "int8", "int16", "float16", "bfloat16", "complex64")  # fmt: skip


class Maker:
    """The state while a program is made: the tensors so far, as the guide has them.

    ``rng`` decides everything; one of Hypothesis makes programs that Hypothesis can shrink.
    ``errors``: how often a call that the guide refuses stays in the program.
    """

    def __init__(self, rng: random.Random, guide: Any, errors: float = 0.3) -> None:
        self.rng, self.guide, self.errors = rng, guide, errors
        self.values: dict[int, Any] = {}
        self.program: Program = []
        self._next = 0

    # -- choosing ------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def tensor(self, accept: Callable[[Any], bool] = lambda t: True) -> Var | None:
        """One of the tensors, recent ones more often."""
        fit = [n for n, t in self.values.items() if accept(t)]
        if not fit:
            return None
        if self.chance(0.5):
            fit = fit[-4:]
        return Var(self.rng.choice(fit))

    def of(self, var: Var) -> Any:
        return self.values[var.number]

    def dim(self, tensor: Any) -> int:
        return self.rng.randint(-max(tensor.ndim, 1), max(tensor.ndim, 1) - 1)

    def number(self, dtype: str = "float32") -> bool | int | float:
        """A Python number that suits a dtype, sometimes of another category."""
        if dtype == "bool" and self.chance(0.7):
            return self.chance(0.5)
        if dtype in INTEGERS and self.chance(0.8):
            return self.rng.randint(0 if dtype == "uint8" else -4, 9)
        return self.rng.choice((0.5, 2.0, -1.5, 3, 0.25, 1, -2, True, 0.0, 1.75))

    def shape(self) -> list[int]:
        rank = self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3))
        sizes = (1, 2, 3, 3, 4, 5, 0) if self.chance(0.15) else (1, 2, 3, 4)
        return [self.rng.choice(sizes) for _ in range(rank)]

    # -- making --------------------------------------------------------------------------------

    def add(self, function: str, *args: Any, **kwargs: Any) -> bool:
        """Adds a call if the guide can run it, or sometimes if it refuses."""
        if len(self.values) >= MAX_LIVE:
            dropped = self.rng.choice(list(self.values))
            self.program.append(Call("del", (Var(dropped),)))
            del self.values[dropped]
        call = Call(function, args, kwargs)
        if any(n not in self.values for n in call.variables()):
            return False
        try:
            result = parts_of(call.run(self.guide, self.values))
        except NotImplementedError:  # PyTorch has no kernel for a dtype: nobody's rule
            return False
        except Exception as error:
            if not self.errors:
                return False
            if not isinstance(error, ERRORS):
                raise
            if not self.chance(self.errors):
                return False
            self.program.append(replace(call, raises=True))
            return True
        if any(dtype_name(part) == "complex32" for part in result):  # NumPy has none
            return False
        if sum(part.numel() for part in result) > MAX_ELEMENTS:
            return False
        if function == "setitem" or function in IN_PLACE:
            result = []
        targets = tuple(range(self._next, self._next + len(result)))
        self._next += len(result)
        self.values.update(zip(targets, result, strict=True))
        self.program.append(replace(call, targets=targets))
        if layout_is_free(call):
            self._fix_layout(targets)
        return True

    def _fix_layout(self, targets: tuple[int, ...]) -> None:
        """Goes on with contiguous copies, so that what follows does not depend on the layout."""
        for n in targets:
            self.program.append(Call(".contiguous", (Var(n),), targets=(n,)))
            self.values[n] = self.values[n].contiguous()

    def read(self, var: Var) -> None:
        self.program.append(Call("read", (var,)))


# Functions of which PyTorch does not say how it lays out the result.
_LAYOUT_FREE = frozenset(
    ["masked_fill", "diff", "outer", "sort", "matmul", "lerp", "take_along_dim", "gather", "where"]
)


def layout_is_free(call: Call) -> bool:
    if call.function == "getitem":
        index = call.args[1] if isinstance(call.args[1], tuple) else (call.args[1],)
        return any(isinstance(part, (list, Var)) for part in index)
    return call.function.rpartition(".")[2] in _LAYOUT_FREE


def finite_in(tensor: Any, dtype: str) -> bool:
    """Whether the values can be converted to an integer dtype with a defined result."""
    if dtype not in INTEGERS:
        return True
    kind, values = value_of(tensor)
    if kind.startswith("complex"):
        return False
    low, high = (0, 255) if dtype == "uint8" else (-100, 100)
    return bool(((values >= low) & (values <= high)).all())  # NaN: False


def convertible(tensor: Any, dtype: str) -> bool:
    """Whether every library converts it to the same values."""
    return finite_in(tensor, dtype) and (dtype.startswith("complex") or not is_complex(tensor))


def overlap(a: Any, b: Any) -> bool:
    """Whether two tensors share memory without being the same view: writing to one while reading
    the other depends on the order."""
    if a.numel() == 0 or b.numel() == 0:
        return False
    if a.untyped_storage().data_ptr() != b.untyped_storage().data_ptr():
        return False
    same = (
        a.storage_offset() == b.storage_offset()
        and tuple(a.shape) == tuple(b.shape)
        and tuple(a.stride()) == tuple(b.stride())
    )
    return not same and not addresses(a).isdisjoint(addresses(b))


def repeats(tensor: Any) -> bool:
    """Whether two elements are the same memory."""
    return len(addresses(tensor)) != tensor.numel()


def addresses(tensor: Any) -> set[int]:
    places = [int(tensor.storage_offset())]
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        places = [p + i * stride for p in places for i in range(size)]
    return set(places)


def is_float(tensor: Any) -> bool:
    return dtype_name(tensor) in FLOATS


def is_complex(tensor: Any) -> bool:
    return dtype_name(tensor).startswith("complex")
