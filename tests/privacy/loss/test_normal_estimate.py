"""Estimates by a normal law, against its integrals and against the grids that they lead to."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from scipy.integrate import quad

from semiaudit.model.loss import (
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss import Accuracy, Bracket, refinement
from semiaudit.privacy.loss.bracket import Method
from semiaudit.privacy.loss.engine import (
    delta_bracket,
    epsilon_bracket,
    power_bracket,
    type_ii_bracket,
)
from semiaudit.privacy.loss.normal_estimate import (
    NormalEstimate,
    variance_allowed,
    with_threshold_of_test,
)
from semiaudit.privacy.loss.normal_form import normal_form
from tests.samples import sampled

MEANS = (0.02, 0.3, 2.0, 12.0)
"""A normal loss of P with mean m has the variance 2 m, and that of Q has the mean -m."""


def estimate(mean: float, tilt: float, threshold: float) -> NormalEstimate:
    """The normal law of P's loss with this mean, tilted."""
    moment = tilt * mean + tilt**2 * mean
    values = (tilt, moment, mean + 2 * tilt * mean, math.sqrt(2 * mean), threshold)
    return NormalEstimate(*(np.asarray(value) for value in values))


def law(mean: float, sign: int) -> NormalDist:
    return NormalDist(sign * mean, math.sqrt(2 * mean))


