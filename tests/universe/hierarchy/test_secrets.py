"""Kinds of pairs that no two datasets are; each is counted by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count
from semiaudit.model.topdown import SpineLevel
from semiaudit.universe.hierarchy import secrets as existence
from tests.universe.hierarchy.countries import (
    NATION,
    TOTAL,
    nested,
    pairs_of_places,
    release_of,
    rho,
    rows,
    tells,
)

STATE = SpineLevel("state", "state")
COUNTY = SpineLevel("county", "county")
VILLAGE = SpineLevel("village")
STATES, SEX = Attribute("state", 2), Attribute("sex", 2)
ONE = Attribute("species", 1)


def test_an_attribute_of_one_level_does_not_change() -> None:
    found = rows(release_of([NATION, STATE], [STATES, SEX, ONE], [tells("sex")]))
    assert rho(found["attribute:species", "D", 1]) is None
    assert rho(found["attribute:species", "D_t", 1]) is None
    assert rho(found["attribute:sex", "D_t", 1]) == 2


def test_records_of_one_kind_in_one_place_do_not_change() -> None:
    """One state that is one unit: nobody moves, and nobody is another one."""
    found = rows(release_of([NATION, STATE], [Attribute("state", 1), ONE], [TOTAL]))
    assert {key for key, row in found.items() if row.moves} == set()
    # species and state, anywhere at two distances, exchange: each in D and inside D_t
    assert len(found) == 2 * 5


def test_a_single_child_is_the_place_of_whoever_is_in_its_parent() -> None:
    """Two states of one county each: the county changes with the state alone."""
    county = nested("county", "state", 0, 1)
    found = rows(release_of([NATION, STATE, COUNTY], [STATES, county], [TOTAL]))
    assert rho(found["geography:county within state", "D", 1]) is None
    assert rho(found["geography:county within nation", "D", 1]) == 2


def test_what_the_parts_of_a_state_leave_of_its_counties() -> None:
    """Two counties in two parts are alone there; of three, two may be in one part or not."""
    parts = SpineLevel("state", "state", frozenset({0}))
    one = [Attribute("state", 1)]
    two = rows(
        release_of([NATION, parts, COUNTY], [*one, nested("county", "state", 0, 0)], [TOTAL])
    )
    assert rho(two["geography:county within state", "D", 1]) is None
    three = rows(
        release_of([NATION, parts, COUNTY], [*one, nested("county", "state", 0, 0, 0)], [TOTAL])
    )
    row = three["geography:county within state", "D", 1]
    assert (rho(row), row.attained) == (1, False)


@pytest.mark.parametrize("size", [1, 2])
def test_one_record_is_not_two(size: int) -> None:
    release = release_of([NATION, STATE, VILLAGE], [STATES, SEX], [tells("sex")], size=size)
    found = rows(release)
    two = {key for key, row in found.items() if key[2] == 2 and row.moves}
    assert bool(two) is (size == 2)
    assert rho(found["anywhere", "D", 1]) == 3


def test_published_totals_leave_room_for_pairs_or_do_not() -> None:
    """States of one person and of nobody: nobody else moves along, exchanges or compensates."""
    release = release_of(
        [NATION, STATE, VILLAGE],
        [STATES, SEX],
        [tells("sex")],
        margins=[("state",)],
        size=None,
        published=PublishedCounts(1, ((("state",), (1, 0)),)),
    )
    found = rows(release)
    assert {key[2] for key, row in found.items() if row.moves} == {1}
    assert rho(found["within_state", "D_t", 1]) == 3


def test_no_pair_changes_the_sex_of_one_record_if_the_number_of_men_is_published() -> None:
    """Only margins are followed, so the bound is that without the count; no pair attains it."""
    release = release_of([NATION, STATE], [STATES, SEX], [tells("sex")])
    counted = replace(release, invariants=(Count((("sex", (0,)),)),))
    for found, possible in ((rows(release), True), (rows(counted), False)):
        inside = found["attribute:sex", "D_t", 1]
        assert (rho(inside), inside.attained) == (2, possible)
        assert found["attribute:sex", "D", 1].attained


def test_two_may_each_change_what_none_can_alone() -> None:
    """Sex and age published for each state apart: two persons exchange ages. Together: nobody."""
    attributes = [STATES, SEX, Attribute("age", 2)]
    apart = rows(
        release_of(
            [NATION, STATE],
            attributes,
            [tells("sex", "age")],
            margins=[("state", "sex"), ("state", "age")],
        )
    )
    assert rho(apart["within_state", "D_t", 1]) is None
    # Two pairs of sex and age lose a record each, and two gain one: 4 cells of both levels. The
    # bound of two records that move together is larger.
    within = apart["within_state", "D_t", 2]
    assert (rho(within) or 0) >= 4
    assert not within.attained
    together = rows(
        release_of(
            [NATION, STATE], attributes, [tells("sex", "age")], margins=[("state", "sex", "age")]
        )
    )
    for name in ("within_state", "across_states", "exchange", "exchange_within_state"):
        assert rho(together[name, "D_t", 2]) is None


def test_zeros_that_leave_one_sex_in_each_state_leave_no_pair_of_sexes() -> None:
    """No men in state 1, no women in state 0: sex changes with the state, and nobody exchanges."""
    zeros = [(("state", (0,)), ("sex", (0,))), (("state", (1,)), ("sex", (1,)))]
    found = rows(release_of([NATION, STATE], [STATES, SEX], [tells("sex")], zeros=zeros))
    assert rho(found["attribute:sex", "D", 1]) is None
    assert rho(found["geography:state within nation", "D", 1]) is None
    assert rho(found["exchange", "D", 2]) is None
    assert rho(found["anywhere", "D", 1]) == 2


def test_a_kind_of_place_that_zeros_leave_empty_has_no_pair() -> None:
    """Nobody is in state 1, the only one that is one county: no row of such a state has a pair."""
    county = nested("county", "state", 0, 0, 1)
    release = release_of(
        [NATION, STATE, COUNTY],
        [STATES, county],
        [TOTAL],
        margins=[("state",)],
        zeros=[(("state", (1,)),)],
    )
    found = pairs_of_places(release)
    assert found["one state that county splits"] == {1: 1, 2: 4}
    assert found["one state that county does not split"] == {1: None, 2: None}


def test_places_that_no_level_tells_are_places_all_the_same() -> None:
    """Counties that only the dataspace has: to change one moves nothing, if the state stays."""
    county = nested("county", "state", 0, 0, 1)
    spine, attributes = [NATION, STATE], [STATES, county, SEX]
    found = rows(release_of(spine, attributes, [TOTAL], margins=[("state", "sex")]))
    assert rho(found["within_state", "D_t", 1]) == 0
    assert rho(found["exchange_within_state", "D_t", 2]) == 0
    # with the county the state may change, too; a bound
    assert (rho(found["attribute:county", "D", 1]), found["attribute:county", "D", 1].attained) == (
        1,
        False,
    )
    fixed = rows(release_of(spine, [STATES, county], [TOTAL], margins=[("county",)]))
    for key in (
        ("attribute:county", "D_t", 1),
        ("within_state", "D_t", 1),
        ("within_state", "D_t", 2),
        ("across_states", "D_t", 2),
        ("exchange", "D_t", 2),
    ):
        assert rho(found_row := fixed[key]) is None, found_row


def test_two_in_two_states_may_change_against_each_other() -> None:
    """Sex is published for the nation: a man of one state and a woman of the other both change.

    Nation: nothing. State: two cells of each of two states, rho 2; two alike are a bound of it.
    """
    release = release_of(
        [NATION, STATE], [STATES, SEX], [tells("sex")], margins=[("state",), ("sex",)]
    )
    found = rows(release)
    assert rho(found["within_state", "D_t", 1]) is None
    within = found["within_state", "D_t", 2]
    assert (rho(within) or 0) >= 2
    assert not within.attained
    alone = rows(
        release_of(
            [NATION, STATE],
            [Attribute("state", 1), SEX],
            [tells("sex")],
            margins=[("state",), ("sex",)],
        )
    )
    assert rho(alone["within_state", "D_t", 2]) is None


@pytest.mark.parametrize("able", [(True, False), (False, True), (True, True), (False, False)])
def test_two_records_exchange_places_if_one_kind_of_place_lets_them_move(
    able: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    moving: Any = SimpleNamespace(
        geography=SimpleNamespace(places=(0, 1)), can_move=lambda universe, one: able[one]
    )
    monkeypatch.setattr(existence, "has_records", lambda *_: True)
    monkeypatch.setattr(existence, "two_units", lambda *_: False)
    assert existence.exchange(moving) is any(able)


@pytest.mark.parametrize("apart", [{(0, 1)}, {(1, 1)}, {(0, 0), (1, 0)}, set()])
def test_two_records_exchange_places_if_some_two_units_have_one_each(
    apart: set[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    moving: Any = SimpleNamespace(
        geography=SimpleNamespace(places=(0, 1)), can_move=lambda universe, one: False
    )
    monkeypatch.setattr(existence, "two_units", lambda _, one, other: (one, other) in apart)
    assert existence.exchange(moving) is bool(apart)


def test_records_are_all_combinations_without_structural_zeros() -> None:
    """Of 2 x 3 combinations, one sex has no third age."""
    attributes = (Attribute("state", 4), Attribute("sex", 2), Attribute("age", 3))
    zero = (("sex", (1,)), ("age", (2,)))
    geography = SimpleNamespace(
        space=TableSpace("person", 9, attributes, (zero,)),
        attributes=frozenset({"state"}),
        nested_attributes=frozenset[str](),
    )
    pairs: Any = SimpleNamespace(geography=geography)
    found = existence._records(pairs)
    assert found is not None
    assert sorted((one["sex"], one["age"]) for one in found) == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("totals", "able"),
    [((1, 1, 0), True), ((5, 0, 0), False), ((1, 0, 1), True), ((0, 1, 0), False), (None, True)],
)
def test_two_units_have_a_record_each_if_two_totals_are_above_0(
    totals: tuple[int, ...] | None, able: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(existence, "_totals", lambda _: totals)
    monkeypatch.setattr(existence, "_occupied", lambda _: {0, 1, 2})
    pairs: Any = SimpleNamespace(
        room=lambda _: True, geography=SimpleNamespace(inside=lambda _: {0, 1, 2})
    )
    places: Any = None
    assert existence.two_units(pairs, places, places) is able
