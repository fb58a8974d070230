"""How the modules that broke an export were reached."""

from __future__ import annotations

from rushlight.package.packaging_error import PackagingError


def find_first_use_of_broken_modules(exc: PackagingError) -> dict[str, list[str]]:
    """For each broken module, the first way to it: names from where the search began to the module.

    Args:
        exc: what `PackageExporter.close` raised.
    """
    if not isinstance(exc, PackagingError):
        raise TypeError(f"expected a PackagingError, got {type(exc).__name__}")
    graph = exc.dependency_graph
    broken = (name for name, attributes in graph.nodes.items() if attributes.get("error"))
    return {name: graph.first_path(name) for name in broken}
