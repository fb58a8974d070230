"""``rushlight doctor``: the installation and the machine, for bug reports."""

from __future__ import annotations

import argparse
from typing import Any


def add_command(commands: Any) -> None:
    """Declares the command's arguments."""
    parser = commands.add_parser(
        "doctor",
        help="show version, build, CPU, BLAS and threads",
        description="Shows what a bug report needs, and checks that the engine computes.",
    )
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.set_defaults(run=main)


def main(args: argparse.Namespace) -> int:
    """Prints the report; status 1 if the engine gives a wrong number."""
    report = _report()
    if args.json:
        from .report import print_json

        print_json(report)
    else:
        from .report import print_fields

        fields = [(name.replace("_", " "), str(value)) for name, value in report.items()]
        print_fields("rushlight", fields)
    return 0 if report["check"] == "ok" else 1


def _report() -> dict[str, Any]:
    import os
    import platform

    import numpy as np

    import rushlight
    from rushlight import _C

    build = _C.build_info()
    return {
        "version": rushlight.__version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "numpy": np.__version__,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count() or 0,
        "threads": rushlight.get_num_threads(),
        "cpu_capability": build["cpu_capability"],
        "capabilities_built": build["capabilities"],
        "compiler": build["compiler"],
        "build_type": build["build_type"],
        "blas": f"{build['blas']} ({build['blas_core']})",
        "operators": len(_C.op_names()),
        "check": _check(),
    }


def _check() -> str:
    """A small product, by the engine and by NumPy."""
    import numpy as np

    from rushlight import _C

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    try:
        ours = _C.call_op("aten.mul.Tensor", x, x).numpy()
    except (RuntimeError, NotImplementedError) as error:
        return str(error)
    return "ok" if np.array_equal(ours, x * x) else "wrong result of aten.mul.Tensor"
