"""Nothing is kept that nobody holds."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

from rushlight.utils import pytree

from .strategies import Bag


def test_structures_are_collected_with_what_they_hold() -> None:
    class Holder:
        pass

    holder = Holder()
    spec = pytree.tree_structure([Bag([1], holder)])  # type: ignore[arg-type]
    holder.spec = spec  # type: ignore[attr-defined]
    gone = weakref.ref(holder)
    del holder, spec
    gc.collect()
    assert gone() is None


def test_a_hundred_thousand_rounds_do_not_leak() -> None:
    script = Path(__file__).with_name("leaks.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, PYTHONMALLOC="debug"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
