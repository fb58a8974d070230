"""Names of modules that live in packages.

A module ``a.b`` of the third package that this process opened is called ``<torch_package_2>.a.b``:
PyTorch's form, because PyTorch recognises it (in ``torch.fx`` for one). Under this name it stands
in ``sys.modules``, where ``dataclasses``, ``typing``, ``inspect`` and ``pickle`` look for it.
"""

from __future__ import annotations

import re
import threading

_MANGLED = re.compile(r"(<torch_package_(\d+)>)(?:\.|$)")

_lock = threading.Lock()
_next_index = 0  # guarded by _lock: two packages must never share names


def new_parent() -> str:
    """A name that no package of this process has had."""
    global _next_index  # noqa: PLW0603
    with _lock:
        parent = f"<torch_package_{_next_index}>"
        _next_index += 1
    return parent


def reserve(parent: str) -> None:
    """Keeps a name that came from another process from being handed out here."""
    global _next_index  # noqa: PLW0603
    found = _MANGLED.match(parent)
    if found:
        with _lock:
            _next_index = max(_next_index, int(found[2]) + 1)


def is_mangled(name: str) -> bool:
    """Whether a module of this name lives in a package."""
    return _MANGLED.match(name) is not None


def split(name: str) -> tuple[str, str]:
    """The package's name (empty for the host's modules) and the module's name in it."""
    found = _MANGLED.match(name)
    return (found[1], name[found.end() :]) if found else ("", name)


def demangle(name: str) -> str:
    """The module's name in its package; names of the host's modules as they are."""
    return split(name)[1]


def get_mangle_prefix(name: str) -> str:
    """The package's name; names of the host's modules as they are."""
    return split(name)[0] or name
