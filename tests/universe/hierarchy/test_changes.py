"""What changes, split levels, nested attributes, and structural zeros cost, counted by hand."""

from __future__ import annotations

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.topdown import Recode, SpineLevel, TopDownQuery
from semiaudit.universe.hierarchy import changes as module
from semiaudit.universe.hierarchy.changes import RecordChange, RecordChanges, changes
from tests.universe.hierarchy.countries import NATION, TOTAL, nested, release_of, rho, rows, tells

SPACE = TableSpace("person", 5, (Attribute("age", 3), Attribute("sex", 2)))
QUERIES = (
    TopDownQuery("total"),
    TopDownQuery("ages", (Recode("age", ("age",)),)),
    TopDownQuery("sexes", (Recode("sex", ("sex",)),)),
    TopDownQuery("the young", where=(("age", (0,)),)),
    TopDownQuery("women", where=(("sex", (1,)),)),
)
"""A new age is seen by two queries; a person who becomes older also leaves the young."""


def largest(most: int, monkeypatch: pytest.MonkeyPatch) -> RecordChanges:
    monkeypatch.setattr(module, "MAX_CHANGES", most)
    changes.cache_clear()
    age = frozenset({"age"})
    found = changes(SPACE, QUERIES, age, age, frozenset(), (frozenset(), frozenset()))
    changes.cache_clear()
    return found


def test_another_age_changes_the_cells_that_it_leaves_and_enters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One cell of the young if the record leaves it; two of no age if it is a woman's."""
    found = largest(1000, monkeypatch)
    assert found.attained
    assert found.largest == (RecordChange((0, 2, 0, 1, 0), (2, 2, 2, 1, 2)),)


def test_changes_that_are_too_many_to_list_have_an_upper_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound has two cells of each query in another unit, and else those of each query alone."""
    found = largest(0, monkeypatch)
    assert not found.attained
    assert found.largest == (RecordChange((0, 2, 0, 1, 0), (2, 2, 2, 2, 2)),)


def test_a_change_that_may_exist_counts_if_an_attribute_has_too_many_levels_to_look_at() -> None:
    """A record that goes to another plot can also change its age, and so two counts of ages."""
    plots = range(20_001)
    parents = tuple(plot // 10_000 for plot in plots)
    names = tuple(f"plot {plot}" for plot in plots)
    attributes = (
        Attribute("age", 3),
        Attribute("place", 3),
        Attribute("plot", names, within="place", parents=parents),
    )
    free, must = frozenset({"age", "plot"}), frozenset({"plot"})
    ages = (TopDownQuery("ages", (Recode("age", ("age",)),)),)
    neither: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    found = changes(TableSpace("person", 5, attributes), ages, free, must, frozenset(), neither)
    assert found.largest == (RecordChange((2,), (2,)),)
    assert not found.attained


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


FAMILY = Attribute("family", 2)
SEX = Attribute("sex", 2)


def test_a_language_changes_inside_its_family_where_that_is_published() -> None:
    """Families and languages are asked: a change of both moves both, inside D_t one alone."""
    language = nested("language", "family", 0, 0, 1)
    release = release_of(
        [NATION], [FAMILY, language], [tells("family"), tells("language")], margins=[("family",)]
    )
    found = rows(release)
    assert (rho(found["attribute:language", "D", 1]), rho(found["attribute:family", "D", 1])) == (
        2,
        2,
    )
    assert rho(found["attribute:language", "D_t", 1]) == 1
    assert rho(found["attribute:family", "D_t", 1]) is None
    assert all(row.attained for key, row in found.items() if key[2] == 1)


def test_families_of_one_language_each_fix_it() -> None:
    language = nested("language", "family", 0, 1)
    release = release_of([NATION], [FAMILY, language], [tells("language")], margins=[("family",)])
    found = rows(release)
    assert rho(found["attribute:language", "D", 1]) == 1
    assert rho(found["attribute:language", "D_t", 1]) is None


def test_a_recode_that_families_tell_cannot_be_told_inside_one() -> None:
    """The recode parts the families alone: languages of one family are alike in it."""
    language = nested("language", "family", 0, 0, 1, 1)
    recode = Recode("first", ("language",), ((("language", ("language 0", "language 1")),),))
    release = release_of(
        [NATION], [FAMILY, language], [TopDownQuery("q", (recode,))], margins=[("family",)]
    )
    found = rows(release)
    assert rho(found["attribute:language", "D", 1]) == 1
    row = found["attribute:language", "D_t", 1]
    assert (rho(row), row.attained) == (0, True)


def test_a_level_in_which_nothing_lies_has_no_records() -> None:
    """The second family has no language, so that all records are of the first."""
    language = nested("language", "family", 0, 0)
    found = rows(release_of([NATION], [FAMILY, language], [tells("family"), tells("language")]))
    assert rho(found["attribute:family", "D", 1]) is None
    assert rho(found["attribute:language", "D", 1]) == 1


def test_zeros_tie_two_attributes_so_that_neither_changes_alone() -> None:
    zeros = [(("family", (0,)), ("sex", (0,))), (("family", (1,)), ("sex", (1,)))]
    found = rows(release_of([NATION], [FAMILY, SEX], [tells("sex"), tells("family")], zeros=zeros))
    assert rho(found["attribute:sex", "D", 1]) is None
    assert rho(found["anywhere", "D", 1]) == 2


STATE, COUNTY = SpineLevel("state", "state"), SpineLevel("county", "county")
STATES = Attribute("state", 2)
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
