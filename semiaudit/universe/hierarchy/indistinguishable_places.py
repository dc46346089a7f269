"""Places of a hierarchical release that are alike: the same levels have several units there."""

from __future__ import annotations

from semiaudit.frozen import dataclass

Several = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Fixed units that are alike; all of D where nothing is fixed.

    Attributes:
        several: for every level whether such a unit lies in several units of the level.
        units: how many there are.
        description: in words, such as "a state that State splits".
        example: the place of one of them.
    """

    several: Several
    units: int
    description: str
    example: int = 0
