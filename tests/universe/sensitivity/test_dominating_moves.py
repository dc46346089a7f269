"""Moves that dominate: every pattern must fall into bins that hold it, by trying all ways."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semiaudit import Spec
from semiaudit.model.bound import exact, upper
from semiaudit.model.query import MarginsQuery, Query, TableQuery
from semiaudit.universe.sensitivity import signed_moves
from semiaudit.universe.sensitivity.dominating_moves import (
    best_moves,
    dominating,
    packed,
    patterns_of,
    runs,
)
from semiaudit.universe.sensitivity.joint_moves import Profiles, dominates, undominated
from semiaudit.universe.sensitivity.sensitivity_numbers import _moves
from semiaudit.universe.sensitivity.signed_moves import MAX_FREE, Signed, _kept, _of_free
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

Pattern = tuple[int, ...]


def fits(pattern: Pattern, bins: Pattern) -> bool:
    """Whether some way to put each value in a bin overfills none."""
    for chosen in product(range(len(bins)), repeat=len(pattern)):
        sums = [0] * len(bins)
        for value, place in zip(pattern, chosen, strict=True):
            sums[place] += value
        if all(sum_ <= size for sum_, size in zip(sums, bins, strict=True)):
            return True
    return False


def drawn(seed: int) -> list[Pattern]:
    rng = random.Random(seed)
    return [
        tuple(sorted((rng.randint(1, 5) for _ in range(rng.randint(1, 4))), reverse=True))
        for _ in range(rng.randint(1, 5))
    ]


@pytest.mark.parametrize("seed", range(30))
def test_bins_hold_what_they_grew_over_and_are_listed_from_the_largest(seed: int) -> None:
    bins: Pattern = ()
    patterns = drawn(seed)
    for number, pattern in enumerate(patterns):
        bins = packed(pattern, bins)
        assert list(bins) == sorted(bins, reverse=True)
        assert all(fits(one, bins) for one in patterns[: number + 1])
    best = dominating(patterns)
    assert all(fits(one, best) for one in patterns)
    squares = [sum(size**2 for size in one) for one in (best, bins, (max(map(sum, patterns)),))]
    assert squares[0] <= squares[2]
    assert squares[0] >= max(sum(k**2 for k in one) for one in patterns)


def test_one_pattern_dominates_itself() -> None:
    assert packed((4, 2, 1), ()) == (4, 2, 1)
    assert dominating([(4, 2, 1), (4, 2), (2, 1)]) == (4, 2, 1)
    assert packed((2,), (1, 5)) == (5, 1)
    assert dominating([]) == ()


def test_patterns_are_absolute_values_without_zeros_from_the_largest() -> None:
    vectors = np.array([(0, -3, 1), (1, 0, 3), (2, 2, -5), (0, 0, 0)], dtype=np.int64)
    patterns = patterns_of(vectors)
    assert patterns is not None
    assert set(patterns) == {(), (3, 1), (5, 2, 2)}


def test_the_best_moves_have_the_least_squares_and_are_attained_at_an_exact_norm() -> None:
    candidates = [[(3, 1)], runs((2, 1, 1)), [(2, 1), (0, 4), (2, 0), (1, 2)]]
    found = best_moves(candidates, exact(Fraction(6), "a method", "a source"))
    assert [(int(size), number) for size, number in found.sizes] == [(2, 1), (1, 2)]
    assert found.squared == 6
    assert found.attained
    assert not best_moves(candidates, exact(Fraction(5), "a method", "a source")).attained
    assert not best_moves(candidates, upper(Fraction(6), "a method", "a source")).attained


def test_a_move_fills_the_bin_with_the_least_room() -> None:
    assert packed((2, 3), (3, 2)) == (3, 2)
    assert packed((2, 2, 3), (3, 2, 2)) == (3, 2, 2)


def test_the_bin_that_grows_by_the_smallest_square_grows() -> None:
    """From 2 to 3 adds 5 to the sum of squares, from 1 to 3 adds 8, and a new bin of 3 adds 9."""
    assert packed((3,), (2, 1)) == (3, 1)
    assert packed((1, 1), (1,)) == (1, 1)


@pytest.mark.parametrize(
    ("largest", "between", "smallest"),
    [((5, 4, 1), (4, 3, 2, 1), (3, 2, 2, 2)), ((5, 4), (4, 3, 2), (3, 2, 2, 2))],
)
def test_what_fits_into_a_dropped_element_is_dropped_with_it(
    largest: tuple[int, ...], between: tuple[int, ...], smallest: tuple[int, ...]
) -> None:
    """Packing misses that 3 + 2 and 2 + 2 fit into 5 and 4, but not the two steps to it."""
    assert fits(smallest, largest)
    assert not dominates((largest,), (smallest,))
    assert dominates((largest,), (between,))
    assert dominates((between,), (smallest,))
    assert undominated([(smallest,), (between,), (largest,)]) == [(largest,)]


def test_stacked_vectors_are_kept_as_patterns_that_no_other_one_exceeds_value_by_value() -> None:
    """The first query has three counts, the second one two; (1, 1), (1, 1) is below the first."""
    answers: Any = SimpleNamespace(blocks=((0,), (1,)))
    profiles = Profiles(answers, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)])
    profiles.add(np.array([[2, -2, 0, 1, -1], [0, 1, -1, -1, 1], [1, -1, 1, 0, 0]]))
    profiles.add(np.array([[-1, 0, 1, 2, -2], [0, -2, 2, 1, -1]]))
    found = profiles.elements()
    assert found is not None
    assert sorted(found) == [((1, 1), (2, 2)), ((1, 1, 1), ()), ((2, 2), (1, 1))]


def test_listed_elements_dominate_more_closely_than_their_norms() -> None:
    """Either coordinate moves by 2 and the other by 1: 2 and 1 are enough, with the square 5."""
    question: Any = SimpleNamespace(answers=SimpleNamespace(matrix=object()))
    vectors = np.array([(2, 1), (1, -2), (1, 1)])
    five = exact(5, "moves", "by hand")
    found = _moves(question, (3, 2), five, 0, vectors)
    assert found.sizes == ((Fraction(2), 1), (Fraction(1), 1))
    assert found.attained
    alone = _moves(question, (3, 2), five, 0, None)
    assert (alone.sizes, alone.attained) == (((Fraction(3), 1),), False)


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
    assert spaces.question((TableQuery(),), distance, "D_t").listing is None
    found = signed_moves.signed_moves(spaces, TableQuery(), distance, "D_t")
    assert found is not None
    assert set(found.elements) == {(-1, -1, 1, 1), (-2, 1, 1), (-2, 2)}
