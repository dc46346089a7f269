"""What independent noise on several queries loses on one pair of tables, by its distributions.

Shares no code with the program. A part is (kind, parameter, how often it runs), and a move is the
difference of the part's answer to two tables. The worst pair of tables is looked for by trying all
of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath

from tests.oracles.domination import Pair, discrete_gaussian_pair, discrete_laplace_pair

Part = tuple[str, Fraction, int]
"""(kind, sigma squared or scale, repeat)."""

Moves = Sequence[Sequence[int]]
"""The move of each part's answer."""


def mu_squared(parts: Sequence[Part], moves: Moves) -> Fraction:
    """The sum of squared norms over variances, of Gaussian parts."""
    return sum(
        (times * Fraction(sum(k * k for k in v)) / square
         for (_, square, times), v in zip(parts, moves, strict=True)),
        Fraction(0),
    )  # fmt: skip


def epsilon(parts: Sequence[Part], moves: Moves) -> Fraction:
    """The sum of l1 norms over scales, of parts with bounded ratios: it is attained."""
    return sum(
        (times * Fraction(sum(map(abs, v))) / scale
         for (_, scale, times), v in zip(parts, moves, strict=True)),
        Fraction(0),
    )  # fmt: skip


def rho(parts: Sequence[Part], moves: Moves) -> Any:
    """The sum of the divergences of order 1: none of these kinds has a worse order (but mixed)."""
    with mpmath.workdps(40):
        return mpmath.fsum(
            times * _divergence(kind, parameter, abs(k))
            for (kind, parameter, times), v in zip(parts, moves, strict=True)
            for k in v
            if k
        )


@cache
def _divergence(kind: str, parameter: Fraction, move: int) -> Any:
    with mpmath.workdps(40):
        scale = mpmath.mpf(parameter.numerator) / parameter.denominator
        if kind in ("gaussian", "discrete_gaussian"):
            return move**2 / (2 * scale)
        if kind == "laplace":
            # E|x - s| - E|x|, the integral of the loss.
            s = move / scale
            return s + mpmath.exp(-s) - 1
        pair = discrete_laplace_pair([move], parameter)
        return mpmath.fsum(q * mpmath.log(q / p) for p, q in pair if q)


def delta(parts: Sequence[Part], moves: Moves, eps: Any) -> Any:
    """delta at an epsilon of Gaussian and integer parts: the outcomes of the integers one by one,
    with the Gaussian profile for each of them."""
    with mpmath.workdps(30):
        outcomes = _outcomes(tuple(parts), tuple(tuple(sorted(map(abs, v))) for v in moves))
        square = mu_squared(
            [part for part in parts if part[0] == "gaussian"],
            [v for part, v in zip(parts, moves, strict=True) if part[0] == "gaussian"],
        )
        growth = mpmath.exp(eps)
        if not square:
            return mpmath.fsum(max(q - growth * p, 0) for p, q in outcomes)
        mu = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
        total = mpmath.mpf(0)
        for p, q in outcomes:
            at = (eps - mpmath.log(q / p)) / mu
            total += q * mpmath.ncdf(mu / 2 - at) - growth * p * mpmath.ncdf(-mu / 2 - at)
        return total


@cache
def _outcomes(parts: tuple[Part, ...], moves: tuple[tuple[int, ...], ...]) -> Pair:
    """The outcomes of all integer parts, joined by the likelihood ratio, the rarest left out.

    What is left out only lowers delta, by less than 1e-12.
    """
    found: dict[Any, tuple[Any, Any]] = {0: (mpmath.mpf(1), mpmath.mpf(1))}
    for (kind, parameter, times), v in zip(parts, moves, strict=True):
        moving = [k for k in v if k]
        if kind == "gaussian" or not moving:
            continue
        maker = discrete_gaussian_pair if kind == "discrete_gaussian" else discrete_laplace_pair
        one = [(p, q) for p, q in maker(moving, parameter) if p > 1e-17 or q > 1e-17]
        for _ in range(times):
            joined: dict[Any, tuple[Any, Any]] = {}
            for p, q in found.values():
                for r, s in one:
                    key = mpmath.nstr(mpmath.log(q * s / (p * r)), 15)
                    a, b = joined.get(key, (0, 0))
                    joined[key] = (a + p * r, b + q * s)
            found = {k: pq for k, pq in joined.items() if max(pq) > 1e-16}
    return list(found.values())
