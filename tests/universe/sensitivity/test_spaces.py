"""Sensitivity spaces against brute force on random instances, and the published numbers.

The whole campaign: python -m pytest -m slow tests/universe/sensitivity/test_spaces.py
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

import semiaudit
from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, ProductSpace, TableSpace
from semiaudit.model.invariants import Count, Invariant, Keys, Linear, Margin, PublicBound, Total
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, Sensitivity, TableQuery
from semiaudit.numeric.limits import Limits
from semiaudit.universe.connected import connected
from semiaudit.universe.sensitivity import differences
from semiaudit.universe.sensitivity import listed_space as inside
from semiaudit.universe.sensitivity import move_patterns as patterns
from semiaudit.universe.sensitivity.gauge import gauge
from semiaudit.universe.sensitivity.move_patterns import balanced_partitions
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import tables as oracle
from tests.oracles.domination import fits
from tests.oracles.tables import HAMMING, SYMMETRIC, Instance, Table
from tests.samples import slow_cases
from tests.universe.instances import METRICS, Case, case_of, chunks, nested_case, release_of
from tests.universe.test_semi_adjacency import table_release

Vector = tuple[int, ...]
Column = dict[object, int]

CHUNK = 8
FAST, SLOW = 2, 120
TABLE = TableQuery()


# --- the truth ------------------------------------------------------------------------


def columns(case: Case, query: Query) -> list[Column]:
    """What a record in each cell of the instance adds to the answer, by coordinate."""
    attributes = case.space.attributes
    names = [attribute.name for attribute in attributes]
    found: list[Column] = []
    every = list(product(*(range(attribute.size) for attribute in attributes)))
    for cell in case.cells:
        levels = tuple(a.index(level) or 0 for a, level in zip(attributes, cell, strict=True))
        if isinstance(query, TableQuery):
            column: Column = {levels: 1}
        elif isinstance(query, MarginsQuery):
            column = {
                (margin, tuple(levels[names.index(name)] for name in margin)): 1
                for margin in query.margins
            }
        else:
            place = every.index(levels)
            column = {at: row[place] for at, row in enumerate(query.rows) if row[place]}
        found.append(column)
    return found


def answers(changes: Iterable[Table], answer: Sequence[Column]) -> set[Vector]:
    """The distinct answers to changes of the table."""
    coordinates = list({coordinate: None for column in answer for coordinate in column})
    dense = np.array([[c.get(k, 0) for k in coordinates] for c in answer], dtype=np.int64)
    changed = np.array(sorted(changes), dtype=np.int64)
    return {tuple(row) for row in (changed @ dense).tolist()}


def norms(found: set[Vector]) -> tuple[int, int, int]:
    return (
        max(sum(map(abs, v)) for v in found),
        max(sum(k * k for k in v) for v in found),
        max(max(map(abs, v), default=0) for v in found),
    )


def rank(found: set[Vector]) -> int:
    return int(np.linalg.matrix_rank(np.array(sorted(found), dtype=float))) if any(found) else 0


def values(found: Sensitivity) -> tuple[object, object, object]:
    return found.l1.value, found.l2_squared.value, found.linf.value


def sides(found: Sensitivity) -> set[str]:
    return {found.l1.side, found.l2_squared.side, found.linf.side}


def unit_vectors(case: Case, answer: Sequence[Column], metric: Metric) -> list[Vector]:
    """S in D at distance 1."""
    count = len(case.cells)
    units = [tuple(int(c == place) for c in range(count)) for place in range(count)]
    possible = [u for c, u in enumerate(units) if c not in case.instance.impossible]
    steps = [tuple(a - b for a, b in zip(u, v, strict=True)) for u in possible for v in possible]
    if metric == SYMMETRIC:
        if case.space.size is not None:
            return []
        steps = [*possible, *(tuple(-k for k in u) for u in possible)]
    coordinates = list({coordinate: None for column in answer for coordinate in column})
    dense = np.array([[c.get(k, 0) for k in coordinates] for c in answer], dtype=np.int64)
    return [tuple(row) for row in (np.array(steps) @ dense).tolist()]


def assert_is(
    found: Sensitivity, truth: set[Vector], case: Case, answer: Sequence[Column], metric: Metric
) -> None:
    """Every number is the truth, and the gauge a certified end."""
    assert values(found) == norms(truth), (found, metric)
    assert sides(found) == {"exact"}, found
    assert found.elements == len(truth), found
    assert found.rank == rank(truth), found
    assert_gauge(found, truth, unit_vectors(case, answer, metric))
    assert_moves(found, truth)


def assert_moves(found: Sensitivity, truth: set[Vector]) -> None:
    """Every element falls into the moves as bins, and is one of them where that is said."""
    assert found.moves is not None
    bins = [size for size, number in found.moves.sizes for _ in range(number)]
    patterns = {tuple(sorted((abs(k) for k in v if k), reverse=True)) for v in truth}
    for pattern in patterns:
        assert fits(pattern, bins), (pattern, bins)
    assert not found.moves.attained or tuple(bins) in patterns, (patterns, bins)


def largest_gauge(units: list[Vector], truth: set[Vector]) -> float:
    """A vector and its negative have the same gauge, so that one of them is enough."""
    return max(oracle.gauge(units, v) for v in {max(v, tuple(-k for k in v)) for v in truth})


def assert_gauge(found: Sensitivity, truth: set[Vector], units: list[Vector]) -> None:
    if len(truth) > 60:
        return
    true = largest_gauge(units, truth)
    assert float(found.gauge.value) >= true - 1e-7, (found.gauge, true)
    if found.gauge.side == "exact":
        assert float(found.gauge.value) == pytest.approx(true)


def assert_above(found: Sensitivity, truth: set[Vector]) -> None:
    """No number is below the truth, and one that says it is exact is exact."""
    for bound, true in zip((found.l1, found.l2_squared, found.linf), norms(truth), strict=True):
        assert bound.value >= true, (found, true)
        assert bound.side == "upper" or bound.value == true, (found, true)
    assert found.rank in (None, rank(truth))
    assert found.elements in (None, len(truth))
    assert_moves(found, truth)


# --- drawing --------------------------------------------------------------------------


def random_query(chance: random.Random, space: TableSpace) -> Query:
    names = [attribute.name for attribute in space.attributes]
    kind = chance.choice(("table", "margins", "margins", "matrix"))
    if kind == "table":
        return TABLE
    if kind == "margins":
        sets = [c for k in range(len(names) + 1) for c in combinations(names, k)]
        return MarginsQuery(tuple(chance.sample(sets, chance.randint(1, min(3, len(sets))))))
    entries = chance.choice(((0, 1), (-1, 0, 1), (0, 0, 0, 1, 2, 5)))
    rows = chance.randint(1, 4)
    return MatrixQuery(tuple(tuple(chance.choices(entries, k=space.cells)) for _ in range(rows)))


def cases(seed: int, draw: Callable[[random.Random], tuple[Instance, Table]]) -> list[Case]:
    chance = random.Random(seed)
    found: list[Case] = []
    while len(found) < CHUNK:
        instance, table = draw(chance)
        case = case_of(chance, instance, table)
        if case.space.cells <= 200:
            found.append(case)
    return found


# --- inside D_t -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_random_instances_agree_with_brute_force_under_all_metrics(seed: int) -> None:
    chance = random.Random(seed)
    for case in cases(seed, oracle.random_instance):
        universe = oracle.universe_of(case.instance, case.table)
        query, distance = random_query(chance, case.space), chance.randint(1, 4)
        answer = columns(case, query)
        for metric in METRICS:
            truth = answers(oracle.differences(universe, distance, metric), answer)
            found = SensitivitySpaces(case.release(metric)).within(query, distance)
            assert_is(found, truth, case, answer, metric)


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_random_instances_of_free_size_agree_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    for case in cases(seed, oracle.random_free_instance):
        universe = oracle.universe_of(case.instance, case.table)
        query, distance = random_query(chance, case.space), chance.randint(1, 4)
        answer = columns(case, query)
        truth = answers(oracle.differences(universe, distance, SYMMETRIC), answer)
        found = SensitivitySpaces(case.release(SYMMETRIC)).within(query, distance)
        assert_is(found, truth, case, answer, SYMMETRIC)


@pytest.mark.parametrize("seed", chunks(1, SLOW))
def test_random_instances_without_t_agree_with_all_universes(seed: int) -> None:
    chance = random.Random(seed)
    for case in cases(seed, oracle.random_instance):
        size = case.instance.size
        case = replace(case, space=replace(case.space, size=size))
        query, distance = random_query(chance, case.space), chance.randint(1, 4)
        answer = columns(case, query)
        universes = list(oracle.universes(case.instance).values())
        if sum(len(universe) ** 2 for universe in universes) > 400_000:
            continue
        for metric in METRICS:
            changes = [oracle.differences(u, distance, metric) for u in universes]
            truth = answers(set().union(*changes), answer)
            found = SensitivitySpaces(case.release(metric, given=False)).within(query, distance)
            if found.elements is None or "upper" in sides(found):
                assert_above(found, truth)
                assert "moves" in found.method or found.method == "proposition_24", found
            else:
                assert_is(found, truth, case, answer, metric)


@pytest.mark.parametrize("seed", chunks(1, SLOW))
@pytest.mark.parametrize("way", ["moves", "checked", "bounds"])
def test_every_other_way_is_never_below_the_truth(
    seed: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inside, "tables_of", lambda system: None)
    if way == "checked":
        monkeypatch.setattr(inside, "_all_start", lambda *arguments: False)
    if way == "bounds":
        monkeypatch.setattr(inside, "listed", lambda *arguments: None)
    chance = random.Random(1000 + seed)
    drawn = oracle.random_instance if seed % 3 else oracle.random_free_instance
    exact = 0
    for case in cases(seed, drawn):
        universe = oracle.universe_of(case.instance, case.table)
        query, distance = random_query(chance, case.space), chance.randint(1, 4)
        answer = columns(case, query)
        for metric in METRICS if seed % 3 else (SYMMETRIC,):
            truth = answers(oracle.differences(universe, distance, metric), answer)
            found = SensitivitySpaces(case.release(metric)).within(query, distance)
            assert_above(found, truth)
            assert_gauge_above(found, truth, unit_vectors(case, answer, metric))
            exact += sides(found) == {"exact"}
    assert exact or way == "bounds"


def assert_gauge_above(found: Sensitivity, truth: set[Vector], units: list[Vector]) -> None:
    if len(truth) <= 40:
        true = largest_gauge(units, truth)
        assert float(found.gauge.value) >= true - 1e-7
        assert found.gauge.side == "upper" or float(found.gauge.value) == pytest.approx(true)


@pytest.mark.parametrize("seed", chunks(1, SLOW))
def test_nested_levels_agree_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    done = 0
    while done < 4:
        instance, table = oracle.random_instance(chance)
        if len(instance.shape) < 2 or instance.bounds:
            continue
        parents = [level % instance.shape[0] for level in range(instance.shape[1])]
        zeros = frozenset(
            p for p, c in enumerate(oracle.cells(instance.shape)) if parents[c[1]] != c[0]
        )
        instance = replace(instance, impossible=zeros)
        if any(table[place] for place in zeros):
            continue
        case = nested_case(chance, instance, table)
        universe = oracle.universe_of(case.instance, case.table)
        query, distance = random_query(chance, case.space), chance.randint(1, 3)
        answer = columns(case, query)
        truth = answers(oracle.differences(universe, distance, HAMMING), answer)
        spaces = SensitivitySpaces(case.release("hamming"))
        assert_is(spaces.within(query, distance), truth, case, answer, "hamming")
        assert_everywhere(spaces, case, query, distance, "hamming")
        done += 1


# --- in D -----------------------------------------------------------------------------


def assert_everywhere(
    spaces: SensitivitySpaces, case: Case, query: Query, distance: int, metric: Metric
) -> None:
    """S over all tables of one size, or of up to a size that suffices."""
    size = case.space.size
    largest = 0 if size is not None else distance
    instance = Instance(case.instance.shape, size, case.instance.impossible, largest=largest)
    if size is None and metric != SYMMETRIC:
        instance = replace(instance, size=distance)
    universe = oracle.tables(instance)
    if len(universe) > 300:
        return
    answer = columns(case, query)
    truth = answers(oracle.differences(universe, distance, metric), answer)
    found = spaces.everywhere(query, distance)
    assert values(found) == norms(truth), (found, metric)
    assert sides(found) == {"exact"}
    assert found.elements in (None, len(truth))
    assert found.rank in (None, rank(truth))
    assert_gauge(found, truth, unit_vectors(case, answer, metric))
    assert_moves(found, truth)
    if found.elements is not None and len(truth) <= 60:
        assert found.gauge.side == "exact"


@pytest.mark.parametrize("seed", chunks(1, SLOW))
def test_all_of_d_agrees_with_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    for case in cases(seed, oracle.random_instance):
        for metric in METRICS:
            query, distance = random_query(chance, case.space), chance.randint(1, 3)
            spaces = SensitivitySpaces(case.release(metric))
            assert_everywhere(spaces, case, query, distance, metric)


def test_a_million_cells_are_not_listed() -> None:
    spaces = SensitivitySpaces(table_release((100, 100, 100), [[0], [1], [2]], 10**9, None))
    found = spaces.everywhere(TABLE, 1)
    assert values(found) == (2, 2, 1)
    assert (found.rank, found.elements) == (10**6 - 1, 10**6 * (10**6 - 1) + 1)
    margins = MarginsQuery((("a0",), ("a0", "a1"), ("a2",)))
    assert values(spaces.everywhere(margins, 3)) == (18, 54, 3)
    assert values(spaces.within(TABLE, 2)) == (4, 4, 1)
    assert values(spaces.within(TABLE, 3)) == (6, 8, 2)
    assert sides(spaces.within(TABLE, 3)) == {"exact"}
    assert spaces.within(TABLE, 3).rank == 10**6 - 1 - 3 * 99
    assert values(spaces.within(TABLE, 10**6))[0] == 2 * 10**6


# --- patterns -------------------------------------------------------------------------


@pytest.mark.parametrize("half", [1, 2, 3, 4, 5])
def test_balanced_partitions_are_counted(half: int) -> None:
    # OEIS A023998: block permutations.
    assert len(balanced_partitions(half)) == [1, 3, 16, 131, 1496][half - 1]


@pytest.mark.parametrize("half", [1, 2, 3])
@pytest.mark.parametrize(
    "published",
    [[(0,), (1,)], [(0,)], [(0,), (1,), (2,)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]],
    ids=str,
)
def test_patterns_are_the_moves_of_tables(half: int, published: list[tuple[int, ...]]) -> None:
    shape = (2, 2, 3)
    queries: list[Query] = [
        TABLE,
        MarginsQuery((("a0",), ("a1", "a2"))),
        MarginsQuery((("a0", "a1", "a2"), ())),
    ]
    release = table_release(shape, [list(margin) for margin in published], None, None)
    for query in queries:
        spaces = SensitivitySpaces(release)
        listed, margins = spaces.within(query, half), spaces.question((query,), half, "D_t").margins
        if margins.still:
            continue
        found = patterns.largest(shape, margins.published, margins.asked, half)
        assert found is not None
        assert values(listed) == (found.l1, found.l2_squared, found.linf)


# --- the published numbers ------------------------------------------------------------


def one_way(*levels: int, counts: int | None = None) -> SensitivitySpaces:
    groups = [[place] for place in range(len(levels))]
    margins = None
    if counts is not None:
        size = counts * max(levels) * 12
        margins = [[size // level] * level for level in levels]
        return SensitivitySpaces(table_release(levels, groups, size, margins))
    return SensitivitySpaces(table_release(levels, groups, None, None))


def projector(spaces: SensitivitySpaces, distance: int) -> Any:
    """The projector of Algorithm 1 on the span of S, in floating point."""
    span = np.array(spaces.subspaces.span(TABLE, distance), dtype=float)
    return np.linalg.pinv(span) @ span


@pytest.mark.parametrize("counts", [None, 1, 1000])
@pytest.mark.parametrize(
    ("levels", "two", "three"),
    [((2, 2), 3, 3), ((2, 3), 7, None), ((3, 3), 19, 31), ((3, 4), 37, 85), ((4, 4), 73, 265)],
)
def test_row_40_sizes_of_s_semi(
    levels: tuple[int, int], two: int, three: int | None, counts: int | None
) -> None:
    spaces = one_way(*levels, counts=counts)
    at_2, at_3 = spaces.within(TABLE, 2), spaces.within(TABLE, 3)
    assert values(at_2) == (4, 4, 1)
    assert at_2.elements == two
    assert at_2.rank == at_3.rank == (levels[0] - 1) * (levels[1] - 1)
    if min(levels) >= 3:
        assert values(at_3) == (6, 6, 1)
        assert at_3.gauge.value == 3
    else:
        assert values(at_3) == (4, 4, 1)
    assert three is None or at_3.elements == three
    assert connected(spaces, 2) is True
    assert np.trace(projector(spaces, 2)) == pytest.approx((levels[0] - 1) * (levels[1] - 1))


def test_row_35_the_projector_of_three_by_three() -> None:
    centred = np.eye(3) - np.ones((3, 3)) / 3
    assert projector(one_way(3, 3), 3) == pytest.approx(np.kron(centred, centred))


def test_row_36_and_41_the_elements_of_two_by_two() -> None:
    spaces = one_way(2, 2, counts=1)
    changes = spaces.subspaces.changes(TABLE, 2)
    assert changes is not None
    assert changes.whole
    assert changes.vectors in {((1, -1, -1, 1),), ((-1, 1, 1, -1),)}
    assert spaces.within(TABLE, 2).elements == 3
    v = np.array([1, -1, -1, 1])
    assert projector(spaces, 2) == pytest.approx(np.outer(v, v) / 4)


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_gauge_of_an_answer_that_moves_less_inside_d_t_is_exact(distance: int) -> None:
    # A record adds 1 or 2 where a is 0, and 3 or 4 where it is 1, and cannot change its a: the
    # answer moves by 1 for each of them, and by 3 in D.
    space = TableSpace("record", 9, (Attribute("a", 2), Attribute("b", 2)), ())
    spaces = SensitivitySpaces(release_of(space, (Count((("a", (0,)),)),), None))
    found = spaces.within(MatrixQuery(((1, 2, 3, 4),)), distance).gauge
    assert (found.value, found.side) == (Fraction(distance, 3), "exact")


def test_a_gauge_that_no_exact_weights_show_is_not_told() -> None:
    # v = (-1) v_1 + 1 v_2 is the only way to write it, but 1e-9 v_1 is within a solver's tolerance.
    found = gauge(((10**9, 1), (10**9 + 1, 1)), (1, 0))
    assert found is None or found.high >= 2


def states(count: int, published: bool = True) -> SensitivitySpaces:
    """Two states, each with this many records; whether the total of each is published."""
    attributes = (Attribute("state", 2), Attribute("voting", 2))
    space = TableSpace("record", 2 * count, attributes)
    invariants = [Margin(("state",))] if published else []
    given = PublishedCounts(2 * count, ((("state",), (count, count)),)) if published else None
    return SensitivitySpaces(release_of(space, invariants, given))


def test_row_62_and_erratum_15_factors_under_state_totals() -> None:
    spaces = states(50)
    unit = values(spaces.everywhere(TABLE, 1))
    assert unit == (2, 2, 1)
    assert values(spaces.within(TABLE, 2)) == (4, 8, 2)
    nation = MarginsQuery((("voting",),))
    assert values(spaces.within(nation, 2)) == (4, 8, 2)
    told = spaces.within(MarginsQuery((("state",),)), 2)
    assert values(told) == (0, 0, 0)
    assert (told.rank, told.elements, told.gauge.value) == (0, 1, 0)
    assert told.method == "function_of_invariants"
    exchange = spaces.within(MatrixQuery(((1, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 1))), 2)
    assert values(exchange) == (0, 0, 0)
    assert exchange.method == "function_of_invariants"


def test_one_record_in_a_state_cannot_move_together_with_another() -> None:
    found = states(1).within(TABLE, 2)
    assert values(found) == (4, 4, 1)


@pytest.mark.parametrize(
    ("levels", "distance", "factor"), [((3, 3), 2, 2), ((2, 2), 3, 2), ((3, 3), 3, 3)]
)
def test_row_63_rho_factors(levels: tuple[int, int], distance: int, factor: int) -> None:
    spaces = one_way(*levels)
    inside_of = spaces.within(TABLE, distance).l2_squared.value
    unit = spaces.everywhere(TABLE, 1).l2_squared.value
    assert inside_of == factor * unit


# --- projections ----------------------------------------------------------------------


def test_projected_steps_of_small_tables() -> None:
    # |P (e_i - e_j)|^2 for i, j in one row of an r x c table is (1 - 1/r) 2.
    assert one_way(2, 2).projected_l2_squared(TABLE) == 1
    assert one_way(3, 3).projected_l2_squared(TABLE) == Fraction(4, 3)
    assert one_way(3, 4).projected_l2_squared(TABLE) == Fraction(3, 2)


def test_row_89_the_total_of_four_cells() -> None:
    space = TableSpace("record", None, (Attribute("a", 4),))
    spaces = SensitivitySpaces(release_of(space, [Total()], None))
    assert spaces.projected_l2_squared(TABLE) == 2
    assert spaces.within(TABLE, 1).rank == 3


def numeric_projection(rows: Sequence[Sequence[int]], steps: Iterable[Sequence[int]]) -> float:
    c = np.array(rows, dtype=float)
    p = np.eye(c.shape[1]) - np.linalg.pinv(c) @ c
    return max(float(np.sum((p @ np.array(v)) ** 2)) for v in steps)


@pytest.mark.parametrize("seed", range(30))
def test_projected_steps_agree_with_floating_point(seed: int) -> None:
    chance = random.Random(seed)
    shape = chance.choice(((2, 3), (3, 3), (2, 2, 2), (2, 3, 2)))
    sets = [c for k in range(len(shape) + 1) for c in combinations(range(len(shape)), k)]
    chosen = chance.sample(sets, chance.randint(1, 3))
    rows = [row for places in chosen for row in oracle.margin_rows(shape, places)]
    names = [f"a{place}" for place in range(len(shape))]
    invariants: list[Invariant] = [
        Margin(tuple(names[p] for p in places)) if places else Total() for places in chosen
    ]
    space = TableSpace(
        "record", None, tuple(Attribute(n, s) for n, s in zip(names, shape, strict=True))
    )
    units = np.eye(space.cells, dtype=int)
    steps = [(a - b).tolist() for a in units for b in units]
    spaces = SensitivitySpaces(release_of(space, invariants, None))
    found = spaces.projected_l2_squared(TABLE)
    assert found is not None
    assert float(found) == pytest.approx(numeric_projection(rows, steps), abs=1e-9)
    spelled = MatrixQuery(tuple(tuple(int(k) for k in unit) for unit in units))
    assert spaces.projected_l2_squared(spelled) == found
    free = SensitivitySpaces(release_of(space, invariants, None, "symmetric_difference"))
    single = free.projected_l2_squared(TABLE)
    assert single is not None
    assert float(single) == pytest.approx(numeric_projection(rows, units), abs=1e-9)


@pytest.mark.parametrize("pairs", [True, False])
def test_the_closed_form_of_projections_agrees_with_elimination(
    pairs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from semiaudit.universe.sensitivity import projection

    metric: Metric = "hamming" if pairs else "symmetric_difference"
    for groups in ([[0], [1], [2]], [[0, 1], [1, 2]], [[0, 1]], [[0], [0, 1], [2]], [[1]]):
        release = table_release((2, 3, 2), groups, None, None)
        release = replace(release, adjacency=replace(release.adjacency, metric=metric))
        monkeypatch.setattr(projection, "MAX_CELLS", 150)
        small = SensitivitySpaces(release).projected_l2_squared(TABLE)
        monkeypatch.setattr(projection, "MAX_CELLS", 0)
        assert SensitivitySpaces(release).projected_l2_squared(TABLE) == small


def test_projections_on_nothing_linear_are_refused() -> None:
    space = TableSpace("record", 4, (Attribute("a", 2), Attribute("b", 2)))
    keys = SensitivitySpaces(release_of(space, [Keys(("a",))], None))
    assert keys.projected_l2_squared(TABLE) is None
    margins = SensitivitySpaces(release_of(space, [Margin(("a",)), Margin(("b",))], None))
    assert margins.projected_l2_squared(MarginsQuery((("a",),))) is None
    # The margin of a alone tells T = margin [a]: nothing is left of a step.
    told = SensitivitySpaces(release_of(space, [Margin(("a",))], None))
    assert told.projected_l2_squared(MarginsQuery((("a",),))) == 0
    # Of two margins, the change of the other one is left: (1, -1).
    assert told.projected_l2_squared(MarginsQuery((("a",), ("b",)))) == 2


# --- connected ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_connected_agrees_with_brute_force(seed: int) -> None:
    for case in cases(seed, oracle.random_instance):
        universe = oracle.universe_of(case.instance, case.table)
        for metric in METRICS:
            spaces = SensitivitySpaces(case.release(metric))
            for distance in (1, 2, 3, 4):
                found = connected(spaces, distance)
                true = oracle.connected(universe, distance, metric)
                assert found in (None, true), (case, metric, distance)
                assert found is not None or metric == SYMMETRIC


@pytest.mark.parametrize(
    ("margins", "joined"),
    [
        ([(0, 1), (1, 2)], True),
        ([(0, 1), (1,), (2,)], True),
        ([(0, 1), (1, 2), (0, 2)], None),
        ([(0, 1, 2)], True),
    ],
    ids=str,
)
def test_large_margins_without_a_cycle_are_connected(
    margins: list[tuple[int, ...]], joined: bool | None
) -> None:
    release = table_release((30, 30, 30), [list(margin) for margin in margins], None, None)
    assert connected(SensitivitySpaces(release), 2) is joined


def test_erratum_9_two_way_margins_that_take_four_records() -> None:
    counts = [2, 2, 2, 2]
    release = table_release((2, 2, 2), [[0, 1], [1, 2], [0, 2]], 8, [counts] * 3)
    spaces = SensitivitySpaces(release)
    assert [connected(spaces, distance) for distance in (1, 2, 3, 4)] == [False] * 3 + [True]
    assert spaces.within(TABLE, 3).elements == 1
    assert values(spaces.within(TABLE, 4)) == (8, 8, 1)


def test_geographies_too_large_for_a_system_are_exact_under_one_margin() -> None:
    counties = tuple(place % 51 for place in range(3_000))
    tracts = tuple(place % 3_000 for place in range(60_000))
    space = TableSpace(
        "person",
        None,
        (
            Attribute("state", 51),
            Attribute("county", 3_000, within="state", parents=counties),
            Attribute("tract", 60_000, within="county", parents=tracts),
            Attribute("voting", 2),
        ),
    )
    counts = tuple(1 + place for place in range(51))
    given = PublishedCounts(sum(counts), ((("state",), counts),))
    spaces = SensitivitySpaces(release_of(space, [Margin(("state",))], given))
    query = MarginsQuery((("state",), ("county", "voting"), ("tract",)))
    assert values(spaces.within(query, 2)) == (8, 16, 2)
    assert sides(spaces.within(query, 2)) == {"exact"}
    assert values(spaces.within(TABLE, 51)) == (102, 2 * 51**2, 51)
    assert sides(spaces.within(TABLE, 51)) == {"exact"}
    # No state has 52 people, so that not all of them can make the same move.
    assert sides(spaces.within(TABLE, 52)) == {"upper"}
    assert values(spaces.everywhere(query, 1)) == (6, 6, 1)
    # Counties tell their states.
    by_county = SensitivitySpaces(release_of(space, [Margin(("county",))], None))
    assert values(by_county.within(MarginsQuery((("state",),)), 2)) == (0, 0, 0)
    found = by_county.within(query, 2)
    assert values(found) == (8, 16, 2)
    assert sides(found) == {"exact"}


# --- refusals and limits --------------------------------------------------------------


def test_explicit_dataspaces_have_no_cells() -> None:
    spaces = SensitivitySpaces(
        release_of(ProductSpace("record", 3, (Fraction(0), Fraction(1))), [], None)
    )
    with pytest.raises(RefusedError, match="table over attributes"):
        spaces.within(TABLE, 1)
    assert connected(spaces, 1) is True


def test_no_time_is_no_error() -> None:
    release = table_release((6, 6), [[0], [1]], 36, [[1] * 5 + [31]] * 2)
    spaces = SensitivitySpaces(release, Limits(0.0))
    found = spaces.within(TABLE, 3)
    assert found.l2_squared.value >= 6


def test_public_bounds_and_keys_hold_moves_back() -> None:
    space = TableSpace("record", 4, (Attribute("a", 2), Attribute("b", 2)))
    where = (("a", (0,)), ("b", (0,)))
    fixed = PublicBound(where, 2, 2)
    invariants: list[Invariant] = [Margin(("a",)), Margin(("b",)), fixed]
    assert values(SensitivitySpaces(release_of(space, invariants, None)).within(TABLE, 2)) == (
        0,
        0,
        0,
    )
    alone = SensitivitySpaces(release_of(space, [fixed], None)).within(TABLE, 2)
    assert values(alone) == (4, 8, 2)
    counted = SensitivitySpaces(release_of(space, [Count(where)], None)).within(TABLE, 4)
    assert values(counted) == (8, 32, 4)
    linear = Linear("rows", ((1, 1, 1, 0),))
    row = SensitivitySpaces(release_of(space, [linear], None)).within(TABLE, 1)
    assert row.elements == 7


def test_distinct_differences_are_dropped_where_they_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(differences, "MAX_KEPT", 40)
    found = one_way(3, 3).within(TABLE, 3)
    assert values(found) == (6, 6, 1)
    assert found.elements is None
    assert found.rank == 4


def test_the_rank_of_all_changes_of_one_record_is_counted() -> None:
    """Three cells are possible: six moves and none, in the two dimensions of both margins."""
    zero = (("a", (0,)), ("b", (0,)))
    space = TableSpace("record", 5, (Attribute("a", 2), Attribute("b", 2)), (zero,))
    spaces = SensitivitySpaces(release_of(space, [], None))
    for query in (TableQuery(), MarginsQuery((("a",), ("b",)))):
        one = spaces.everywhere(query, 1)
        assert (one.rank, one.elements) == (2, 7)


@pytest.mark.parametrize("seed", [*range(20), *slow_cases(range(20, 520))])
def test_keys_without_t_are_compared_within_each_universe(seed: int) -> None:
    """Every pair of tables of two or three records, in each D_t of all t."""
    chance = random.Random(seed)
    shape, names = chance.choice([(2, 2, 3), (2, 3), (2, 2, 2)]), "abc"
    size, cells = chance.choice([2, 2, 3]), list(product(*map(range, shape)))
    keyed = chance.sample(range(len(shape)), chance.randint(1, len(shape) - 1))
    at = chance.randrange(len(shape))
    counted = chance.sample(range(shape[at]), chance.randint(1, shape[at] - 1))
    query = chance.sample(range(len(shape)), 2)
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"size": size, "attributes": dict(zip(names, shape, strict=False))},
        "invariants": [
            {"keys": [names[p] for p in sorted(keyed)]},
            {"count": {"where": {names[at]: counted}}},
        ],
        "adjacency": {"metric": "multiset_hamming", "distance": chance.choice([1, 2])},
        "mechanism": {"gaussian": {"sigma": 1, "query": {"margins": [[names[p] for p in query]]}}},
    }
    universes: dict[object, list[Counter[tuple[int, ...]]]] = {}
    for table in combinations_with_replacement(cells, size):
        keys = frozenset(tuple(record[p] for p in sorted(keyed)) for record in table)
        number = sum(record[at] in counted for record in table)
        universes.setdefault((keys, number), []).append(Counter(table))
    most = 0
    for tables in universes.values():
        for one, other in combinations(tables, 2):
            if sum((one - other).values()) <= spec["adjacency"]["distance"]:
                change: Counter[tuple[int, ...]] = Counter()
                for record in (one - other).elements():
                    change[tuple(record[p] for p in query)] -= 1
                for record in (other - one).elements():
                    change[tuple(record[p] for p in query)] += 1
                most = max(most, sum(value * value for value in change.values()))
    row = semiaudit.audit(spec).semi_dp
    if row.refused:
        assert not most
        return
    assert row.rho is not None
    assert row.rho.value == Fraction(most, 2)
