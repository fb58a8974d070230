"""The reference interpreter: every operator as a short NumPy function, slow and obvious.

It is what the engine's results are compared with, and a readable answer to the question what an
operator does. `call` runs one operator, `Interpreter` a whole program.
"""

from .arrays import BFloat16Array, cast, dtype_of
from .interpreter import Interpreter
from .registry import call, lookup, operators

__all__ = [
    "BFloat16Array",
    "Interpreter",
    "call",
    "cast",
    "dtype_of",
    "lookup",
    "operators",
]
