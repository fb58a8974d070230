import dataclasses
import enum
import os.path

from . import units


class Kind(enum.Enum):
    EMPTY = 0
    FULL = 1


@dataclasses.dataclass
class Square:
    side: float
    kind: Kind = Kind.FULL
    extra: object = None

    def area(self) -> float:
        return units.scale(self.side * self.side)


def name_of(path: str) -> str:
    return os.path.basename(path)  # noqa: PTH119
