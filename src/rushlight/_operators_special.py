"""The functions of ``torch.special`` that are operators of the op table, made in C++."""

from rushlight import _C

_functions = _C.functions("special")
globals().update(_functions)
__all__ = sorted(_functions)  # noqa: PLE0605 - a list of str, as the stub says
