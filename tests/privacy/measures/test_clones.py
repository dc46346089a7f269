"""Shuffled reports: the accuracy that is promised, against sums term by term."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from semiaudit.privacy.measures.clones import delta_above

mp: Any = mpmath.mp


def masses(trials: int, rate: Any, deviations: int = 13) -> dict[int, Any]:
    """Binomial probabilities within so many standard deviations of the mean."""
    mean, reach = trials * rate, deviations * mp.sqrt(trials * rate * (1 - rate))
    places = range(max(int(mean - reach), 0), min(int(mean + reach), trials) + 1)
    first = mp.binomial(trials, places[0]) * rate ** places[0] * (1 - rate) ** (trials - places[0])
    found = {places[0]: first}
    for k in places[1:]:
        found[k] = found[k - 1] * (trials - k + 1) / k * rate / (1 - rate)
    return found


def test_delta_above_exceeds_the_sum_by_less_than_its_omitted_tails() -> None:
    """With 10,000 reports tails are omitted; the sum omits less than 2^-110 of them."""
    reports, epsilon0, epsilon = 10_000, Fraction(3), Fraction(3, 8)
    local, growth = mp.exp(3), mp.exp(mp.mpf(3) / 8)
    keep = local / (local + 1)
    truth = mp.mpf(0)
    for c, of_c in masses(reports - 1, 2 / (local + 1)).items():
        of_a = masses(c, mp.mpf(1) / 2)
        before = mp.mpf(0)
        for mass in [*of_a.values(), mp.mpf(0)]:
            first, second = before * keep + mass * (1 - keep), before * (1 - keep) + mass * keep
            truth += of_c * max(first - growth * second, mp.mpf(0))
            before = mass
    found = delta_above(reports, epsilon0, epsilon)
    excess = mp.mpf(found.numerator) / found.denominator - truth
    assert 0 <= excess <= mp.mpf(2) ** -80
