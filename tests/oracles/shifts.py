"""The worst delta of integer noise on a query, by listing every output of every element.

A query with answer vector y is released as y + N, the N_i independent with one integer law. Two
datasets whose answers differ by v give the pair (N, N + v). The truth over a sensitivity space is
the greatest delta(epsilon) over its elements, in both orders, and is computed here literally:
every output in a box, its two probabilities, the sum of what P has above e^epsilon Q. What lies
outside the box is below 1e-18 and is added to the upper end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import mpmath
from flint import arb, ctx

from tests.oracles import balls

mp: Any = mpmath.mp

Mpf: TypeAlias = Any
"""An mpmath real; mpmath ships no types."""
Shift: TypeAlias = tuple[int, ...]

_DIGITS = 30
_MISSING = "1e-20"


@dataclass(frozen=True, eq=False)
class IntegerNoise:
    """Masses on -reach .. reach that sum to 1; beyond there is less than 1e-20.

    Only the same object is equal, so that answers can be kept.
    """

    masses: dict[int, Mpf]
    reach: int

    def mass(self, k: int) -> Mpf:
        """The probability of one integer, 0 beyond the reach."""
        return self.masses.get(k, mp.mpf(0))


def discrete_gaussian(sigma_squared: Fraction) -> IntegerNoise:
    """Mass proportional to exp(-k^2 / (2 sigma_squared))."""
    with mp.workdps(_DIGITS):
        s2 = mp.mpf(sigma_squared.numerator) / sigma_squared.denominator
        return _normalised(lambda k: mp.exp(-mp.mpf(k * k) / (2 * s2)))


def discrete_laplace(scale: Fraction) -> IntegerNoise:
    """Mass proportional to exp(-|k| / scale)."""
    with mp.workdps(_DIGITS):
        t = mp.mpf(scale.numerator) / scale.denominator
        return _normalised(lambda k: mp.exp(-abs(k) / t))


def _normalised(weight: Callable[[int], Mpf]) -> IntegerNoise:
    """Both laws fall at least geometrically, with the ratio of the last two weights."""
    reach = 1
    while True:
        ratio = weight(reach + 1) / weight(reach)
        if 2 * weight(reach + 1) / (1 - ratio) < mp.mpf(_MISSING):
            break
        reach += 1
    total = mp.fsum(weight(k) for k in range(-reach, reach + 1))
    return IntegerNoise({k: weight(k) / total for k in range(-reach, reach + 1)}, reach)


@cache
def delta_of_shift(noise: IntegerNoise, shift: Shift, epsilon: Fraction) -> tuple[Mpf, Mpf]:
    """[low, high] of delta(epsilon) between N and N + shift, the greater of both orders."""
    with mp.workdps(_DIGITS), ctx.workprec(2 * mp.prec):
        odds = (arb(epsilon.numerator) / epsilon.denominator).exp()
        outputs = [(arb(1), arb(1))]
        for v in shift:
            box = range(min(0, v) - noise.reach, max(0, v) + noise.reach + 1)
            masses = [(arb(noise.mass(y)), arb(noise.mass(y - v))) for y in box]
            outputs = [(p * own, q * moved) for p, q in outputs for own, moved in masses]
        forward, backward = arb(0), arb(0)
        for p, q in outputs:
            if (above := p - odds * q) > 0:
                forward += above
            if (above := q - odds * p) > 0:
                backward += above
        # Where a cut tail counts as no mass at all, an output may seem to be P's alone.
        wrong = 2 * len(shift) * mp.mpf(_MISSING) * (1 + balls.middle(odds))
        wrong += mp.mpf("1e-27")
        worst = max(balls.middle(forward), balls.middle(backward))
        return max(worst - wrong, mp.mpf(0)), worst + wrong


def worst_delta(
    noise: IntegerNoise, elements: Sequence[Shift], epsilon: Fraction
) -> tuple[Mpf, Mpf]:
    """[low, high] of the greatest delta(epsilon) over all elements of a sensitivity space."""
    found = [delta_of_shift(noise, element, epsilon) for element in elements]
    return max(low for low, _ in found), max(high for _, high in found)
