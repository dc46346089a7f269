"""Every law within a relative tolerance of given probabilities, by the corners of their set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

Law = tuple[Fraction, ...]


def corners(given: Sequence[Fraction], rtol: Fraction) -> Iterator[Law]:
    """Laws of which each given probability is at most ``rtol`` away, relative to the true one.

    All but one probability are at an end of their range; the last one makes the sum 1.
    """
    ends = [(share / (1 + rtol), share / (1 - rtol)) for share in given]
    for free, (low, high) in enumerate(ends):
        others = [pair for place, pair in enumerate(ends) if place != free]
        for chosen in product(*others):
            left = 1 - sum(chosen, Fraction(0))
            if low <= left <= high:
                yield (*chosen[:free], left, *chosen[free:])


def delta(laws: tuple[Law, Law], growth: Fraction) -> Fraction:
    """The largest P(S) - growth Q(S)."""
    return sum((max(p - growth * q, Fraction(0)) for p, q in zip(*laws, strict=True)), Fraction(0))


def type_ii(laws: tuple[Law, Law], type_i: Fraction) -> Fraction:
    """The least type II error of tests of the first law: outcomes by falling ratio, one in part."""
    left, power = type_i, Fraction(0)
    order = sorted(
        zip(*laws, strict=True),
        key=lambda o: (o[0] > 0, -o[1] / o[0] if o[0] else 0),
    )
    for p, q in order:
        part = min(Fraction(1), left / p) if p else Fraction(1)
        power, left = power + part * q, left - part * p
    return 1 - power
