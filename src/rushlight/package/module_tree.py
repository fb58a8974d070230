"""Which names a package gives a meaning: its own modules, and those it takes from the host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Node:
    """A module of the package, or a folder of records, which is a package without code."""

    #: The record of its source; None for a folder without ``__init__.py``.
    source_file: str | None = None
    is_package: bool = True
    is_extern: bool = False
    #: Whether any record lies here or below.
    has_content: bool = False
    children: dict[str, Node] = field(default_factory=dict)


class ModuleTree:
    """Names of a package.

    Args:
        records: names of the files in the archive; those in ``.data`` are no modules.
        extern_modules: dotted names that mean the host's modules, and all below them.

    Raises:
        ImportError: two files claim one name, or a file lies in an external module.
    """

    def __init__(self, records: Iterable[str], extern_modules: Iterable[str]) -> None:
        self._root = Node()
        for name in extern_modules:
            self._add_extern(name)
        for record in records:
            self._add_file(record)

    def find(self, name: str) -> Node | None:
        """What a dotted name means here; an extern node for all names below an external module.

        A folder that only leads to external modules (``collections`` where ``collections.abc`` is
        external) is external itself: the host's module is what Python would give.
        """
        node = self._root
        for atom in name.split("."):
            child = node.children.get(atom)
            if child is None:
                return None
            if child.is_extern:
                return child
            node = child
        return node if node.has_content else Node(is_extern=True)

    def _add_extern(self, name: str) -> None:
        node = self._root
        *parents, last = name.split(".")
        for atom in parents:
            node = node.children.setdefault(atom, Node())
            if node.is_extern:
                return  # a parent that is external covers this one
        node.children[last] = Node(is_extern=True)

    def _add_file(self, record: str) -> None:
        *folders, file = record.split("/")
        if folders[:1] == [".data"]:
            return
        if not folders and not file.endswith(".py"):
            return  # the container's own records, such as `byteorder`
        node = self._root
        for atom in folders:
            node.has_content = True
            node = node.children.setdefault(atom, Node())
            if node.is_extern:
                raise ImportError(f"inconsistent package: {record!r} lies in an external module")
            if not node.is_package:
                if file.endswith(".py"):
                    raise ImportError(
                        f"inconsistent package: {record!r} lies in a module that is no package"
                    )
                return  # a data folder beside a module of the same name
        node.has_content = True
        if file == "__init__.py":
            node.source_file = record
        elif file.endswith(".py"):
            name = file.removesuffix(".py")
            twin = node.children.get(name)
            if twin is not None and (twin.is_extern or twin.source_file or twin.children):
                raise ImportError(
                    f"inconsistent package: {record!r} is not the only module of its name"
                )
            node.children[name] = Node(record, is_package=False, has_content=True)

    def children(self, name: str) -> list[tuple[str, bool]]:
        """Names of the modules directly in a package, and whether each is a package."""
        node = self.find(name) if name else self._root
        found = node.children.items() if node is not None else []
        return sorted((key, child.is_package) for key, child in found if child.has_content)
