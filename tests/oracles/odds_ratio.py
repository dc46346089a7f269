"""The test of an odds ratio: laws in exact rationals, and the best test by a linear program."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb, exp
from typing import TypeAlias

import numpy as np
from scipy.optimize import linprog

Law: TypeAlias = Mapping[int, Fraction]


def conditional_law(
    rows: tuple[int, int], column: int, theta1: Fraction, theta2: Fraction
) -> dict[int, Fraction]:
    """The law of x21 given x11 + x21, with x11 ~ Bin(t1, th1) and x21 ~ Bin(t2, th2)."""

    def binomial(n: int, x: int, theta: Fraction) -> Fraction:
        return comb(n, x) * theta**x * (1 - theta) ** (n - x) if 0 <= x <= n else Fraction(0)

    joint = {
        x: binomial(rows[0], column - x, theta1) * binomial(rows[1], x, theta2)
        for x in range(column + 1)
    }
    total = sum(joint.values())
    return {x: mass / total for x, mass in joint.items() if mass}


def odds(theta1: Fraction, theta2: Fraction) -> Fraction:
    """w = [th2/(1 - th2)] / [th1/(1 - th1)]."""
    return theta2 / (1 - theta2) / (theta1 / (1 - theta1))


def law(rows: tuple[int, int], column: int, odds_ratio: Fraction) -> dict[int, Fraction]:
    """The same law from an odds ratio: th1 = 1/2, th2 = w / (1 + w)."""
    return conditional_law(rows, column, Fraction(1, 2), odds_ratio / (1 + odds_ratio))


def best_power(null: Law, alternative: Law, epsilon: float, delta: float, level: float) -> float:
    """The largest power of any test phi(x21) of that size with (epsilon, delta)-DP for moves of 1.

    Lemma 34 in Su's form, phi(x) <= 1 - f(phi(x')), written out: phi(x) <= delta + e^eps phi(x'),
    and 1 - phi(x') <= delta + e^eps (1 - phi(x)).
    """
    counts = sorted(null)
    size, growth = len(counts), exp(epsilon)
    rows, limits = [], []
    for i in range(size - 1):
        for one, other in ((i, i + 1), (i + 1, i)):
            row = np.zeros(size)
            row[one], row[other] = 1, -growth
            rows.append(row)
            limits.append(delta)
            row = np.zeros(size)
            row[one], row[other] = growth, -1
            rows.append(row)
            limits.append(delta + growth - 1)
    found = linprog(
        [-float(alternative[x]) for x in counts],
        A_ub=np.array(rows),
        b_ub=limits,
        A_eq=[[float(null[x]) for x in counts]],
        b_eq=[level],
        bounds=(0, 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.success
    return -float(found.fun)
