"""The worst pairs that are named, against all pairs of datasets, all events and all tests."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from semiaudit.mechanisms.finite.attained import PairsOfLaws, pairs_of_laws
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.mechanism import Finite, FiniteNoise
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.finite.test_against_enumeration import spec_of
from tests.mechanisms.finite.test_finite_noise import Case, random_case, tables
from tests.oracles import finite as oracle
from tests.samples import sampled

CHUNKS, SIZE = 40, 10
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


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_of_finite_mechanisms(chunk: int) -> None:
    chance = random.Random(7900 + chunk)
    for _ in range(SIZE):
        instance = oracle.random_instance(chance)
        distance = chance.choice([1, 2])
        universe: UniverseName = chance.choice(["D", "D_t"])
        release = spec_of(instance)._release
        assert isinstance(release.mechanism, Finite)
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


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
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
