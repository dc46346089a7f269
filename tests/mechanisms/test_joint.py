"""Several noisy queries against the pair of tables that is worst for all of them, by trying all.

The whole campaign: python -m pytest -m slow tests/mechanisms/test_joint.py
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from semiaudit.mechanisms.joint import JointLoss, _Score
from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.mechanism_loss import loss_at, loss_by_steps, loss_composition_first
from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import (
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    WorstLoss,
    products_of,
)
from semiaudit.model.measure import GDP, ZCDP, PureDP
from semiaudit.model.mechanism import (
    BasisLaplace,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    NoisePart,
)
from semiaudit.model.query import MatrixQuery, Query
from semiaudit.privacy import loss as losses
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import joint_noise as noise_oracle
from tests.oracles import tables as oracle
from tests.oracles.domination import fits
from tests.oracles.joint_noise import Part
from tests.oracles.tables import SYMMETRIC, Instance, Table
from tests.universe.instances import METRICS, Case, case_of, chunks, release_of
from tests.universe.sensitivity.test_spaces import columns, norms, random_query, rank

FAST, SLOW = 2, 200
EACH = 6
COARSE = losses.Accuracy(tolerance=1e-5, time_limit=None)

KINDS = {
    "gaussian": Gaussian,
    "discrete_gaussian": DiscreteGaussian,
    "laplace": Laplace,
    "discrete_laplace": DiscreteLaplace,
}
PARAMETERS = tuple(map(Fraction, ("1/2", "1", "3/2", "2", "4")))


def dense(case: Case, query: Query) -> Any:
    """Cells x coordinates: what a record adds to every coordinate of the answer."""
    answer = columns(case, query)
    coordinates = list({coordinate: None for column in answer for coordinate in column})
    return np.array([[c.get(k, 0) for k in coordinates] for c in answer], dtype=np.int64)


class Drawn:
    """Noise on one to three queries of a random release.

    Attributes:
        parts: as the oracle wants them. queries: of each part.
    """

    def __init__(self, chance: random.Random, case: Case, kinds: Sequence[str]) -> None:
        asked = [random_query(chance, case.space) for _ in range(chance.randint(1, 3))]
        number = chance.randint(len(asked), len(asked) + 1)
        self.queries = [*asked, *chance.choices(asked, k=number - len(asked))]
        self.parts: list[Part] = [
            (chance.choice(kinds), chance.choice(PARAMETERS), chance.choice((1, 1, 2)))
            for _ in self.queries
        ]
        self.case = case
        self.answers = [dense(case, query) for query in self.queries]

    @property
    def mechanism(self) -> Composition:
        return Composition(
            tuple(
                (noise(kind, parameter, query), times)
                for (kind, parameter, times), query in zip(self.parts, self.queries, strict=True)
            )
        )

    def moves(self, changes: set[Table]) -> list[tuple[tuple[int, ...], ...]]:
        """The distinct joint moves of some changes, but for 0 and for signs of all at once."""
        found = {
            tuple(tuple((np.array(change) @ answer).tolist()) for answer in self.answers)
            for change in changes
        }
        return sorted(move for move in found if any(map(any, move)))


def noise(kind: str, parameter: Fraction, query: Query) -> NoisePart:
    if kind == "gaussian":
        return Gaussian(query=query, sigma_squared=parameter)
    if kind == "discrete_gaussian":
        return DiscreteGaussian(query=query, sigma_squared=parameter)
    if kind == "laplace":
        return Laplace(query=query, scale=parameter)
    return DiscreteLaplace(query=query, scale=parameter)


def draw(chance: random.Random, kinds: Sequence[str]) -> Drawn:
    while True:
        instance, table = oracle.random_instance(chance)
        case = case_of(chance, instance, table)
        if case.space.cells <= 40 and len(oracle.cells(instance.shape)) <= 12:
            return Drawn(chance, case, kinds)


def changes_of(case: Case, distance: int, metric: Metric, universe: UniverseName) -> set[Table]:
    if universe == "D_t":
        tables = oracle.universe_of(case.instance, case.table)
    else:
        size = case.space.size
        largest = 0 if size is not None else distance
        instance = Instance(case.instance.shape, size, case.instance.impossible, largest=largest)
        if size is None and metric != SYMMETRIC:
            instance = replace(instance, size=distance)
        tables = oracle.tables(instance)
    return oracle.differences(tables, distance, metric) if len(tables) <= 250 else set()


def of_kind(measures: Measures, kind: Any) -> Any:
    return next((measure for measure in measures if isinstance(measure, kind)), None)


def check_sums(drawn: Drawn, found: Measures, moves: list[Any], *, exact: bool) -> None:
    """mu, epsilon and rho are the largest of all pairs, or no less."""
    # No sign and no order of the coordinates of an answer changes them.
    moves = sorted({tuple(tuple(sorted(map(abs, v))) for v in move) for move in moves})
    kinds = {kind for kind, _, _ in drawn.parts}
    moving = {
        part[0] for place, part in enumerate(drawn.parts) if any(any(move[place]) for move in moves)
    }
    if moving == {"gaussian"} and kinds == {"gaussian"}:
        true = max(noise_oracle.mu_squared(drawn.parts, move) for move in moves)
        got = of_kind(found, GDP).mu_squared
        assert got >= true
        assert not exact or got == true
    if moving <= {"laplace", "discrete_laplace"}:
        true = max(noise_oracle.epsilon(drawn.parts, move) for move in moves)
        got = of_kind(found, PureDP).epsilon
        assert got >= true
        assert not exact or got == true
    rho = max(noise_oracle.rho(drawn.parts, move) for move in moves)
    least = of_kind(found, ZCDP).rho
    assert float(least) >= rho * (1 - 1e-12)
    assert not exact or float(least) <= rho * (1 + 1e-12)


def check_delta(drawn: Drawn, found: Measures, moves: list[Any], target: Fraction) -> bool:
    """epsilon at a delta is enough for every pair; True if its lower end is some pair's."""
    measure = of_kind(found, (PrivacyLoss, WorstLoss))
    if measure is None:
        return False
    products = products_of(measure)
    ends = [losses.epsilon_at(PrivacyLoss(loss.parts), target) for loss in products]
    assert all(end is not None for end in ends)
    upper = max(end.upper for end in ends if end is not None)
    worst = max(noise_oracle.delta(drawn.parts, move, upper) for move in moves)
    assert worst <= float(target) * (1 + 1e-6), (drawn.parts, upper)
    attained = [
        end.lower for loss, end in zip(products, ends, strict=True) if loss.attained and end
    ]
    lower = max(attained, default=0.0)
    if lower > 0:
        reached = max(noise_oracle.delta(drawn.parts, move, lower) for move in moves)
        assert reached >= float(target) * (1 - 1e-6), (drawn.parts, lower)
    return len(attained) == len(products)


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
@pytest.mark.parametrize("universe", ["D_t", "D"])
def test_sums_are_the_largest_of_all_pairs_of_tables(seed: int, universe: UniverseName) -> None:
    chance = random.Random(seed)
    for _ in range(EACH):
        drawn = draw(chance, chance.choice((("gaussian",), tuple(KINDS), tuple(KINDS)[2:])))
        distance, metric = chance.randint(1, 3), chance.choice(METRICS)
        changes = changes_of(drawn.case, distance, metric, universe)
        moves = drawn.moves(changes)
        if not moves:
            continue
        spaces = SensitivitySpaces(drawn.case.release(metric))
        found = loss_at(drawn.mechanism, distance, universe, spaces, steps=False).measures
        check_sums(drawn, found, moves, exact=True)


