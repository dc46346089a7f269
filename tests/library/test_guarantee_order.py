"""The order of guarantees, against masses of discrete Laplace noise that are summed directly."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from semiaudit import DiscreteLaplace, Gaussian, Guarantee, Laplace, PureDP, compare

EPSILONS = np.linspace(-4, 4, 81)
REACH = 60
"""The integers up to here have all but exp(-60 / scale) of the noise."""

TAIL = 1e-12
"""More than the truncated mass of two coordinates of noise of scale 2, and the rounding of sums."""


def profile(scale: float, shifts: Sequence[int]) -> list[float]:
    """Return the hockey-stick divergence at each e^epsilon; both orders of the pair are equal."""
    values = np.arange(-REACH, REACH + 1)
    share = math.tanh(1 / (2 * scale))  # (1 - a) / (1 + a), with a = exp(-1 / scale)
    p, q = np.ones(1), np.ones(1)
    for shift in shifts:
        p = np.multiply.outer(p, share * np.exp(-np.abs(values) / scale)).ravel()
        q = np.multiply.outer(q, share * np.exp(-np.abs(values - shift) / scale)).ravel()
    return [float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for epsilon in EPSILONS]


def guarantee(scale: float, shifts: Sequence[int]) -> Guarantee:
    return DiscreteLaplace(scale=scale, shifts=list(shifts)).guarantee()


@pytest.mark.parametrize("shifts", [(1,), (3,), (2, 1), (-1, 1)])
@pytest.mark.parametrize(("small", "large"), [("1/2", "2/3"), ("1", "2"), ("7/5", "3/2")])
def test_discrete_laplace_noise_of_two_scales_is_ordered(
    small: str, large: str, shifts: tuple[int, ...]
) -> None:
    less, more = (DiscreteLaplace(scale=s, shifts=list(shifts)).guarantee() for s in (small, large))
    assert more.order(less) == "stronger"
    assert less.order(more) == "weaker"
    assert less.order(less) == "equal"


def test_no_order_is_claimed_that_the_masses_do_not_have() -> None:
    chance, found = random.Random(58), set()
    moves = [shifts for n in (1, 2) for shifts in product((1, 2, -1), repeat=n)]
    for _ in range(150):
        releases = [(chance.choice((0.5, 1.0, 1.5, 2.0)), chance.choice(moves)) for _ in range(2)]
        first, second = (guarantee(*release) for release in releases)
        order = first.order(second)
        found.add(order)
        f, g = (profile(*release) for release in releases)
        above = any(a > b + TAIL for a, b in zip(f, g, strict=True))
        below = any(a < b - TAIL for a, b in zip(f, g, strict=True))
        assert order in ("stronger", "equal", "undecided") or above
        assert order in ("weaker", "equal", "undecided") or below
        assert order not in ("stronger", "equal") or not above
        assert order not in ("weaker", "equal") or not below
    assert {"stronger", "weaker", "equal", "undecided"} <= found


def test_other_guarantees_are_ordered_and_other_pairs_are_refused() -> None:
    one = Gaussian(1).guarantee()
    assert Gaussian(2).guarantee().order(one) == "stronger"
    assert Laplace(1).guarantee().order(Laplace(2).guarantee()) == "weaker"
    assert PureDP(1).guarantee().order(Gaussian("1/4").guarantee()) in ("stronger", "undecided")
    with pytest.raises(ValueError, match="not for the same pairs in D"):
        one.order(Gaussian(1).guarantee(distance=2))
    with pytest.raises(ValueError, match="not for the same pairs in D"):
        one.order(PureDP(1).guarantee(metric="symmetric_difference"))
    with pytest.raises(TypeError, match="Guarantee"):
        one.order(Gaussian(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="does not hold its invariants"):
        compare(one, one)  # type: ignore[arg-type]
