"""What happens to which module: the exporter's patterns, first match wins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .glob_group import GlobGroup, GlobPattern


class Action(Enum):
    """What the exporter does with a module."""

    INTERN = "intern"
    EXTERN = "extern"
    MOCK = "mock"
    DENY = "deny"
    #: Written or provided by ourselves: `_mock` and `torch_package_importer` of other packages.
    SKIP = "skip"


class EmptyMatchError(Exception):
    """A pattern with ``allow_empty=False`` matched no module."""


class PatternConflictError(ValueError):
    """A pattern can never apply, because an earlier one with another action covers it."""


@dataclass
class _Rule:
    pattern: GlobGroup
    action: Action
    allow_empty: bool
    matched: bool = False


class Patterns:
    """Rules in the order they were given."""

    def __init__(self) -> None:
        self._rules: list[_Rule] = []

    def add(
        self, action: Action, include: GlobPattern, exclude: GlobPattern, allow_empty: bool = True
    ) -> None:
        """Appends a rule; ``PatternConflictError`` if it could never apply."""
        # Each include is looked at alone: one idle pattern in a list is a mistake, too.
        included = [include] if isinstance(include, str) else list(include)
        exclude = [exclude] if isinstance(exclude, str) else list(exclude)
        for one in included:
            for rule in self._rules:
                if rule.action is not action and rule.pattern.covers(
                    GlobGroup(one, exclude=exclude)
                ):
                    raise PatternConflictError(
                        f"{action.value}({one!r}) never applies, because an earlier "
                        f"{rule.action.value} covers it: {rule.pattern}. The first pattern that "
                        f"matches wins; put {action.value}({one!r}) first, or exclude it there"
                    )
        self._rules.append(_Rule(GlobGroup(included, exclude=exclude), action, allow_empty))

    def match(self, module_name: str, *, count: bool = True) -> Action | None:
        """The action for a module. ``count``: this makes the rule count as used."""
        for rule in self._rules:
            if rule.pattern.matches(module_name):
                rule.matched = rule.matched or count
                return rule.action
        return None

    def check_all_used(self) -> None:
        """Raises ``EmptyMatchError`` for rules that had to match something and did not."""
        unused = [rule for rule in self._rules if not (rule.allow_empty or rule.matched)]
        if unused:
            names = "; ".join(f"{rule.action.value} {rule.pattern}" for rule in unused)
            raise EmptyMatchError(f"no module matched, though allow_empty=False: {names}")
