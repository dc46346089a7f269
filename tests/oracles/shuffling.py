"""Slow reference values for shuffled reports, from the definitions; shares no code with them.

Pairs are dictionaries from outcomes to mpmath reals at 50 digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath

mp: Any = mpmath.mp
mp.dps = 50
Law = dict[tuple[int, ...], Any]


def hockey_stick(first: Law, second: Law, epsilon: Any) -> Any:
    """sup over sets S of first(S) - e^epsilon second(S)."""
    growth = mp.exp(epsilon)
    zero = mp.mpf(0)
    return mp.fsum(
        max(mass - growth * second.get(outcome, zero), zero) for outcome, mass in first.items()
    )


def clones(reports: int, epsilon0: Any) -> tuple[Law, Law]:
    """(A + D, C - A + 1 - D) against (A + 1 - D, C - A + D), term by term."""
    local = mp.exp(epsilon0)
    rate, keep = 2 / (local + 1), local / (local + 1)
    first: Law = {}
    second: Law = {}
    for c in range(reports):
        of_c = mp.binomial(reports - 1, c) * rate**c * (1 - rate) ** (reports - 1 - c)
        for a in range(c + 1):
            of_a = of_c * mp.binomial(c, a) / mp.mpf(2) ** c
            for d, of_d in ((1, keep), (0, 1 - keep)):
                for law, key in ((first, (a + d, c - a + 1 - d)), (second, (a + 1 - d, c - a + d))):
                    law[key] = law.get(key, mp.mpf(0)) + of_a * of_d
    return first, second


def shuffled(rows: Sequence[Sequence[Any]]) -> Law:
    """The law of the counts of each output, one user a row of output probabilities."""
    law: Law = {(0,) * len(rows[0]): mp.mpf(1)}
    for row in rows:
        following: Law = {}
        for counts, mass in law.items():
            for output, chance in enumerate(row):
                key = (*counts[:output], counts[output] + 1, *counts[output + 1 :])
                following[key] = following.get(key, mp.mpf(0)) + mass * chance
        law = following
    return law
