"""What the inputs and outputs of a graph stand for, in the words of torch.export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple, TypeAlias


class TensorArgument(NamedTuple):
    """A tensor, by its name in the graph."""

    name: str


class SymIntArgument(NamedTuple):
    """An integer that is given with each call."""

    name: str


class SymFloatArgument(NamedTuple):
    """A float that is given with each call."""

    name: str


class SymBoolArgument(NamedTuple):
    """A boolean that is given with each call."""

    name: str


class TokenArgument(NamedTuple):
    """What orders operators with side effects; no value."""

    name: str


class ConstantArgument(NamedTuple):
    """A value that was fixed when the program was exported."""

    name: str
    value: Any


ArgumentSpec: TypeAlias = (
    TensorArgument
    | SymIntArgument
    | SymFloatArgument
    | SymBoolArgument
    | TokenArgument
    | ConstantArgument
)

_ARGUMENTS: dict[str, Callable[[str], ArgumentSpec]] = {
    "Tensor": TensorArgument,
    "int": SymIntArgument,
    "float": SymFloatArgument,
    "bool": SymBoolArgument,
    "token": TokenArgument,
}


class InputKind(Enum):
    """Who brings an input along: the caller, or the program."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    TOKEN = auto()


class OutputKind(Enum):
    """Where an output goes: to the caller, into a buffer, or into an input."""

    USER_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


class InputSpec(NamedTuple):
    """One input; ``expected`` says what a user input must be, such as ``float32[s0, 3]``."""

    kind: InputKind
    arg: ArgumentSpec
    target: str | None
    persistent: bool | None = None
    expected: str = ""


class OutputSpec(NamedTuple):
    """One output; ``target`` is the buffer or input that it replaces."""

    kind: OutputKind
    arg: ArgumentSpec
    target: str | None


class ExportGraphSignature:
    """The inputs and outputs of a program, in the order of its graph.

    Names and meanings are those of ``torch.export.ExportGraphSignature``.
    """

    def __init__(
        self, input_specs: Sequence[InputSpec], output_specs: Sequence[OutputSpec]
    ) -> None:
        self.input_specs = list(input_specs)
        self.output_specs = list(output_specs)

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(s.target for s in self.input_specs if s.kind is kind and s.target)

    def _by_name(self, kind: InputKind) -> dict[str, str]:
        return {s.arg.name: s.target for s in self.input_specs if s.kind is kind and s.target}

    def _mutations(self, kind: OutputKind) -> dict[str, str]:
        return {s.arg.name: s.target for s in self.output_specs if s.kind is kind and s.target}

    @property
    def parameters(self) -> tuple[str, ...]:
        """Qualified names of the parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """Qualified names of the buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> tuple[str, ...]:
        """Buffers that are not part of the state dict."""
        return tuple(
            s.target
            for s in self.input_specs
            if s.kind is InputKind.BUFFER and s.target and s.persistent is False
        )

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """Tensors that the traced code created or closed over."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """Names of the inputs that the caller gives; of fixed ones, their value."""
        return tuple(
            s.arg.value if isinstance(s.arg, ConstantArgument) else s.arg.name
            for s in self.input_specs
            if s.kind is InputKind.USER_INPUT
        )

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """Names of the outputs that the caller gets; of fixed ones, their value."""
        return tuple(
            s.arg.value if isinstance(s.arg, ConstantArgument) else s.arg.name
            for s in self.output_specs
            if s.kind is OutputKind.USER_OUTPUT
        )

    @property
    def inputs_to_parameters(self) -> dict[str, str]:
        """Name in the graph to qualified name, for parameters."""
        return self._by_name(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> dict[str, str]:
        """Name in the graph to qualified name, for buffers."""
        return self._by_name(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> dict[str, str]:
        """Name in the graph to qualified name, for lifted tensors."""
        return self._by_name(InputKind.CONSTANT_TENSOR)

    @property
    def buffers_to_mutate(self) -> dict[str, str]:
        """Name of an output to the buffer whose new value it is."""
        return self._mutations(OutputKind.BUFFER_MUTATION)

    @property
    def user_inputs_to_mutate(self) -> dict[str, str]:
        """Name of an output to the input whose new value it is."""
        return self._mutations(OutputKind.USER_INPUT_MUTATION)

    def __repr__(self) -> str:
        lines = ["ExportGraphSignature(", "    # inputs"]
        lines += [f"    {_line(s)}" for s in self.input_specs]
        lines += ["    # outputs"]
        lines += [f"    {_line(s)}" for s in self.output_specs]
        return "\n".join([*lines, ")"])


def _line(spec: InputSpec | OutputSpec) -> str:
    target = f" target='{spec.target}'" if spec.target else ""
    kept = "" if getattr(spec, "persistent", None) is not False else " persistent=False"
    value = f" = {spec.arg.value!r}" if isinstance(spec.arg, ConstantArgument) else ""
    return f"{spec.arg.name}{value}: {spec.kind.name}{target}{kept}"


def read_signature(
    inputs: Sequence[Any], outputs: Sequence[Any], values: Sequence[Any]
) -> ExportGraphSignature:
    """The signature from the engine's plain tuples."""
    input_specs, output_specs = [], []
    for kind, name, target, value, literal, persistent, expected in inputs:
        fixed = kind == "CONSTANT_INPUT" or (kind == "USER_INPUT" and value < 0)
        arg: ArgumentSpec
        if kind == "TOKEN":
            arg = TokenArgument(name)
        else:
            arg = ConstantArgument(name, literal) if fixed else _argument(values[value])
        known = InputKind.USER_INPUT if fixed else InputKind[kind]
        kept = persistent if known is InputKind.BUFFER else None
        input_specs.append(InputSpec(known, arg, target or None, kept, expected))
    for position, (kind, value, target, literal) in enumerate(outputs):
        if kind == "TOKEN":
            arg = TokenArgument(f"token_{position}")
        elif value < 0:
            arg = ConstantArgument(f"constant_{position}", literal)
        else:
            arg = _argument(values[value])
        output_specs.append(OutputSpec(OutputKind[kind], arg, target or None))
    return ExportGraphSignature(input_specs, output_specs)


def _argument(value: Any) -> ArgumentSpec:
    return _ARGUMENTS[value.type](value.name)
