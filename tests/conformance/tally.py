"""What came of the calls, counted per operator and dtype; plain data that crosses a pipe."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

DETAILS = 4  # lines kept per operator and kind of difference


@dataclass
class Operator:
    passed: Counter[str] = field(default_factory=Counter)  # by dtype
    failed: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    details: list[tuple[str, str]] = field(default_factory=list)  # kind, line

    def merge(self, other: Operator) -> None:
        self.passed.update(other.passed)
        self.failed.update(other.failed)
        self.kinds.update(other.kinds)
        for kind, line in other.details:
            self.note(kind, line)

    def note(self, kind: str, line: str) -> None:
        if sum(k == kind for k, _ in self.details) < DETAILS:
            self.details.append((kind, line))


@dataclass
class Tally:
    operators: dict[str, Operator] = field(default_factory=dict)
    samples: int = 0  # that call at least one declared operator
    samples_equal: int = 0  # … and in which nothing differs
    broken: list[str] = field(default_factory=list)  # entries whose process died

    def operator(self, name: str) -> Operator:
        return self.operators.setdefault(name, Operator())

    def merge(self, other: Tally) -> None:
        for name, operator in other.operators.items():
            self.operator(name).merge(operator)
        self.samples += other.samples
        self.samples_equal += other.samples_equal
        self.broken += other.broken

    @property
    def passed(self) -> int:
        return sum(o.passed.total() for o in self.operators.values())

    @property
    def failed(self) -> int:
        return sum(o.failed.total() for o in self.operators.values())
