"""What split levels and levels that are only named leave of a place, counted by hand."""

from __future__ import annotations

import pytest

from semiaudit.model.dataspace import Attribute
from semiaudit.model.topdown import SpineLevel
from tests.universe.hierarchy.countries import NATION, TOTAL, nested, release_of, rho, rows, tells

REGION = SpineLevel("region")


@pytest.mark.parametrize(
    ("states", "cost", "attained"),
    [
        # two regions of one state each; but if one holds both, a state changes inside it
        (2, 1, False),
        # one region of two states and one of one, or three of one each
        (3, 1, False),
        # enough for two regions of two states each
        (4, 1, True),
    ],
)
def test_states_within_a_region_of_which_the_dataspace_says_nothing(
    states: int, cost: int | None, attained: bool
) -> None:
    spine = [NATION, REGION, SpineLevel("state", "state")]
    found = rows(release_of(spine, [Attribute("state", states)], [TOTAL]))
    row = found["geography:state within region", "D", 1]
    assert (rho(row), row.attained) == (cost, attained)


def test_two_states_compensate_each_other_in_the_nation_and_maybe_in_a_region() -> None:
    """Fixed states: two alike change sex with the state; the nation does not part them.

    Nation: 2 cells by 2 each, rho 4, and a region as much if it holds both. State: both sexes of
    both, 4 cells by 1, rho 2.
    """
    spine = [NATION, REGION, SpineLevel("state", "state")]
    attributes = [Attribute("state", 2), Attribute("sex", 2)]
    found = rows(release_of(spine, attributes, [tells("sex")], margins=[("state",)]))
    row = found["across_states", "D_t", 2]
    assert (rho(row), row.attained) == (4 + 4 + 2, False)


def test_counties_of_a_state_in_parts_may_not_share_one() -> None:
    """Fixed counties below a split state: two of them share a part, or they do not."""
    spine = [NATION, SpineLevel("state", "state", frozenset({0})), SpineLevel("county", "county")]
    attributes = [Attribute("state", 1), nested("county", "state", 0, 0, 0), Attribute("sex", 2)]
    found = rows(release_of(spine, attributes, [tells("sex")], margins=[("county",)]))
    row = found["across_counties", "D_t", 2]
    assert (rho(row), row.attained) == (4 + 4 + 2, False)
    two = [Attribute("state", 1), nested("county", "state", 0, 0), Attribute("sex", 2)]
    row = rows(release_of(spine, two, [tells("sex")], margins=[("county",)]))[
        "across_counties", "D_t", 2
    ]
    assert (rho(row), row.attained) == (4 + 2 + 2, True)


def test_a_county_of_which_no_record_can_be_may_be_a_part_of_a_split_state() -> None:
    """Three counties, one without blocks: the two others may share a part of the state."""
    spine = [
        SpineLevel("state", "state", frozenset({0})),
        SpineLevel("county", "county"),
        SpineLevel("block", "block"),
    ]
    attributes = [
        Attribute("state", 1),
        nested("county", "state", 0, 0, 0),
        nested("block", "county", 0, 1),
    ]
    row = rows(release_of(spine, attributes, [TOTAL]))["geography:block within state", "D", 1]
    assert (rho(row), row.attained) == (2, False)
