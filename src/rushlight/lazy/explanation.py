"""Why programs were compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from rushlight import _C


class Compilation(NamedTuple):
    """One compilation and its reason.

    ``reason`` is one of

    - ``"first time"``: nothing that begins at this line had been compiled lately
    - ``"size"``, ``"dtype"``, ``"layout"``: of an input; ``before`` and ``after`` are the two
    - ``"argument"``: an integer argument, such as an index or a dimension
    - ``"node"``: ``location`` recorded an operator that was not there before
    - ``"results"``: other results are alive
    - ``"forgotten"``: the program had been dropped to make room for others

    ``subject`` names what changed; ``location`` is its line, ``start`` the line of the program's
    first operator, both ``"file:line"``. ``planned_only``: the same program with other sizes,
    which only needed another plan. ``program`` is the hash that ``ir_cache`` knows it by.
    """

    number: int
    reason: str
    subject: str
    before: str
    after: str
    location: str
    start: str
    operators: int
    planned_only: bool
    seconds: float
    program: str

    def describe(self) -> str:
        """The reason as a sentence."""
        if self.reason in ("first time", "forgotten"):
            return self.reason
        if self.reason == "node":
            return f"{self.after} instead of {self.before}"
        what = "" if self.reason in ("argument", "results") else f"{self.reason} of "
        return f"{what}{self.subject}: {self.before} -> {self.after}"


class Explanation(Sequence[Compilation]):
    """Compilations, the oldest first; printed, a table."""

    def __init__(self, compilations: Sequence[Compilation]) -> None:
        self._compilations = list(compilations)

    def __len__(self) -> int:
        return len(self._compilations)

    @overload
    def __getitem__(self, index: int) -> Compilation: ...
    @overload
    def __getitem__(self, index: slice) -> Explanation: ...
    def __getitem__(self, index: int | slice) -> Compilation | Explanation:
        if isinstance(index, slice):
            return Explanation(self._compilations[index])
        return self._compilations[index]

    def __iter__(self) -> Iterator[Compilation]:
        return iter(self._compilations)

    def __repr__(self) -> str:
        if not self._compilations:
            return "nothing has been compiled"
        rows = [("", "line", "operators", "time", "why")]
        for c in self._compilations:
            kind = "plan" if c.planned_only else "new"
            rows.append(
                (
                    f"{c.number} {kind}",
                    _short(c.location),
                    str(c.operators),
                    f"{c.seconds * 1e3:.2f} ms",
                    c.describe(),
                )
            )
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join(
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[4]])
            for row in rows
        )


def _short(location: str) -> str:
    return location.rsplit("/", 1)[-1]


def explain() -> Explanation:
    """Why each of the latest compilations happened (``config.max_history`` of them).

    Example:
        >>> import rushlight as torch, rushlight.lazy
        >>> torch.lazy.ir_cache.reset()
        >>> for n in (3, 4):
        ...     y = (torch.ones(n) * 2 + 1).tolist()
        >>> [(c.reason, c.before, c.after) for c in torch.lazy.explain()]
        [('first time', '', ''), ('argument', '3', '4')]
    """
    return Explanation([Compilation(*c) for c in _C.lazy_compilations()])