def test_one_pair_is_worst_for_all_where_each_query_has_its_own() -> None:
    """Random rows whose queries are moved most by different pairs: the numbers of all pairs."""
    chance, tighter = random.Random(7), 0
    for _ in range(150):
        drawn = draw(chance, ("gaussian",))
        distance = chance.randint(1, 3)
        if sum(isinstance(query, MatrixQuery) for query in set(drawn.queries)) < 2:
            continue
        moves = drawn.moves(changes_of(drawn.case, distance, "hamming", "D_t"))
        if not moves:
            continue
        apart = sum(
            max(noise_oracle.mu_squared([part], [move[place]]) for move in moves)
            for place, part in enumerate(drawn.parts)
        )
        together = max(noise_oracle.mu_squared(drawn.parts, move) for move in moves)
        spaces = SensitivitySpaces(drawn.case.release("hamming"))
        found = of_kind(
            loss_at(drawn.mechanism, distance, "D_t", spaces, steps=False).measures, GDP
        )
        assert found.mu_squared == together
        tighter += together < apart
    assert tighter >= 4


def test_queries_of_parts_of_the_population_compose_in_parallel() -> None:
    """One record changes two cells: of one region's query, or one each of two regions'."""
    space = TableSpace("record", 9, (Attribute("region", 3), Attribute("sex", 2)))
    release = release_of(space, (), None)
    queries = [
        MatrixQuery(tuple(tuple(int(c == 2 * region + sex) for c in range(6)) for sex in (0, 1)))
        for region in range(3)
    ]
    scales = [Fraction(1), Fraction(2), Fraction(4)]
    found = loss_at(
        Composition(
            tuple((Laplace(query=q, scale=b), 1) for q, b in zip(queries, scales, strict=True))
        ),
        2,
        "D",
        SensitivitySpaces(release),
        steps=True,
    ).measures
    # Two records leave one cell of the first region and enter its other cell: 2 / 1 each.
    assert of_kind(found, PureDP).epsilon == 4
    assert of_kind(found, PrivacyLoss).parts == ((LaplaceLoss(Fraction(2)), 2),)
    assert of_kind(found, PrivacyLoss).attained


