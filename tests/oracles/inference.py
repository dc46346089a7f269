"""Guessing which of several laws an outcome is from: exactly, outcome by outcome."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

Law = Sequence[Fraction]


def success(prior: Sequence[Fraction], laws: Sequence[Law]) -> Fraction:
    """How often the best guess is right: every outcome speaks for the likeliest value."""
    outcomes = range(len(laws[0]))
    return sum(
        (max(p * law[y] for p, law in zip(prior, laws, strict=True)) for y in outcomes), Fraction(0)
    )


def type_ii(laws: Sequence[Law], type_i: Fraction) -> Fraction:
    """The least type II error at a type I error between any two of the laws, in either order."""
    return min(_least(first, second, type_i) for first, second in permutations(laws, 2))


def _least(first: Law, second: Law, type_i: Fraction) -> Fraction:
    """Neyman and Pearson: outcomes by their likelihood ratios, the last one in part."""
    pairs = sorted(zip(first, second, strict=True), key=lambda p: (p[0] > 0, _ratio(p)))
    left, missed = type_i, Fraction(1)
    for p, q in pairs:
        if p <= left:
            left, missed = left - p, missed - q
        else:
            return missed - q * left / p
    return missed


def _ratio(pair: tuple[Fraction, Fraction]) -> Fraction:
    p, q = pair
    return -q / p if p else Fraction(0)


def delta(laws: Sequence[Law], growth: Fraction) -> Fraction:
    """The largest sum of (p - growth q)+ over all ordered pairs, growth being exp(epsilon)."""
    return max(
        sum((max(p - growth * q, Fraction(0)) for p, q in zip(*pair, strict=True)), Fraction(0))
        for pair in permutations(laws, 2)
    )
