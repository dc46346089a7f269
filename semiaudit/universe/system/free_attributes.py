"""Attributes in no margin: the levels that they can have with the published levels."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from semiaudit.model.dataspace import TableSpace
from semiaudit.universe.system.components import Places


class FreeAttributes:
    """The free attributes of a table; each can be nested in a published or a free one.

    Args:
        space: the table of attributes.
        free: the indices of the free attributes. No structural zero contains them.
    """

    def __init__(self, space: TableSpace, free: Places) -> None:
        self.space, self.free = space, free
        self.parent = {
            place: space.position(name)
            for place in free
            if (name := space.attributes[place].within) is not None
        }
        self._ways: dict[tuple[int, int], int] = {}

    def _below(self, place: int) -> list[int]:
        return [child for child, above in self.parent.items() if above == place]

    def _under(self, child: int, level: int) -> list[int]:
        parents = self.space.attributes[child].parents
        return [inner for inner, above in enumerate(parents) if above == level]

    def _number(self, place: int, level: int) -> int:
        key = place, level
        if key not in self._ways:
            self._ways[key] = prod(
                sum(self._number(child, inner) for inner in self._under(child, level))
                for child in self._below(place)
            )
        return self._ways[key]

    def _options(self, place: int, levels: Mapping[int, int]) -> list[int]:
        above = self.parent.get(place)
        if above is None:
            return list(range(self.space.attributes[place].size))
        return self._under(place, levels[above])

    def completed(self, levels: Mapping[int, int], *, other: bool = False) -> dict[int, int] | None:
        """Return a record with the published levels; None if there is none.

        Args:
            levels: the levels of all other attributes, by index.
            other: return a second record with these levels, not the first one.
        """
        completed = dict(levels)
        changed = not other
        waiting = list(self.free)
        while waiting:
            place = next(p for p in waiting if self.parent.get(p, -1) not in waiting)
            waiting.remove(place)
            fitting = [
                level for level in self._options(place, completed) if self._number(place, level)
            ]
            if not fitting:
                return None
            completed[place] = fitting[0]
            if not changed and len(fitting) > 1:
                completed[place], changed = fitting[1], True
            elif not changed and self._number(place, fitting[0]) > 1:
                continue
        return completed if changed else None
