"""Writes the `.npy` and `.npz` fixtures with NumPy (made with 2.4.6)."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def main() -> None:
    values = np.arange(6).reshape(2, 3)
    for code in ("b1", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"):
        np.save(HERE / f"{code}.npy", (values - 2).astype(code))
    np.save(HERE / "scalar.npy", np.float64(2.5))
    np.save(HERE / "empty.npy", np.zeros((0, 3), np.float32))
    np.save(HERE / "vector.npy", np.arange(5, dtype=np.int32))
    np.save(HERE / "fortran.npy", np.asfortranarray(values.astype(np.float32)))
    np.save(HERE / "big_endian.npy", (values + 0.5).astype(">c8"))
    for version in ((2, 0), (3, 0)):
        with (HERE / f"version{version[0]}.npy").open("wb") as file:
            np.lib.format.write_array(file, values.astype(np.float32), version=version)
    np.save(HERE / "uint16.npy", values.astype(np.uint16))
    np.save(HERE / "text.npy", np.array(["a", "bc"]))
    np.save(HERE / "objects.npy", np.array([{}, None]), allow_pickle=True)
    np.save(HERE / "structured.npy", np.zeros(2, [("x", "f4"), ("y", "i4")]))
    x, labels = values.astype(np.float32), np.arange(1000, dtype=np.int64)
    np.savez(HERE / "stored.npz", x=x, labels=labels)
    np.savez_compressed(HERE / "deflated.npz", x=x, labels=labels)


if __name__ == "__main__":
    main()
