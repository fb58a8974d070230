"""What a command raises when it cannot go on."""

from __future__ import annotations


class UsageError(Exception):
    """The command line asks for something that makes no sense (exit status 2)."""


class CommandError(Exception):
    """The work itself failed (exit status 1)."""
