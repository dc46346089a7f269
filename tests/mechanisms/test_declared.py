"""What a declared privacy measure implies by itself."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.declared import approx_dp
from semiaudit.mechanisms.kind import DatasetPairs
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import Declared
from tests.mechanisms.fakes import NoSpaces


def test_a_delta_above_0_is_no_pure_dp_and_a_delta_of_0_is() -> None:
    measure = ApproxDP(Fraction(1), Fraction(1, 100))
    found = approx_dp(measure)
    assert measure in found
    assert not any(isinstance(one, PureDP) for one in found)
    (function,) = (one for one in found if isinstance(one, PiecewiseLinear))
    assert function.vertices[0] == (Fraction(0), Fraction(99, 100))
    assert PureDP(Fraction(1)) in approx_dp(ApproxDP(Fraction(1), Fraction(0)))


@pytest.mark.parametrize(
    ("measure", "rho"),
    [(ZCDP(Fraction(1, 3)), Fraction(1, 3)), (GDP(Fraction(1, 2)), Fraction(1, 4))],
)
def test_the_declared_guarantee_is_that_of_one_step(measure: ZCDP | GDP, rho: Fraction) -> None:
    part, spaces = Declared(measure), NoSpaces()
    assert kind_of(part).specified_rho(part) == rho
    projected = kind_of(part).loss(part, DatasetPairs(way="projected"), spaces)
    assert measure in projected.measures


def test_a_declared_guarantee_is_known_at_distance_1_and_further_only_by_steps() -> None:
    """Of two steps, rho is four times that of one (Bun and Steinke 2016, Proposition 1.9)."""
    part, spaces = Declared(ZCDP(Fraction(1, 3))), NoSpaces()
    for steps in (False, True):
        assert loss_at(part, 1, "D", spaces, steps=steps).measures == (ZCDP(Fraction(1, 3)),)
    assert loss_at(part, 2, "D", spaces, steps=True).measures == (ZCDP(Fraction(4, 3)),)
    assert loss_at(part, 2, "D", spaces, steps=False).measures == ()