def beyond(own: NormalDist, threshold: float) -> float:
    """The probability above a threshold, also far out."""
    return math.erfc((threshold - own.mean) / own.stdev / math.sqrt(2)) / 2


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("place", [-3.0, -1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("tilted", [False, True])
def test_ratios_are_those_of_the_normal_law(mean: float, place: float, tilted: bool) -> None:
    first, second = law(mean, 1), law(mean, -1)
    threshold = mean + place * first.stdev
    tilt = max((threshold - mean) / (2 * mean), 0.0) if tilted else 0.0
    own = estimate(mean, tilt, threshold)
    density = first.pdf(threshold)
    far = mean + 12 * first.stdev
    delta, _ = quad(
        lambda loss: first.pdf(loss) * -math.expm1(threshold - loss), threshold, far, epsabs=0
    )
    assert own.delta_ratio == pytest.approx(delta / density, rel=1e-6)
    above = math.exp(threshold) * beyond(second, threshold)
    if threshold > 1e-3:
        assert own.epsilon_ratio == pytest.approx(threshold * above / density, rel=1e-6)
        assert own.gain_of_epsilon == pytest.approx(threshold * above / delta, rel=1e-6)
    power = beyond(first, threshold)
    assert own.power_ratio(np.asarray(0.1)) == pytest.approx(power / density, rel=1e-6)
    assert own.type_ii_ratio(np.asarray(0.1)) == pytest.approx((1 - power) / density, rel=1e-6)
    # Beyond a type I error of 1/2, the roles are exchanged: Q is what exceeds the threshold.
    of_second = second.pdf(threshold)
    missed = beyond(second, threshold)
    assert own.type_ii_ratio(np.asarray(0.7)) == pytest.approx(missed / of_second, rel=1e-6)
    if missed < 0.5:
        assert own.power_ratio(np.asarray(0.7)) == pytest.approx((1 - missed) / of_second, rel=1e-6)


def test_an_epsilon_near_0_is_as_wide_as_a_small_one() -> None:
    small, none = estimate(0.02, 0.0, 1e-3), estimate(0.02, 0.0, -0.5)
    above = float(none.epsilon_ratio) / 1e-3
    assert small.epsilon_ratio > 0
    assert above == pytest.approx(
        math.exp(-0.5) * beyond(law(0.02, -1), -0.5) / law(0.02, 1).pdf(-0.5), rel=1e-6
    )


def test_a_mean_far_above_the_threshold_counts_as_7_deviations_above_it() -> None:
    mean, spread = 2.0, 2.0
    seven, hundred = (estimate(mean, 0.0, mean - far * spread) for far in (7, 100))
    assert hundred.delta_ratio == pytest.approx(float(seven.delta_ratio))
    assert math.isfinite(float(hundred.power_ratio(np.asarray(0.1))))
    # What remains of P there is less than rounding, so that the grid may be as coarse as can be.
    density = math.exp(-49 / 2) / (spread * math.sqrt(2 * math.pi))
    assert hundred.type_ii_ratio(np.asarray(0.1)) == pytest.approx(1 / density)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("type_i", [1e-3, 0.2, 0.5])
def test_a_test_has_the_quantile_of_the_other_law_as_its_threshold(
    mean: float, type_i: float
) -> None:
    own = with_threshold_of_test(estimate(mean, 0.0, 0.0), np.asarray(type_i))
    assert own.threshold == pytest.approx(law(mean, -1).inv_cdf(1 - type_i), rel=1e-9, abs=1e-9)
    tilted = with_threshold_of_test(estimate(mean, 0.5, 0.0), np.asarray(type_i))
    assert tilted.threshold == pytest.approx(2 * mean)
    mirrored = with_threshold_of_test(estimate(mean, 0.0, 0.0), np.asarray(0.7))
    assert mirrored.threshold == pytest.approx(mean)


def test_half_of_the_tolerance_is_used() -> None:
    # 0.75 times the variance times the density is half of 1e-6 of the number.
    assert variance_allowed(np.asarray(3.0), 1e-6) * 0.75 == pytest.approx(3.0 * 0.5e-6)


RESPONSE = RandomizedResponseLoss(Fraction(1, 7))
SUMS: dict[str, list[tuple[Loss, int]]] = {
    "gaussian and laplace": [(GaussianLoss(Fraction(1, 5)), 20), (LaplaceLoss(Fraction(1, 3)), 20)],
    "forty laplace": [(LaplaceLoss(Fraction(1, 3)), 40)],
    "ten small laplace": [(LaplaceLoss(Fraction(1, 20)), 10), (GaussianLoss(Fraction(1, 50)), 1)],
    "responses and gaussian": [(RESPONSE, 30), (GaussianLoss(Fraction(1, 2)), 1)],
    "sampled": [(SubsampledGaussianLoss(Fraction(1), Fraction(1, 100)), 1000)],
}
ASKED: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
    "delta": (delta_bracket, ("1/20", "1/2", "1", "3")),
    "epsilon": (epsilon_bracket, ("1/10", "1/100", "1e-5", "1e-10")),
    "type_ii": (type_ii_bracket, ("1e-6", "1/1000", "1/20", "1/5", "2/5", "3/5", "9/10")),
    "power": (power_bracket, ("1e-6", "1/1000", "1/20", "1/5", "2/5", "3/5", "9/10")),
}


@pytest.mark.parametrize(
    ("name", "number"), sampled(product(SUMS, ASKED), fast={*range(20)} - {16, 18, 19})
)
def test_the_first_grid_is_nearly_always_fine_enough_and_not_much_finer(
    name: str, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths: list[float] = []
    bracketed = refinement._bracket

    def counted(lower: float, upper: float, method: Method, accuracy: Accuracy) -> Bracket:
        found = bracketed(lower, upper, method, accuracy)
        if found.method == "grid" and found.lower > 0:
            widths.append(found.relative_width / accuracy.tolerance)
        return found

    monkeypatch.setattr(refinement, "_bracket", counted)
    ask, places = ASKED[number]
    form = normal_form(PrivacyLoss(tuple(SUMS[name])))
    for place in places:
        ask(form, Fraction(place), Accuracy(1e-6))
    assert all(width < 10 for width in widths), widths
    assert sum(width > 1 for width in widths) <= 1 + len(widths) // 5, widths
    assert sum(width < 0.05 for width in widths) <= 1 + len(widths) // 5, widths


def test_arrays_have_the_estimates_of_their_entries() -> None:
    chance = random.Random(3)
    laws = [estimate(chance.uniform(0.1, 5), chance.uniform(0, 3), 1.0) for _ in range(50)]
    together = NormalEstimate(
        *(np.array([getattr(one, name) for one in laws]) for name in NormalEstimate.__slots__)
    )
    errors = np.array([chance.random() for _ in laws])
    for place, one in enumerate(laws):
        assert together.delta_ratio[place] == one.delta_ratio
        assert together.power_ratio(errors)[place] == one.power_ratio(errors[place])
        assert together.type_ii_ratio(errors)[place] == one.type_ii_ratio(errors[place])
