"""Reference values for tradeoff functions from densities, by quadrature and quantiles.

Everything starts from densities on the line or from lists of probabilities at 50 digits; no
closed form of a tradeoff function or of a divergence is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

mp: Any = mpmath.mp
mp.dps = 50
Function = Callable[[Any], Any]


def real(value: Fraction | int) -> Any:
    """A rational at the precision in force."""
    value = Fraction(value)
    return mp.mpf(value.numerator) / value.denominator


def upper_tail(x: Any) -> Any:
    """P(X > x) for a standard normal X."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def laplace_tail(x: Any) -> Any:
    """P(X > x) for Laplace noise of scale 1."""
    return mp.exp(-x) / 2 if x > 0 else 1 - mp.exp(x) / 2


def laplace_tradeoff(shift: Any, type_i: Any) -> Any:
    """P(X + s <= c) with c chosen so that P(X > c) = type_i: the noise has a rising ratio."""
    if type_i in (0, 1):
        return mp.mpf(1 - type_i)
    cut = -mp.log(2 * type_i) if type_i < mp.mpf(1) / 2 else mp.log(2 * (1 - type_i))
    return 1 - laplace_tail(cut - shift)


def renyi(first: Function, second: Function, order: Any, breaks: Sequence[Any]) -> Any:
    """ln of the integral of p^order q^(1 - order), over order - 1."""
    integral = mp.quad(lambda x: first(x) ** order * second(x) ** (1 - order), breaks)
    return mp.log(integral) / (order - 1)


def renyi_of_lists(first: Sequence[Any], second: Sequence[Any], order: Any) -> Any:
    """The same of two finite distributions without zeros."""
    return mp.log(
        mp.fsum(p**order * q ** (1 - order) for p, q in zip(first, second, strict=True))
    ) / (order - 1)


def quantile(p: Any) -> Any:
    """Phi^-1(p)."""
    return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def composed(functions: Sequence[Function], argument: Any) -> Any:
    """Cho and Awan's form: g_1(g_2(... (a)))."""
    for g in reversed(functions):
        argument = g(argument)
    return argument
