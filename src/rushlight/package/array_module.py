# mypy: allow-untyped-defs, allow-untyped-calls
"""Written by rushlight into packages with NumPy arrays: makes them from the package's records.

Nothing here needs rushlight. Arrays that shared memory when they were saved share it again.
"""

import numpy


def load_buffer(importer, key):
    """The memory behind arrays: a copy, so that they can be written."""
    return bytearray(importer.zip_reader.get_record(f".data/{key}.storage"))


def load_array(importer, buffer, dtype, shape, strides, offset):
    """An array over part of a buffer; ValueError if it would lie outside."""
    return numpy.ndarray(shape, numpy.dtype(dtype), buffer, offset, strides)
