"""Numbers of mpmath computed by the ball arithmetic of python-flint, several times faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import mpmath
from flint import arb, ctx

mp: Any = mpmath.mp

Mpf: TypeAlias = Any
"""An mpmath real; mpmath ships no types."""

GUARD = 30
"""Binary digits beyond the precision in force."""
_FAR = 16
"""Beyond 2 to this power mpmath is asked, as balls grow too wide."""


def middle(ball: arb) -> Mpf:
    """The center of a ball at the precision in force; an error if the ball is wider than that."""
    if ball.rel_accuracy_bits() < mp.prec:
        raise ArithmeticError(f"{ball} is known to fewer than {mp.prec} binary digits")
    mantissa, exponent = ball.mid().man_exp()
    return mp.mpf((int(mantissa), int(exponent)))


def ncdf(x: Mpf) -> Mpf:
    """The mass of N(0, 1) below x."""
    if mp.mag(x) > _FAR:
        return mp.ncdf(x)
    return _of_square(x, lambda ball: (-ball / arb(2).sqrt()).erfc() / 2)


def npdf(x: Mpf) -> Mpf:
    """The density of N(0, 1) at x."""
    if mp.mag(x) > _FAR:
        return mp.npdf(x)
    return _of_square(x, lambda ball: (-ball * ball / 2).exp() / (2 * arb.pi()).sqrt())


def _of_square(x: Mpf, function: Callable[[arb], arb]) -> Mpf:
    """A function that changes as fast as the exponential of the square of x."""
    with ctx.workprec(mp.prec + GUARD + 2 * _FAR):
        return middle(function(arb(x)))
