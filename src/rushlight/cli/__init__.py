"""The command line: ``rushlight run | info | bench | doctor | inspect | convert | package``.

Exit status: 0 done, 1 the work failed, 2 wrong usage; each failure is one line on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pickle import PickleError
from typing import NoReturn
from zipfile import BadZipFile

from .errors import CommandError, UsageError

# What reading, planning and running raise for bad files and bad inputs. Anything else is a bug of
# ours, whose traceback is worth having.
_FAILURES = (
    CommandError, OSError, ValueError, TypeError, RuntimeError, KeyError, IndexError, MemoryError,
    NotImplementedError, BadZipFile, PickleError,
)  # fmt: skip


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    from rushlight import __version__

    from . import bench, convert, doctor, info, inspect, package, run

    parser = _Parser(
        prog="rushlight",
        description="Runs programs that PyTorch exported and reads its files, without PyTorch.",
    )
    parser.add_argument("--version", action="version", version=f"rushlight {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (run, info, bench, doctor, inspect, convert, package):
        module.add_command(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; gives its exit status."""
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except UsageError as error:
        return _complain(args.command, error, 2)
    except BrokenPipeError:
        # The reader of our output has gone; keep Python from complaining when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except _FAILURES as error:
        return _complain(args.command, error, 1)
    except KeyboardInterrupt:
        return _complain(args.command, "interrupted", 130)
    return status


def _complain(command: str, error: object, status: int) -> int:
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    line = "; ".join(part.strip() for part in str(text).splitlines() if part.strip())
    print(f"rushlight {command}: error: {line or type(error).__name__}", file=sys.stderr)
    return status
