"""What is said of a(t) if no method fits."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from semiaudit import Spec
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import methods
from semiaudit.universe.distance.methods import METHODS, fewer_levels
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import tables as oracle
from tests.oracles.tables import MULTISET, Instance, margin_rows
from tests.universe.instances import METRICS, case_of, release_of


@pytest.mark.parametrize(
    ("dataspace", "metric", "distance"),
    [
        ("{unit: person}", "symmetric_difference", 1),
        ("{size: 10}", "hamming", 1),
        ("{size: 10}", "symmetric_difference", 2),  # one leaves and one enters
    ],
)
def test_a_record_that_nothing_counts_can_change_alone(
    dataspace: str, metric: str, distance: int
) -> None:
    spec = Spec.from_text(
        f"semiaudit: 1\ndataspace: {dataspace}\nadjacency: {{metric: {metric}}}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    found = universe_of(spec._release).semi_adjacency
    for known in (found.covering, found.definition_13):
        assert (known.lower, known.upper) == (distance, distance)


@pytest.mark.parametrize(
    ("metric", "size", "most", "upper", "trivial"),
    [
        ("hamming", 9, None, 9, True),
        ("multiset_hamming", 9, None, 9, True),
        ("symmetric_difference", 9, None, 18, True),
        ("hamming", 9, 4, 4, False),
        ("hamming", None, 4, 4, False),
        ("symmetric_difference", None, None, None, False),
    ],
)
def test_without_a_method_a_t_is_at_most_what_is_proven_else_all_records(
    metric: Metric,
    size: int | None,
    most: int | None,
    upper: int | None,
    trivial: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = TableSpace("record", size, (Attribute("a", 2),))
    problem = TableProblem(
        release_of(space, [Count((("a", (0,)),))], None, metric), space, Limits()
    )
    monkeypatch.setattr(methods, "most_by_structure", lambda _: most)
    method = next(method for method in METHODS if method.name == "structure or size")
    found = method.solve(problem)
    assert found is not None
    for known in found.parameters:
        assert (known.lower, known.upper, known.method) == (0, upper, "none")
        assert known.trivial is trivial
        assert known.witness is None


@pytest.mark.parametrize("impossible", ["", ", impossible: [{a: 0}]"])
def test_records_enter_and_leave_one_by_one_if_the_size_is_free(impossible: str) -> None:
    """a(t) is 1, by every definition."""
    text = (
        f"semiaudit: 1\ndataspace: {{attributes: {{a: 2}}{impossible}}}\n"
        "adjacency: {metric: symmetric_difference}\nmechanism: {zcdp: {rho: 1}}\n"
    )
    found = universe_of(Spec.from_text(text)._release, Limits()).semi_adjacency
    assert (found.covering.lower, found.covering.upper) == (1, 1)
    assert (found.definition_13.lower, found.definition_13.upper) == (1, 1)
    assert (found.a_min, found.a_maxmin) == (1, 1)
    assert found.covering.witness is not None


def test_only_margins_without_t_have_the_same_a_t_with_fewer_levels() -> None:
    space = TableSpace("record", 5, (Attribute("a", 9), Attribute("b", 3)))
    margins: list[Invariant] = [Margin(("a",)), Margin(("b",))]
    found = fewer_levels(TableProblem(release_of(space, margins, None), space, Limits()))
    assert found is not None
    assert [attribute.size for attribute in found.attributes] == [2, 2]
    counted = release_of(space, [*margins, Count((("a", (4,)),))], None)
    assert fewer_levels(TableProblem(counted, space, Limits())) is None


def neighbors_disagree(instance: Instance) -> bool:
    """Whether two tables of D that differ in one record have other values of the invariants."""
    return any(
        oracle.value(instance, one) != oracle.value(instance, other)
        for one, other in combinations(oracle.tables(instance), 2)
        if oracle.table_distance(one, other, MULTISET) == 1
    )


@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming"])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_margin_tells_neighbors_apart_as_soon_as_it_has_two_levels(
    levels: int, metric: Metric
) -> None:
    instance = Instance((levels, 2), 3, rows=margin_rows((levels, 2), [0]))
    table = tuple(3 * int(cell == (0, 0)) for cell in oracle.cells(instance.shape))
    found = universe_of(case_of(random.Random(levels), instance, table).release(metric), Limits())
    assert found.restricts is neighbors_disagree(instance) is (levels > 1)


@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming"])
@pytest.mark.parametrize("seed", range(8))
def test_a_universe_restricts_where_neighbors_disagree_on_an_invariant(
    seed: int, metric: Metric
) -> None:
    chance = random.Random(seed)
    for _ in range(10):
        instance, table = oracle.random_instance(chance)
        if instance.bounds or len(oracle.tables(instance)) > 100:
            continue
        found = universe_of(case_of(chance, instance, table).release(metric), Limits())
        assert found.restricts is neighbors_disagree(instance)


@pytest.mark.parametrize(
    ("shape", "margins", "size", "bound"),
    [
        ((2, 2, 2), [(0, 1), (0, 2), (1, 2)], 5, 5),
        ((2, 2, 3), [(0, 1), (0, 2), (1, 2)], 4, 5),
        ((3, 2, 2), [(0, 1), (0, 2), (1, 2)], 4, 5),
        (
            (2, 2, 2, 2),
            [(0, 1), (0, 2), (1, 2, 3)],
            3,
            5,
        ),  # no margin of a layer has d
        ((2, 2, 2, 2), [(0, 1), (0, 2), (1, 2)], 3, None),  # no sum of the layers
        ((2, 2, 2), [(0, 1), (1, 2)], 4, None),
        ((3, 3, 3), [(0, 1), (0, 2), (1, 2)], 3, None),
    ],
)
def test_two_layers_with_a_sum_are_at_most_a_cycle_apart_in_every_table(
    shape: tuple[int, ...], margins: list[tuple[int, ...]], size: int, bound: int | None
) -> None:
    space = TableSpace("r", size, tuple(Attribute("abcd"[k], n) for k, n in enumerate(shape)))
    rows = tuple(row for margin in margins for row in margin_rows(shape, margin))
    universes = list(oracle.universes(Instance(shape, size, rows=rows)).values())
    for metric in METRICS:
        invariants = [Margin(tuple("abcd"[k] for k in margin)) for margin in margins]
        release = release_of(space, invariants, None, metric)
        most = methods.most_of_two_layers(TableProblem(release, space, Limits()))
        if bound is None:
            assert most is None
            continue
        assert most == (bound - (metric != "hamming")) * (1 + (metric == "symmetric_difference"))
        # A cycle through all of both levels takes four records, and the fifth one becomes y.
        worst = max(oracle.covering(universe, metric) for universe in universes)
        assert worst == most or (size < bound and worst < most)


def test_all_two_way_margins_of_two_layers_have_the_same_a_t_for_every_larger_size() -> None:
    """2 x 5 x 9: a cycle through five rows is the longest."""
    space = TableSpace("r", 5_000, (Attribute("a", 2), Attribute("b", 5), Attribute("c", 9)))
    invariants = [Margin(pair) for pair in combinations("abc", 2)]
    covering = universe_of(release_of(space, invariants, None)).semi_adjacency.covering
    assert (covering.lower, covering.upper, covering.trivial) == (11, 11, False)
