"""Short files that would make a reader work, copy or allocate out of proportion."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rushlight

from .hostile_pickles import text, zipped

# A tuple of the tuple before it, twice: 2 ** 60 leaves in 300 bytes.
DAG = b")q\x00" + b"0h\x00h\x00\x86q\x00" * 60
UTILS = b"ctorch._utils\n"
MANY = b"\x8a\x05" + (10**10).to_bytes(5, "little")
LONG = b"\x85"
ONE = b"K\x00\x85"


def view(key: str, kind: bytes, size: bytes, stride: bytes, metadata: bytes = b"") -> bytes:
    storage = b"(" + text("storage") + kind + text(key) + text("cpu") + b"K\x02tQ"
    return (
        UTILS + b"_rebuild_tensor_v2\n(" + storage + b"K\x00" + size + stride
        + b"\x89ccollections\nOrderedDict\n)R" + metadata + b"tR"
    )  # fmt: skip


def flag(name: str) -> bytes:
    return b"}" + text(name) + b"\x88s"


FLOATS, LONGS = b"ctorch\nFloatStorage\n", b"ctorch\nLongStorage\n"
COMPLEX = b"ctorch\nComplexFloatStorage\n"
EXPANDED = view("1", LONGS, MANY + LONG, ONE)
COLUMNS = view("1", LONGS, b"K\x01" + MANY + b"\x86", b"K\x00K\x00\x86")
PAIR = view("0", FLOATS, b"K\x02\x85", b"K\x01\x85")

SAME_HASH = [(i * (2**61 - 1)).to_bytes(12, "little") for i in range(1, 2000)]

REFUSED = {
    "hash of a key": b"}" + DAG + b"Ns.",
    "hash in a frozen set": b"\x80\x04(" + DAG + b"\x91.",
    "hash in a set": b"\x80\x04\x8f(" + DAG + b"\x90.",
    "hash in a call": b"cbuiltins\nset\n(]" + DAG + b"atR.",
    "hash of a pair's key": b"ccollections\nOrderedDict\n(](](" + DAG + b"NeetR.",
    "hash of a slice": b"}cbuiltins\nslice\n(" + DAG + b"NNtRNs.",
    "items of a counter": b"ccollections\nCounter\n)R" + DAG + b"Ns.",
    "text of an identifier": b"(" + DAG + FLOATS + text("0") + text("cpu") + b"K\x04tQ.",
    "text of a list": b"(]q\x00" + b"0](h\x00h\x00eq\x00" * 60 + FLOATS
    + text("0") + text("cpu") + b"K\x04tQ.",
    "nested by calls": b"ctorch\nSize\nq\x000}" + b"h\x00]" * 9999
    + b")" + b"a\x85R" * 9999 + b"Ns.",
    "copies of a list": b"](" + b"K\x01" * 20000 + b"eq\x000cbuiltins\nlist\nq\x010]("
    + b"h\x01h\x00\x85R" * 20000 + b"e.",
    "copies of bytes": b"\x80\x04B" + (200000).to_bytes(4, "little") + b"a" * 200000
    + b"q\x000cbuiltins\nbytearray\nq\x010](" + b"h\x01h\x00\x85R" * 20000 + b"e.",
    "copies of an array": b"\x80\x04cnumpy\ndtype\n(" + text("u1") + b"tR(K\x03" + text("|")
    + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbq\x030B"
    + (200000).to_bytes(4, "little") + b"a" * 200000 + b"q\x000(K\x01J"
    + (200000).to_bytes(4, "little") + b"\x85h\x03\x89h\x00tq\x040"
    + b"cnumpy.core.multiarray\n_reconstruct\nq\x010"
    + b"cnumpy\nndarray\nK\x00\x85C\x01b\x87q\x020]("
    + b"h\x01h\x02Rh\x04b" * 20000 + b"e.",
    "integers of equal hash": b"}("
    + b"".join(b"\x8a\x0c" + number + b"N" for number in SAME_HASH)
    + b"u.",
    "equal hashes in a call": b"cbuiltins\nset\n(]("
    + b"".join(b"\x8a\x0c" + number for number in SAME_HASH)
    + b"etR.",
    "conversion": UTILS + b"_rebuild_device_tensor_from_cpu_tensor\n("
    + view("0", FLOATS, MANY + LONG, ONE) + b"ctorch\nfloat64\n" + text("cuda") + b"\x89tR.",
    "table of nested tensors": UTILS + b"_rebuild_nested_tensor\n(" + PAIR + EXPANDED * 3 + b"tR.",
    "offsets of jagged tensors": b"ctorch.nested._internal.nested_tensor\n_rebuild_njt\n(}("
    + text("values") + PAIR + text("offsets") + EXPANDED + b"utR.",
    "sparse indices": UTILS + b"_rebuild_sparse_tensor\n(ctorch\nsparse_coo\n(" + COLUMNS
    + view("0", FLOATS, MANY + LONG, ONE) + b"K\x05\x85ttR.",
    "compressed indices": UTILS + b"_rebuild_sparse_csr_tensor\n(ctorch\nsparse_csr\n("
    + EXPANDED * 2 + view("0", FLOATS, MANY + LONG, ONE) + b"K\x05K\x05\x86ttR.",
    "type of large arrays": b"cnumpy\ndtype\n(X\x02\x00\x00\x00V8tR(K\x03" + text("|")
    + b"(cnumpy\ndtype\n(X\x02\x00\x00\x00f8tRJ\xff\xff\xff\x7f\x85tNNK\x08K\x08K\x00tb.",
}  # fmt: skip

HARMLESS = {
    "never hashed": b"]" + DAG + b"a.",
    "conjugate": view("0", COMPLEX, MANY + LONG, ONE, flag("conj")) + b".",
    "negative": view("0", FLOATS, MANY + LONG, ONE, flag("neg")) + b".",
}

CHILD = """
    import io, pickle, resource, signal, sys
    import rushlight
    from rushlight.serialization import inspect

    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    signal.alarm(20)
    data = sys.stdin.buffer.read()
    for read in (rushlight.load, lambda f: rushlight.load(f, stand_ins=True), inspect):
        try:
            read(io.BytesIO(data))
            print("read", end=" ")
        except pickle.UnpicklingError:
            print("refused", end=" ")
