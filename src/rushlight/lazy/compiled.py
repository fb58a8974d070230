"""Functions that are recorded once and then only run."""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

from rushlight import _C
from rushlight.lazy.guards import Guards, TooMuchError, plain_key
from rushlight.utils.pytree import TreeSpec, tree_flatten, tree_unflatten

P = ParamSpec("P")
R = TypeVar("R")

MOST_KEYS = 32  # values of arguments that are no tensors
MOST_ENTRIES = 16  # programs for one of these
MOST_TRIES = 4  # captures that differ before the function counts as one that always does
_RESULTS = (type(None), bool, int, float, complex, str, bytes, _C.dtype)


class NotReplayableError(RuntimeError):
    """A function does what a recorded program would not do again; says what, and in which line."""


def capture(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], *, run: bool = True
) -> tuple[_C.LazyProgram, list[Any], TreeSpec]:
    """Calls the function: its program, and leaves and nesting of its result. Without `run` it is
    recorded only: nothing is written, and the result has no values."""
    try:
        program, obstacle, leaves, treespec, _ = _watch(fn, args, kwargs, True, run)
    except RuntimeError as error:
        if _is_obstacle(str(error)):
            raise NotReplayableError(str(error)) from error
        raise
    if program is None:
        raise NotReplayableError(obstacle)
    return program, leaves, treespec


def _watch(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    strict: bool,
    run: bool = True,
) -> tuple[_C.LazyProgram | None, str, list[Any], TreeSpec, Any]:
    """Calls the function: its program or the obstacle, the leaves and nesting of its result."""
    tensors = [x for x in tree_flatten((tuple(args), dict(kwargs)))[0] if isinstance(x, _C.Tensor)]
    _C.lazy_begin_capture(tensors, strict)
    try:
        result = fn(*args, **kwargs)
        leaves, treespec = tree_flatten(result)
        made = [x for x in leaves if isinstance(x, _C.Tensor)]
        program, obstacle = _C.lazy_end_capture(tensors, made, run)
    finally:
        if _C.lazy_is_capturing():
            _C.lazy_abandon_capture()
    for leaf in leaves:
        if not isinstance(leaf, (_C.Tensor, *_RESULTS)):
            program, obstacle = None, f"returns a {type(leaf).__name__}: replaying can't make it"
    return program, obstacle, leaves, treespec, result


class _Entry:
    """A program with what must hold for it to be used."""

    def __init__(
        self, program: _C.LazyProgram, guards: Guards, leaves: Sequence[Any], treespec: TreeSpec
    ) -> None:
        self.program = program
        self.guards = guards
        self.treespec = treespec
        # A lone tensor is the usual result; others get their places among what is no tensor.
        self.is_tensor = treespec.is_leaf() and isinstance(leaves[0], _C.Tensor)
        self.fixed = [None if isinstance(x, _C.Tensor) else x for x in leaves]
        self.places = [i for i, x in enumerate(leaves) if isinstance(x, _C.Tensor)]

    def result(self, tensors: Sequence[_C.Tensor]) -> Any:
        if self.is_tensor:
            return tensors[0]
        leaves = list(self.fixed)
        for place, tensor in zip(self.places, tensors, strict=True):
            leaves[place] = tensor
        return tree_unflatten(leaves, self.treespec)


class _Calls:
    """Calls with the same nesting and the same arguments that are no tensors."""

    def __init__(self, kept: Sequence[Any]) -> None:
        self.kept = kept  # so that nothing else gets their ids
        self.entries: list[_Entry] = []
        self.first: tuple[_C.LazyProgram, Guards] | None = None
        self.tries = 0


