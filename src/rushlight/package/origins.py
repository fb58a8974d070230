"""Where modules of the host come from, and the distributions they belong to."""

from __future__ import annotations

import importlib.metadata
import site
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path

from .errors import PackageVersionWarning
from .sources import find_installed_spec


class Origin(Enum):
    """Where the code of a module comes from."""

    STANDARD_LIBRARY = "standard library"
    INSTALLED = "installed"
    YOURS = "your code"
    MISSING = "not found"


def origin_of(top_level: str) -> Origin:
    """The origin of a module without dots in its name."""
    if top_level in sys.stdlib_module_names or top_level in sys.builtin_module_names:
        return Origin.STANDARD_LIBRARY
    try:
        spec = find_installed_spec(top_level)
    except Exception:  # a finder of somebody's
        spec = None
    if spec is None:
        return Origin.MISSING
    places = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or [])
    folders = _install_folders()
    if any(place and _is_inside(place, folders) for place in places):
        return Origin.INSTALLED
    return Origin.YOURS


def _install_folders() -> list[Path]:
    names = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    names += [*site.getsitepackages(), site.getusersitepackages()]
    names += [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return [Path(name).resolve() for name in dict.fromkeys(names)]


def _is_inside(place: str, folders: Iterable[Path]) -> bool:
    path = Path(place).resolve()
    return any(folder in path.parents for folder in folders)


def distributions_of(modules: Iterable[str]) -> dict[str, str]:
    """Distribution and version of each installed module; those of the standard library have none.

    Names are as in ``pip freeze``; modules that belong to no distribution are left out.
    """
    tops = {name.partition(".")[0] for name in modules}
    tops -= set(sys.stdlib_module_names) | set(sys.builtin_module_names)
    found: dict[str, str] = {}
    for top in tops:
        for distribution in _distributions_with(top):
            found[distribution] = importlib.metadata.version(distribution)
    return dict(sorted(found.items()))


def _distributions_with(top_level: str) -> list[str]:
    """Names of the distributions that a module belongs to."""
    try:  # most are called like their module; asking all others takes a while
        namesake = importlib.metadata.distribution(top_level)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        pass
    else:
        listed = namesake.read_text("top_level.txt") or ""
        record = namesake.read_text("RECORD") or ""
        if top_level in listed.split() or f"\n{top_level}/" in "\n" + record:
            return [namesake.metadata["Name"]]
    if origin_of(top_level) is not Origin.INSTALLED:
        return []
    return list(importlib.metadata.packages_distributions().get(top_level, ()))


def format_lock(distributions: dict[str, str]) -> str:
    """One ``name==version`` per line."""
    return "".join(f"{name}=={version}\n" for name, version in distributions.items())


def parse_lock(text: str) -> dict[str, str]:
    """The reverse of `format_lock`; lines of another form are an error (``ValueError``)."""
    found = {}
    for line in text.splitlines():
        name, equals, version = line.partition("==")
        if not (name and equals and version):
            raise ValueError(f"expected lines name==version, got {line!r}")
        found[name] = version
    return found


def installed_version(distribution: str) -> str | None:
    """The version on this host; None if the distribution is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def lock_differences(locked: dict[str, str]) -> list[str]:
    """One sentence for each distribution that this host has not, or in another version."""
    sentences = []
    for name, wanted in locked.items():
        here = installed_version(name)
        if here is None:
            sentences.append(f"{name} {wanted} is not installed here")
        elif here != wanted:
            sentences.append(f"{name} is {here} here, and was {wanted}")
    return sentences


def warn_of_differences(package: str, differences: Sequence[str], stacklevel: int) -> None:
    """Says how this host differs from the one that made the package."""
    if differences:
        warnings.warn(
            f"{package} was made with other versions of what it needs: {'; '.join(differences)}",
            PackageVersionWarning,
            stacklevel=stacklevel + 1,
        )
