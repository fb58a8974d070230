"""Methods and properties of `Tensor` that are not operators of the op table."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from rushlight import _C
from rushlight import _operators as ops
from rushlight._C import Tensor, device, dtype, memory_format
from rushlight._tensor import functions

__all__ = ["METHODS", "PROPERTIES"]

_LEGACY = {  # PyTorch's names of typed tensors
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "ShortTensor": "int16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool",
}


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor with another dtype, device or memory format: itself if nothing changes.

    ``to(dtype)``, ``to(device, dtype)``, ``to(other)``; ``copy=True`` always copies.
    """
    wanted: Any = None
    rest = list(args)
    if rest and isinstance(rest[0], (str, device)):
        _check_device(rest.pop(0))
    elif rest and isinstance(rest[0], Tensor):
        wanted = rest.pop(0).dtype
    if rest and (
        isinstance(rest[0], dtype) or rest[0] in (float, builtins.int, builtins.bool, complex)
    ):
        wanted = rest.pop(0)
    elif rest and rest[0] is None:
        rest.pop(0)
    for name, value in zip(("non_blocking", "copy"), rest, strict=False):
        kwargs[name] = value
    if len(rest) > 2:
        raise TypeError(f"to() received an invalid combination of arguments: {args!r}")
    _check_device(kwargs.pop("device", None))
    if "other" in kwargs:
        wanted = kwargs.pop("other").dtype
    wanted = dtype_of(kwargs.pop("dtype", None) or wanted or self.dtype)
    copy = kwargs.pop("copy", False)
    kwargs.pop("non_blocking", None)
    layout = kwargs.pop("memory_format", None) or _C.preserve_format
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    fits = layout in (_C.preserve_format, None) or self.is_contiguous(memory_format=layout)
    if wanted == self.dtype and fits and not copy:
        return self
    found: Tensor = _C.call_op("aten._to_copy.default", self, dtype=wanted, memory_format=layout)
    return found


def dtype_of(wanted: Any) -> dtype:
    """The dtype that a dtype or one of Python's number types stands for."""
    python: dict[Any, dtype] = {
        builtins.bool: _C.bool,
        builtins.int: _C.int64,
        builtins.float: _C.get_default_dtype(),
        builtins.complex: _C.complex128,
    }
    found: dtype = python.get(wanted, wanted)
    return found


def _check_device(where: Any) -> None:
    if where is not None:
        ops.empty(0, device=where)


def _cast(name: str) -> Callable[..., Tensor]:
    wanted: dtype = getattr(_C, name)

    def method(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
        return to(self, wanted)

    method.__doc__ = f"``self.to(rushlight.{name})``"
    return method


def type(
    self: Tensor, dtype: dtype | str | None = None, non_blocking: builtins.bool = False
) -> Any:
    """The name of the tensor's type, ``'rushlight.FloatTensor'``, or the tensor converted."""
    if dtype is None:
        for legacy, name in _LEGACY.items():
            if name == self.dtype.name:
                return f"rushlight.{legacy}"
        return f"rushlight.{self.dtype.name}"
    if isinstance(dtype, str):
        name = _LEGACY.get(dtype.rpartition(".")[2], "")
        if not name:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = getattr(_C, name)
    return to(self, dtype)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of ``other``; itself if that is its own."""
    return to(self, other)


def cpu(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """The tensor itself: it is in CPU memory."""
    return self


def cuda(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """RuntimeError: this engine has no such device."""
    raise RuntimeError("rushlight was not built with CUDA: its tensors live on the CPU")


def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """A tensor of ``data`` with this one's dtype."""
    _check_device(device)
    return _C.tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def where(self: Tensor, condition: Tensor, y: Any) -> Tensor:
    """``self`` where ``condition`` holds, ``y`` elsewhere."""
    return ops.where(condition, self, y)


def ldexp_(self: Tensor, other: Tensor) -> Tensor:
    """`ldexp` in place."""
    return self.copy_(ops.ldexp(self, other))


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """`float_power` in place, of a float64 or complex128 tensor."""
    value = functions.float_power(self, exponent)
    if value.dtype != self.dtype:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype} but the operation's result "
            f"requires dtype {value.dtype}"
        )
    return self.copy_(value)


