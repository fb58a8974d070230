"""One decorator that makes a Python function an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from rushlight import ops
from rushlight.library import _definitions
from rushlight.library._library import on_cpu
from rushlight.library._schema import infer_schema

Function = Callable[..., Any]
DeviceTypes = str | Sequence[str] | None


class CustomOpDef:
    """An operator that :func:`custom_op` made; calling it calls the operator."""

    def __init__(self, qualname: str, function: Function, name: str) -> None:
        self._qualname = qualname
        self._table_name = name
        self._init_fn = function
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def _opoverload(self) -> ops.OpOverload:
        namespace, name, overload_name = self._table_name.split(".")
        found: ops.OpOverload = getattr(getattr(getattr(ops, namespace), name), overload_name)
        return found

    def register_kernel(self, device_types: DeviceTypes, fn: Function | None = None, /) -> Function:
        """Another function for these devices; ``"cpu"`` and None replace the one there is."""

        def register(fn: Function) -> Function:
            if on_cpu(device_types):
                _definitions.change(self._table_name, kernel=fn)
            return fn

        return register if fn is None else register(fn)

    def register_fake(self, fn: Function, /) -> Function:
        """See :func:`rushlight.library.register_fake`."""
        _definitions.change(self._table_name, fake=fn)
        return fn

    def register_autograd(
        self, backward: Function, /, *, setup_context: Function | None = None
    ) -> None:
        """Keeps the functions of a gradient; this engine computes none."""
        _definitions.change(self._table_name, autograd=(backward, setup_context))


@overload
def custom_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> Callable[[Function], CustomOpDef]: ...
@overload
def custom_op(
    name: str,
    fn: Function,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> CustomOpDef: ...
def custom_op(
    name: str,
    fn: Function | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> Callable[[Function], CustomOpDef] | CustomOpDef:
    """Makes a function an operator: ``custom_op("mylib::halve", mutates_args=())(halve)``.

    Args:
        name: ``namespace::name``. Defining a name again replaces it for programs loaded later.
        fn: the function, unless this is used as a decorator.
        mutates_args: names of the tensors it writes into.
        device_types: the devices the function is for; the CPU is the one there is.
        schema: the schema without a name, ``(Tensor x) -> Tensor``; taken from the annotations
            by default.
        tags: accepted, not used.

    Raises:
        ValueError: the name or the schema breaks the grammar.
        RuntimeError: the name is one of rushlight's own operators.

    >>> from rushlight import Tensor, tensor
    >>> @custom_op("mylib::fill_", mutates_args={"x"})
    ... def fill_(x: Tensor, value: float) -> None:
    ...     x.fill_(value)
    >>> x = tensor([1.0, 2.0])
    >>> fill_(x, 5)
    >>> x
    tensor([5., 5.])
    """
    del tags

    def make(function: Function) -> CustomOpDef:
        _definitions.table_name(name)
        signature = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        kernel = function if on_cpu(device_types) else None
        return CustomOpDef(
            name, function, _definitions.add(f"{name}{signature}", kernel, replace=True)
        )

    return make if fn is None else make(fn)
