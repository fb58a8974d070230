"""Where rushlight and PyTorch are known to differ, and why. The operator page prints this."""

from __future__ import annotations

# Operators whose values are not defined: only dtype and shape are compared.
UNDEFINED = {
    "aten.empty.memory_format",
    "aten.empty_like.default",
    "aten.empty_permuted.default",
    "aten.empty_strided.default",
    "aten.new_empty.default",
    "aten.new_empty_strided.default",
}

# What remains, with its reason.
REASONS: dict[str, str] = {}
