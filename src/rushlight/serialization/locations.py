"""``map_location``: every tensor comes to the CPU, or, with ``'meta'``, without its data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tensors import TypedStorage

MapLocation = Any  # None, a name, a device, a dictionary of names, or a function
Restore = Callable[[TypedStorage, str], Any]


class LocationError(RuntimeError):
    """A device that is not there is asked for: the caller's mistake, not the file's."""


_registered: list[tuple[int, Callable[[Any], Any], Callable[[Any, str], Any]]] = []


def is_meta(map_location: MapLocation) -> bool:
    """Whether only sizes are wanted."""
    return not callable(map_location) and str(map_location) == "meta"


def restore_function(map_location: MapLocation) -> Restore | None:
    """What places a storage; None when all of them stay where they are.

    Raises:
        RuntimeError: a device that is not the CPU is asked for.
        TypeError: ``map_location`` is nothing of what it may be.
    """
    if map_location is None:
        return _by_location if _registered else None
    if isinstance(map_location, dict):
        mapping = {str(k): str(v) for k, v in map_location.items()}

        def by_mapping(storage: TypedStorage, location: str) -> Any:
            if location in mapping:
                _check_here(mapping[location])
            return _by_location(storage, mapping.get(location, location))

        return by_mapping
    if isinstance(map_location, bytes):
        map_location = map_location.decode("ascii")
    if isinstance(map_location, str) or hasattr(map_location, "type"):
        _check_here(str(map_location))
        return None
    if not callable(map_location):
        raise TypeError(
            "map_location: expected None, a device, a dictionary or a function, got "
            f"{type(map_location).__name__}"
        )

    def by_function(storage: TypedStorage, location: str) -> Any:
        result = map_location(storage, location)
        return _by_location(storage, location) if result is None else result

    return by_function


def _check_here(location: str) -> None:
    kind = location.partition(":")[0]
    if kind in ("cpu", "meta") or any(deserializer for _, _, deserializer in _registered):
        return
    raise LocationError(f"map_location '{location}': tensors of rushlight are on the CPU")


def _by_location(storage: TypedStorage, location: str) -> Any:
    for _, _, deserializer in _registered:
        result = deserializer(storage, location)
        if result is not None:
            return result
    return storage


def check_location(location: Any) -> str:
    """A location from a file as text; RuntimeError for something else."""
    if isinstance(location, bytes):
        location = location.decode("ascii", "backslashreplace")
    if type(location) is not str:
        raise RuntimeError(f"the location of a storage is no text but a {type(location).__name__}")
    return location


def register_package(
    priority: int,
    tagger: Callable[[Any], str | None],
    deserializer: Callable[[Any, str], Any],
) -> None:
    """Adds a place where storages can be: when saving, ``tagger(storage)`` gives its name or None;
    when loading, ``deserializer(storage, location)`` gives the storage to use or None. Lower
    priorities are asked first; those registered with the CPU come last."""
    _registered.append((priority, tagger, deserializer))
    _registered.sort(key=lambda item: item[0])


def location_tag(storage: Any) -> str:
    """The place that a file names for a storage: ``'cpu'`` unless a package says else."""
    for _, tagger, _ in _registered:
        location: str | None = tagger(storage)
        if location:
            return location
    return "cpu"


def default_restore_location(storage: TypedStorage, location: str) -> Any:
    """The storage where it belongs: on the CPU unless a registered package says else."""
    return _by_location(storage, location)


__all__ = ["default_restore_location", "location_tag", "register_package"]
