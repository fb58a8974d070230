"""Write the fixtures in ``tests/data/pt2``: ``python -m tests.data.make_pt2`` (needs torch 2.13.0).

They are the small feature programs of the model zoo, as exported and decomposed, with inputs and
expected outputs in the zoo's layout (`tests.zoo.record`). They prove reader and engine where
PyTorch is not installed. Stack traces and the like are left out:
they name folders of the exporting machine.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from tests.zoo.check import check_archive
from tests.zoo.export import FORMS, Progress, write_model

FIXTURES = (
    "linear",
    "counter",
    "kv_cache",
    "inplace_slices",
    "inplace_views",
    "input_mutation",
    "tied_weights",
    "nested_inputs",
    "bf16_mlp",
    "int_bool",
    "lifted_constants",
    "multi_output",
    "symbolic_sizes",
    "symbolic_masks",
    "scalar_inputs",
    "channels_last",
    "branches",
    "loops",
    "scans",
    "mixed_precision",
    "batched",
)


def main() -> int:
    """Write every fixture and load it back into PyTorch."""
    warnings.simplefilter("ignore")
    out = Path(__file__).parent / "pt2"
    out.mkdir(exist_ok=True)
    progress = Progress(len(FIXTURES))
    for name in FIXTURES:
        write_model(name, out, FORMS, small=True, progress=progress, provenance=False)
        for form in FORMS:
            check_archive(out, name, form)
        progress.done += 1
    progress.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
