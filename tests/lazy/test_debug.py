"""What tensors wait for, as text and pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import rushlight as torch
from rushlight import _C, lazy


def test_text_names_operators_and_lines() -> None:
    x = torch.tensor([1.0, 2.0])
    y = (x * 2).exp()
    text = lazy.debug.dump_ir([y], "text")
    assert "aten.mul.Scalar" in text or "aten.mul.Tensor" in text
    line = next(s for s in text.splitlines() if "aten.exp.default" in s)
    assert "test_debug.py:" in line and "float32[2]" in line
    assert _C.lazy_is_pending(y), "looking at it ran it"
    assert lazy.debug.dump_ir([x], "text") == ""


def test_the_hash_knows_operators_and_sizes_but_not_values() -> None:
    def key(n: int, factor: float, twice: bool = False) -> str:
        y = torch.ones(n).exp() * factor
        return lazy.debug.dump_ir([y.sin() if twice else y], "hash")

    assert key(3, 1.0) == key(3, 2.0)
    assert len({key(3, 1.0), key(4, 1.0), key(3, 1.0, True)}) <= 3
    assert key(3, 1.0) != key(3, 1.0, True)


def test_dot_and_svg() -> None:
    x = torch.tensor([1.0, 2.0])
    y = x.exp() + x
    dot = lazy.debug.render_ir_graph([y])
    assert dot == lazy.debug.dump_ir([y], "dot")
    assert dot.startswith("digraph {") and dot.count("->") >= 3 and "test_debug.py" in dot
    svg = ET.fromstring(lazy.debug.dump_ir([y], "svg"))
    texts = [e.text or "" for e in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert any(t.startswith("exp ") for t in texts)
    assert any(t.startswith("test_debug.py:") for t in texts)
    with pytest.raises(RuntimeError, match="Unrecognized IR format: pdf"):
        lazy.debug.dump_ir([y], "pdf")