def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm` in place."""
    return self.copy_(ops.renorm(self, p, dim, maxnorm))


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces every element by ``callable(element)``. Slow: one Python call an element."""
    values = [callable(v) for v in self.flatten().tolist()]
    return self.copy_(_C.tensor(values, dtype=self.dtype).reshape(self.shape))


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces every element by ``callable(element, element of tensor)``."""
    pairs = zip(self.flatten().tolist(), tensor.expand(self.shape).flatten().tolist(), strict=True)
    values = [callable(a, b) for a, b in pairs]
    return self.copy_(_C.tensor(values, dtype=self.dtype).reshape(self.shape))


def _from_uniform(self: Tensor, generator: Any, f: Callable[[Tensor], Tensor]) -> Tensor:
    uniform = ops.rand(self.shape, dtype=_C.float64, generator=generator)
    return self.copy_(f(uniform).to(self.dtype))


def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator: Any = None) -> Tensor:
    """Fills the tensor with numbers of the Cauchy distribution."""
    import math

    return _from_uniform(self, generator, lambda u: median + sigma * ops.tan(math.pi * (u - 0.5)))


def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator: Any = None) -> Tensor:
    """Fills the tensor with exponentials of normal numbers."""
    drawn = ops.empty(self.shape, dtype=_C.float64).normal_(mean, std, generator=generator)
    return self.copy_(ops.exp(drawn).to(self.dtype))


def geometric_(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Fills the tensor with numbers of trials until the first success of probability ``p``."""
    import math

    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return _from_uniform(
        self, generator, lambda u: ops.ceil(ops.log1p(-u) / math.log1p(-p)).clamp(min=1)
    )


def random_(self: Tensor, *bounds: int, generator: Any = None, **kwargs: int) -> Tensor:
    """Fills the tensor with integers from ``[from, to)``; by default all that the dtype holds
    exactly."""
    if len(bounds) == 1:
        low, high = 0, bounds[0]
    elif len(bounds) == 2:
        low, high = bounds
    else:
        low, high = kwargs.get("from", 0), kwargs.get("to", 0)
    if not bounds and "to" not in kwargs:
        digits = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8, "bool": 1}
        bits = digits.get(self.dtype.name)
        if bits is None:
            high = 2 ** (8 * self.dtype.itemsize - (1 if self.dtype.is_signed else 0)) - 1
        else:
            high = 2**bits + (0 if self.dtype.name == "bool" else 1)
    if high <= low:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    drawn = ops.randint(low, builtins.min(high, 2**63 - 1), self.shape, generator=generator)
    return self.copy_(drawn.to(self.dtype))


def resize_(self: Tensor, *sizes: Any, memory_format: memory_format | None = None) -> Tensor:
    """Gives the tensor another shape over the same storage, which grows if it must; elements that
    stay keep their place in memory."""
    shape = list(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else list(sizes)
    _C.resize_tensor(self, shape)
    return self


def resize_as_(self: Tensor, other: Tensor) -> Tensor:
    """`resize_` to the shape of ``other``."""
    return resize_(self, other.shape)


def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Makes the tensor another name for ``source``: the same memory, shape and strides."""
    _C.assign_tensor(self, ops.empty(0, dtype=self.dtype) if source is None else source)
    return self


def is_set_to(self: Tensor, tensor: Tensor) -> builtins.bool:
    """Whether both are the same view of the same memory."""
    return (
        self.data_ptr() == tensor.data_ptr()
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
    )


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum over what broadcasting ``size`` to this shape repeated."""
    shape = list(size[0]) if len(size) == 1 and not isinstance(size[0], int) else list(size)
    lead = self.ndim - len(shape)
    if lead < 0 or any(s not in (1, n) for s, n in zip(shape, self.shape[lead:], strict=True)):
        raise RuntimeError(f"size {{{shape}}} is not expandable to size {{{list(self.shape)}}}.")
    out = self.sum(list(builtins.range(lead))) if lead else self
    kept = [i for i, s in enumerate(shape) if s == 1 and out.shape[i] != 1]
    return out.sum(kept, keepdim=True) if kept else out


def dim_order(self: Tensor) -> tuple[int, ...]:
    """Dimensions from the slowest in memory to the fastest."""
    strides = self.stride()
    return tuple(sorted(builtins.range(self.ndim), key=lambda d: -strides[d]))


def get_device(self: Tensor) -> int:
    """-1: the CPU has no index."""
    return -1


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """RuntimeError: page-locked memory is for devices that this engine does not have."""
    raise RuntimeError("cannot pin memory: no accelerator is available")


def is_pinned(self: Tensor, device: Any = None) -> builtins.bool:
    """False."""
    return False


def requires_grad_(self: Tensor, requires_grad: builtins.bool = True) -> Tensor:
    """NotImplementedError for True: tensors do not record gradients."""
    if requires_grad:
        raise NotImplementedError("requires_grad=True is not supported")
    return self


def to_device(self: Tensor, device: Any, *, stream: Any = None) -> Tensor:
    """The tensor on ``device``, as the array API standard has it: itself, on the CPU."""
    _check_device(device)
    if stream is not None:
        raise ValueError("to_device: the CPU has no streams")
    return self


def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> Any:  # noqa: N807
    """`rushlight.array_api`; ``ValueError`` for a version that it does not cover."""
    from rushlight import array_api

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"unrecognized array API version {api_version!r}")
    return array_api


def __reversed__(self: Tensor) -> Tensor:  # noqa: N807
    return self if self.ndim == 0 else ops.flip(self, [0])


def __array_wrap__(  # noqa: N807
    self: Tensor, array: Any, context: Any = None, return_scalar: builtins.bool = False
) -> Tensor:
    return Tensor(array) if array.ndim else _C.tensor(array.item())


def __repr__(self: Tensor) -> str:  # noqa: N807
    from rushlight._tensor.printing import text_of

    return text_of(self)


def __format__(self: Tensor, spec: str) -> str:  # noqa: N807
    return format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)


METHODS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        to, type, type_as,
        cpu, cuda, new_tensor, where, ldexp_, float_power_, renorm_, apply_, map_,
        cauchy_, log_normal_, geometric_, random_, resize_, resize_as_, set_, is_set_to,
        sum_to_size, dim_order, get_device, pin_memory, is_pinned, requires_grad_, to_device,
        __array_namespace__, __reversed__,
        __array_wrap__, __repr__, __format__,
        functions.float_power, functions.ger, functions.is_complex, functions.is_floating_point,
        functions.is_same_size, functions.is_signed, functions.isreal, functions.norm,
        functions.split, functions.stft, functions.unique, functions.unique_consecutive,
    )
} | {
    name: _cast(target)
    for name, target in {
        "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
        "byte": "uint8", "char": "int8", "short": "int16", "int": "int32", "long": "int64",
        "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
    }.items()
} | {
    "nelement": lambda self: self.numel(),
    "ndimension": lambda self: self.ndim,
    "is_conj": lambda self: False,
    "is_neg": lambda self: False,
    "is_inference": lambda self: False,
    "is_distributed": lambda self: False,
}  # fmt: skip

PROPERTIES: dict[str, Callable[[Tensor], Any]] = {
    "T": lambda self: ops.permute(self, list(reversed(builtins.range(self.ndim)))),
    "H": lambda self: self.mH,
    "mT": lambda self: _C.call_op("aten.mT.default", self),
    "mH": lambda self: _C.call_op("aten.mH.default", self),
    "real": lambda self: ops.real(self) if self.dtype.is_complex else self,
    "imag": ops.imag,
    "itemsize": lambda self: self.dtype.itemsize,
    "nbytes": lambda self: self.numel() * self.dtype.itemsize,
    "data": lambda self: self.detach(),
    "is_cpu": lambda self: True,
    "is_leaf": lambda self: True,
    "requires_grad": lambda self: False,
    "grad": lambda self: None,
    "grad_fn": lambda self: None,
} | {
    f"is_{what}": lambda self: False
    for what in (
        "cuda", "meta", "mkldnn", "mps", "mtia", "nested", "quantized", "sparse", "sparse_csr",
        "vulkan", "xla", "xpu", "ipu", "maia",
    )
}  # fmt: skip


def install() -> None:
    """Puts the methods on `Tensor`: once, at the package's import."""
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
    Tensor.__str__ = __repr__  # type: ignore[assignment]
    for name, getter in PROPERTIES.items():
        setattr(Tensor, name, property(getter))
    Tensor.__array_priority__ = 1000  # type: ignore[attr-defined]
