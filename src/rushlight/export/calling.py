"""Between a call's nested arguments and the flat list of inputs that the engine takes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rushlight import _C
from rushlight.utils.pytree import TreeSpec, treespec_leaf, treespec_tuple

from .containers import AllowedTypes
from .nesting import flatten_like, leaf_paths
from .tree_spec import SpecReader


class CallingConvention:
    """How `forward` was called at export: its arguments, their nesting, its result's nesting.

    Arguments may be given by position or by name, as to a Python function with those parameters.
    """

    def __init__(self, program: _C.Program, allowed_types: Iterable[type | str] = ()) -> None:
        reader = SpecReader(AllowedTypes(allowed_types), program.namedtuple_fields)
        inputs = [s[1] for s in program.input_specs if s[0] in ("USER_INPUT", "CONSTANT_INPUT")]
        outputs = [s for s in program.output_specs if s[0] == "USER_OUTPUT"]
        where = program.path
        if program.in_spec:
            positional, keywords = _split(reader.read(program.in_spec, f"{where}: in_spec"), where)
            self._result = reader.read(program.out_spec, f"{where}: out_spec")
        else:  # a program without a calling convention takes and gives its flat values
            positional, keywords = [treespec_leaf() for _ in inputs], {}
            self._result = treespec_tuple(treespec_leaf() for _ in outputs)
        self._specs = [*positional, *keywords.values()]
        self.argument_names = _names(program.argument_names, inputs, positional, keywords)
        self.flat_names: list[str] = inputs
        _check_leaves(f"{where}: in_spec", self._specs, len(inputs))
        _check_leaves(f"{where}: out_spec", [self._result], len(outputs))
        # The usual case, in which flattening has nothing to do.
        self._flat_arguments = all(s.is_leaf() for s in self._specs)

    @property
    def paths(self) -> list[str]:
        """Where each flat input is among the arguments, such as ``batch['x']``."""
        return [
            path
            for name, spec in zip(self.argument_names, self._specs, strict=True)
            for path in leaf_paths(spec, name)
        ]

    @property
    def result_paths(self) -> list[str]:
        """Where each flat output is in the result, such as ``['first']`` (empty: it is it)."""
        return leaf_paths(self._result, "")

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The flat inputs.

        Raises:
            TypeError: too many, missing, unknown or doubly given arguments; a container of
                another type than at export.
            ValueError: a container with other keys or another length than at export.
        """
        if kwargs or len(args) != len(self._specs):
            args = self._bind(args, kwargs)
        if self._flat_arguments:
            return args
        leaves: list[Any] = []
        for name, spec, value in zip(self.argument_names, self._specs, args, strict=True):
            leaves += flatten_like(spec, value, name)
        return leaves

    def unflatten(self, outputs: Sequence[Any]) -> Any:
        """The result, nested as `forward` returned it."""
        return self._result.unflatten(outputs)

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        names = self.argument_names
        if len(args) > len(names):
            raise TypeError(
                f"forward() takes {_count(len(names), 'argument')} but {len(args)} "
                f"{'was' if len(args) == 1 else 'were'} given"
            )
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(
                    f"forward() got an unexpected keyword argument '{name}' "
                    f"(the arguments are {', '.join(names) or 'none'})"
                )
            if name in given:
                raise TypeError(f"forward() got multiple values for argument '{name}'")
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(
                f"forward() missing {_count(len(missing), 'required argument')}: "
                + ", ".join(f"'{name}'" for name in missing)
            )
        return [given[name] for name in names]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _split(spec: TreeSpec, where: str) -> tuple[list[TreeSpec], dict[str, TreeSpec]]:
    """The specs of the positional and of the keyword arguments."""
    if spec.num_children == 2:
        args, kwargs = spec.children()
        if (
            args.type in (tuple, list)
            and kwargs.type in (dict, OrderedDict)
            and all(isinstance(k, str) for k in kwargs.context)
        ):
            return args.children(), dict(zip(kwargs.context, kwargs.children(), strict=True))
    raise ValueError(f"{where}: in_spec: expected a pair of positional and keyword arguments")


def _names(
    written: Sequence[str],
    inputs: Sequence[str],
    positional: Sequence[TreeSpec],
    keywords: Mapping[str, TreeSpec],
) -> list[str]:
    count = len(positional)
    names = list(written[:count])
    if len(names) < count and all(s.is_leaf() for s in positional):
        names = list(inputs[:count])  # the graph's names, which come from the arguments'
    if len(names) < count:
        names = [f"arg_{i}" for i in range(count)]
    return [*names, *keywords]


def _check_leaves(what: str, specs: Sequence[TreeSpec], count: int) -> None:
    leaves = sum(s.num_leaves for s in specs)
    if leaves != count:
        raise ValueError(f"{what}: it has {leaves} leaves, but the signature has {count}")