def test_many_records_lose_at_most_as_many_times_what_one_loses_in_all_queries() -> None:
    """Noise along a basis is known for its own worst pair only: the third part loses 2 / 4.

    One record that changes its sex in the first region loses 2 / 1 there, and nothing in the
    second; the worst pairs of all three parts would lose 2 / 1 + 2 / 2 + 2 / 4.
    """
    space = TableSpace("record", 1000, (Attribute("region", 3), Attribute("sex", 2)))
    spaces = SensitivitySpaces(release_of(space, (), None))
    first, second, third = (
        MatrixQuery(tuple(tuple(int(c == 2 * region + sex) for c in range(6)) for sex in (0, 1)))
        for region in range(3)
    )
    basis = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    parts = (
        Laplace(query=first, scale=Fraction(1)),
        Laplace(query=second, scale=Fraction(2)),
        BasisLaplace(query=third, scale=Fraction(4), basis=basis),
    )
    mechanism = Composition(tuple((part, 1) for part in parts))
    records = 30
    found = of_kind(loss_at(mechanism, records, "D", spaces, steps=True).measures, PureDP).epsilon
    # All of them can change their sex in the first region.
    assert 2 * records <= found <= (2 + Fraction(1, 2)) * records


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_one_more_query_never_lowers_a_number(seed: int) -> None:
    chance = random.Random(6000 + seed)
    for _ in range(EACH):
        drawn = draw(chance, chance.choice((("discrete_laplace", "laplace"), tuple(KINDS))))
        distance, metric = chance.randint(1, 3), chance.choice(METRICS)
        universe: UniverseName = chance.choice(("D", "D_t"))
        spaces, steps = SensitivitySpaces(drawn.case.release(metric)), metric != SYMMETRIC
        whole = drawn.mechanism
        fewer = replace(whole, parts=whole.parts[:-1])
        if not fewer.parts:
            continue
        less, more = (
            loss_at(m, distance, universe, spaces, steps=steps).measures for m in (fewer, whole)
        )
        for delta in (Fraction(1, 1000), Fraction(1, 10)):
            one, other = (epsilons_at(found, delta, COARSE)[0] for found in (less, more))
            if one and other:
                least = float(min(p.epsilon.value for p in one))
                assert float(min(p.epsilon.value for p in other)) >= least * (1 - 2e-5) - 1e-12
        for kind in (PureDP, ZCDP, GDP):
            before, after = of_kind(less, kind), of_kind(more, kind)
            if before and after:
                assert value(after) >= value(before) * (1 - Fraction(1, 10**40))


