"""A library with PyTorch's names over NumPy arrays and `rushlight.reference`: what random programs
are compared with where PyTorch is not installed. What it lacks, the programs do not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight import reference
from rushlight.reference.strided import address, root_of

from .families import words


@dataclass(frozen=True)
class DType:
    name: str

    def __str__(self) -> str:
        return f"model.{self.name}"


class Storage:
    def __init__(self, array: Any) -> None:
        self._root = root_of(array)

    def data_ptr(self) -> int:
        return address(self._root)

    def nbytes(self) -> int:
        return int(self._root.nbytes)


class Tensor:
    """An array; operators and methods are calls of the reference's operators."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def dtype(self) -> DType:
        return DType(reference.dtype_of(self.array))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def ndim(self) -> int:
        return int(self.array.ndim)

    def numel(self) -> int:
        return int(self.array.size)

    def stride(self) -> tuple[int, ...]:
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def storage_offset(self) -> int:
        return (address(self.array) - address(root_of(self.array))) // int(self.array.itemsize)

    def untyped_storage(self) -> Storage:
        return Storage(self.array)

    def numpy(self) -> Any:
        return np.asarray(self.array)

    def like(self, array: Any) -> Tensor:
        return Tensor(array)

    def is_contiguous(self) -> bool:
        return bool(self.array.flags.c_contiguous)

    def contiguous(self) -> Tensor:
        return self if self.is_contiguous() else Tensor(np.array(self.array, subok=True, order="C"))

    def float(self) -> Tensor:
        if self.array.dtype.kind == "c":
            raise NotImplementedError
        return Tensor(reference.cast(self.array, "float32"))

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(self.array[_index(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        places = _index(index)
        gathers = not isinstance(index, Tensor) and any(isinstance(p, list) for p in places)
        if gathers and isinstance(value, Tensor):
            raise NotImplementedError  # PyTorch wants the same dtype
        self.array[places] = reference.cast(_plain(value), self.dtype.name)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: call(name, self, *args, **kwargs)


def _index(index: Any) -> Any:
    parts = _plain(index if isinstance(index, tuple) else (index,))
    if any(isinstance(part, list) for part in parts) and any(isinstance(p, int) for p in parts):
        raise NotImplementedError  # NumPy moves the dimension to another place
    # NumPy copies elements without dimensions out; an ellipsis keeps the view.
    gathers = any(isinstance(part, (list, np.ndarray)) for part in parts)
    return tuple(parts) if gathers or Ellipsis in parts else (*parts, ...)


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, DType):
        return value.name
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


# The overload of a function, by what it is called with.
_TENSOR = {"add": "Tensor", "sub": "Tensor", "mul": "Tensor", "div": "Tensor"}
_UNARY = words("""
    abs neg relu sign square tanh sigmoid exp sqrt rsqrt reciprocal log log1p sin cos floor ceil
    round trunc erf
""")
_TESTS = words("isnan isinf logical_not bitwise_not")
_COMPARE = words("eq ne lt le gt ge")
_LOGICAL = words("maximum minimum logical_and logical_or logical_xor")


def _overload(name: str, args: tuple[Any, ...]) -> str:
    if name in _TENSOR:
        return f"aten.{name}.Tensor"
    if name in _COMPARE:
        return f"aten.{name}.{'Tensor' if isinstance(args[1], Tensor) else 'Scalar'}"
    if name in ("sum", "mean"):
        some = "dim_IntList" if name == "sum" else "dim"
        return f"aten.{name}.{'default' if len(args) == 1 else some}"
    return f"aten.{name}.{_ONE_OVERLOAD[name]}"


_VIEWS = words("permute view unsqueeze expand clone reshape")
_ONE_OVERLOAD = (
    dict.fromkeys([*_UNARY, *_TESTS, *_LOGICAL, *_VIEWS], "default")
    | dict.fromkeys(words("cat stack amax amin cumsum flip matmul clamp"), "default")
    | {"transpose": "int", "select": "int", "where": "self"}
)
FUNCTIONS = frozenset([*_ONE_OVERLOAD, *_TENSOR, *_COMPARE, "sum", "mean"])
_IN_PLACE = frozenset(["add_", "sub_", "mul_", "div_"])


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """A function or method by PyTorch's name."""
    if name in _IN_PLACE:
        target = args[0].array
        result = call(name[:-1], *args, **kwargs).array
        if result.shape != target.shape or not np.can_cast(result.dtype, target.dtype, "same_kind"):
            raise RuntimeError(f"{name}: the result does not fit into the tensor")
        target[...] = result
        return args[0]
    if name not in FUNCTIONS:
        raise NotImplementedError(name)
    if name in ("sum", "mean") and len(args) == 2 and isinstance(args[1], int):
        args = (args[0], [args[1]])
    others = [a for a in (*args[1:], *kwargs.values()) if isinstance(a, Tensor)]
    if (name in _LOGICAL and not others) or (name == "clamp" and others):
        raise NotImplementedError(name)
    kinds = {t.dtype.name for t in (args[0], *others) if isinstance(t, Tensor)}
    if name == "sub" and any(isinstance(a, bool) for a in args):
        raise NotImplementedError(name)
    if "bool" in kinds and name in (*_UNARY, "sub", "clamp", "matmul"):
        raise NotImplementedError(name)
    if "complex64" in kinds and name not in (*_VIEWS, "add", "mul", "cat", "stack"):
        raise NotImplementedError(name)
    values = [_plain(a) for a in args]
    if name in ("reshape", "view", "expand", "permute") and not args[0].is_contiguous():
        raise NotImplementedError(name)  # when NumPy copies is another rule than PyTorch's
    result = reference.call(
        _overload(name, args), *values, **{k: _plain(v) for k, v in kwargs.items()}
    )
    return Tensor(result)


def tensor(data: Any, dtype: DType | None = None) -> Tensor:
    array = np.array(data)
    natural = {"f": "float32", "i": "int64", "b": "bool"}[array.dtype.kind]
    return Tensor(np.array(reference.cast(array, dtype.name if dtype else natural), subok=True))


def zeros(shape: Any, dtype: DType | None = None) -> Tensor:
    return Tensor(np.zeros(shape, "float32")) if dtype is None else tensor(np.zeros(shape), dtype)


def ones(shape: Any, dtype: DType | None = None) -> Tensor:
    return Tensor(np.ones(shape, "float32")) if dtype is None else tensor(np.ones(shape), dtype)


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return lambda *args, **kwargs: call(name, *args, **kwargs)
    try:
        np.dtype("float32" if name == "bfloat16" else name)
    except TypeError:
        return _absent
    return DType(name)


def _absent(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError


def _binary(name: str) -> Callable[[Tensor, Any], Any]:
    return lambda self, other: call(name, self, other)


for _method, _name in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "lt": "lt",
                       "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne",
                       "matmul": "matmul"}.items():  # fmt: skip
    setattr(Tensor, f"__{_method}__", _binary(_name))
for _method, _name in {"add": "add_", "sub": "sub_", "mul": "mul_", "truediv": "div_",
                       "and": "and_", "or": "or_", "xor": "xor_"}.items():  # fmt: skip
    setattr(Tensor, f"__i{_method}__", _binary(_name))
Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]
