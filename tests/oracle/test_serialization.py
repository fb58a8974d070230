"""Files of ours in PyTorch and files of PyTorch here: values, strides, sharing."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import rushlight
from rushlight.serialization import PyTorchFileReader, PyTorchFileWriter, StoredTensor

pytestmark = pytest.mark.oracle

FILES = Path(__file__).parents[1] / "data" / "pt"
NAMES = ("dtypes", "nested", "optimizer", "sparse", "quantised", "state_dict", "harmless")


def dumps(obj: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    rushlight.save(obj, stream, **options)
    return stream.getvalue()


def raw(tensor: Any) -> Any:
    dense = tensor.detach().resolve_conj().clone(memory_format=torch.contiguous_format)
    return dense.flatten().view(torch.uint8)


def assert_equal_tensors(a: Any, b: Any, compact: bool) -> None:
    assert type(a) is type(b)
    assert (a.dtype, a.layout, a.shape) == (b.dtype, b.layout, b.shape)
    assert a.requires_grad == b.requires_grad
    if a.is_quantized:
        assert a.qscheme() == b.qscheme()
        assert torch.equal(a.int_repr(), b.int_repr())
        assert torch.equal(a.dequantize(), b.dequantize())
    elif a.layout is not torch.strided:
        assert torch.equal(a.to_dense(), b.to_dense())
    else:
        assert torch.equal(raw(a), raw(b))
        if not compact:
            assert a.stride() == b.stride()
            assert a.storage_offset() == b.storage_offset() or a.numel() == 0


def assert_equal(a: Any, b: Any, compact: bool = False) -> None:
    if isinstance(a, torch.Tensor):
        assert_equal_tensors(a, b, compact)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            assert_equal(a[key], b[key], compact)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_equal(x, y, compact)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    else:
        assert a == b


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "options", [{}, {"compact": True}, {"_use_new_zipfile_serialization": False}], ids=str
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
def test_pytorch_reads_what_we_write(name: str, options: dict[str, bool]) -> None:
    weights_only = name != "harmless"
    expected = torch.load(FILES / f"{name}.pt", weights_only=weights_only)
    data = dumps(rushlight.load(FILES / f"{name}.pt"), **options)
    loaded = torch.load(io.BytesIO(data), weights_only=weights_only)
    assert_equal(expected, loaded, "compact" in options)


def test_sharing_survives_both_ways() -> None:
    stream = io.BytesIO()
    base = torch.arange(12.0).reshape(3, 4)
    torch.save({"base": base, "column": base[:, 1], "turned": base.t()}, stream)
    here = rushlight.load(io.BytesIO(stream.getvalue()))
    here["base"].numpy()[0, 1] = -1
    assert here["column"].tolist()[0] == -1
    there = torch.load(io.BytesIO(dumps(here)), weights_only=True)
    there["base"][0, 1] = -2
    assert there["column"][0] == -2
    assert there["turned"][1, 0] == -2
    assert there["turned"].stride() == (1, 4)


@pytest.mark.parametrize("compact", [False, True])
def test_random_views(compact: bool) -> None:
    generator = torch.Generator().manual_seed(5)
    contents: dict[str, Any] = {}
    for i in range(60):
        rank = int(torch.randint(0, 5, (1,), generator=generator))
        sizes = torch.randint(0, 5, (rank,), generator=generator).tolist()
        base = torch.randn(sizes, generator=generator)
        dims = torch.randperm(base.dim(), generator=generator).tolist()
        view = base.permute(dims)
        if view.dim() and view.shape[0] > 1:
            view = view[1:]
        contents[str(i)] = view
        if i % 3 == 0:
            contents[f"{i} base"] = base
    stream = io.BytesIO()
    torch.save(contents, stream)
    here = rushlight.load(io.BytesIO(stream.getvalue()))
    for name, tensor in contents.items():
        assert tensor.stride() == here[name].stride()
        np.testing.assert_array_equal(tensor.numpy(), here[name].numpy())
    there = torch.load(io.BytesIO(dumps(here, compact=compact)), weights_only=True)
    assert_equal(contents, there, compact)


def test_mapped_by_pytorch(tmp_path: Path) -> None:
    tensors = {str(i): rushlight.from_numpy(np.full(i * 7, i, np.float32)) for i in range(20)}
    rushlight.save(tensors, tmp_path / "a.pt")
    loaded = torch.load(tmp_path / "a.pt", mmap=True, weights_only=True)
    for name, tensor in tensors.items():
        assert loaded[name].tolist() == tensor.tolist()


def test_pytorch_works_out_our_offsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.utils.serialization import config

    monkeypatch.setenv("TORCH_SERIALIZATION_DEBUG", "1")
    tensors = {str(i): rushlight.from_numpy(np.full(i * 7 + 1, i, np.float32)) for i in range(20)}
    rushlight.save(tensors, tmp_path / "a.pt")
    assert len(torch.load(tmp_path / "a.pt", weights_only=True)) == 20
    with config.patch("load.calculate_storage_offsets", True):
        assert len(torch.load(tmp_path / "a.pt", mmap=True, weights_only=True)) == 20


@pytest.mark.parametrize(
    "name", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
)
def test_values_of_float8(name: str) -> None:
    codes = torch.arange(256, dtype=torch.uint8)
    stream = io.BytesIO()
    torch.save(codes.view(getattr(torch, name)), stream)
    here = rushlight.load(io.BytesIO(stream.getvalue()))
    assert isinstance(here, StoredTensor)
    expected = codes.view(getattr(torch, name)).float().numpy()
    np.testing.assert_array_equal(here.numpy(), expected)


def test_conjugates_and_negatives() -> None:
    stream = io.BytesIO()
    value = torch.tensor([1 + 2j, 3 - 4j])
    torch.save([value.conj(), value.clone().conj().imag], stream)
    here = rushlight.load(io.BytesIO(stream.getvalue()))
    assert here[0].tolist() == [1 - 2j, 3 + 4j]
    assert here[1].tolist() == [-2, 4]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")  # once only
def test_nested_tensors() -> None:
    stream = io.BytesIO()
    nested = torch.nested.nested_tensor([torch.arange(3.0), torch.arange(2.0)])
    torch.save(nested, stream)
    here = rushlight.load(io.BytesIO(stream.getvalue()))
    assert [t.tolist() for t in here] == [[0, 1, 2], [0, 1]]


def test_meta_tensors() -> None:
    stream = io.BytesIO()
    torch.save(torch.empty(2, 3, device="meta"), stream)
    here = rushlight.load(io.BytesIO(stream.getvalue()))
    assert here.is_meta
    there = torch.load(io.BytesIO(dumps(here)), weights_only=True)
    assert (there.device.type, there.shape) == ("meta", (2, 3))


def test_containers_of_ours_in_pytorch(tmp_path: Path) -> None:
    with PyTorchFileWriter(tmp_path / "a.pt") as writer:
        writer.write_record("x/data", b"abc")
    reader = torch._C.PyTorchFileReader(str(tmp_path / "a.pt"))
    assert reader.get_record("x/data") == b"abc"
    ours = PyTorchFileReader(tmp_path / "a.pt")
    assert reader.get_record_offset("x/data") == ours.get_record_offset("x/data")
    assert reader.get_record_header_offset("x/data") == ours.get_record_header_offset("x/data")
    assert reader.get_all_records() == ours.get_all_records()
    assert reader.serialization_id() == ours.serialization_id()


def test_containers_of_pytorch_here(tmp_path: Path) -> None:
    writer = torch._C.PyTorchFileWriter(str(tmp_path / "a.pt"))
    writer.set_min_version(6)
    writer.write_record("x/data", b"abc", 3)
    writer.write_end_of_file()
    ours = PyTorchFileReader(tmp_path / "a.pt")
    theirs = torch._C.PyTorchFileReader(str(tmp_path / "a.pt"))
    assert ours.version() == 6
    assert ours.get_all_records() == theirs.get_all_records()
    assert ours.serialization_id() == theirs.serialization_id()


@pytest.mark.parametrize("name", NAMES)
def test_unsafe_globals_agree(name: str) -> None:
    theirs = torch.serialization.get_unsafe_globals_in_checkpoint(FILES / f"{name}.pt")
    ours = rushlight.serialization.get_unsafe_globals_in_checkpoint(FILES / f"{name}.pt")
    assert set(ours) <= set(theirs)


@pytest.mark.parametrize("ragged", [1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float8_e4m3fn])
def test_jagged_tensors_become_their_parts(ragged: int, dtype: torch.dtype) -> None:
    parts = [torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(4, 3)]
    nested = torch.nested.nested_tensor([p.to(dtype) for p in parts], layout=torch.jagged)
    if ragged == 2:
        nested = nested.transpose(1, 2)
        parts = [part.t() for part in parts]
    stream = io.BytesIO()
    torch.save({"x": nested}, stream)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = rushlight.load(io.BytesIO(stream.getvalue()))["x"]
    assert [part.tolist() for part in loaded] == [part.tolist() for part in parts]
    assert loaded[0].untyped_storage().data_ptr() == loaded[1].untyped_storage().data_ptr()
