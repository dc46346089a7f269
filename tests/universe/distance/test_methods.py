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
from semiaudit.universe.distance import longest_moves, methods
from semiaudit.universe.distance.methods import METHODS, fewer_levels
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import tables as oracle
from tests.oracles.tables import MULTISET, Instance, margin_rows
from tests.universe.instances import case_of, release_of


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
    monkeypatch.setattr(longest_moves, "most_of_moves", lambda _: None)
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
