"""The test of an odds ratio: laws in exact rationals, and the best test by a linear program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, exp
from typing import TypeAlias

import numpy as np
from scipy.optimize import linprog
from scipy.special import ndtr

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


def best_power(
    null: Law, alternative: Law, guarantees: Sequence[tuple[float, float]], level: float
) -> float:
    """The largest power of any test phi(x21) of that size that is private for moves of 1.

    Args:
        guarantees: (epsilon, delta) of each: the test satisfies all of them.

    Lemma 34 in Su's form, phi(x) <= 1 - f(phi(x')), written out: phi(x) <= delta + e^eps phi(x'),
    and 1 - phi(x') <= delta + e^eps (1 - phi(x)).
    """
    counts = sorted(null)
    size = len(counts)
    rows, limits = [], []
    moves = [pair for i in range(size - 1) for pair in ((i, i + 1), (i + 1, i))]
    for epsilon, delta in guarantees:
        growth = exp(epsilon)
        for one, other in moves:
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


def gaussian_guarantees(mu: float) -> list[tuple[float, float]]:
    """(epsilon, delta) of G_mu at many epsilons: Balle and Wang 2018, Theorem 8.

    Tests that satisfy all of them are hardly more than those that satisfy G_mu.
    """
    epsilons = [mu * (mu / 2 + i / 10) for i in range(-int(5 * mu), 40)]
    return [
        (epsilon, float(ndtr(mu / 2 - epsilon / mu) - exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)))
        for epsilon in epsilons
    ]
