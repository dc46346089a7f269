"""What numbers of a row imply, against the exact operating points of random finite pairs."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import accumulate, pairwise

import pytest

from semiaudit.privacy.implied import Implied
from tests.oracles.curves import mp, real

ONE = Fraction(1)
Laws = tuple[list[Fraction], list[Fraction]]


def random_laws(chance: random.Random) -> Laws:
    size = chance.randint(2, 5)
    laws = []
    for _ in range(2):
        masses = [Fraction(chance.choice((0, 1, 1, 2, 5, 20, 300))) for _ in range(size)]
        masses[chance.randrange(size)] += 1
        laws.append([mass / sum(masses) for mass in masses])
    return laws[0], laws[1]


def corners(laws: Laws) -> list[tuple[Fraction, Fraction]]:
    """Operating points of the likelihood-ratio tests of one direction, from (0, 1) to (1, 0)."""
    p, q = laws
    order = sorted(range(len(p)), key=lambda i: (p[i] > 0, -q[i] / (p[i] or 1)))
    type_i = accumulate((p[i] for i in order), initial=Fraction(0))
    power = accumulate((q[i] for i in order), initial=Fraction(0))
    return [(a, 1 - b) for a, b in zip(type_i, power, strict=True)]


def type_ii(laws: Laws, at: Fraction) -> Fraction:
    """The least type II error at a type I error: a corner, or a coin between two."""
    points = corners(laws)
    best = ONE
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= at <= x1:
            here = min(y0, y1) if x0 == x1 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
            best = min(best, here)
    return best


def delta(laws: Laws, epsilon: float) -> Fraction:
    """The hockey-stick divergence, at a double's own exponential rounded by 1e-30."""
    growth = Fraction(int(mp.exp(mp.mpf(epsilon)) * 10**40), 10**40)
    return sum((max(q - growth * p, Fraction(0)) for p, q in zip(*laws, strict=True)), Fraction(0))


def both(laws: Laws) -> tuple[Laws, Laws]:
    return laws, (laws[1], laws[0])


EPSILONS = (0.0, 0.01, 0.3, 1.0, 2.5, 6.0)
RATES = tuple(Fraction(k, 40) for k in (1, 4, 13, 20, 30))


@pytest.mark.parametrize("seed", range(60))
def test_what_true_numbers_imply_is_true(seed: int) -> None:
    """Whatever is known of the true numbers, exactly or loosely, contradicts none of them."""
    chance = random.Random(seed)
    laws = random_laws(chance)
    implied = Implied()
    for epsilon in chance.sample(EPSILONS, chance.randint(0, 3)):
        worst = max(delta(one, epsilon) for one in both(laws)) + Fraction(1, 10**35)
        implied.add_pair(Fraction(epsilon), worst * chance.choice((1, 1, Fraction(11, 10))))
    for rate in chance.sample(RATES, chance.randint(0, 3)):
        least = min(type_ii(one, rate) for one in both(laws))
        implied.add_point(rate, least * chance.choice((1, 1, Fraction(9, 10))))
    for epsilon in EPSILONS:
        worst = max(delta(one, epsilon) for one in both(laws))
        assert implied.delta_at(Fraction(epsilon)) >= worst - Fraction(1, 10**30)
    for rate in RATES:
        assert implied.type_ii_at(rate) <= min(type_ii(one, rate) for one in both(laws))
    assert implied.advantage >= delta(laws, 0.0)
    for level in (Fraction(1, 100), Fraction(1, 3)):
        found = implied.epsilon_at(level)
        if found != math.inf:
            at = float(found) + 1e-9
            assert max(delta(one, at) for one in both(laws)) <= level + Fraction(1, 10**9)


def test_an_advantage_bounds_every_delta_and_every_type_ii_error() -> None:
    implied = Implied()
    implied.add_pair(Fraction(0), Fraction("1.56e-7"))
    assert implied.delta_at(Fraction("1e-8")) == Fraction("1.56e-7")
    assert implied.type_ii_at(Fraction(1, 20)) == 1 - Fraction(1, 20) - Fraction("1.56e-7")
    assert implied.epsilon_at(Fraction("1.56e-7")) == 0
    assert implied.epsilon_at(Fraction("1.55e-7")) == math.inf


def test_a_point_of_randomized_response_gives_its_advantage_and_its_epsilon() -> None:
    # e^epsilon = 3: the corner is (1/4, 1/4). There the point alone leaves the advantage 2/3: the
    # function may fall to the point as late as at 0, and delta 2/3 is all there is at any epsilon.
    implied = Implied()
    implied.add_point(Fraction(1, 4), Fraction(1, 4))
    assert implied.advantage == Fraction(2, 3)
    assert implied.delta_at(Fraction(50)) == Fraction(2, 3)
    implied.add_pair(Fraction(2), Fraction(0))
    assert implied.delta_at(Fraction(2)) == 0
    assert float(implied.delta_at(Fraction(1))) < 2 / 3


def test_two_pairs_imply_the_chord_between_them() -> None:
    """delta is convex in e^epsilon."""
    implied = Implied()
    implied.add_pair(Fraction(0), Fraction(1, 2))
    implied.add_pair(Fraction(2), Fraction(1, 100))
    growth, top = mp.e, mp.exp(2)
    chord = mp.mpf("0.5") - mp.mpf("0.49") * (growth - 1) / (top - 1)
    assert real(implied.delta_at(ONE)) == pytest.approx(chord, rel=1e-12)


def test_nothing_follows_from_nothing_and_perfect_privacy_from_a_perfect_point() -> None:
    implied = Implied()
    implied.add_pair(math.inf, Fraction(0))
    assert implied.delta_at(ONE) == implied.advantage == 1
    assert implied.type_ii_at(ONE / 2) == 0
    assert implied.epsilon_at(Fraction(1, 10)) == math.inf
    implied.add_point(Fraction(1, 4), Fraction(3, 4))
    assert implied.delta_at(Fraction(0)) == implied.epsilon_at(Fraction(0)) == 0
    assert implied.type_ii_at(ONE / 2) == ONE / 2


def test_a_pair_of_a_huge_epsilon_still_bounds_delta_and_epsilon() -> None:
    implied = Implied()
    implied.add_pair(Fraction(5000), Fraction(1, 10))
    assert implied.delta_at(Fraction(10**6)) == Fraction(1, 10)
    assert implied.epsilon_at(Fraction(1, 5)) == 5000
    assert implied.delta_at(Fraction(10)) == 1


@pytest.mark.parametrize(("epsilon", "share"), [("1", "1/10"), ("1/3", "0"), ("5", "1/100")])
@pytest.mark.parametrize("at", ["1/100", "1/4", "1/2", "4/5"])
def test_one_pair_implies_the_function_of_approximate_dp(epsilon: str, share: str, at: str) -> None:
    """max{0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)} at a type I error a."""
    known = Implied()
    known.add_pair(Fraction(epsilon), Fraction(share))
    growth, kept, a = math.exp(Fraction(epsilon)), 1 - Fraction(share), float(Fraction(at))
    truth = max(0.0, float(kept) - growth * a, (float(kept) - a) / growth)
    assert float(known.type_ii_at(Fraction(at))) == pytest.approx(truth, rel=1e-9, abs=1e-12)
