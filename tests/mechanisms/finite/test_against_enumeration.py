"""Random finite mechanisms, and their worst pairs, against enumeration in exact rationals."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from semiaudit import Finite, Spec, lipschitz
from semiaudit.mechanisms.finite.attained import PairsOfLaws, pairs_of_laws
from semiaudit.mechanisms.finite.finite_kind import FINITE
from semiaudit.mechanisms.kind import DatasetPairs
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import Measure, PiecewiseLinear
from semiaudit.model.mechanism import Finite as Described
from semiaudit.model.mechanism import FiniteNoise
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.privacy.evaluate import delta_at, type_ii_at
from semiaudit.privacy.ordering.blackwell import compare_experiments, kernel_between
from semiaudit.privacy.tradeoff import polygon
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.finite.test_finite_noise import Case, random_case, tables
from tests.oracles import finite as oracle
from tests.samples import sampled

CHUNKS, SIZE = 400, 5
NEAR = 1e-12


def spec_of(instance: oracle.Instance) -> Spec:
    """The instance as a spec; its invariants as a partition."""
    blocks: dict[int, list[list[int]]] = {}
    for dataset, told in zip(instance.datasets, instance.told, strict=True):
        blocks.setdefault(told, []).append(list(dataset))
    mapping: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"datasets": [list(dataset) for dataset in instance.datasets]},
        "invariants": [{"partition": list(blocks.values())}],
        "mechanism": {"finite": {"probabilities": [list(law) for law in instance.laws]}},
    }
    return Spec.from_mapping(mapping)


def measures_of(instance: oracle.Instance, distance: int, universe: Any) -> tuple[Measure, ...]:
    release = spec_of(instance)._release
    assert isinstance(release.mechanism, Described)
    pairs = DatasetPairs(universe, distance, "change")
    return FINITE.loss(release.mechanism, pairs, SensitivitySpaces(release)).measures


def function_of(measures: tuple[Measure, ...]) -> PiecewiseLinear:
    for measure in measures:
        if isinstance(measure, PiecewiseLinear):
            return measure
    raise AssertionError("no tradeoff function is stated")


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_the_envelope_is_the_hull_of_all_tests_of_all_pairs(chunk: int) -> None:
    chance = random.Random(1900 + chunk)
    for _ in range(SIZE):
        instance = oracle.random_instance(chance)
        distance, universe = chance.choice([1, 2]), chance.choice(["D", "D_t"])
        pairs = oracle.pairs_within(instance, distance, inside=universe == "D_t")
        measures = measures_of(instance, distance, universe)
        f = function_of(measures)
        points = [point for pair in pairs for point in oracle.error_points(*pair)]
        points = points or [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))]
        for type_i in [x for x, _ in f.vertices] + [Fraction(k, 7) for k in range(1, 7)]:
            exact = oracle.least_type_ii(points, type_i)
            assert polygon.type_ii_at(f, type_i) == exact
            if 0 < type_i < 1:
                # The report's number is that of the worst pair: no lower than the hull, and no
                # higher than what some test of some pair does.
                worst = min(
                    (oracle.least_type_ii(oracle.error_points(*pair), type_i) for pair in pairs),
                    default=1 - type_i,
                )
                told = type_ii_at(measures, type_i).sharpest
                assert float(exact) - NEAR <= told <= worst
        delta = max((oracle.largest_delta(*pair, Fraction(1)) for pair in pairs), default=0)
        assert delta_at(measures, Fraction(0)).sharpest == pytest.approx(float(delta), abs=NEAR)


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_epsilon_at_a_delta_is_that_of_the_worst_pair(chunk: int) -> None:
    chance = random.Random(2900 + chunk)
    for _ in range(SIZE):
        instance = oracle.random_instance(chance)
        pairs = oracle.pairs_within(instance, 1, inside=False)
        delta = Fraction(chance.randint(1, 9), 20)
        ratios = [oracle.multiplicative(*pair, delta) for pair in pairs]
        points, _ = epsilons_at(measures_of(instance, 1, "D"), delta)
        best = min(float(point.epsilon.sharpest) for point in points)
        known = [ratio for ratio in ratios if ratio is not None]
        if len(known) < len(ratios):
            assert math.isinf(best)
        else:
            assert best == pytest.approx(math.log(max(known, default=Fraction(1))), abs=1e-9)


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_lipschitz_constants_inside_every_universe(chunk: int) -> None:
    chance = random.Random(3900 + chunk)
    for _ in range(SIZE):
        instance = oracle.random_instance(chance)
        mechanism = Finite(instance.datasets, instance.laws)
        groups: dict[int, list[int]] = {}
        for place, told in enumerate(instance.told):
            groups.setdefault(told, []).append(place)
        every = [*groups.values(), list(range(len(instance.datasets)))]
        universes = [[instance.datasets[place] for place in places] for places in every]
        delta = Fraction(1, chance.randint(3, 30))
        for told in (False, True):
            published = instance.told if told else None
            for least in (Fraction(0), delta):
                found = lipschitz(
                    mechanism,
                    divergence="mult_delta" if least else "mult",
                    delta=least or None,
                    universes=universes,
                    published=published,
                )
                for places, constant in zip(every, found, strict=True):
                    exact = oracle.lipschitz(instance, places, least, told=told)
                    if exact is None:
                        assert math.isinf(constant.lower.value)
                        assert constant.reason
                        continue
                    assert constant.lower.value <= Fraction(exact) * (1 + Fraction(1, 10**40))
                    assert constant.upper.value >= Fraction(exact) * (1 - Fraction(1, 10**40))
                    assert constant.upper.value - constant.lower.value < NEAR
                    assert (constant.pair is None) == (not exact and _alike(instance, places))


def _alike(instance: oracle.Instance, places: list[int]) -> bool:
    return len({instance.laws[place] for place in places}) == 1


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_normalised_renyi_constants_lie_in_their_brackets(chunk: int) -> None:
    chance = random.Random(4900 + chunk)
    for _ in range(SIZE):
        instance = oracle.random_instance(chance)
        (found,) = lipschitz(Finite(instance.datasets, instance.laws), divergence="d_nor")
        shares = []
        for one, x in enumerate(instance.datasets):
            for other in range(one):
                value = oracle.normalised_renyi(instance.laws[one], instance.laws[other])
                distance = oracle.hamming(x, instance.datasets[other])
                shares.append(math.inf if value is None else value / distance)
        about = max(shares)
        if math.isinf(about):
            assert math.isinf(found.upper.value)
            continue
        # The grid's best order is near the best one, and never better.
        assert about <= float(found.upper) * (1 + NEAR)
        assert float(found.lower) <= about * (1 + 2e-3) + NEAR
        assert float(found.upper) - float(found.lower) <= 1e-8 * max(about, NEAR) + 1e-15


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_blackwells_order_and_its_kernel(chunk: int) -> None:
    chance = random.Random(5900 + chunk)
    for _ in range(SIZE):
        sizes = chance.randint(1, 4), chance.randint(1, 4)
        first = oracle.random_law(chance, sizes[0]), oracle.random_law(chance, sizes[0])
        if chance.random() < 0.5:
            kernel = [oracle.random_law(chance, sizes[1]) for _ in range(sizes[0])]
            second = oracle.processed(first[0], kernel), oracle.processed(first[1], kernel)
        else:
            second = oracle.random_law(chance, sizes[1]), oracle.random_law(chance, sizes[1])
        one, other = FiniteLoss(*first), FiniteLoss(*second)
        below, above = oracle.nowhere_above(first, second), oracle.nowhere_above(second, first)
        relations = {
            (True, True): "equal",
            (True, False): "first",
            (False, True): "second",
            (False, False): "incomparable",
        }
        assert compare_experiments(one, other).more_informative == relations[below, above]
        for holds, (source, target) in ((below, (first, second)), (above, (second, first))):
            found = kernel_between(FiniteLoss(*source), FiniteLoss(*target))
            assert (found is not None) == holds
            if found is not None:
                assert all(min(row) >= 0 and sum(row) == 1 for row in found)
                assert tuple(oracle.processed(law, found) for law in source) == target


WORST_CHUNKS, WORST_SIZE = 40, 10
RATES = [Fraction(0), Fraction(1, 20), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)]
DELTAS = [Fraction(0), Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2)]

Laws = dict[str, oracle.Law]


def check(found: PairsOfLaws, pairs: list[tuple[oracle.Law, oracle.Law]], laws: Laws) -> None:
    """Against all pairs, in both orders; the datasets that are named have the number."""
    differ = [pair for pair in pairs if pair[0] != pair[1]]
    for rate in RATES:
        least = [oracle.least_type_ii(oracle.error_points(p, q), rate) for p, q in differ]
        told = found.at_rate(rate)
        assert (told is None) == (not differ)
        if told is None:
            continue
        assert told.value == min(least)
        named = oracle.error_points(laws[told.two.first], laws[told.two.second])
        assert oracle.least_type_ii(named, rate) == told.value
    for delta in DELTAS:
        ratios = [oracle.multiplicative(p, q, delta) for p, q in differ]
        told = found.at_delta(delta)
        if told is None:
            continue
        known = [ratio for ratio in ratios if ratio is not None]
        assert told.value == (max(known) if len(known) == len(ratios) else None)
        first, second = laws[told.two.first], laws[told.two.second]
        shares = [(p - delta, q) for p, q in oracle.events(first, second) if p > delta]
        if told.value is None:
            assert any(not q for _, q in shares)
        else:
            assert max([Fraction(1), *(p / q for p, q in shares)]) == told.value


@pytest.mark.parametrize("chunk", sampled(range(WORST_CHUNKS), {0}))
def test_of_finite_mechanisms(chunk: int) -> None:
    chance = random.Random(7900 + chunk)
    for _ in range(WORST_SIZE):
        instance = oracle.random_instance(chance)
        distance = chance.choice([1, 2])
        universe: UniverseName = chance.choice(["D", "D_t"])
        release = spec_of(instance)._release
        assert isinstance(release.mechanism, Described)
        found = pairs_of_laws(release.mechanism, distance, universe, SensitivitySpaces(release))
        assert found is not None
        pairs = oracle.pairs_within(instance, distance, inside=universe == "D_t")
        names = [f"({', '.join(map(str, dataset))})" for dataset in instance.datasets]
        check(found, pairs, dict(zip(names, instance.laws, strict=True)))


def law_of_output(case: Case, table: tuple[int, ...], outputs: list[tuple[int, ...]]) -> oracle.Law:
    """The probability of every noisy table."""
    found = []
    for output in outputs:
        share = Fraction(1)
        for count, noisy in zip(table, output, strict=True):
            law = dict(zip(case.values, case.law(count), strict=True))
            share *= law.get(noisy - count, Fraction(0))
        found.append(share)
    return tuple(found)


@pytest.mark.parametrize("chunk", sampled(range(WORST_CHUNKS), {0}))
def test_of_finite_noise_on_tables(chunk: int) -> None:
    """Two records at most and two values, so that events of all outputs can be listed by ratio."""
    chance = random.Random(8900 + chunk)
    done = 0
    while done < 2:
        case = random_case(chance)
        if case.size > 2 or len(case.values) > 2:
            continue
        done += 1
        release = case.spec()._release
        assert isinstance(release.mechanism, FiniteNoise)
        found = pairs_of_laws(release.mechanism, 1, "D", SensitivitySpaces(release))
        assert found is not None
        every = tables(case.size)
        outputs = sorted({
            tuple(c + v for c, v in zip(table, moved, strict=True))
            for table in every
            for moved in product(case.values, repeat=4)
        })  # fmt: skip
        laws = {
            f"answer ({', '.join(map(str, table))})": law_of_output(case, table, outputs)
            for table in every
        }
        for rate in RATES:
            told = found.at_rate(rate)
            best = Fraction(1)
            for one, other in product(every, repeat=2):
                if sum(abs(a - b) for a, b in zip(one, other, strict=True)) != 2:
                    continue
                names = [f"answer ({', '.join(map(str, t))})" for t in (one, other)]
                best = min(best, by_ratio(laws[names[0]], laws[names[1]], rate))
            if told is None:
                assert best == 1 - rate
                continue
            assert told.value == best
            assert by_ratio(laws[told.two.first], laws[told.two.second], rate) == best


def by_ratio(law: oracle.Law, other: oracle.Law, type_i: Fraction) -> Fraction:
    """1 less the best power: the largest of q(S) + t (type_i - p(S)) is least over t >= 0.

    By duality over the finitely many slopes t at which an outcome enters: sum of max(q - t p, 0)
    + t type_i.
    """
    slopes = {Fraction(0)} | {q / p for p, q in zip(law, other, strict=True) if p}
    return 1 - min(
        sum((max(q - t * p, Fraction(0)) for p, q in zip(law, other, strict=True)), t * type_i)
        for t in slopes
    )
