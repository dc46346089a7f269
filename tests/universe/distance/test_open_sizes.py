"""Keys and bounds without t: suprema over all t and all sizes, against brute force."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from math import comb, prod

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Keys, Margin, PublicBound
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.open_sizes import (
    most_for_every_t,
    suprema_of_all_sizes,
    suprema_of_free_sizes,
)
from semiaudit.universe.method import ProvenBounds
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.decomposable import junction_tree
from tests.oracles import free_sizes
from tests.oracles import tables as oracle
from tests.samples import sampled, slow_cases
from tests.universe.acyclic_instances import drawn
from tests.universe.instances import chunks, release_of

SPACE = TableSpace("record", None, (Attribute("a", 2), Attribute("b", 3), Attribute("c", 2)))
SHAPE = (2, 3, 2)
NAMES = "abc"


def instance(size: int, invariants: Sequence[Invariant]) -> oracle.Instance:
    rows: list[oracle.Row] = []
    keys = []
    bounds: list[tuple[oracle.Row, int, int | None]] = []
    for invariant in invariants:
        if isinstance(invariant, Margin):
            rows += oracle.margin_rows(SHAPE, [NAMES.index(n) for n in invariant.attributes])
        elif isinstance(invariant, Keys):
            keys.append(tuple(sorted(NAMES.index(n) for n in invariant.attributes)))
        elif isinstance(invariant, PublicBound):
            ((name, levels),) = invariant.where
            at = NAMES.index(name)
            row = tuple(int(cell[at] in levels) for cell in oracle.cells(SHAPE))
            bounds.append((row, invariant.at_least or 0, invariant.at_most))
    return oracle.Instance(SHAPE, size, rows=tuple(rows), keys=tuple(keys), bounds=tuple(bounds))


@pytest.mark.parametrize("seed", chunks(1, 60))
def test_no_size_exceeds_the_end_and_the_lower_end_is_attained(seed: int) -> None:
    chance = random.Random(seed)
    invariants: list[Invariant] = []
    while not invariants:
        if chance.random() < 0.6:
            invariants.append(Keys(tuple(chance.sample(NAMES, chance.randint(1, 2)))))
        if chance.random() < 0.6:
            invariants.append(Margin(tuple(chance.sample(NAMES, chance.randint(1, 2)))))
        if chance.random() < 0.6:
            at = chance.randrange(3)
            where = ((NAMES[at], (chance.randrange(SHAPE[at]),)),)
            least = chance.randint(0, 2)
            most = chance.choice((None, least + chance.randint(0, 2)))
            invariants.append(PublicBound(where, least, most))
    release = release_of(SPACE, invariants, None)
    end = most_for_every_t(TableProblem(release, SPACE, Limits()))
    if end is None:
        return
    truth = [0, 0]
    for size in range(1, 5):
        for tables in oracle.universes(instance(size, invariants)).values():
            for at, reading in enumerate((oracle.covering, oracle.definition_13)):
                truth[at] = max(truth[at], reading(tables, oracle.HAMMING))
    assert max(truth) <= end, invariants
    semi = universe_of(release).semi_adjacency
    for found, known in zip((semi.covering, semi.definition_13), truth, strict=True):
        assert found.upper is not None
        assert known <= found.upper <= max(end, 2), invariants
        assert found.lower <= found.upper


@pytest.mark.parametrize(
    ("invariants", "covering"),
    [
        ((Keys(("a",)),), 2),
        ((Keys(("b",)), Margin(("a",))), 3),
        ((Margin(("a",)), PublicBound((("a", (0,)),), 1, None)), 2),
        ((PublicBound((("b", (0,)),), 1, None),), 2),
    ],
)
def test_suprema_over_all_sizes(invariants: tuple[Invariant, ...], covering: int) -> None:
    found = universe_of(release_of(SPACE, invariants, None)).semi_adjacency.covering
    assert (found.lower, found.upper) == (covering, covering)


@pytest.mark.parametrize("metric", ["multiset_hamming", "symmetric_difference"])
@pytest.mark.parametrize("seed", chunks(1, 170))
def test_overlapping_margins_without_places_have_an_end_for_every_t(
    seed: int, metric: Metric
) -> None:
    chance = random.Random(900 + seed)
    ended = 0
    while ended < 6:
        size = chance.randint(1, 4)
        case = drawn(chance, wide=seed % 2 == 1, size=size)
        tree = junction_tree(case.release(metric, given=False), case.space)
        if tree is None or not tree.overlaps:
            continue
        possible = prod(case.instance.shape) - len(case.instance.impossible)
        if comb(size + possible - 1, size) > 4_000:
            continue
        ended += 1
        universes = oracle.universes(case.instance).values()
        semi = universe_of(case.release(metric, given=False)).semi_adjacency
        problem = TableProblem(case.release(metric, given=False), case.space, Limits())
        end = most_for_every_t(problem)
        for found, reading in (
            (semi.covering, oracle.covering),
            (semi.definition_13, oracle.definition_13),
        ):
            truth = max(reading(tables, metric) for tables in universes)
            assert end is not None
            assert truth <= end, case
            assert found.upper is not None
            assert found.lower <= truth <= found.upper, case


@pytest.mark.parametrize(
    ("metric", "levels"),
    sampled(
        [
            ("symmetric_difference", 10),
            ("symmetric_difference", 20),
            ("multiset_hamming", 20),
        ],
        fast=(0,),
    ),
)
def test_overlapping_margins_of_many_levels_are_established_without_places(
    metric: Metric, levels: int
) -> None:
    size = 10**6 if metric == "multiset_hamming" else None
    space = TableSpace("record", size, tuple(Attribute(name, levels) for name in "abc"))
    release = release_of(space, [Margin(("a", "b")), Margin(("b", "c"))], None, metric)
    semi = universe_of(release).semi_adjacency
    least = 2 if metric == "multiset_hamming" else 4
    assert (semi.covering.lower, semi.covering.upper) == (least, least)
    assert semi.covering.established


def test_a_proven_end_is_established_whatever_a_small_table_left_open() -> None:
    release = release_of(SPACE, (Keys(("a",)),), None)
    cut = Parameter(0, 3, "integer_program", "", None, trivial=True)
    answer = ProvenBounds(replace(cut, lower=1), cut)
    problem = TableProblem(release, SPACE, Limits())
    found = suprema_of_all_sizes(problem, lambda _: answer)
    assert found is not None
    assert found.covering == Parameter(1, 2, "supremum_over_t", "", None)
    assert found.covering.established


def some(chance: random.Random, levels: int) -> int:
    """How many levels a condition allows: often one, and now and then all."""
    return chance.choice([1, 1, chance.randint(1, levels), levels])


def free_constraints(chance: random.Random, names: str, shape: Sequence[int]) -> list[Invariant]:
    """Counts, keys, and bounds, each on levels of one or two attributes."""
    found: list[Invariant] = []
    for _ in range(chance.choice([1, 1, 2, 3])):
        about = chance.sample(range(len(shape)), chance.randint(1, min(2, len(shape))))
        where = tuple(
            (names[at], tuple(sorted(chance.sample(range(shape[at]), some(chance, shape[at])))))
            for at in sorted(about)
        )
        match chance.choice(["count", "keys", "at_most", "at_most", "at_least", "both"]):
            case "count":
                found.append(Count(where))
            case "keys":
                found.append(Keys(tuple(names[at] for at in sorted(about))))
            case "at_most":
                found.append(PublicBound(where, None, chance.randint(0, 2)))
            case "at_least":
                found.append(PublicBound(where, chance.randint(1, 2), None))
            case _:
                found.append(PublicBound(where, 1, chance.randint(1, 2)))
    return found


@pytest.mark.parametrize("seed", [*range(60), *slow_cases(range(60, 2060))])
def test_records_that_enter_and_leave_by_themselves(seed: int) -> None:
    chance = random.Random(seed)
    shape = chance.choice([(2,), (3,), (2, 2), (2, 3), (2, 2, 2)])
    names = "abc"[: len(shape)]
    invariants = free_constraints(chance, names, shape)
    space = TableSpace("record", None, tuple(map(Attribute, names, shape)))
    release = release_of(space, invariants, None, metric="symmetric_difference")
    suprema = suprema_of_free_sizes(TableProblem(release, space, Limits()))
    if suprema is None:
        return
    rows, keys, bounds = [], [], []
    for invariant in invariants:
        if isinstance(invariant, Keys):
            keys.append(tuple(names.index(n) for n in invariant.attributes))
        elif isinstance(invariant, Count | PublicBound):
            row = tuple(
                int(all(cell[names.index(name)] in levels for name, levels in invariant.where))
                for cell in oracle.cells(shape)
            )
            if isinstance(invariant, Count):
                rows.append(row)
            else:
                bounds.append((row, invariant.at_least or 0, invariant.at_most))
    drawn_instance = oracle.Instance(
        shape, None, rows=tuple(rows), keys=tuple(keys), bounds=tuple(bounds)
    )
    true, listed = [0, 0], False
    for size in range(4):
        for chosen in combinations_with_replacement(range(prod(shape)), size):
            given = tuple(chosen.count(cell) for cell in range(prod(shape)))
            if not free_sizes.belongs(drawn_instance, given, given):
                continue
            universe = free_sizes.universe_of(drawn_instance, given, 3_000)
            if universe is None or len(universe) > 60:
                continue
            listed = True
            true[0] = max(true[0], free_sizes.covering(universe))
            true[1] = max(true[1], free_sizes.definition_13(universe))
    if not listed:
        return
    for parameter, least in zip(suprema.parameters, true, strict=True):
        assert parameter.upper is not None
        assert least <= parameter.upper, (shape, invariants, true, suprema)
    if true[0]:
        # Larger tables may be farther apart; one record that enters is always one.
        assert suprema.covering.lower <= max(true[0], 1), (shape, invariants, true, suprema)


@pytest.mark.parametrize("bounds", [1, 2, 3])
def test_an_upper_bound_that_is_full_costs_one_more_change(bounds: int) -> None:
    space = TableSpace("record", None, (Attribute("key", 4), Attribute("s", 2)))
    invariants = [PublicBound((("key", (k,)),), None, 1) for k in range(bounds)]
    release = release_of(space, invariants, None, metric="symmetric_difference")
    universe = universe_of(release)
    assert (universe.semi_adjacency.covering.lower, universe.semi_adjacency.value) == (2, 2)


def test_a_bound_on_all_records_has_none_to_take_their_place() -> None:
    # From {b0 c0, b1 c1, b2 c1}, b0 c1 enters only if two records leave and two enter.
    space = TableSpace("record", None, (Attribute("a", 2), Attribute("b", 3), Attribute("c", 2)))
    invariants: list[Invariant] = [
        PublicBound((("a", (0, 1)),), None, 3),
        Keys(("b",)),
        PublicBound((("c", (0,)),), 1, None),
    ]
    release = release_of(space, invariants, None, metric="symmetric_difference")
    assert suprema_of_free_sizes(TableProblem(release, space, Limits())) is None
    assert universe_of(release).semi_adjacency.value is None
