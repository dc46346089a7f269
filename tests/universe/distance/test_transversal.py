"""The max-min cover against brute force over all arrangements of records."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product

import pytest

from semiaudit.universe.distance.transversal import (
    _prefix,
    smallest_transversal,
    transversal_bounds,
)


def smallest_hitting_set(sets: Sequence[int], records: int) -> int:
    """The fewest records that meet every set, by trying all collections of records.

    Sets and collections are bits: record r is the bit r.
    """
    for size in range(records + 1):
        for chosen in _subsets(size, records):
            if all(s & chosen for s in sets):
                return size
    raise AssertionError("a set is empty")


def largest_transversal_number(sizes: Sequence[int], records: int) -> int:
    """The worst arrangement, over every choice of sets of the given sizes.

    The first set is that of the first records: other names for the records change nothing.
    """
    first = (1 << sizes[0]) - 1
    rest = product(*(_subsets(size, records) for size in sizes[1:]))
    return max(smallest_hitting_set((first, *others), records) for others in rest)


@cache
def _subsets(size: int, records: int) -> tuple[int, ...]:
    return tuple(sum(1 << r for r in chosen) for chosen in combinations(range(records), size))


def _instances() -> Iterator[tuple[tuple[int, ...], int]]:
    for records in range(1, 6):
        for sets in range(1, 5):
            largest = (records + 1) // 2
            for sizes in combinations_with_replacement(range(1, largest + 1), sets):
                if records <= 4 or sets <= 3:
                    yield sizes, records


@pytest.mark.parametrize(("sizes", "records"), [*_instances(), ((1, 3, 4), 7)])
def test_bounds_contain_the_brute_force_value_and_meet_where_promised(
    sizes: tuple[int, ...], records: int
) -> None:
    truth = largest_transversal_number(sizes, records)
    bounds = transversal_bounds(sizes, records)
    assert bounds.lower <= truth <= bounds.upper
    if len(sizes) <= 3 or sum(sizes) <= records:
        assert bounds.lower == truth == bounds.upper


@pytest.mark.parametrize(
    ("sizes", "records"),
    [*_instances(), ((4,) * 7, 7), ((3,) * 9, 7), ((50, 60, 70, 80), 200), ((40,) * 5, 99)],
)
def test_an_arrangement_has_the_sizes_asked_for_and_attains_the_lower_bound(
    sizes: tuple[int, ...], records: int
) -> None:
    bounds = transversal_bounds(sizes, records)
    runs = bounds.arrangement.runs
    assert sum(number for _, number in runs) == records
    assert all(number > 0 for _, number in runs)
    for place, size in enumerate(sizes):
        assert sum(number for kind, number in runs if kind >> place & 1) == size
    kinds = [kind for kind, _ in runs]
    needed = next(
        k
        for k in range(len(sizes) + 1)
        for chosen in combinations(kinds, k)
        if _union(chosen) == (1 << len(sizes)) - 1
    )
    assert needed == bounds.lower == len(bounds.arrangement.transversal)
    assert _union(bounds.arrangement.transversal) == (1 << len(sizes)) - 1
    assert set(bounds.arrangement.transversal) <= set(kinds)


def _union(kinds: Sequence[int]) -> int:
    union = 0
    for kind in kinds:
        union |= kind
    return union


def test_seven_balanced_binary_features_of_eight_records_need_three_payers() -> None:
    # Row 22: a(t) is at least 4 there. The lines of the Fano plane attain it, and the counting
    # bound for covering designs (C(7,3,3) > 7) forbids more.
    bounds = transversal_bounds((4,) * 7, 7)
    assert (bounds.lower, bounds.upper) == (3, 3)


def test_four_sets_of_two_fifths_are_exact_by_a_covering_design() -> None:
    # C(5,3,2) = 4 (La Jolla covering repository, and elementary): four blocks of 3 points cover
    # all pairs of 5 points, so four sets of 2 in 5 records need three payers at any scale.
    for scale in (1, 7, 1_000_000):
        bounds = transversal_bounds((2 * scale,) * 4, 5 * scale)
        assert (bounds.lower, bounds.upper) == (3, 3)


def test_strengths_are_tried_one_by_one_below_the_counting_bound() -> None:
    # Some three of six records meet every set: the sets' complements contain at most
    # 4 + 4 + 6 + 0 = 14 of the 20 triples. An arrangement needs three, if the complements contain
    # all 15 pairs. Kept apart as far as they fit, the sets need two.
    bounds = transversal_bounds((2, 2, 3, 3, 3, 3, 3, 3, 4), 6)
    assert (bounds.lower, bounds.upper) == (3, 3)


def largest_of_four(sizes: Sequence[int], records: int) -> int:
    """The largest transversal number of four sets, in closed form.

    Two records meet all four sets unless the complements of all types intersect in pairs. Of four
    points the maximal such families, but for a point that all contain, are the sets that hold two
    of three points, and those that hold a point and another one or all three others. So three
    records are needed if three sets are disjoint, or if one is disjoint from the others and no
    record lies in all three of these.
    """
    if sum(sizes) <= records:
        return 4
    if sum(sorted(sizes)[:3]) <= records:
        return 3
    for place, size in enumerate(sizes):
        others = (*sizes[:place], *sizes[place + 1 :])
        if size + max(-(-sum(others) // 2), *others) <= records:
            return 3
    return 2 if sum(sizes) <= 3 * records else 1


def test_of_four_sets_the_closed_form_is_that_of_all_arrangements() -> None:
    for records in range(1, 5):
        for sizes in combinations_with_replacement(range(1, records + 1), 4):
            assert largest_of_four(sizes, records) == largest_transversal_number(sizes, records)


def test_bounds_of_four_sets_of_any_size_contain_the_closed_form() -> None:
    chance = random.Random(5)
    for _ in range(60):
        records = chance.randint(4, 40)
        sizes = [chance.randint(1, records) for _ in range(4)]
        bounds = transversal_bounds(sizes, records)
        assert bounds.lower <= largest_of_four(sizes, records) <= bounds.upper, (sizes, records)


def test_no_arrangement_of_a_few_groups_is_no_proof_that_there_is_none() -> None:
    # One record is in A alone; 5 in B and C, 11 in B and D, 42 in C and D: no two of these meet all
    # four sets. None of up to nine groups of like records, about equal in number, has the sizes.
    sizes, records = (1, 5 + 11, 5 + 42, 11 + 42), 1 + 5 + 11 + 42
    bounds = transversal_bounds(sizes, records)
    assert bounds.lower <= 3 <= bounds.upper
    assert largest_of_four(sizes, records) == 3


@pytest.mark.parametrize(
    ("sizes", "records"), [((1, 1, 2, 3), 6), ((1, 1, 1, 5), 7), ((1, 1, 1, 1, 4), 7)]
)
def test_sets_that_fit_apart_but_for_one_record_need_one_payer_less_than_there_are_sets(
    sizes: tuple[int, ...], records: int
) -> None:
    """Two of them share a record, whose payer serves both; all but the largest are apart."""
    assert sum(sizes) == records + 1
    bounds = transversal_bounds(sizes, records)
    assert bounds.lower == bounds.upper == len(sizes) - 1


def test_an_undecided_search_says_so() -> None:
    kinds = [1 << i | 1 << (i + 1) % 9 for i in range(9)]
    assert smallest_transversal(kinds, 9, limit=2) is None
    assert len(smallest_transversal(kinds, 9) or ()) == 5


def test_a_fallback_without_search_is_still_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    from semiaudit.universe.distance import transversal

    monkeypatch.setattr(transversal, "smallest_transversal", lambda *_, **__: None)
    bounds = transversal.transversal_bounds((2, 2, 2, 3), 7)
    runs = bounds.arrangement.runs
    assert sum(number for _, number in runs) == 7
    for place, size in enumerate((2, 2, 2, 3)):
        assert sum(number for kind, number in runs if kind >> place & 1) == size
    assert bounds.lower == len(bounds.arrangement.transversal) == 3
    assert len(smallest_transversal([kind for kind, _ in runs], 4) or ()) == 3
    assert bounds.upper >= largest_transversal_number((2, 2, 2, 3), 7)


def test_the_fallback_names_payers_that_exist() -> None:
    chance = random.Random(1)
    cases: list[tuple[tuple[int, ...], int]] = [((3, 1, 2, 2, 2), 7)]
    for _ in range(2000):
        records = chance.randint(1, 12)
        largest = (records + 1) // 2
        sizes = tuple(chance.randint(1, largest) for _ in range(chance.randint(1, 8)))
        cases.append((sizes, records))
    for sizes, records in cases:
        found = _prefix(sizes, records)
        kinds = [kind for kind, _ in found.runs]
        assert sum(number for _, number in found.runs) == records
        assert set(found.transversal) <= set(kinds)
        assert _union(found.transversal) == (1 << len(sizes)) - 1
        for place, size in enumerate(sizes):
            assert sum(number for kind, number in found.runs if kind >> place & 1) == size
        assert len(smallest_transversal(kinds, len(sizes)) or ()) == len(found.transversal)
