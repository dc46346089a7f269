"""Equivalent places of a hierarchical release: the same levels have several units there."""

from __future__ import annotations

from semiaudit.frozen import dataclass

Several = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Equivalent fixed units; all of D if nothing is fixed.

    Attributes:
        several: for every level, whether such a unit spans several units of the level.
        units: the number of such units.
        description: in words, such as "a state that State splits".
        example: the index of one of them.
    """

    several: Several
    units: int
    description: str
    example: int = 0
