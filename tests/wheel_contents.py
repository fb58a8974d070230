"""What has to be inside a wheel, and inside an installed package."""

from __future__ import annotations

from collections.abc import Iterable
from email.message import Message
from pathlib import PurePosixPath

MODULES = ("export", "nativert", "cli", "ops", "reference", "utils/pytree", "multiprocessing")


def check_files(names: Iterable[str]) -> None:
    """Type information, the engine, its extension and every subpackage are there."""
    present = {str(PurePosixPath(name)) for name in names}
    wanted = [
        "rushlight/py.typed",
        "rushlight/_C.pyi",
        "rushlight/__main__.py",
        "rushlight/multiprocessing/_shm.pyi",
        "rushlight/multiprocessing/rushlight-shm-manager",
        "rushlight/lib/librushlight.so",
        "rushlight/lib/cmake/rushlight/rushlightConfig.cmake",
        "rushlight/include/rushlight/rushlight.h",
        "rushlight/include/rushlight/library.h",
        "rushlight/include/rushlight/core/argument.h",
        *(f"rushlight/{module}/__init__.py" for module in MODULES),
    ]
    missing = [name for name in wanted if name not in present]
    assert not missing, f"missing: {', '.join(missing)}"
    assert any(n.startswith("rushlight/_C.") and n.endswith(".so") for n in present)
    strays = [n for n in present if n.startswith(("tests/", "csrc/", "tools/"))]
    assert not strays, f"not meant to be installed: {', '.join(strays)}"


def check_metadata(metadata: Message) -> None:
    """The fields that package indexes and installers show or use."""
    assert metadata["Name"] == "rushlight"
    for field in ("Version", "Summary", "License-Expression", "Requires-Python", "Keywords"):
        assert metadata[field], field
    assert metadata["Requires-Python"] == ">=3.10"
    requires = " ".join(metadata.get_all("Requires-Dist", []))
    assert "numpy" in requires
    assert "scipy-openblas32" in requires
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    body = metadata.get_payload() or metadata["Description"]
    assert isinstance(body, str)
    assert body.strip(), "no README"
