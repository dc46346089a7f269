"""How many records of another kind one protected unit is in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Touched:
    """How many other records one protected unit is in, by what happens to the unit.

    Attributes:
        attribute: an attribute of it changes.
        geography, within, across: its place changes, and maybe all else: who moves leaves one
            household and enters another.
        exchange: it exchanges its place with another one; of each of the two.
    """

    attribute: int = 1
    geography: int = 2
    within: int = 2
    across: int = 2
    exchange: int = 2

    @property
    def most(self) -> int:
        """The most records that one unit touches, whatever its change."""
        return max(self.attribute, self.geography, self.within, self.across, self.exchange)


USUAL = Touched()
"""The default numbers of records that a unit touches."""
