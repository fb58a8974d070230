"""Writes raw DEFLATE streams with zlib; the C++ tests know what they hold."""

import zlib
from pathlib import Path

HERE = Path(__file__).parent


def compress(data: bytes, strategy: int) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 8, strategy)
    return compressor.compress(data) + compressor.flush()


def main() -> None:
    mixed = bytes(ord("a") + i * i % 23 % (1 + i % 7) for i in range(3000))
    (HERE / "mixed.deflate").write_bytes(compress(mixed, zlib.Z_DEFAULT_STRATEGY))
    # Fibonacci frequencies give the longest codes there can be (15 bits).
    deep, previous, count = b"", 0, 1
    for symbol in range(20):
        deep += bytes([symbol]) * count
        previous, count = count, previous + count
    (HERE / "deep.deflate").write_bytes(compress(deep, zlib.Z_HUFFMAN_ONLY))


if __name__ == "__main__":
    main()
