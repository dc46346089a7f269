"""delta at many epsilons at once, against the sum over all outcomes of small products."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from semiaudit.model.loss import ApproxLoss, FiniteLoss, PrivacyLoss
from semiaudit.privacy.loss import DEFAULT
from semiaudit.privacy.loss.delta_points import delta_points

Masses = tuple[Fraction, ...]


def fractions(text: str) -> Masses:
    return tuple(map(Fraction, text.split()))


def worse_delta(pair: tuple[Masses, Masses], repeat: int, epsilon: float) -> float:
    """The larger of both directions' sums of (p - e^epsilon q)+."""
    laws = [[math.prod(chosen) for chosen in product(law, repeat=repeat)] for law in pair]
    first, second = ([float(mass) for mass in law] for law in laws)
    return max(
        math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in zip(one, other, strict=True))
        for one, other in ((first, second), (second, first))
    )


@pytest.mark.parametrize(
    "pair", [("1/2 3/8 1/8", "1/4 1/4 1/2"), ("1/10 1/10 4/5", "1/100 2/5 59/100")]
)
@pytest.mark.parametrize("repeat", [1, 4])
def test_every_point_encloses_the_worse_direction(pair: tuple[str, str], repeat: int) -> None:
    first, second = map(fractions, pair)
    points = delta_points(PrivacyLoss(((FiniteLoss(first, second), repeat),)), DEFAULT)
    assert len(points) > 24
    assert points[0].epsilon == 0
    for point in points:
        truth = worse_delta((first, second), repeat, point.epsilon)
        assert point.lower <= truth * (1 + 1e-9)
        assert truth * (1 - 1e-9) <= point.upper
    assert points[0].upper == pytest.approx(worse_delta((first, second), repeat, 0.0), rel=1e-3)


def test_the_last_delta_is_0_at_the_largest_loss() -> None:
    first, second = fractions("1/10 1/10 4/5"), fractions("1/100 2/5 59/100")
    *_, last = delta_points(PrivacyLoss(((FiniteLoss(first, second), 3),)), DEFAULT)
    assert (last.lower, last.upper) == (0, 0)
    assert last.epsilon == pytest.approx(3 * math.log(10), rel=1e-9)


def test_there_are_no_points_if_delta_never_falls_to_0() -> None:
    assert delta_points(PrivacyLoss(((ApproxLoss(Fraction(1), Fraction(1, 9)), 1),)), DEFAULT) == ()
