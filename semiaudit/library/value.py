"""Values: equal if their parts are equal, in whatever process they were made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Value:
    """An object that equals every other one of its class with the same parts.

    Its parts are its slots, but those that are computed from others when they are first needed, and
    those that only limit time.
    """

    __slots__ = ()

    _not_parts = frozenset({"__dict__"})

    def _parts_of_value(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._slots() if name not in self._not_parts)

    @classmethod
    def _slots(cls) -> Iterator[str]:
        return (name for above in cls.__mro__ for name in getattr(above, "__slots__", ()))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Value):
            return NotImplemented
        return self._parts_of_value() == other._parts_of_value()

    def __hash__(self) -> int:
        return hash((type(self), *map(_hash, self._parts_of_value())))


def _hash(part: object) -> int:
    """Return the hash of a part; 0 for one that has none, such as a mapping."""
    try:
        return hash(part)
    except TypeError:
        return 0
