"""Tests of merged outcomes: laws that are written down, and every term that lowers what they show.

Four outcomes lose -1/2, 0, 1/2 and 1, of which each has a quarter of the finite mass under P; so
Q has e^-loss times as much.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from semiaudit.privacy.loss import merged_law
from semiaudit.privacy.loss.laws.folded import Convolved
from semiaudit.privacy.loss.merged_law import MergedLaw
from semiaudit.privacy.loss.profile import GridScale

LOSSES = (-0.5, 0.0, 0.5, 1.0)
UNDER_Q = [0.25 * math.exp(-loss) for loss in LOSSES]
SCALE = GridScale(0.5, Fraction(1, 2), Fraction(0), 0.0, 0.0, (0.0, 0.0))


def merged(
    slack: float = 0.0, infinite: tuple[float, float] = (0.0, 0.0), outside: float = 0.0
) -> MergedLaw:
    scale = replace(SCALE, slack=slack, infinite=infinite)
    law = Convolved(np.full(4, 0.25), -1, 0.0)
    return MergedLaw(scale, law, law, 0.0, 0.0, 0.0, outside)


def tails(weights: list[float] | tuple[float, ...]) -> list[float]:
    return [math.fsum(weights[at:]) for at in range(4)]


def test_the_tests_are_the_tails_of_both_laws() -> None:
    found = merged().tests(0.25)
    assert found.first == pytest.approx(tails((0.25,) * 4))
    assert found.second == pytest.approx([math.exp(0.25) * q for q in tails(UNDER_Q)])
    assert (found.first <= tails((0.25,) * 4)).all()
    for epsilon in (0.0, 0.25, 0.7):
        truth = max(
            p - math.exp(epsilon) * q
            for p, q in zip(tails((0.25,) * 4), tails(UNDER_Q), strict=True)
        )
        assert found.delta(epsilon) <= truth
        assert found.delta(epsilon) == pytest.approx(truth)


def test_weight_outside_of_the_window_is_taken_from_p_and_slack_is_added_to_q() -> None:
    plain, less, wide = (law.tests(0.0) for law in (merged(), merged(outside=0.01), merged(0.5)))
    assert less.first == pytest.approx(plain.first - 0.01)
    assert less.second == pytest.approx(plain.second)
    assert wide.first == pytest.approx(plain.first)
    assert wide.second == pytest.approx(math.exp(0.5) * plain.second)


def test_every_test_may_add_the_lower_bound_of_the_infinite_mass() -> None:
    law = merged(infinite=(0.1, 0.2))
    assert law.tests(0.0).infinite == 0.1
    assert law.tests(0.0).delta(0.0) == pytest.approx(0.1 + merged().tests(0.0).delta(0.0))
    beyond = law.tests(500.0)
    assert (len(beyond.first), beyond.infinite, beyond.delta(500.0)) == (0, 0.1, 0.1)


ONE = merged_law.Tests(0.0, np.array([0.0, 1.0]), np.array([0.5, 0.2]), np.array([0.3, 0.05]), 0.1)
"""Tests with the powers 0.6 and 0.3 at the type I errors 0.3 and 0.05; 0.1 comes for nothing."""


def test_epsilon_is_the_largest_at_which_a_test_still_reaches_delta() -> None:
    # (P(A) + 0.1 - delta) / Q(A) is e^epsilon: at 0.15 the second one has 0.15 / 0.05.
    for delta, odds in ((0.15, 3.0), (0.29, 31 / 30), (0.25, 35 / 30)):
        assert ONE.epsilon(delta) <= math.log(odds)
        assert ONE.epsilon(delta) == pytest.approx(math.log(odds))
    assert ONE.epsilon(0.6) == 0


@pytest.mark.parametrize(
    ("type_i", "type_ii", "power"),
    [
        (0.3, 0.4, 0.6),
        # Between the two by chance; below the second one, which makes it with a power of 0.2 and
        # nothing, by chance joined to what only P has.
        (0.175, 0.55, 0.45),
        (0.025, 0.9, 0.2),
        (0.0, 0.9, 0.1),
        # The complements, tests of P against Q, have the errors (0.4, 0.3) and (0.7, 0.05).
        (0.65, 0.3 - 0.25 * 25 / 30, 0.65),
    ],
)
def test_operating_points_lie_between_neighboring_tests(
    type_i: float, type_ii: float, power: float
) -> None:
    # Those of the tests themselves are off by the rounding of logarithms, some 1e-12.
    found, _, reached = ONE.type_ii(type_i * (1 + 1e-11))
    assert found == pytest.approx(type_ii, abs=1e-9)
    assert reached == pytest.approx(power, abs=1e-9)


def test_mass_of_p_behind_the_last_test_belongs_to_every_test() -> None:
    """P has 0.1 at the loss 0 and 0.9 at the loss 350, where Q has next to nothing."""
    tilt, masses = 0.1, np.zeros(720)
    masses[10], masses[710] = 0.1, 0.9
    tilted = masses * np.exp(tilt * 0.5 * np.arange(-10, 710))
    total = float(tilted.sum())
    law = Convolved(tilted / total, -10, 0.0)
    logarithm = math.log(total)
    scale = replace(SCALE, tilt=tilt)
    found = MergedLaw(scale, law, law, logarithm, logarithm, 0.0, 0.0).tests(0.0)
    assert found.thresholds[-1] < 300
    truth = np.where(found.thresholds <= 0, 1.0, 0.9)
    assert (found.first <= truth).all()
    assert found.first == pytest.approx(truth)


def test_epsilon_is_certified_in_spite_of_the_rounding_of_its_logarithm() -> None:
    """Sums with a large reference are rounded in units far above those of the probabilities."""
    chance = np.random.default_rng(3)
    for _ in range(300):
        reference, (p, q) = float(chance.uniform(0, 600)), chance.random(2) / 2 + 0.25
        tests = merged_law.Tests(reference, np.zeros(1), np.array([p]), np.array([q]), 0.0)
        delta = float(chance.uniform(0, p / 2))
        found = tests.epsilon(delta)
        with mpmath.workdps(40):
            exact = reference + mpmath.log((mpmath.mpf(float(p)) - delta) / mpmath.mpf(float(q)))
            assert found <= exact or found == 0
            assert found >= exact - 1e-10