def value(measure: PureDP | ZCDP | GDP) -> Fraction:
    if isinstance(measure, PureDP):
        return measure.epsilon
    return measure.rho if isinstance(measure, ZCDP) else measure.mu_squared


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_stacked_answers_have_the_norms_of_brute_force(seed: int) -> None:
    chance = random.Random(3000 + seed)
    for _ in range(EACH):
        drawn = draw(chance, tuple(KINDS))
        distance, metric = chance.randint(1, 3), chance.choice(METRICS)
        moves = drawn.moves(changes_of(drawn.case, distance, metric, "D_t"))
        if not moves:
            continue
        queries = tuple(dict.fromkeys(drawn.queries))
        places = [drawn.queries.index(query) for query in queries]
        stacked = {tuple(k for at in places for k in move[at]) for move in moves}
        joint = (
            SensitivitySpaces(drawn.case.release(metric))
            .question(queries, distance, "D_t")
            .sensitivity
        )
        assert (joint.l1.value, joint.l2_squared.value, joint.linf.value) == norms(stacked)
        assert joint.exact
        assert joint.elements == len(stacked) + 1
        assert joint.rank == rank(stacked)


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_steps_in_either_order_hold_for_all_pairs_of_tables(seed: int) -> None:
    chance = random.Random(4000 + seed)
    for _ in range(EACH):
        drawn = draw(chance, chance.choice((("gaussian",), tuple(KINDS), tuple(KINDS)[2:])))
        distance, metric = chance.randint(1, 3), chance.choice(METRICS)
        if metric == SYMMETRIC and drawn.case.space.size is not None:
            continue  # no adjacency metric: nothing follows by steps
        moves = drawn.moves(changes_of(drawn.case, distance, metric, "D"))
        if not moves:
            continue
        spaces = SensitivitySpaces(drawn.case.release(metric))
        by_steps = loss_by_steps(drawn.mechanism, distance, spaces).measures
        check_sums(drawn, by_steps, moves, exact=False)
        first = loss_composition_first(drawn.mechanism, distance, spaces)
        if first is not None:
            check_sums(drawn, first, moves, exact=False)
            assert of_kind(by_steps, ZCDP).rho <= of_kind(first, ZCDP).rho * (
                1 + Fraction(1, 10**50)
            )


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_corners_are_worse_than_every_pair_of_tables(seed: int) -> None:
    """Laplace noise: epsilon of the corners' products against that of each pair's own product."""
    chance = random.Random(5000 + seed)
    drawn = draw(chance, ("laplace", "laplace", "gaussian"))
    metric = chance.choice(METRICS)
    moves = drawn.moves(changes_of(drawn.case, 2, metric, "D"))
    if not 0 < len(moves) < 200:
        return
    spaces = SensitivitySpaces(drawn.case.release(metric))
    measure = of_kind(
        loss_at(drawn.mechanism, 2, "D", spaces, steps=False).measures, (PrivacyLoss, WorstLoss)
    )
    if measure is None:
        return
    target = Fraction(1, chance.choice((3, 10, 1000)))
    most = max(upper_end(loss, target) for loss in products_of(measure))
    own = {product_of(drawn.parts, move) for move in moves}
    least = [losses.epsilon_at(loss, target, COARSE) for loss in own]
    assert all(end is not None and end.lower <= most for end in least)


def upper_end(loss: PrivacyLoss, target: Fraction) -> float:
    end = losses.epsilon_at(PrivacyLoss(loss.parts), target, COARSE)
    assert end is not None
    return end.upper


