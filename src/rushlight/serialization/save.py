"""``rushlight.save``."""

from __future__ import annotations

import os
import struct
from typing import Any

from rushlight import _C

from .atomic import whole_file
from .compact import Placement, place
from .legacy import MAGIC, VERSION
from .options import get_crc32_options, skipping_data
from .pickler import Pickler
from .tensor_pickling import SharedAsTwoTypesError, TensorWriter
from .tensors import bytes_of

_ALIGNMENT = 64


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
    *,
    compact: bool = False,
) -> None:
    """Writes an object to a file that ``torch.load`` and ``rushlight.load`` read: tensors, shared
    memory and views as they are, containers, NumPy arrays, and whatever pickles.

    Equal objects give equal files. A file at a path appears whole, or stays as it was.

    Args:
        obj: what to write.
        f: a path, or an object with ``write(bytes)``.
        pickle_module: None or Python's ``pickle``; accepted for PyTorch's sake.
        pickle_protocol: 2 or more; protocol 2, which every reader takes, is always written.
        _use_new_zipfile_serialization: False writes the format before PyTorch 1.6.
        _disable_byteorder_record: accepted for PyTorch's sake.
        compact: leaves out what no tensor uses: the rest of a storage of which views are saved.

    Raises:
        OSError: the file cannot be written.
        TypeError: something in the object cannot be pickled.

    >>> import numpy as np, rushlight, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.pt"
    >>> rushlight.save({"epoch": 3, "w": rushlight.from_numpy(np.zeros(2))}, path)
    >>> rushlight.load(path)["epoch"]
    3
    """
    import pickle

    if pickle_module is not None and pickle_module is not pickle:
        raise ValueError(f"pickle_module: expected None or pickle, got {pickle_module!r}")
    if type(pickle_protocol) is not int or not 2 <= pickle_protocol <= pickle.HIGHEST_PROTOCOL:
        raise ValueError(
            f"pickle_protocol: expected 2 to {pickle.HIGHEST_PROTOCOL}, got {pickle_protocol!r}"
        )
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise TypeError(f"expected a path or an object with write(), got {type(f).__name__}")
    legacy = not _use_new_zipfile_serialization
    pickled, tensors, placements = pickle_object(obj, compact, legacy)
    if legacy:
        _write_legacy(f, pickled, tensors, placements)
    else:
        _write_zip(f, pickled, tensors, placements)


def pickle_object(
    obj: Any, compact: bool = False, legacy: bool = False
) -> tuple[bytes, TensorWriter, dict[_C.UntypedStorage, Placement]]:
    """The pickle, the storages it refers to, and what of them is to be written."""
    as_bytes: set[_C.UntypedStorage] = set()
    placements: dict[_C.UntypedStorage, Placement] = {}
    pending = compact
    while True:
        tensors = TensorWriter(as_bytes, placements, legacy)
        try:
            pickled = Pickler(tensors).dump(obj)
        except SharedAsTwoTypesError as shared:
            as_bytes.add(shared.storage)
            continue
        if not pending:
            return pickled, tensors, placements
        for storage, views in tensors.views.items():
            placement = place(storage, views)
            if placement is not None:
                placements[storage] = placement
        pending = False


def _write_zip(
    f: Any,
    pickled: bytes,
    tensors: TensorWriter,
    placements: dict[_C.UntypedStorage, Placement],
) -> None:
    writer = _C.PyTorchFileWriter(f, get_crc32_options(), _ALIGNMENT)
    writer.write_record("data.pkl", pickled)
    writer.write_record(".format_version", "1")
    writer.write_record(".storage_alignment", str(_ALIGNMENT))
    writer.write_record("byteorder", "little")
    skip = skipping_data()
    for storage, key in tensors.keys.items():
        placement = placements.get(storage)
        size = placement.nbytes if placement else storage.nbytes()
        size -= size % tensors.dtypes[storage].itemsize
        if skip:
            writer.write_record_metadata(f"data/{key}", size)
        else:
            writer.write_record(
                f"data/{key}", placement.contents(storage) if placement else storage, size
            )
    writer.write_end_of_file()


def _write_legacy(
    f: Any,
    pickled: bytes,
    tensors: TensorWriter,
    placements: dict[_C.UntypedStorage, Placement],
) -> None:
    plain = TensorWriter(set(), {})
    system = {
        "protocol_version": VERSION,
        "little_endian": True,
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    by_key = {key: storage for storage, key in tensors.keys.items()}
    keys = sorted(by_key)
    with whole_file(f) as write:
        for value in (MAGIC, VERSION, system):
            write(Pickler(plain).dump(value))
        write(pickled)
        write(Pickler(plain).dump(keys))
        for key in keys:
            storage = by_key[key]
            placement = placements.get(storage)
            contents = placement.contents(storage) if placement else bytes_of(storage)
            numel = contents.nbytes // tensors.dtypes[storage].itemsize
            write(struct.pack("<q", numel))
            write(contents[: numel * tensors.dtypes[storage].itemsize])
