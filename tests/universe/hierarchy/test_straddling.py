"""Units that the invariants fix, where the levels above them split; moves counted by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.topdown import NoisyQuery, Recode, SpineLevel, TopDown, TopDownQuery
from semiaudit.universe.hierarchy.dataset_pairs import pairs_of
from semiaudit.universe.hierarchy.secrets import secrets_of
from tests.universe.hierarchy.countries import of_hierarchy

TOTAL = TopDownQuery("total")
SEX = TopDownQuery("sex", (Recode("sex", ("sex",)),))
NATION = SpineLevel("nation")
STATE = SpineLevel("state", "state")
COUNTY = SpineLevel("county", "county")
STATE_IN_PARTS = SpineLevel("state", "state", frozenset({0}))
COUNTY_IN_PARTS = SpineLevel("county", "county", frozenset({0}))


def moves(
    spine: tuple[SpineLevel, ...],
    query: TopDownQuery,
    level: int,
    margins: tuple[tuple[str, ...], ...],
    counties: tuple[int, ...] = (0, 0, 1),
) -> dict[tuple[str, int], set[tuple[int, ...]]]:
    """By secret of D_t and distance, the moves of one query at one level of two states.

    Args:
        counties: the state of each.
    """
    blocks = tuple(county for county in range(len(counties)) for _ in range(2))
    attributes = (
        Attribute("state", 2),
        Attribute("county", len(counties), parents=counties, within="state"),
        Attribute("block", len(blocks), parents=blocks, within="county"),
        Attribute("sex", 2),
    )
    part = TopDown(spine, (query,), (NoisyQuery(level, 0, Fraction(1)),))
    release = of_hierarchy(part, TableSpace("person", 20, attributes, ()), margins)
    found: dict[tuple[str, int], set[tuple[int, ...]]] = {}
    for secret in secrets_of(pairs_of(part, release)):
        if secret.universe == "D_t":
            key = secret.name, secret.distance
            found.setdefault(key, set()).update(move[0] for move in secret.moves)
    return found


def test_a_county_in_parts_may_lie_in_several_parts_of_its_state() -> None:
    """One person moves from the part of the county in one part of the state to the other part."""
    found = moves((NATION, STATE_IN_PARTS, COUNTY_IN_PARTS), TOTAL, 1, (("county",),))
    assert (1, 1) in found["within_county", 1]
    assert (2, 2) in found["within_county", 2]
    assert (1, 1) in found["geography:county within nation", 1]


def test_a_county_that_is_one_unit_lies_in_one_part_of_its_state() -> None:
    found = moves((NATION, STATE_IN_PARTS, COUNTY), TOTAL, 1, (("county",),))
    assert found["within_county", 2] <= {()}


def test_a_block_in_parts_of_a_county_that_is_one_unit_lies_in_one_part_of_its_state() -> None:
    """The total of the part is that of its blocks, which are published."""
    block = SpineLevel("block", "block", frozenset({0}))
    within = {("within_block", 1), ("within_block", 2)}
    found = moves((NATION, STATE_IN_PARTS, COUNTY, block), TOTAL, 1, (("block",),))
    assert all(found[key] <= {()} for key in within)
    lowest = moves((NATION, STATE_IN_PARTS, COUNTY, block), TOTAL, 3, (("block",),))
    assert (1, 1) in lowest["within_block", 1]


def test_a_county_that_is_no_level_may_lie_in_several_parts_of_the_state_on_top() -> None:
    """Two counties exchange a person, both of which change the part of the state."""
    spine = (STATE_IN_PARTS, SpineLevel("block", "block", frozenset({0})))
    found = moves(spine, TOTAL, 0, (("county",),))
    assert (1, 1) in found["within_county", 1]
    assert (2, 2) in found["across_counties", 2]


def test_counties_exchange_what_only_the_state_publishes_with_its_place() -> None:
    """A man and a woman of two counties of one state: two cells of each county move by 1."""
    spine = (NATION, STATE, COUNTY)
    found = moves(spine, SEX, 2, (("county",), ("state", "sex")))
    assert (1, 1, 1, 1) in found["exchange", 2]
    above = moves(spine, SEX, 1, (("county",), ("state", "sex")))
    assert above["exchange", 2] <= {()}


def test_a_level_without_attribute_has_several_units_above_a_unit_that_is_split() -> None:
    """The only county of each state; what lies between may divide the county in parts."""
    spine = (NATION, STATE, SpineLevel("region"), COUNTY_IN_PARTS)
    found = moves(spine, TOTAL, 2, (("state",),), counties=(0, 1))
    assert (1, 1) in found["within_state", 1]


def test_an_attribute_changes_with_those_that_lie_within_it_and_that_it_lies_within() -> None:
    """Two languages of two families: whoever changes one of the two may change both queries."""
    queries = tuple(TopDownQuery(n, (Recode(n, (n,)),)) for n in ("family", "language", "sex"))
    part = TopDown((NATION,), queries, tuple(NoisyQuery(0, q, Fraction(1)) for q in range(3)))
    space = TableSpace(
        "person",
        20,
        (
            Attribute("family", 2),
            Attribute("language", 4, parents=(0, 0, 1, 1), within="family"),
            Attribute("sex", 2),
        ),
        (),
    )
    release = of_hierarchy(part, space, ())
    found = {s.name: s.moves for s in secrets_of(pairs_of(part, release)) if s.universe == "D"}
    moved = (1, 1)
    assert found["attribute:family"] == ((moved, moved, ()),)
    assert found["attribute:language"] == ((moved, moved, ()),)
    assert found["attribute:sex"] == (((), (), moved),)


@pytest.mark.parametrize(("counties", "some"), [((0, 1), False), ((0, 0, 1), True)])
def test_nobody_exchanges_places_where_a_state_is_one_county(
    counties: tuple[int, ...], some: bool
) -> None:
    """Between states the sexes are published, and within one there is no other place."""
    attributes = (
        Attribute("state", 2),
        Attribute("county", len(counties), parents=counties, within="state"),
        Attribute("sex", 2),
    )
    part = TopDown((NATION, STATE, COUNTY), (SEX,), (NoisyQuery(1, 0, Fraction(1)),))
    space = TableSpace("person", 20, attributes, ())
    pairs = pairs_of(part, of_hierarchy(part, space, (("county",), ("state", "sex"))))
    (row,) = (r for r in secrets_of(pairs) if (r.name, r.universe) == ("exchange", "D_t"))
    assert bool(row.moves) is some
