"""Operators of your own, by the names that programs use.

A program exported from PyTorch may call operators that its author defined with ``torch.library``.
Define the same name here, in Python or in C++, and the program runs:

>>> import rushlight
>>> from rushlight import Tensor
>>> @rushlight.library.custom_op("mylib::halve", mutates_args=())
... def halve(x: Tensor, times: int = 1) -> Tensor:
...     return x / 2**times
>>> rushlight.ops.mylib.halve(rushlight.tensor([8.0, 4.0]), times=2)
tensor([2., 1.])

Names and arguments are those of :mod:`torch.library` in PyTorch 2.13. Functions get
:class:`rushlight.Tensor` objects and may return those, NumPy arrays, or anything with
``__dlpack__``. An operator with a fake function (:func:`register_fake`), which gives the sizes and
types of the results, is planned for like any other and can be recorded; one without is called when
its arguments are there. This engine computes no gradients, so what :func:`register_autograd` gets
is kept and not used; kernels for other devices than the CPU are not called.
"""

from __future__ import annotations

from rushlight.library._custom_op import CustomOpDef, custom_op
from rushlight.library._definitions import load
from rushlight.library._fake import FakeContext, get_ctx
from rushlight.library._library import (
    Library,
    define,
    impl,
    register_autograd,
    register_fake,
    register_kernel,
)
from rushlight.library._schema import infer_schema

__all__ = [
    "CustomOpDef",
    "FakeContext",
    "Library",
    "custom_op",
    "define",
    "get_ctx",
    "impl",
    "infer_schema",
    "load",
    "register_autograd",
    "register_fake",
    "register_kernel",
]
