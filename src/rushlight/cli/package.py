"""``rushlight package``: make packages, look into them, try them."""

from __future__ import annotations

import argparse
from typing import Any


def add_command(commands: Any) -> None:
    """Declares the commands below ``package``."""
    parser = commands.add_parser(
        "package",
        help="make, inspect and verify packages of code and objects",
        description="Packages hold Python code, objects and data in one file that runs on another "
        "machine. Loading one runs its code, and so does `verify`: use it on packages you trust. "
        "The other commands run nothing of what is in a package.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_create(actions)
    for name, text in (
        ("ls", "list the files"),
        ("show", "show what the package is and needs, or one file"),
        ("tree", "draw the modules and what they import"),
        ("extract", "write the files into a folder"),
        ("verify", "load everything in a clean interpreter, and report what the host must have"),
    ):
        command = actions.add_parser(name, help=text, description=text)
        command.add_argument("package", metavar="PACKAGE", help="a package, or a folder with one")
        if name == "show":
            command.add_argument("file", nargs="?", help="a file in the package")
        if name == "tree":
            command.add_argument("--svg", metavar="FILE", help="draw into an SVG file")
        if name == "extract":
            command.add_argument("folder", metavar="FOLDER", help="a folder that is not there yet")
        if name in ("show", "verify"):
            command.add_argument(
                "--public-key", metavar="PEM", help="require a signature made with this key's twin"
            )
        command.set_defaults(run=main)
    diff = actions.add_parser("diff", help="compare two packages", description="Compares packages.")
    diff.add_argument("first", metavar="A")
    diff.add_argument("second", metavar="B")
    diff.set_defaults(run=main)


def _add_create(actions: Any) -> None:
    create = actions.add_parser(
        "create",
        help="make a package of your code and an object",
        description="Makes a package. What lies in no folder for installed packages is your code "
        "and goes in; installed packages stay outside, and their versions are recorded.",
    )
    create.add_argument("package", metavar="PACKAGE", help="the file to write")
    create.add_argument(
        "--object",
        metavar="MODULE:EXPRESSION",
        help="an object to pickle, such as 'mymod:build()'; the module is imported for it",
    )
    create.add_argument(
        "--module", metavar="NAME", action="append", default=[], help="a module to put in"
    )
    for action in ("intern", "extern", "mock", "deny"):
        create.add_argument(
            f"--{action}",
            metavar="PATTERN",
            action="append",
            default=[],
            help=f"{action} modules that match, such as 'lib.**'",
        )
    create.add_argument(
        "--as",
        dest="resource",
        metavar="PACKAGE/FILE",
        default="objects/object.pkl",
        help="where the object goes (default: %(default)s)",
    )
    create.add_argument("--sign", metavar="PEM", help="sign with the Ed25519 private key in a file")
    create.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Runs one of the commands."""
    from pickle import PicklingError

    from rushlight.package import EmptyMatchError, PackagingError

    from . import package_create, package_files, package_tree, package_verify
    from .errors import CommandError

    work = {
        "create": package_create.create,
        "ls": package_files.ls,
        "show": package_files.show,
        "diff": package_files.diff,
        "extract": package_files.extract,
        "tree": package_tree.tree,
        "verify": package_verify.verify,
    }[args.action]
    try:
        return work(args)
    except (PackagingError, EmptyMatchError, PicklingError, ImportError) as error:
        raise CommandError(str(error)) from error
