"""The option ``--threads``."""

from __future__ import annotations

from .errors import UsageError

_MOST = 1024


def use(threads: int | None) -> None:
    """Lets operators use this many threads; None leaves the default."""
    from rushlight import set_num_threads

    if threads is None:
        return
    if not 1 <= threads <= _MOST:
        raise UsageError(f"--threads: expected 1 to {_MOST}, got {threads}")
    set_num_threads(threads)


def parse_list(text: str | None) -> list[int]:
    """``1,2,4``; without a text, powers of two up to the default and the default."""
    from rushlight import get_num_threads

    if text is None:
        most = get_num_threads()
        return sorted({*(2**k for k in range(most.bit_length()) if 2**k <= most), most})
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--threads: expected numbers such as 1,2,4, got {text!r}") from None
    for number in numbers:
        if not 1 <= number <= _MOST:
            raise UsageError(f"--threads: expected 1 to {_MOST}, got {number}")
    return numbers
