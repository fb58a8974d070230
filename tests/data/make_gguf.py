"""Writes tests/data/gguf with the `gguf` package: `python -m tests.data.make_gguf`.

`blocks.gguf` has two rows of random blocks of each type; `blocks.npz` has the values that the
package's own dequantisation gives for them.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from gguf.quants import dequantize

FOLDER = Path(__file__).parent / "gguf"
TYPES = (
    "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL",
    "IQ4_XS", "TQ2_0", "MXFP4", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ1_S", "IQ1_M",
    "TQ1_0", "NVFP4",
)  # fmt: skip
# Where each block has its half-precision scales: random bits there could be no numbers.
HALVES = {
    "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,), "Q2_K": (80, 82),
    "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,), "IQ4_NL": (0,), "IQ4_XS": (0,),
    "TQ2_0": (64,), "MXFP4": (), "IQ2_XXS": (0,), "IQ2_XS": (0,), "IQ2_S": (0,), "IQ3_XXS": (0,),
    "IQ3_S": (0,), "IQ1_S": (0,), "IQ1_M": (), "TQ1_0": (52,), "NVFP4": (),
}  # fmt: skip


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(7)
    writer = gguf.GGUFWriter(FOLDER / "blocks.gguf", "test")
    writer.add_uint32("test.layers", 3)
    writer.add_array("test.names", ["a", "b"])
    values = {}
    for name in TYPES:
        kind = getattr(gguf.GGMLQuantizationType, name)
        _, nbytes = gguf.GGML_QUANT_SIZES[kind]
        blocks = rng.integers(0, 256, (2, 2, nbytes), np.uint8)
        for at in HALVES[name]:
            scale = rng.standard_normal((2, 2, 1)).astype(np.float16)
            blocks[:, :, at : at + 2] = scale.view(np.uint8)
        if name == "MXFP4":
            blocks[:, :, 0] = rng.integers(100, 150, (2, 2))
        if name == "IQ1_M":  # the scale's high nibble: no infinity
            blocks[:, :, 55] &= 0xBF
        data = blocks.reshape(2, 2 * nbytes)
        writer.add_tensor(name, data, raw_dtype=kind)
        values[name] = dequantize(data, kind)
    for dtype in ("float32", "float16", "int32"):
        values[dtype] = np.arange(6).astype(dtype).reshape(3, 2)
        writer.add_tensor(dtype, values[dtype])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    np.savez_compressed(FOLDER / "blocks.npz", **values)


if __name__ == "__main__":
    main()
