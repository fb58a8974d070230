"""The programs that are remembered."""

from __future__ import annotations

from pathlib import Path

from rushlight import _C
from rushlight.lazy.explanation import explain


def dump(dot_file_name: str) -> None:
    """Writes the compiled programs as a DOT graph: one box for each, with its size, the
    line it begins at, and why it was compiled.

    Raises:
        OSError: the file can't be written.
    """
    lines = ["digraph programs {", '  node [shape=box, fontname="monospace"];']
    why = {c.program: c for c in explain()}
    for key, calls, steps, arena in _C.lazy_programs():
        label = f"{key[:12]}\\n{calls} operators, {steps} steps, {arena} bytes"
        if key in why:
            label += f"\\n{why[key].start}\\n{why[key].reason}"
        lines.append(f'  p{key} [label="{label}"];')
    Path(dot_file_name).write_text("\n".join([*lines, "}", ""]), encoding="utf-8")


def reset() -> None:
    """Forgets all compiled programs, and why they were compiled."""
    _C.lazy_forget_programs()
    _C.lazy_forget_compilations()
