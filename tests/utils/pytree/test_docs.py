"""The code on the documentation page runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs" / "pytree.md"


def test_every_block_of_the_page_runs() -> None:
    text = PAGE.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    assert len(blocks) > 10
    names: dict[str, Any] = {"__name__": __name__}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        source = "\n" * line + block.group(1)
        exec(compile(source, str(PAGE), "exec"), names)
