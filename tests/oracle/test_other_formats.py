"""safetensors and GGUF files beside the libraries that define them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import rushlight
from rushlight.serialization import load_gguf, safetensors

pytestmark = pytest.mark.oracle

# Those that the library's face for PyTorch has.
DTYPES = (
    "bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
    "bfloat16", "float32", "float64", "complex64", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
)  # fmt: skip
SHAPES = [(2, 3), (), (0, 5), (7,)]


def theirs() -> dict[str, torch.Tensor]:
    rng = np.random.default_rng(0)
    tensors = {}
    for name in DTYPES:
        dtype = getattr(torch, name)
        for i, shape in enumerate(SHAPES):
            if shape == () and name.startswith("float4"):
                continue  # half a byte
            count = int(np.prod(shape)) * dtype.itemsize
            data = rng.integers(0, 2 if name == "bool" else 100, count, np.uint8)
            flat = torch.from_numpy(data).view(dtype) if count else torch.empty(0, dtype=dtype)
            tensors[f"{name}.{i}"] = flat.reshape(shape)
    return tensors


def raw(tensor: torch.Tensor) -> bytes:
    storage = tensor.clone(memory_format=torch.contiguous_format).untyped_storage()
    return bytes(storage.tolist())


def assert_same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> None:
    assert set(a) == set(b)
    for name, tensor in a.items():
        assert (tensor.dtype, tensor.shape) == (b[name].dtype, b[name].shape)
        assert raw(tensor) == raw(b[name]), name


def through_pt(tensors: dict[str, Any], load: Any, save: Any) -> Any:
    stream = io.BytesIO()
    save(tensors, stream)
    stream.seek(0)
    return load(stream)


def test_safetensors_of_the_library_here_and_back(tmp_path: Path) -> None:
    import safetensors.torch as library

    tensors = theirs()
    path, again = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    library.save_file(tensors, path, {"format": "pt", "größe": "ü"})
    for loaded in (
        safetensors.load_file(path),
        safetensors.load_file(path, mmap=False),
        safetensors.load_file(io.BytesIO(path.read_bytes())),
    ):
        assert_same(tensors, through_pt(loaded, torch.load, rushlight.save))
    assert safetensors.load_metadata(path) == {"format": "pt", "größe": "ü"}
    safetensors.save_file(safetensors.load_file(path), again, safetensors.load_metadata(path))
    assert_same(tensors, library.load_file(again))
    with library.safe_open(again, "pt") as file:
        assert file.metadata() == {"format": "pt", "größe": "ü"}


def test_safetensors_of_views(tmp_path: Path) -> None:
    import safetensors.torch as library

    base = torch.arange(24.0).reshape(4, 6)
    views = {"turned": base.t(), "part": base[1:3, ::2], "again": base[1:3, ::2]}
    ours = through_pt(views, rushlight.load, torch.save)
    path = tmp_path / "a.safetensors"
    safetensors.save_file(ours, path)
    assert_same(views, library.load_file(path))


def test_what_the_library_refuses_is_refused_here(tmp_path: Path) -> None:
    """Damage in the header: both read the same value or both refuse."""
    import safetensors.torch as library

    path = tmp_path / "a.safetensors"
    library.save_file({"x": torch.arange(4.0), "y": torch.arange(3)}, path, {"k": "v"})
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    accepted = 0
    for _ in range(2000):
        data = bytearray(whole)
        at = int(rng.integers(0, len(data) - 40))
        data[at] = int(rng.integers(32, 127))
        if bytes(data) == whole:
            continue
        try:
            expected = library.load(bytes(data))
        except Exception:  # the errors of a library
            with pytest.raises(RuntimeError):
                safetensors.load_file(io.BytesIO(data))
            continue
        accepted += 1
        loaded = safetensors.load_file(io.BytesIO(data))
        assert_same(expected, through_pt(loaded, torch.load, rushlight.save))
    assert accepted > 30


GGUF_TYPES = (
    "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ1_S",
    "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS", "TQ1_0", "TQ2_0",
    "MXFP4", "NVFP4",
)  # fmt: skip


@pytest.mark.parametrize("name", GGUF_TYPES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # theirs, of infinite scales
def test_gguf_blocks(name: str, tmp_path: Path) -> None:
    import gguf
    from gguf.quants import dequantize

    kind = gguf.GGMLQuantizationType[name]
    elements, nbytes = gguf.GGML_QUANT_SIZES[kind]
    rng = np.random.default_rng(3)
    data = rng.integers(0, 256, (40, 3 * nbytes), np.uint8)  # scales that are no numbers, too
    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "test")
    writer.add_tensor("x", data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    tensors, metadata = load_gguf(tmp_path / "a.gguf")
    assert metadata["general.architecture"] == "test"
    values = tensors["x"].numpy()
    assert values.shape == (40, 3 * elements)
    np.testing.assert_array_equal(values, dequantize(data, kind))
    assert np.isfinite(values).mean() > 0.8
