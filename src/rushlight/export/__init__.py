"""Opening and saving exported programs: ``rushlight.export.load("model.pt2")``."""

from .calling import CallingConvention
from .containers import NamedOutputs
from .exported_program import ExportedModule, ExportedProgram, ValueRange, load, model_names
from .graph import Graph, Node, Value
from .graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
    TokenArgument,
)
from .saving import save
from .tracing import export

__all__ = [
    "ArgumentSpec",
    "CallingConvention",
    "ConstantArgument",
    "ExportGraphSignature",
    "ExportedModule",
    "ExportedProgram",
    "Graph",
    "InputKind",
    "InputSpec",
    "NamedOutputs",
    "Node",
    "OutputKind",
    "OutputSpec",
    "SymBoolArgument",
    "SymFloatArgument",
    "SymIntArgument",
    "TensorArgument",
    "TokenArgument",
    "Value",
    "ValueRange",
    "export",
    "load",
    "model_names",
    "save",
]
