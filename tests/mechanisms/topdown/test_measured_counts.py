"""Which cells the counts of a hierarchical release sum, against counting them one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.topdown.measured_counts import cells_of, counts_of
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.topdown import NoisyQuery, Recode, SpineLevel, TopDown, TopDownQuery

STATE = Attribute("state", ("n", "s"))
COUNTY = Attribute("county", 3, within="state", parents=(0, 0, 1))
SEX, AGE = Attribute("sex", 2), Attribute("age", 4)
SPACE = TableSpace("person", None, (STATE, COUNTY, SEX, AGE), ((("sex", (1,)), ("age", (3,))),))
GROWN = Recode("grown", ("age",), ((("age", (0, 1)),),))
BOTH = Recode("both", ("sex", "age"))
UNKNOWN = Recode("unknown", ("age",), ())
QUERIES = (
    TopDownQuery("total"),
    TopDownQuery("sex by grown", (Recode("sex", ("sex",)), GROWN)),
    TopDownQuery("detailed", (BOTH,), where=(("sex", (0,)),)),
)
SPINE = (SpineLevel("US"), SpineLevel("State", "state"), SpineLevel("County", "county"))


def release(*noisy: tuple[int, int], spine: tuple[SpineLevel, ...] = SPINE) -> TopDown:
    found = tuple(NoisyQuery(level, query, Fraction(1, 4)) for level, query in noisy)
    return TopDown(spine, QUERIES, found)


def test_cells_are_the_records_that_can_occur() -> None:
    every = product(range(2), range(3), range(2), range(4))
    wanted = [c for c in every if (0, 0, 1)[c[1]] == c[0] and not (c[2] == 1 and c[3] == 3)]
    assert cells_of(release((0, 1)), SPACE) == wanted


def test_counts_sum_what_their_unit_and_groups_say() -> None:
    part = release((0, 1), (1, 0), (2, 1), (2, 2))
    cells = cells_of(part, SPACE)
    us, states, counties = counts_of(part, SPACE, cells)
    assert [len(us), len(states), len(counties)] == [4, 2, 3 * 4 + 3 * 4]
    for level in (us, states, counties):
        for count in level:
            assert count.sigma_squared == 4
            place = {0: None, 1: 0, 2: 1}[count.noisy.level]
            for at, cell in enumerate(cells):
                inside = place is None or cell[place] == count.unit
                match count.noisy.query:
                    case 1:
                        inside = inside and count.groups == (cell[2], int(cell[3] > 1))
                    case 2:
                        inside = inside and cell[2] == 0 and count.groups == (cell[3],)
                    case _:
                        assert count.groups == ()
                assert (at in count.cells) == inside


SPLIT = (SpineLevel("US"), SpineLevel("State", "state", frozenset({1})), SpineLevel("Block"))


def test_what_the_data_do_not_tell_is_refused_all_at_once() -> None:
    queries = (*QUERIES, TopDownQuery("odd", (UNKNOWN,)))
    noisy = tuple(NoisyQuery(at, 3, Fraction(1)) for at in range(3))
    part = TopDown(SPLIT, queries, noisy)
    with pytest.raises(RefusedError) as error:
        counts_of(part, SPACE, cells_of(part, SPACE))
    told = [(refusal.message, refusal.remedy) for refusal in error.value.refusals]
    assert told == [
        (
            "the level State splits units into areas that the data do not distinguish",
            "add an attribute within state that distinguishes them, and name it here "
            "instead of split",
        ),
        (
            "the level Block has no attribute, so the data do not show its units",
            "add an attribute within state to the dataspace, and name it here",
        ),
        ("the recode unknown does not specify which levels it distinguishes", "add its groups"),
    ]


def test_a_level_at_which_nothing_is_measured_needs_no_units() -> None:
    spine = (*SPLIT[:2], SpineLevel("Between"), SpineLevel("County", "county"))
    part = release((0, 1), (3, 0), spine=spine)
    us, state, between, counties = counts_of(part, SPACE, cells_of(part, SPACE))
    assert (len(us), len(state), len(between), len(counties)) == (4, 0, 0, 3)


def test_a_table_of_too_many_cells_is_refused() -> None:
    space = TableSpace("person", None, (STATE, Attribute("name", 40_000)))
    with pytest.raises(RefusedError, match="more than 50000 cells"):
        cells_of(release((1, 0)), space)
