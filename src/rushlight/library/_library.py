"""Operators by schema: libraries of a namespace, and functions that add to one operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.library import _definitions
from rushlight.ops import OpOverload, OpPacket

Function = Callable[..., Any]

_CPU = {
    "cpu",
    "default",
    "CPU",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "",
}


def on_cpu(device_types: str | Sequence[str] | None) -> bool:
    """Whether a kernel for these devices, or dispatch keys, is one for the CPU."""
    if device_types is None:
        return True
    return bool(_CPU & ({device_types} if isinstance(device_types, str) else set(device_types)))


def _name_of(op: Any) -> str:
    """The name in the table of an operator given by name, object or :func:`custom_op` result."""
    if isinstance(op, str):
        return _definitions.table_name(op)
    if isinstance(op, OpOverload):
        return op.name
    if isinstance(op, OpPacket):
        return op.default.name
    name = getattr(op, "_table_name", None)
    if not isinstance(name, str):
        raise TypeError(f"expected an operator or its name 'namespace::name', got {op!r}")
    return name


class Library:
    """The operators of one namespace, by schema.

    Args:
        ns: the namespace.
        kind: ``"DEF"`` or ``"FRAGMENT"`` to define operators, ``"IMPL"`` to add functions to
            operators that are defined elsewhere.
        dispatch_key: the device that :meth:`impl` means by default.

    >>> import rushlight
    >>> lib = Library("shapes", "DEF")
    >>> lib.define("area(Tensor sides) -> Tensor")
    'area'
    >>> lib.impl("area", lambda sides: sides.prod(-1), "CPU")
    >>> rushlight.ops.shapes.area(rushlight.tensor([[2.0, 3.0]]))
    tensor([6.])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"kind: expected 'DEF', 'IMPL' or 'FRAGMENT', got {kind!r}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._defined: list[str] = []

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"

    def define(
        self, schema: str, alias_analysis: str = "", *, tags: Sequence[Any] | Any = ()
    ) -> str:
        """Defines ``name(arguments) -> results``; the name. It needs a kernel before it can run.

        Raises:
            ValueError: the schema breaks the grammar.
            RuntimeError: the operator has a schema, or this library may define none.
        """
        del alias_analysis, tags
        if self.kind == "IMPL":
            raise RuntimeError("a Library of kind 'IMPL' defines no operators")
        self._defined.append(_definitions.add(f"{self.ns}::{schema}"))
        return schema.partition("(")[0].strip()

    def impl(
        self,
        op_name: Any,
        fn: Function,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Gives an operator its function for a device; ``"Meta"`` is a fake function.

        Raises:
            RuntimeError: it has no schema, or has a function and `allow_override` is false.
        """
        if with_keyset:
            raise NotImplementedError("kernels that take dispatch keys: there is one device here")
        qualified = isinstance(op_name, str) and "::" not in op_name
        name = _name_of(f"{self.ns}::{op_name}" if qualified else op_name)
        key = dispatch_key or self.dispatch_key
        if key == "Meta":
            _definitions.change(name, fake=fn)
        elif on_cpu(key):
            if _definitions.find(name).kernel is not None and not allow_override:
                raise RuntimeError(f"operator {name} has a kernel for {key or 'the CPU'} already")
            _definitions.change(name, kernel=fn)

    def _destroy(self) -> None:
        """Takes the operators that this library defined away."""
        for name in self._defined:
            _definitions.remove(name)
        self._defined.clear()


def define(
    qualname: str, schema: str, *, lib: Library | None = None, tags: Sequence[Any] = ()
) -> None:
    """Defines an operator: ``define("mylib::area", "(Tensor sides) -> Tensor")``.

    Raises:
        ValueError: the name or the schema breaks the grammar.
        RuntimeError: the operator has a schema.
    """
    del tags
    _definitions.table_name(qualname)
    name = _definitions.add(f"{qualname}{schema}")
    if lib is not None:
        lib._defined.append(name)


def impl(
    qualname: str,
    types: str | Sequence[str],
    func: Function | None = None,
    *,
    lib: Library | None = None,
) -> Callable[[Function], None] | None:
    """Gives an operator its function: ``@impl("mylib::area", "cpu")``."""
    del lib
    name = _definitions.table_name(qualname)

    def register(function: Function) -> None:
        if on_cpu(types):
            _definitions.change(name, kernel=function)

    if func is None:
        return register
    register(func)
    return None


def register_kernel(
    op: Any,
    device_types: str | Sequence[str] | None,
    func: Function | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable[[Function], Function] | Function:
    """Gives an operator its function for some devices; usable as a decorator."""
    del lib
    name = _name_of(op)

    def register(function: Function) -> Function:
        if on_cpu(device_types):
            _definitions.change(name, kernel=function)
        return function

    return register if func is None else register(func)


def register_fake(
    op: Any,
    func: Function | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = False,
) -> Callable[[Function], Function] | Function:
    """Says what an operator's results look like; usable as a decorator.

    The function gets tensors whose contents mean nothing and returns tensors of the sizes and types
    that the kernel will give. Sizes that depend on the data are
    ``get_ctx().new_dynamic_size()``.

    >>> import rushlight
    >>> @rushlight.library.custom_op("mylib::rows", mutates_args=())
    ... def rows(x: rushlight.Tensor) -> rushlight.Tensor:
    ...     return x.sum(-1)
    >>> @rushlight.library.register_fake("mylib::rows")
    ... def _(x):
    ...     return x.new_empty(x.shape[:-1])
    """
    del lib, _stacklevel, allow_override
    name = _name_of(op)

    def register(function: Function) -> Function:
        _definitions.change(name, fake=function)
        return function

    return register if func is None else register(func)


def register_autograd(
    op: Any,
    backward: Function,
    /,
    *,
    setup_context: Function | None = None,
    lib: Library | None = None,
) -> None:
    """Keeps the functions of a gradient; this engine computes none."""
    del lib
    _definitions.change(_name_of(op), autograd=(backward, setup_context))
