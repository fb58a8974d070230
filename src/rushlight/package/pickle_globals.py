"""The globals that a pickle names, found by following its opcodes without running any."""

from __future__ import annotations

import pickletools
from collections.abc import Iterator

_TEXT = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"})
_MEMO_GET = frozenset({"GET", "BINGET", "LONG_BINGET"})
_MEMO_PUT = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})


def find_globals(data: bytes) -> Iterator[tuple[str, str]]:
    """Module and qualified name of each global, in the order of the pickle.

    ``STACK_GLOBAL`` takes both from the stack; picklers push them right before it, as text or from
    the memo, and that is what is followed.

    Raises:
        ValueError: a ``STACK_GLOBAL`` whose names are not constants, which no pickler writes; or
            this is not a pickle.
    """
    memo: dict[int, str | None] = {}
    last: list[str | None] = [None, None]  # the two newest values, None if not text
    for opcode, argument, position in pickletools.genops(data):
        name = opcode.name
        if name in _TEXT:
            last = [last[1], str(argument)]
        elif name in _MEMO_GET:
            last = [last[1], memo.get(argument)]  # type: ignore[arg-type]
        elif name in _MEMO_PUT:
            memo[argument] = last[1]  # type: ignore[index]
        elif name == "MEMOIZE":
            memo[len(memo)] = last[1]
        elif name == "GLOBAL":
            module, _, qualname = str(argument).partition(" ")
            yield module, qualname
            last = [last[1], None]
        elif name == "STACK_GLOBAL":
            if last[0] is None or last[1] is None:
                raise ValueError(f"byte {position} of the pickle names a global that it computes")
            yield last[0], last[1]
            last = [None, None]
        elif name != "FRAME":
            last = [last[1], None]
