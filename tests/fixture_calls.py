"""The recorded calls of ``.pt2`` archives: flat inputs and what PyTorch gave for them.

The fixtures by default; the zoo's archives have the same layout in another folder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import rushlight
from rushlight import _C
from tests.pt2_files import read

FIXTURES = Path(__file__).parent / "data" / "pt2"
NAMES = sorted(path.name.split(".")[0] for path in FIXTURES.glob("*.npz"))
FORMS = ("exported", "decomposed")
Array = npt.NDArray[Any]


def path_of(name: str, form: str = "exported", folder: Path = FIXTURES) -> str:
    """The archive of a fixture."""
    return str(folder / f"{name}.{form}.pt2")


def number_of_calls(name: str, folder: Path = FIXTURES) -> int:
    """How many calls were recorded, one after the other on the same module."""
    return int(_info(name, folder)["calls"])


def flat_inputs(name: str, call: int, form: str = "exported", folder: Path = FIXTURES) -> list[Any]:
    """The inputs of a call in the order of the graph."""
    info = _info(name, folder)
    literals = info["literals"][call]
    values: list[Any] = []
    with np.load(folder / f"{name}.npz") as arrays:
        for key in read(Path(path_of(name, form, folder))).user_inputs():
            if key in literals:
                values.append(literals[key])
                continue
            stored = f"in{call}.{key}"
            values.append(_as(arrays[stored], info["dtypes"][stored]))
    return values


def flat_outputs(name: str, call: int, folder: Path = FIXTURES) -> list[Array | None]:
    """The outputs of a call, bfloat16 ones as float32; None where the program returns None."""
    with np.load(folder / f"{name}.npz") as arrays:
        found = {int(k.split(".")[1]): arrays[k] for k in arrays if k.startswith(f"out{call}.")}
    return [found.get(i) for i in range(max(found) + 1)]


def as_array(value: Any) -> Array:
    """A result as an array; bfloat16 as float32."""
    if isinstance(value, _C.Tensor) and value.dtype is rushlight.bfloat16:
        value = rushlight.ops.aten._to_copy.default(value, dtype=rushlight.float32)
    return np.asarray(value)


def check(result: Any, expected: Array | None, dtype: str = "") -> None:
    """Integers and booleans are equal, floats within a relative error of 1e-5 in the 2-norm."""
    if expected is None:
        assert result is None
        return
    array = as_array(result)
    assert array.shape == expected.shape
    if array.dtype.kind in "biu":
        assert np.array_equal(array, expected)
        return
    bfloat16 = isinstance(result, _C.Tensor) and result.dtype is rushlight.bfloat16
    tolerance = 1e-2 if bfloat16 else 1e-5
    error = np.linalg.norm(array.astype("f8") - expected)
    assert error <= tolerance * max(np.linalg.norm(expected.astype("f8")), 1e-30)


def _info(name: str, folder: Path) -> dict[str, Any]:
    info: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return info


def _as(array: Array, dtype: str) -> Any:
    if dtype == "bfloat16":
        return rushlight.ops.aten._to_copy.default(array, dtype=rushlight.bfloat16)
    return array
