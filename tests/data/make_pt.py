"""Writes the `.pt` fixtures in tests/data/pt with PyTorch 2.13: `python -m tests.data.make_pt`.

`tests/serialization/fixtures.py` says what each file holds. Formats that PyTorch no longer writes
are put together here from their documented layouts.
"""

from __future__ import annotations

import io
import pickle
import struct
import tarfile
import zipfile
from argparse import Namespace
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import torch

FOLDER = Path(__file__).parent / "pt"
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")


def all_dtypes() -> dict[str, torch.Tensor]:
    six = torch.arange(6).reshape(2, 3)
    out = {name: six.to(getattr(torch, name)) for name in (*FLOATS, *INTEGERS, *FLOAT8)}
    out["bool"] = six % 2 == 1
    out["complex64"] = torch.complex(six.float(), -six.float())
    out["complex128"] = torch.complex(six.double(), -six.double())
    out["complex32"] = out["complex64"].to(torch.complex32)
    return out


def nested() -> dict[str, Any]:
    base = torch.arange(24, dtype=torch.float32)
    return {
        "base": base,
        "view": base[4:16].view(3, 4).t(),
        "row": base[20:],
        "parameter": torch.nn.Parameter(torch.ones(2, 2)),
        "frozen": torch.nn.Parameter(torch.zeros(3), requires_grad=False),
        "empty": torch.empty(0, 5),
        "scalar": torch.tensor(2.5, dtype=torch.float64),
        "list": [1, 2.5, None, True, "wörter", b"\x00\xff", -(10**30), (1,), (), {"k": [()]}],
        "ordered": OrderedDict(b=1, a=2),
        "size": torch.Size([2, 3]),
        "dtype": torch.bfloat16,
        "device": torch.device("cuda", 1),
        "set": {1, 2},
        "complex": 1 + 2j,
        "same": base,
        "expanded": torch.tensor([1.0, 2.0]).unsqueeze(1).expand(2, 3),
    }


def harmless() -> dict[str, Any]:
    return {
        "float64": np.float64(0.5),
        "int32": np.int32(-7),
        "array": np.arange(6, dtype=">i2").reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "objects": np.array([1, "x", None], dtype=object),
        "record": np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f8")]),
        "dtype": np.dtype("float32"),
        "type": np.float32,
        "range": range(1, 9, 2),
        "slice": slice(1, None, 3),
        "frozenset": frozenset({1, 2}),
        "path": Path("a/b.txt"),
        "datetime": datetime(2024, 5, 6, 7, 8, 9, 10, tzinfo=timezone.utc),
        "date": date(2024, 5, 6),
        "timedelta": timedelta(days=1, seconds=2),
        "namespace": Namespace(lr=0.1, layers=[1, 2]),
        "counter": Counter("aab"),
        "defaultdict": defaultdict(list, {"a": [1]}),
        "deque": deque([1, 2], maxlen=5),
        "bytearray": bytearray(b"ab"),
        "builtin": int,
    }


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.norm = torch.nn.BatchNorm1d(2)
        self.register_buffer("skipped", torch.ones(1), persistent=False)
        with torch.no_grad():
            self.fc.weight.copy_(torch.arange(6).reshape(2, 3))
            self.fc.bias.fill_(0.5)


Net.__module__ = "somewhere.models"


def save_module(path: Path) -> None:
    import sys
    import types

    module = types.ModuleType("somewhere.models")
    module.Net = Net  # type: ignore[attr-defined]
    sys.modules["somewhere"] = types.ModuleType("somewhere")
    sys.modules["somewhere.models"] = module
    torch.save(Net(), path)
    torch.save(Net().state_dict(), FOLDER / "state_dict.pt")


def optimizer() -> dict[str, Any]:
    weight = torch.nn.Parameter(torch.ones(2))
    adam = torch.optim.Adam([weight], lr=0.25)
    weight.grad = torch.tensor([1.0, -1.0])
    adam.step()
    return {"epoch": 3, "optimizer": adam.state_dict()}


