"""The engine against the reference interpreter, for every operator that both have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import reference
from tests.ops.cases import cases, covered
from tests.ops.closeness import assert_close, describe_case, from_engine, results_of, to_engine


def engine_call(operator: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    namespace, name, overload = operator.split(".")
    function = getattr(getattr(getattr(rushlight.ops, namespace), name), overload)
    return function(
        *(to_engine(arg) for arg in args), **{k: to_engine(v) for k, v in kwargs.items()}
    )


def both() -> list[str]:
    from rushlight import _C

    engine = set(_C.op_names())
    return [operator for operator in covered() if operator in engine]


@pytest.mark.parametrize("operator", both())
def test_engine_and_reference_agree(operator: str) -> None:
    for args, kwargs in cases(operator):
        where = describe_case(operator, args, kwargs)
        expected = results_of(operator, reference.call(operator, *args, **kwargs))
        actual = results_of(operator, engine_call(operator, args, kwargs))
        assert len(actual) == len(expected), where
        for i, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
            if isinstance(theirs, np.ndarray):
                dtype = reference.dtype_of(theirs)
                array = from_engine(ours)
                assert reference.dtype_of(array) == dtype, f"{where} result {i}"
                assert array.shape == theirs.shape, f"{where} result {i}"
                assert_close(np.asarray(array), np.asarray(theirs), dtype, f"{where} result {i}")
            else:
                assert ours == theirs, where
