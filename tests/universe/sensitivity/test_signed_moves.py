"""Which signed moves are kept: those whose moves are not among those of another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit import Spec
from semiaudit.model.query import MarginsQuery, Query, TableQuery
from semiaudit.universe.sensitivity import signed_moves
from semiaudit.universe.sensitivity.signed_moves import MAX_FREE, Signed, _kept, _of_free
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def test_an_element_is_kept_if_no_other_one_and_no_opposite_has_its_moves() -> None:
    found = _kept([(1,), (-2, 1), (-1, 2), (2,), (3, 3), (3,), (-3,)], attained=True)
    assert found is not None
    assert {min(one, tuple(sorted(-k for k in one))) for one in found.elements} == {
        (-2, 1), (-3, -3),
    }  # fmt: skip
    assert found.attained


def test_fifty_times_as_many_elements_are_looked_at_as_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signed_moves, "MAX_ELEMENTS", 1)
    whole = tuple(range(1, 60))
    elements = [whole, *((k,) for k in range(1, 50))]
    found = _kept(elements, attained=False)
    assert found is not None
    assert len(found.elements) == 1
    assert _kept([*elements, (50,)], attained=False) is None
    assert _kept([(1, 1), (2, 2)], attained=False) is None


def held(move: Signed, elements: Iterable[Signed]) -> bool:
    """Whether all moves, or all their opposites, are among those of one element."""
    signs = Counter(move), Counter(-k for k in move)
    return any(not sign - Counter(element) for element in elements for sign in signs)


@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize("distance", [1, 2, 3])
@pytest.mark.parametrize("query", [TableQuery(), MarginsQuery((("a",), ("b",)))])
def test_all_differences_of_small_tables_are_held_and_each_element_is_one(
    query: Query, distance: int, margin: bool
) -> None:
    text = (
        "semiaudit: 1\ndataspace: {size: 4, attributes: {a: 2, b: 2}}\n"
        f"invariants: [{'{margin: [a]}' if margin else ''}]\n"
        "data: {counts: [[1, 1], [0, 2]]}\nmechanism: {zcdp: {rho: 1}}\n"
    )
    spaces = SensitivitySpaces(Spec.from_text(text)._release)
    tables = [t for t in product(range(5), repeat=4) if sum(t) == 4]
    if margin:
        tables = [t for t in tables if t[0] + t[1] == 2]
    differences = set()
    for one, other in product(tables, repeat=2):
        move = [p - q for p, q in zip(one, other, strict=True)]
        if sum(map(abs, move)) <= 2 * distance:
            if isinstance(query, MarginsQuery):
                a, b, c, d = move
                move = [a + b, c + d, a + c, b + d]
            differences.add(tuple(sorted(k for k in move if k)))
    found = signed_moves.signed_moves(spaces, query, distance, "D_t" if margin else "D")
    assert found is not None
    assert all(held(move, found.elements) for move in differences)
    assert found.attained
    assert {*found.elements} <= differences


@pytest.mark.parametrize(
    ("records", "margins", "elements"),
    [
        (1, 1, {(-1,)}),
        (1, 2, {(-1, -1)}),
        (2, 1, {(-2,), (-1, -1), (-1, 1)}),
        (MAX_FREE + 1, 1, None),
    ],
)
def test_records_that_enter_and_leave_are_split_among_the_cells_in_all_ways(
    records: int, margins: int, elements: set[tuple[int, ...]] | None
) -> None:
    question: Any = SimpleNamespace(
        reach=SimpleNamespace(records=records), answers=SimpleNamespace(margins=[()] * margins)
    )
    found = _of_free(question)
    assert (None if found is None else set(found.elements)) == elements


@pytest.mark.parametrize("size", ["", "size: 1000, "])
@pytest.mark.parametrize(("metric", "distance"), [("symmetric_difference", 4), ("hamming", 2)])
def test_in_a_table_too_large_to_be_listed_a_margin_makes_every_record_replace_another_one(
    metric: str, distance: int, size: str
) -> None:
    """Two records change b: in two levels of a, or in one, from or to one cell or from one to
    another. Nothing moves in one direction alone."""
    spec = Spec.from_text(
        f"semiaudit: 1\ndataspace: {{{size}attributes: {{a: 30, b: 200}}}}\n"
        f"adjacency: {{metric: {metric}}}\ninvariants: [{{margin: [a]}}]\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    spaces = SensitivitySpaces(spec._release)
    assert spaces.elements_of(TableQuery(), distance) is None
    found = signed_moves.signed_moves(spaces, TableQuery(), distance, "D_t")
    assert found is not None
    assert set(found.elements) == {(-1, -1, 1, 1), (-2, 1, 1), (-2, 2)}
