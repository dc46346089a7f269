"""Structural zeros that name geography, counted by hand."""

from __future__ import annotations

from semiaudit.model.dataspace import Attribute
from semiaudit.model.topdown import SpineLevel
from tests.universe.hierarchy.countries import NATION, TOTAL, nested, release_of, rho, rows, tells

STATE, COUNTY = SpineLevel("state", "state"), SpineLevel("county", "county")
STATES, SEX = Attribute("state", 2), Attribute("sex", 2)
COUNTIES = nested("county", "state", 0, 0, 1)


def test_a_county_that_holds_nobody_is_no_place_to_move_to() -> None:
    """The second county of the first state is empty: nobody moves within a state."""
    zeros = [(("county", ("county 1",)),)]
    spine = [NATION, STATE, COUNTY]
    found = rows(release_of(spine, [STATES, COUNTIES], [TOTAL], zeros=zeros))
    assert rho(found["geography:county within state", "D", 1]) is None
    row = found["geography:county within nation", "D", 1]
    assert (rho(row), row.attained) == (2, True)


def test_who_moves_into_a_county_of_one_sex_moves_alike() -> None:
    """No men in county 1: who moves there within the state is a woman, and changes no sex.

    Nation and state: the county's total moves nothing. County: two cells of each query.
    """
    zeros = [(("county", ("county 1",)), ("sex", (1,)))]
    found = rows(
        release_of(
            [NATION, STATE, COUNTY],
            [STATES, COUNTIES, SEX],
            [tells("sex")],
            zeros=zeros,
            margins=[("state",)],
        )
    )
    row = found["geography:county within state", "D", 1]
    assert (rho(row), row.attained) == (1, True)
    # a man of county 0 becomes a woman of county 1: all three levels tell
    within = found["within_state", "D_t", 1]
    assert (rho(within), within.attained) == (3, True)
    # a man and a woman of the first state cannot exchange their counties; across states they can
    assert rho(found["exchange_within_state", "D_t", 2]) is None
    assert rho(found["exchange", "D", 2]) == 2 + 2


def test_zeros_of_a_state_and_an_attribute_leave_the_attribute_in_other_states() -> None:
    zeros = [(("state", (0,)), ("sex", (0,)))]
    found = rows(release_of([NATION, STATE], [STATES, SEX], [tells("sex")], zeros=zeros))
    row = found["attribute:sex", "D", 1]
    assert (rho(row), row.attained) == (2, True)