def product_of(parts: Sequence[Part], moves: Sequence[Sequence[int]]) -> PrivacyLoss:
    """The pair of one move, coordinate by coordinate."""
    found: Counter[Loss] = Counter()
    for (kind, parameter, times), v in zip(parts, moves, strict=True):
        for k in v:
            if k and kind == "laplace":
                found[LaplaceLoss(abs(k) / parameter)] += times
            elif k:
                found[GaussianLoss(k * k / parameter)] += times
    return PrivacyLoss(tuple(sorted(found.items(), key=str)))


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
@pytest.mark.parametrize("universe", ["D_t", "D"])
def test_epsilon_holds_for_all_pairs_of_tables(seed: int, universe: UniverseName) -> None:
    chance = random.Random(1000 + seed)
    kinds = chance.choice((("discrete_gaussian", "gaussian"), ("discrete_laplace", "gaussian")))
    drawn = draw(chance, kinds)
    distance, metric = chance.randint(1, 2), chance.choice(METRICS)
    moves = drawn.moves(changes_of(drawn.case, distance, metric, universe))
    if not moves or len(moves) > 400:
        return
    spaces = SensitivitySpaces(drawn.case.release(metric))
    found = loss_at(drawn.mechanism, distance, universe, spaces, steps=False).measures
    check_delta(drawn, found, moves, Fraction(1, 1000))


@pytest.mark.parametrize("seed", chunks(FAST, SLOW))
def test_a_corner_that_is_said_to_hold_all_holds_every_pair_of_tables(seed: int) -> None:
    chance = random.Random(9000 + seed)
    for _ in range(EACH):
        drawn = draw(chance, tuple(KINDS))
        distance, metric = chance.randint(2, 3), chance.choice(METRICS)
        queries = queries_of(drawn.mechanism)
        places = [drawn.queries.index(query) for query in queries]
        spaces = SensitivitySpaces(drawn.case.release(metric))
        found = spaces.joint_moves(queries, distance, "D", listed=False)
        if found is None or found.hull:
            continue
        for move in drawn.moves(changes_of(drawn.case, distance, metric, "D")):
            own = [move[place] for place in places]
            assert any(
                all(fits(v, list(map(Fraction, p))) for v, p in zip(own, element, strict=True))
                for element in found.elements
            ), (drawn.case, queries, distance, move)


def test_corners_of_discrete_noise_do_not_stand_for_the_sums_between_them() -> None:
    """Records of (1, 1, 0), (1, 0, 1), (0, 1, 1): one three times is (3, 3), all are (2, 2, 2)."""
    space = TableSpace("record", None, (Attribute("a", 3),))
    query = MatrixQuery(((1, 1, 0), (1, 0, 1), (0, 1, 1)))
    spaces = SensitivitySpaces(release_of(space, (), None, SYMMETRIC))
    moves = spaces.joint_moves((query,), 3, "D", listed=False)
    assert moves is not None
    assert moves.elements == (((3, 3),),)
    assert moves.hull
    for kind, known in (("laplace", True), ("discrete_laplace", False)):
        part = noise(kind, Fraction(1), query)
        apart = PrivacyLoss(((LaplaceLoss(Fraction(6)), 1),)), PureDP(Fraction(6))
        joint = JointLoss(((part, apart, 1),), (query,), spaces)
        assert joint.corners_are_worst(alone=True) is known
        found = joint.measures((PureDP(Fraction(6)),), 3, "D", listed=False)
        assert any(isinstance(measure, PrivacyLoss) for measure in found) is known


def test_a_score_without_a_loss_covers_only_what_its_numbers_do() -> None:
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),))
    known, unknown = (_Score({PureDP: Fraction(1)}, own) for own in (loss, None))
    assert known.covers(known)
    for one, other in ((known, unknown), (unknown, known), (unknown, unknown)):
        assert not one.covers(other)
    with_mu = _Score({GDP: Fraction(1)}, None)
    assert with_mu.covers(with_mu)
