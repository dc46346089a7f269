"""Every method for a(t), with all others switched off: it is right, or silent."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import Total
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.methods import METHODS
from semiaudit.universe.method import ContradictoryBoundsError, Method, ProvenBounds, ask
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.witness import WitnessError
from tests.oracles import tables as oracle
from tests.oracles.tables import Table
from tests.universe.acyclic_instances import drawn
from tests.universe.instances import METRICS, case_of, chunks, release_of

MOST_TABLES = 300
"""Tables of a D_t that brute force compares in pairs."""


def problem_of(
    chance: random.Random, metric: Metric
) -> tuple[Release, list[list[Table]], bool] | None:
    """A release, every D_t that it can mean, and whether these are all of them."""
    kind = chance.random()
    given = chance.random() < 0.5
    if kind < 0.3:
        case = drawn(chance, size=chance.choice((None, 2, 3)))
        instance, table, release = case.instance, case.table, case.release(metric, given=given)
    elif kind < 0.5 and metric == "symmetric_difference":
        instance, table = oracle.random_free_instance(chance)
        release = case_of(chance, instance, table).release(metric)
        given = True
    else:
        instance, table = oracle.random_instance(chance)
        release = case_of(chance, instance, table).release(metric, given=given)
    if given:
        universes = [oracle.universe_of(instance, table)]
    else:
        universes = list(oracle.universes(instance).values())
    if sum(map(len, universes)) > MOST_TABLES:
        return None
    assert isinstance(release.dataspace, TableSpace)
    has_one_size = release.dataspace.size is not None
    if not given and has_one_size and metric != "symmetric_difference" and chance.random() < 0.3:
        # Of every size: what one size has is a lower bound, since datasets of two sizes have no
        # distance.
        space = replace(release.dataspace, size=None)
        kept = tuple(i for i in release.invariants if not isinstance(i, Total))
        release, has_one_size = replace(release, dataspace=space, invariants=kept), False
    return release, universes, given or has_one_size


def truths(universes: Sequence[Sequence[Table]], metric: Metric) -> tuple[int, int]:
    return (
        max(oracle.covering(universe, metric) for universe in universes),
        max(oracle.definition_13(universe, metric) for universe in universes),
    )


@pytest.mark.parametrize("seed", chunks(3, 200))
def test_a_method_alone_is_right_or_silent(seed: int) -> None:
    chance = random.Random(seed)
    looked_at, answered = 0, set()
    while looked_at < 10:
        metric = chance.choice(METRICS)
        found = problem_of(chance, metric)
        if found is None:
            continue
        looked_at += 1
        release, universes, is_everything = found
        assert isinstance(release.dataspace, TableSpace)
        expected = truths(universes, metric)
        for method in METHODS:
            problem = TableProblem(release, release.dataspace, Limits(600, certify=False))
            try:
                answer = ask((method,), problem)
            except RefusedError:
                continue
            answered.add(method.name)
            for parameter, truth in zip(answer.parameters, expected, strict=True):
                where = (method.name, metric, release)
                assert parameter.upper is None or truth <= parameter.upper, where
                assert parameter.lower <= truth or not is_everything, where
    assert len(answered) >= 3


ALL: frozenset[Metric] = frozenset(METRICS)
SPACE = TableSpace("record", 3, ())


def fixed(
    name: str, lower: int, upper: int | None, trivial: bool = False
) -> Method[TableProblem, ProvenBounds]:
    known = Parameter(lower, upper, name, name, None, trivial)
    return Method(name, ALL, lambda _: True, lambda _: ProvenBounds(known, known))


def problem(metric: Metric = "hamming") -> TableProblem:
    return TableProblem(release_of(SPACE, [], None, metric), SPACE, Limits())


def test_bounds_of_several_methods_meet_and_name_the_method_that_proved_them() -> None:
    methods = [fixed("low", 2, None), fixed("size", 0, 9, True), fixed("high", 1, 5)]
    found = ask(methods, problem())
    assert (found.covering.lower, found.covering.upper, found.covering.trivial) == (2, 5, False)
    assert (found.lower_by, found.upper_by) == (("low", "low"), ("high", "high"))


@pytest.mark.parametrize(("upper", "established"), [(None, False), (7, True), (4, True)])
def test_n_is_established_where_a_method_proves_any_bound(
    upper: int | None, established: bool
) -> None:
    found = ask([fixed("size", 0, 5, True), fixed("search", 1, upper)], problem())
    for known in found.parameters:
        assert (known.upper, known.established) == (min(5, upper or 5), established)


def test_no_method_is_asked_after_an_exact_one_or_a_last_one() -> None:
    never: Method[TableProblem, ProvenBounds] = Method(
        "never", ALL, lambda _: True, lambda _: pytest.fail("!")
    )
    assert ask([fixed("exact", 2, 2), never], problem()).covering.upper == 2
    assert ask([replace(fixed("last", 2, 4), is_last=True), never], problem()).covering.upper == 4


def test_proven_intervals_that_do_not_meet_are_an_internal_error() -> None:
    with pytest.raises(ContradictoryBoundsError, match=r"low proves .* at least 4, and high"):
        ask([fixed("low", 4, None), fixed("high", 0, 3)], problem())


def test_a_metric_that_no_method_declares_is_refused_with_its_name() -> None:
    ordered = replace(fixed("ordered", 2, 2), metrics=frozenset({"hamming"}))
    release = replace(release_of(SPACE, [], None), adjacency=Adjacency("multiset_hamming"))
    with pytest.raises(RefusedError, match="multiset_hamming"):
        ask([ordered], TableProblem(release, SPACE, Limits()))


def test_a_wrong_witness_of_any_method_is_found() -> None:
    right = METHODS[-3]
    assert right.name == "list of tables"
    chance = random.Random(1)
    instance, table = oracle.random_instance(chance)
    release = case_of(chance, instance, table).release("hamming")
    assert isinstance(release.dataspace, TableSpace)
    whole = TableProblem(release, release.dataspace, Limits())
    found = ask((right,), whole)
    witness = found.covering.witness
    assert witness is not None
    wrong = replace(found.covering, witness=replace(witness, distance=witness.distance + 1))
    with pytest.raises(WitnessError):
        ask([Method("wrong", ALL, lambda _: True, lambda _: ProvenBounds(wrong, wrong))], whole)