"""


def outcome(pickled: bytes) -> str:
    """In a process of its own: a failure would be a hang or a crash."""
    stream = zipped(pickled, **{"0": b"\0" * 16, "1": b"\0" * 16})
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD)], input=stream.getvalue(),
        capture_output=True, check=False,
    )  # fmt: skip
    assert child.returncode == 0, child.stderr.decode()
    return child.stdout.decode().rpartition(" ")[0]


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_ask_for_too_much(name: str) -> None:
    assert outcome(REFUSED[name]).startswith("refused refused")


@pytest.mark.parametrize("name", HARMLESS)
def test_large_values_that_cost_nothing(name: str) -> None:
    assert outcome(HARMLESS[name]) == "read read read"


def test_honest_sharing_is_not_too_much() -> None:
    key = (1, (2, 3), "x")
    words = [str(i) for i in range(50_000)]
    value = [[{key: i, (i, i): 2.5, i * 2**70: None, float(i): words} for i in range(2000)], {key}]
    pickled = pickle.dumps(value, protocol=4)
    assert rushlight.load(zipped(pickled)) == value


def test_conjugates_of_one_storage_share_it(tmp_path: Path) -> None:
    both = b"](" + view("0", COMPLEX, b"K\x02\x85", b"K\x01\x85", flag("conj"))
    both += view("0", COMPLEX, b"K\x01\x85", b"K\x01\x85", flag("conj")) + b"e."
    contents = b"\0\0\x80\x3f\0\0\0\x40" + b"\0" * 8  # 1 + 2i
    whole, first = rushlight.load(zipped(both, **{"0": contents}))
    assert whole.tolist() == [1 - 2j, 0]
    assert first.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr()
