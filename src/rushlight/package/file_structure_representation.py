"""The files of a package as a tree to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .glob_group import GlobGroup, GlobPattern


class Directory:
    """A folder or a file; ``print`` draws the tree below it, folders first, each sorted by name.

    Attributes:
        name: the last part of the path.
        is_dir: whether this is a folder.
        children: what is in it, by name.

    >>> tree = directory_of("model.pkg", ["lib/__init__.py", "lib/net.py", "object.pkl"])
    >>> tree.has_file("lib/net.py")
    True
    >>> print(tree, end="")
    model.pkg
    ├── lib
    │   ├── __init__.py
    │   └── net.py
    └── object.pkl
    """

    def __init__(self, name: str, is_dir: bool) -> None:
        self.name = name
        self.is_dir = is_dir
        self.children: dict[str, Directory] = {}

    def has_file(self, filename: str) -> bool:
        """Whether there is a file or folder of this path, parts joined by ``/``."""
        node: Directory | None = self
        for part in filename.split("/"):
            node = node.children.get(part) if node is not None else None
        return node is not None

    def _add_file(self, path: str) -> None:
        *folders, name = path.split("/")
        node = self
        for folder in folders:
            node = node.children.setdefault(folder, Directory(folder, True))
        node.children[name] = Directory(name, False)

    def sorted_children(self) -> list[Directory]:
        """Folders, then files."""
        return sorted(self.children.values(), key=lambda child: (not child.is_dir, child.name))

    def __str__(self) -> str:
        return "\n".join([self.name, *self._lines("")]) + "\n"

    def _lines(self, indent: str) -> Iterator[str]:
        children = self.sorted_children()
        for child in children:
            last = child is children[-1]
            yield f"{indent}{'└── ' if last else '├── '}{child.name}"
            yield from child._lines(indent + ("    " if last else "│   "))


def directory_of(
    name: str, files: Iterable[str], include: GlobPattern = "**", exclude: GlobPattern = ()
) -> Directory:
    """The tree of those ``files`` that match, below a folder called ``name``."""
    wanted = GlobGroup(include, exclude=exclude, separator="/")
    top = Directory(name, True)
    for file in files:
        if wanted.matches(file):
            top._add_file(file)
    return top
