"""Hostile pickles raise and run nothing: one for each public way to attack a reader."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

import rushlight
from rushlight.serialization import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)

from .hostile_calls import HIDDEN, RUNNERS
from .hostile_pickles import ARGUMENTS, MACHINE, TENSORS, reduce, tensor, zipped
from .hostile_pickles import CALLS as PLAIN_CALLS

CALLS = {**PLAIN_CALLS, **HIDDEN}
FILES = Path(__file__).parents[1] / "data" / "pt"


@pytest.mark.parametrize("name", [*CALLS, *MACHINE, *ARGUMENTS])
@pytest.mark.parametrize("stand_ins", [False, True])
def test_hostile_pickles(
    name: str, stand_ins: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pickled = {**CALLS, **MACHINE, **ARGUMENTS}[name]
    try:
        loaded = rushlight.load(zipped(pickled), stand_ins=stand_ins)
    except pickle.UnpicklingError as error:
        assert str(error)
    else:
        # A stand-in is inert: the name, and what was to be done with it.
        assert stand_ins
        assert name in CALLS
        assert type(loaded).__name__ in ("StandIn", "StandInType")
    assert list(tmp_path.iterdir()) == []


def test_functions_that_run_what_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, args in RUNNERS.items():
        module, _, function = name.rpartition(".")
        pickled = reduce(module, function, *args)
        with pytest.raises(pickle.UnpicklingError, match=r"asks for|holds an object"):
            rushlight.load(zipped(pickled))
        for form in (b"\x80\x02" + pickled[:-2] + b"\x81.", pickled[:-1] + b"}b."):
            with pytest.raises(pickle.UnpicklingError):
                rushlight.load(zipped(form))
        try:
            loaded = rushlight.load(zipped(pickled), stand_ins=True)
        except pickle.UnpicklingError:
            continue
        assert type(loaded).__name__ == "StandIn"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [*CALLS, *MACHINE])
def test_hostile_pickles_in_the_old_formats(name: str) -> None:
    body = {**CALLS, **MACHINE}[name]
    parts = [pickle.dumps(v, protocol=2) for v in (0x1950A86A20F9469CFC6C, 1001, {})]
    for data in (b"".join([*parts, body]), body, parts[0] + body, b"".join(parts[:2]) + body):
        with pytest.raises(pickle.UnpicklingError):
            rushlight.load(io.BytesIO(data))


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_that_lie(name: str) -> None:
    with pytest.raises((pickle.UnpicklingError, RuntimeError)):
        rushlight.load(zipped(TENSORS[name], **{"0": b"\0" * 16}))


def test_honest_tensor_of_this_form() -> None:
    assert rushlight.load(zipped(tensor(), **{"0": b"\0" * 16})).tolist() == [0, 0, 0, 0]


TAR_END = 3660  # where the last member ends


@pytest.mark.parametrize("name", ["nested", "nested_legacy", "sparse", "tar", "python_2"])
def test_files_cut_short(name: str) -> None:
    data = (FILES / f"{name}.pt").read_bytes()
    for end in [*range(0, len(data), 97), len(data) - 1]:
        if name == "tar" and end >= TAR_END:
            continue  # the padding behind the last member may be missing
        with pytest.raises((pickle.UnpicklingError, RuntimeError)):
            rushlight.load(io.BytesIO(data[:end]))


def test_stand_ins_do_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pickled = reduce("some.module", "run", "x")
    loaded = rushlight.load(zipped(pickled), stand_ins=True)
    assert (loaded.class_name, loaded.args) == ("some.module.run", ("x",))
    with pytest.raises(pickle.UnpicklingError, match=r"asks for 'some\.module\.run'"):
        rushlight.load(zipped(pickled))


class Point:
    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y


def test_allowed_classes() -> None:
    stream = io.BytesIO()
    rushlight.save(Point(1, 2), stream)
    data = stream.getvalue()
    with pytest.raises(pickle.UnpicklingError, match="Point"):
        rushlight.load(io.BytesIO(data))
    with safe_globals([Point]):
        assert get_safe_globals() == [Point]
        loaded = rushlight.load(io.BytesIO(data))
        assert (type(loaded), loaded.x, loaded.y) == (Point, 1, 2)
    assert get_safe_globals() == []
    add_safe_globals([(Point, "elsewhere.Point")])
    try:
        assert get_safe_globals() == [(Point, "elsewhere.Point")]
        pickled = reduce("elsewhere", "Point", 3, 4)
        assert rushlight.load(zipped(pickled)).y == 4
    finally:
        clear_safe_globals()
    assert get_safe_globals() == []
    for wrong, kind in (([(Point,)], ValueError), ([(Point, 1)], TypeError), ([1], TypeError)):
        with pytest.raises(kind):
            add_safe_globals(wrong)  # type: ignore[arg-type]


def test_modules_from_which_nothing_is_taken() -> None:
    import os

    with safe_globals([(os.getpid, "os.getpid"), (os.getpid, "posix.getpid")]):
        for module in ("os", "posix"):
            with pytest.raises(pickle.UnpicklingError, match="nothing is taken from that module"):
                rushlight.load(zipped(reduce(module, "getpid")))