def sparse() -> dict[str, torch.Tensor]:
    dense = torch.tensor([[0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0],
                          [0.0, 0.0, 4.0, 0.0]])  # fmt: skip
    return {
        "coo": dense.to_sparse_coo(),
        "hybrid": torch.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2)),
        "csr": dense.to_sparse_csr(),
        "csc": dense.to_sparse_csc(),
        "bsr": dense.to_sparse_bsr((2, 2)),
        "bsc": dense.to_sparse_bsc((2, 2)),
    }


def quantised() -> dict[str, torch.Tensor]:
    values = torch.tensor([[0.0, 0.5, 1.0], [-1.0, 2.0, 3.0]])
    return {
        "qint8": torch.quantize_per_tensor(values, 0.5, 1, torch.qint8),
        "quint8": torch.quantize_per_tensor(values, 0.5, 10, torch.quint8),
        "qint32": torch.quantize_per_tensor(values, 0.25, 0, torch.qint32),
        "per_channel": torch.quantize_per_channel(
            values, torch.tensor([0.5, 1.0]), torch.tensor([0, 2]), 0, torch.qint8
        ),
    }


def copy_records(source: Path, target: Path, change: Any) -> None:
    """A copy of a zip file whose records went through `change(name, bytes)`; None drops one."""
    reader = torch._C.PyTorchFileReader(str(source))
    writer = torch._C.PyTorchFileWriter(str(target))
    for name in reader.get_all_records():
        if name in ("version", ".data/serialization_id"):
            continue
        contents = change(name, reader.get_record(name))
        if contents is not None:
            writer.write_record(name, contents, len(contents))
    writer.write_end_of_file()


def save_big_endian() -> None:
    contents = {
        "float32": torch.arange(4, dtype=torch.float32),
        "int16": torch.arange(4, dtype=torch.int16),
        "complex64": torch.tensor([1 + 2j, 3 - 4j]),
        "uint8": torch.arange(4, dtype=torch.uint8),
        "bfloat16": torch.tensor([1.0, -2.0], dtype=torch.bfloat16),
    }
    little = FOLDER / "little.tmp"
    torch.save(contents, little)
    width = dict(enumerate([4, 2, 4, 1, 2]))

    def change(name: str, data: bytes) -> bytes:
        if name == "byteorder":
            return b"big"
        if not name.startswith("data/"):
            return data
        size = width[int(name[5:])]
        return np.frombuffer(data, f"<u{size}").astype(f">u{size}").tobytes()

    copy_records(little, FOLDER / "big_endian.pt", change)
    little.unlink()


def save_as_1_6() -> None:
    """No byte order, format version, alignment or identifier, as PyTorch 1.6 wrote."""
    new = ("byteorder", ".format_version", ".storage_alignment", ".data/serialization_id")
    torch.save({"w": torch.arange(3.0)}, FOLDER / "new.tmp")
    with (
        zipfile.ZipFile(FOLDER / "new.tmp") as source,
        zipfile.ZipFile(FOLDER / "zip_1_6.pt", "w") as target,
    ):
        for entry in source.infolist():
            name = entry.filename.partition("/")[2]
            if name not in new:
                target.writestr(f"archive/{name}", source.read(entry))
    (FOLDER / "new.tmp").unlink()


