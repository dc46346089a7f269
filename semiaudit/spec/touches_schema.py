"""The grammar of how many records of a release one protected unit touches."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from semiaudit.model.adjacency import Touched
from semiaudit.spec.scalars import Section, Whole, within

MOST_TOUCHED = 1000

Touches = Annotated[Whole, AfterValidator(within(0, MOST_TOUCHED))]


class TouchesSection(Section):
    """The number of records of a release's own dataspace that one protected unit touches."""

    attribute: Annotated[Touches, Field(description="an attribute of the unit changes")] = 1
    geography: Annotated[Touches, Field(description="the place of the unit changes")] = 2
    within: Annotated[
        Touches,
        Field(description="the unit changes whole, inside one unit that the invariants fix"),
    ] = 2
    across: Annotated[Touches, Field(description="the unit changes whole, without limit")] = 2
    exchange: Annotated[
        Touches, Field(description="the unit exchanges its place with another; each of the two")
    ] = 2

    presence: Annotated[
        Touches | None,
        Field(
            description="the unit enters or leaves: at most so many records change, enter, or "
            "leave; required under symmetric_difference"
        ),
    ] = None

    def touched(self) -> Touched:
        """How many records each change of a unit touches."""
        return Touched(
            self.attribute, self.geography, self.within, self.across, self.exchange, self.presence
        )
