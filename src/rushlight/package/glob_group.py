"""Glob patterns over dotted names, and the question whether one pattern leaves another idle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from typing import TypeAlias

GlobPattern: TypeAlias = str | Iterable[str]

# No module name holds this character, so it stands for "any text" when patterns are compared.
_ANY_TEXT = "\N{REPLACEMENT CHARACTER}"


class GlobGroup:
    """A set of patterns that names are matched against.

    Names and patterns are segments joined by ``separator``. In a segment of a pattern ``*`` is any
    text, also none; a segment ``**`` is any number of segments, also none. A name matches when one
    of ``include`` does and none of ``exclude``.

    Args:
        include: a pattern, or several.
        exclude: a pattern, or several.
        separator: one character; ``"."`` for modules, ``"/"`` for files.

    Raises:
        ValueError: ``**`` is only a part of a segment.

    >>> GlobGroup("torch.**").matches("torch.nn.functional"), GlobGroup("torch.**").matches("torch")
    (True, True)
    >>> GlobGroup("torch.*").matches("torch.nn.functional"), GlobGroup("torch.*").matches("torch")
    (False, False)
    >>> GlobGroup("torch*.**", exclude="torchvision.**").matches("torchvision.ops")
    False
    """

    def __init__(
        self, include: GlobPattern, *, exclude: GlobPattern = (), separator: str = "."
    ) -> None:
        self.separator = separator
        self._included = _as_tuple(include)
        self._excluded = _as_tuple(exclude)
        self.include = [_compile(pattern, separator) for pattern in self._included]
        self.exclude = [_compile(pattern, separator) for pattern in self._excluded]

    def __repr__(self) -> str:
        excluded = f", exclude={list(self._excluded)}" if self._excluded else ""
        return f"GlobGroup({list(self._included)}{excluded})"

    def matches(self, candidate: str) -> bool:
        """Whether ``candidate`` is included and not excluded."""
        name = self.separator + candidate
        return any(regex.fullmatch(name) for regex in self.include) and not any(
            regex.fullmatch(name) for regex in self.exclude
        )

    def covers(self, other: GlobGroup) -> bool:
        """Whether every name that ``other`` matches is matched by one pattern of this group.

        Never true by mistake; where ``other`` has exclusions, some covered groups are missed.
        """
        return bool(other._included) and all(
            any(_pattern_covers(mine, theirs, self.separator) for mine in self._included)
            and not any(_intersect(hole, theirs, self.separator) for hole in self._excluded)
            for theirs in other._included
        )


def _as_tuple(patterns: GlobPattern) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def _compile(pattern: str, separator: str) -> re.Pattern[str]:
    """A regex for names with ``separator`` in front, which makes all segments alike."""
    edge = re.escape(separator)
    inside = f"[^{edge}]"
    parts = []
    for segment in pattern.split(separator):
        if segment == "**":
            parts.append(f"(?:{edge}{inside}+)*")
        elif "**" in segment:
            raise ValueError(f"'**' must be a whole segment of a pattern, not a part: {pattern!r}")
        else:
            parts.append(edge + f"{inside}*".join(map(re.escape, segment.split("*"))))
    return re.compile("".join(parts))


def _pattern_covers(wide: str, narrow: str, separator: str) -> bool:
    """Whether ``wide`` matches all that ``narrow`` does.

    A wildcard of ``narrow`` is tried as text that only a wildcard of ``wide`` can match. For ``**``
    all lengths up to one more than ``wide`` has segments are enough: the longest needs a ``**``
    there, which then takes any length.
    """
    regex = _compile(wide, separator)
    lengths = range(len(wide.split(separator)) + 2)
    segments = [segment.replace("*", _ANY_TEXT) for segment in narrow.split(separator)]
    deep = [segment == _ANY_TEXT * 2 for segment in segments]
    for choice in product(lengths, repeat=sum(deep)):
        counts = iter(choice)
        name: list[str] = []
        for segment, is_deep in zip(segments, deep, strict=True):
            name += [_ANY_TEXT] * next(counts) if is_deep else [segment]
        if name and not regex.fullmatch(separator + separator.join(name)):
            return False
    return True


def _intersect(first: str, second: str, separator: str) -> bool:
    """Whether some name matches both patterns."""

    def segments(left: list[str], right: list[str]) -> bool:
        if not left and not right:
            return True
        for mine, theirs in ((left, right), (right, left)):
            if mine and mine[0] == "**":
                return segments(mine[1:], theirs) or bool(theirs and segments(mine, theirs[1:]))
        return bool(left and right and text(left[0], right[0]) and segments(left[1:], right[1:]))

    def text(left: str, right: str) -> bool:
        if not left and not right:
            return True
        for mine, theirs in ((left, right), (right, left)):
            if mine.startswith("*"):
                return text(mine[1:], theirs) or bool(theirs and text(mine, theirs[1:]))
        return bool(left and right and left[0] == right[0] and text(left[1:], right[1:]))

    return segments(first.split(separator), second.split(separator))