def save_tar() -> None:
    """As PyTorch 0.1.9: two tensors that share a storage, one of them through a storage view."""
    storages = io.BytesIO()
    dump = lambda value, file: pickle.dump(value, file, protocol=2)  # noqa: E731
    dump(2, storages)
    for key, kind, values in (
        (1, torch.FloatStorage, struct.pack("<6f", *range(6))),
        (2, torch.LongStorage, struct.pack("<2q", 7, -8)),
    ):
        dump((key, "cpu", kind), storages)
        storages.write(struct.pack("<q", 6 if key == 1 else 2) + values)
    dump([(3, 1, 2, 4)], storages)
    tensors = io.BytesIO()
    dump(3, tensors)
    for key, storage, size, stride, offset in (
        (11, 1, (2, 3), (3, 1), 0),
        (12, 3, (2,), (2,), 1),
        (13, 2, (2,), (1,), 0),
    ):
        dump((key, storage, torch.FloatTensor), tensors)
        tensors.write(struct.pack("<ii", len(size), 0))
        tensors.write(struct.pack(f"<{2 * len(size)}q", *size, *stride))
        tensors.write(struct.pack("<q", offset))

    class Persistent:
        def __init__(self, key: int) -> None:
            self.key = key

    class Pickler(pickle._Pickler):  # type: ignore[name-defined, misc]
        def persistent_id(self, obj: Any) -> Any:
            return str(obj.key) if isinstance(obj, Persistent) else None

    body = io.BytesIO()
    contents = {"a": Persistent(11), "b": Persistent(12), "c": Persistent(13), "epoch": 4}
    Pickler(body, protocol=2).dump(contents)
    system = io.BytesIO()
    dump({"protocol_version": 1000, "little_endian": True}, system)
    with tarfile.open(FOLDER / "tar.pt", "w:", format=tarfile.PAX_FORMAT) as tar:
        for name, part in (
            ("sys_info", system), ("storages", storages), ("tensors", tensors), ("pickle", body),
        ):  # fmt: skip
            entry = tarfile.TarInfo(name)
            entry.size = len(part.getvalue())
            tar.addfile(entry, io.BytesIO(part.getvalue()))


def save_python_2() -> None:
    """As PyTorch 0.3 under Python 2: strings are bytes, names are Python 2's; a storage view."""

    def short(value: bytes) -> bytes:
        return b"U" + bytes([len(value)]) + value

    storage = b"(" + short(b"storage") + b"ctorch\nFloatStorage\n" + short(b"77") + short(b"cpu")
    tensor = b"ctorch._utils\n_rebuild_tensor\n(" + storage + b"K\x06%sQ"
    whole = tensor % b"Nt" + b"K\x00K\x02K\x03\x86K\x03K\x01\x86tR"
    view = tensor % (b"(" + short(b"78") + b"K\x02K\x04tt") + b"K\x01K\x02\x85K\x02\x85tR"
    ordered = b"ccollections\nOrderedDict\n)R(" + short(b"w") + whole + short(b"v") + view
    ordered += short(b"n") + b"c__builtin__\nset\n](" + b"K\x01K\x02e\x85R" + b"u"
    pickled = b"\x80\x02" + ordered + b"."
    parts = [
        pickle.dumps(v, protocol=2)
        for v in (0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True})
    ]
    keys = b"\x80\x02](" + short(b"77") + b"e."
    data = struct.pack("<q6f", 6, *range(6))
    (FOLDER / "python_2.pt").write_bytes(b"".join([*parts, pickled, keys, data]))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, contents in (
        ("dtypes", all_dtypes()), ("nested", nested()), ("harmless", harmless()),
        ("optimizer", optimizer()), ("sparse", sparse()), ("quantised", quantised()),
    ):  # fmt: skip
        torch.save(contents, FOLDER / f"{name}.pt")
        torch.save(contents, FOLDER / f"{name}_legacy.pt", _use_new_zipfile_serialization=False)
    torch.serialization.set_crc32_options(False)
    torch.save({"w": torch.arange(3.0)}, FOLDER / "no_checksums.pt")
    torch.serialization.set_crc32_options(True)
    torch.jit.save(torch.jit.script(torch.nn.ReLU()), FOLDER / "torchscript.pt")
    save_module(FOLDER / "module.pt")
    save_big_endian()
    save_as_1_6()
    save_tar()
    save_python_2()


if __name__ == "__main__":
    main()
