"""Writes the fixtures with PyTorch: ``python -m tests.data.package.make`` (torch 2.13.0).

``plain.pt`` has code, objects, text and bytes; ``mocked.pt`` a mocked module; ``tensors.pt``
tensors that share memory. All were made by ``torch.package``.
"""

import sys
from pathlib import Path

import torch
from torch.package import PackageExporter

HERE = Path(__file__).parent


def main() -> None:
    sys.path.insert(0, str(HERE / "sources"))
    from shapes.square import Kind, Square

    square = Square(3.0, Kind.EMPTY)
    square.extra = [square, {"numbers": (1, 2.5, None, "é")}]
    with PackageExporter(HERE / "plain.pt") as exporter:
        exporter.intern("shapes.**")
        exporter.save_pickle("objects", "square.pkl", square)
        exporter.save_pickle("objects", "protocol4.pkl", square, pickle_protocol=4)
        exporter.save_text("objects", "note.txt", "é")
        exporter.save_binary("objects", "bytes.bin", b"\x00\xff")
        exporter.save_module("shapes")
    with PackageExporter(HERE / "mocked.pt") as exporter:
        exporter.mock("shapes.units")
        exporter.intern("shapes.**")
        exporter.save_module("shapes.square")
    base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    tensors = {
        "base": base,
        "row": base[1],
        "transposed": base.t(),
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "bfloat16": torch.arange(3, dtype=torch.bfloat16),
        "bool": torch.tensor([True, False]),
        "complex": torch.tensor([1 + 2j]),
        "empty": torch.zeros(0, 3, dtype=torch.int64),
        "dtype": torch.int16,
        "size": base.shape,
    }
    with PackageExporter(HERE / "tensors.pt") as exporter:
        exporter.save_pickle("objects", "tensors.pkl", tensors)


if __name__ == "__main__":
    main()
