"""One move against another by their distributions, and bins by trying all of them.

Shares no code with the program: masses are exact fractions or 50-digit numbers, and every
outcome of a product is added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

Pmf = dict[int, Fraction]
Pair = list[tuple[Any, Any]]
"""Masses of the outcomes under both distributions; equal likelihood ratios may be joined."""


def fits(values: Sequence[int], bins: Sequence[Fraction]) -> bool:
    """Whether absolute values fall into bins that they do not overfill, by trying every way."""
    left = sorted((abs(value) for value in values if value), reverse=True)

    def place(at: int, room: tuple[Fraction, ...]) -> bool:
        if at == len(left):
            return True
        tried = set()
        for index, free in enumerate(room):
            if free >= left[at] and free not in tried:
                tried.add(free)
                rest = tuple(sorted((*room[:index], free - left[at], *room[index + 1 :])))
                if place(at + 1, rest):
                    return True
        return False

    return place(0, tuple(sorted(bins)))


def shifted_pair(noise: Pmf, moves: Sequence[int]) -> Pair:
    """Independent noise in every coordinate against itself moved, outcome by outcome."""
    outcomes: dict[tuple[Fraction, Fraction], int] = {(Fraction(1), Fraction(1)): 1}
    for move in moves:
        points = sorted({*noise, *(k + move for k in noise)})
        line = [(noise.get(k, Fraction(0)), noise.get(k - move, Fraction(0))) for k in points]
        joined: dict[tuple[Fraction, Fraction], int] = {}
        for (p, q), number in outcomes.items():
            for r, s in line:
                key = p * r, q * s
                joined[key] = joined.get(key, 0) + number
        outcomes = joined
    return [(p * number, q * number) for (p, q), number in outcomes.items()]


def hockey_stick(pair: Pair, growth: Any) -> Any:
    """The sum of max(0, q - growth p): delta where growth is e^epsilon."""
    return sum((max(q - growth * p, 0 * q) for p, q in pair), 0 * pair[0][0])


def type_ii(pair: Pair, type_i: Any) -> Any:
    """The least type II error of a test of level type_i, by the likelihood ratio."""
    left, missed = type_i, 1
    for p, q in sorted(pair, key=lambda pq: (1, -pq[1] / pq[0]) if pq[0] else (0, 0)):
        if p <= left:
            left, missed = left - p, missed - q
        else:
            return missed - q * left / p
    return max(missed, 0 * missed)


def discrete_gaussian_pair(moves: Sequence[int], sigma_squared: Fraction) -> Pair:
    """Joined by the likelihood ratio: exp((2 s - |v|^2) / (2 sigma^2)) at s = sum of v_i x_i."""
    with mpmath.workdps(50):
        square = mpmath.mpf(sigma_squared.numerator) / sigma_squared.denominator
        reach = int(mpmath.sqrt(square) * 16) + 4
        mass = {k: mpmath.exp(-k * k / (2 * square)) for k in range(-reach, reach + 1)}
        total = mpmath.fsum(mass.values())
        sums = _sums({k: m / total for k, m in mass.items()}, moves, lambda x, v: v * x)
        norm = sum(v * v for v in moves)
        return [(p, p * mpmath.exp((2 * s - norm) / (2 * square))) for s, p in sums.items()]


def discrete_laplace_pair(moves: Sequence[int], scale: Fraction) -> Pair:
    """Joined by the likelihood ratio: exp(s / scale) at s = sum of |x_i| - |x_i - v_i|."""
    with mpmath.workdps(50):
        b = mpmath.mpf(scale.numerator) / scale.denominator
        reach = int(b * 80) + 4 + sum(map(abs, moves))
        mass = {k: mpmath.exp(-abs(k) / b) for k in range(-reach, reach + 1)}
        total = (1 + mpmath.exp(-1 / b)) / (1 - mpmath.exp(-1 / b))
        sums = _sums(
            {k: m / total for k, m in mass.items()}, moves, lambda x, v: abs(x) - abs(x - v)
        )
        return [(p, p * mpmath.exp(s / b)) for s, p in sums.items()]


def _sums(mass: dict[int, Any], moves: Sequence[int], statistic: Any) -> dict[int, Any]:
    found: dict[int, Any] = {0: mpmath.mpf(1)}
    for move in moves:
        one: dict[int, Any] = {}
        for x, p in mass.items():
            key = statistic(x, move)
            one[key] = one.get(key, 0) + p
        found = _convolved(found, one)
    return found


def _convolved(one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for s, p in one.items():
        for t, q in other.items():
            found[s + t] = found.get(s + t, 0) + p * q
    return found