class CompiledFunction(Generic[P, R]):
    """What :func:`compile` makes. ``obstacle`` says why calls are recorded instead of replayed."""

    def __init__(self, fn: Callable[P, R], fallback: bool) -> None:
        functools.update_wrapper(self, fn)
        self._fn = fn
        self._fallback = fallback
        self._calls: dict[Any, _Calls] = {}
        self._lock = threading.Lock()
        self.obstacle = ""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if _C.lazy_is_capturing() or not _C.lazy_is_recording() or self.obstacle:
            return self._fn(*args, **kwargs)
        leaves, treespec = tree_flatten((args, kwargs))
        tensors: list[_C.Tensor] = []
        others: list[Any] = []
        for leaf in leaves:
            if isinstance(leaf, _C.Tensor):
                tensors.append(leaf)
            else:
                others.append(leaf)
        key = (treespec, tuple(_key(x) for x in others)) if others else treespec
        calls = self._calls.get(key)
        if calls is None:
            with self._lock:
                if len(self._calls) >= MOST_KEYS:
                    return self._fn(*args, **kwargs)
                calls = self._calls.setdefault(key, _Calls(others))
        for entry in calls.entries:
            if not entry.guards.broken():
                made = entry.program.run(tensors)
                if made is not None:
                    return entry.result(made)  # type: ignore[no-any-return]
        return self._record(calls, args, kwargs)

    def _record(self, calls: _Calls, args: Any, kwargs: Any) -> R:
        """Calls the function. The second of two calls that record the same makes an entry."""
        try:
            guards = Guards([self._fn, *calls.kept])
        except TooMuchError as error:
            self._refuse(str(error))
            return self._fn(*args, **kwargs)
        try:
            program, obstacle, leaves, treespec, result = _watch(
                self._fn, args, kwargs, strict=not self._fallback
            )
        except RuntimeError as error:
            self._name_obstacle(error)
            raise
        if program is None:
            self._refuse(obstacle)
            return result  # type: ignore[no-any-return]
        if changed := guards.broken():
            self._try_again(calls, f"changes '{changed}' itself")
            return result  # type: ignore[no-any-return]
        with self._lock:
            first, calls.first = calls.first, (program, guards)
        if first is None or first[1].broken():
            return result  # type: ignore[no-any-return]
        difference = program.confirm(first[0]) or _unwatched(program, guards)
        if difference:
            self._try_again(calls, difference)
            return result  # type: ignore[no-any-return]
        with self._lock:
            calls.first = None
            calls.entries.insert(0, _Entry(program, guards, leaves, treespec))
            del calls.entries[MOST_ENTRIES:]
        return result  # type: ignore[no-any-return]

    def _try_again(self, calls: _Calls, difference: str) -> None:
        """What the first calls set up may be the difference; after some, it is the function."""
        calls.tries += 1
        if calls.tries >= MOST_TRIES:
            self._refuse(difference)

    def _refuse(self, obstacle: str) -> None:
        name = getattr(self._fn, "__qualname__", repr(self._fn))
        text = f"lazy.compile({name}): {obstacle}"
        if not self._fallback:
            raise NotReplayableError(text)
        self.obstacle = obstacle
        self._calls.clear()
        warnings.warn(f"{text}; calls are recorded", UserWarning, stacklevel=4)

    def _name_obstacle(self, error: RuntimeError) -> None:
        """An obstacle met inside the function comes as the engine's error."""
        if not self._fallback and _is_obstacle(str(error)):
            name = getattr(self._fn, "__qualname__", repr(self._fn))
            raise NotReplayableError(f"lazy.compile({name}): {error}") from error

    def __repr__(self) -> str:
        return f"<compiled {self._fn!r}>"


def _is_obstacle(text: str) -> bool:
    return any(
        part in text
        for part in ("is read here", "draws random numbers", "cannot be recorded: it runs at once")
    )


def _unwatched(program: _C.LazyProgram, guards: Guards) -> str:
    captured = program.captured
    for index in program.outside:
        if _C.lazy_storage(captured[index]) not in guards.tensors:
            return "uses a tensor that is reached neither by name nor through its arguments"
    return ""


def _key(value: Any) -> Any:
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None), type, _C.dtype)):
        return type(value), plain_key(value)
    return id(value)


def compile(fn: Callable[P, R], *, fallback: bool = False) -> CompiledFunction[P, R]:
    """A function that skips recording once it has been recorded: it runs the program at once.

    The first two calls with arguments of the same kind (nesting, dtypes, sizes, strides, and the
    values of what is no tensor) are recorded and compared; later ones run the program. Arguments
    and results may be nested. Writes into arguments and into tensors from outside are done in each
    call. Before each call everything else that the function can see is compared with what it was:
    globals, closures, attributes, defaults, items of containers; if something has changed, the call
    is recorded anew.

    Args:
        fn: the function. What it does besides tensor operations (printing, appending to a list)
            happens only when it is recorded.
        fallback: what to do with a function that cannot be replayed: warn and record each call
            (True), or raise (False, the default).

    Raises:
        NotReplayableError: by a call of a function that reads the value of a tensor, draws random
            numbers, keeps a tensor that it does not return, or changes what it looks at.

    Example:
        >>> import rushlight as torch, rushlight.lazy
        >>> @torch.lazy.compile
        ... def step(x, v):
        ...     x.add_(v * 0.5)
        ...     return x.sum()
        >>> x, v = torch.zeros(3), torch.ones(3)
        >>> [step(x, v).item() for _ in range(4)]
        [1.5, 3.0, 4.5, 6.0]
    """
    if not callable(fn):
        raise TypeError(f"compile(): expected a function, got {type(fn).__name__}")
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn):
        raise TypeError("compile(): a function that pauses has no single program")
    return CompiledFunction(fn, fallback)
