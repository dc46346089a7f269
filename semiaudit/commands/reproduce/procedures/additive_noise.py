"""Cho and Awan, Figures 2 and 3: the L2 costs of additive noise, as printed and as corrected.

The figures print no numbers. The procedures are published, and the costs follow from them: noise is
additive, so neither the data nor the two models of section 5.2 matter. mu is not printed either,
and is 1 here; costs are in proportion to 1 / mu, and to 1 / epsilon.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.spatial import ConvexHull

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.procedures.tables import block_of, moves_of, table_space
from semiaudit.commands.reproduce.results import floating, simulated
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.hulls.rejection import Rejection
from semiaudit.mechanisms.sampling.norm_balls import NormBallNoise
from semiaudit.model.figure import Figure, Series

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

SIZES = range(2, 11)
"""The sizes k of the k x k tables."""

Space = Literal["printed", "corrected"]
DISTANCES: dict[Space, int] = {"printed": 2, "corrected": 3}
"""The distance of each sensitivity space: the printed one if k is 3 or more (E2), and a(t)."""

LISTED = 5
"""The most rows of a table whose sensitivity space comes from the audit."""

CHI = "the mean length of Gaussian noise of that rank, by the Gamma function"
Norm = Literal["l1", "l2", "linf"]
NORMS: tuple[Norm, ...] = get_args(Norm)
SENSITIVITIES: dict[Norm, float] = {"l1": 2.0, "l2": math.sqrt(2), "linf": 1.0}
"""The sensitivities of a table of counts in all of D, between neighbors (section 5.2)."""

ALGORITHMS: dict[Norm, str] = {"l1": "Algorithm 4", "l2": "Algorithm 5", "linf": "Algorithm 6"}

DRAWS = 40_000
SEED = 2026


def gaussian_cost(k: int, space: Space | Literal["naive"]) -> Estimate:
    """Return the mean L2 cost of Gaussian noise on a k x k table, mu = 1 (Figure 2)."""
    if space == "naive":  # sensitivity sqrt(2), times 3, on all k^2 cells
        return floating(3 * math.sqrt(2) * _mean_chi(k * k), CHI)
    words = {"printed": "as printed", "corrected": "as the audit has it at a(t) = 3"}[space]
    return floating(_gaussian_cost(k, DISTANCES[space]), f"{CHI}; S {words}")


def _gaussian_cost(k: int, distance: int) -> float:
    """Return Delta_2 of the sensitivity space times the mean length of standard noise in its span.

    Three records that change and keep both margins touch at most three rows and three columns, so
    the norm of a larger table is that of ``LISTED``; the rank is Proposition 25's.
    """
    space = table_space(min(k, LISTED), min(k, LISTED), distance)
    return math.sqrt(space.l2_squared.value) * _mean_chi((k - 1) ** 2)


def _mean_chi(freedom: int) -> float:
    """Return the mean of the chi distribution: sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2)."""
    return math.sqrt(2) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))


def figure_2() -> tuple[Figure, ...]:
    """Return Figure 2: Gaussian noise, k from 2 to 10, mu = 1."""
    lines: dict[Space | Literal["naive"], str] = {
        "naive": "naive, sensitivity 3 sqrt(2)",
        "corrected": "Algorithm 1, corrected",
        "printed": "Algorithm 1, as printed",
    }
    figure = Figure(
        "figure-2",
        "Figure 2: Gaussian noise on k x k tables, mu = 1",
        "k",
        "mean L2 cost",
        tuple(
            Series(words, tuple((float(k), gaussian_cost(k, space).value) for k in SIZES))
            for space, words in lines.items()
        ),
        note="Corrected: at a(t) = 3 the sensitivity of tables with k >= 3 is sqrt(6), not 2 "
        "(erratum E2). The data do not matter, nor do Models I and II.",
    )
    return (figure,)


@dataclass(frozen=True, slots=True)
class Sampled:
    """K-norm noise at epsilon 1, sampled.

    Attributes:
        cost: the mean L2 norm. accepted: the share of the points of a box that are in the hull.
    """

    cost: Estimate
    accepted: Estimate


@cache
def k_norm_noise(k: int, space: Space) -> Sampled:
    """Run Algorithm 3 on a k x k table (Figure 3)."""
    rejection, basis, facets = _rejection(k, DISTANCES[space])
    drawn = rejection.draw(DRAWS, np.random.default_rng(SEED))
    cost = float(np.linalg.norm(drawn @ basis, axis=1).mean())
    return Sampled(
        simulated(cost, f"Algorithm 3, {DRAWS} samples, {facets} facets"),
        simulated(rejection.kept / rejection.tried, f"of {rejection.tried} points"),
    )


def _rejection(k: int, distance: int) -> tuple[Rejection, Floats, int]:
    inner = block_of(moves_of(k, distance), k)
    basis = np.zeros((inner.shape[1], k * k))
    for place in range(inner.shape[1]):
        row, column = divmod(place, k - 1)
        table = np.zeros((k, k))
        table[row + 1, column + 1] = table[0, 0] = 1
        table[row + 1, 0] = table[0, column + 1] = -1
        basis[place] = table.reshape(-1)
    walls = np.array([[1.0], [-1.0]]) if inner.shape[1] == 1 else walls_of(inner)
    return Rejection(inner, walls), basis, len(walls)


def walls_of(points: npt.NDArray[np.int64]) -> Floats:
    """Return functionals that are at most 1 exactly on the hull: number of facets x rank."""
    equations = ConvexHull(points).equations
    units: Floats = np.unique((equations[:, :-1] / -equations[:, -1:]).round(9), axis=0)
    return units


@cache
def naive_k_norm_cost(norm: Norm, k: int) -> Estimate:
    """Return the mean L2 norm of noise for three times the sensitivity in D, at epsilon 1."""
    drawn = NormBallNoise(norm, k * k).draw(DRAWS, np.random.default_rng(SEED))
    cost = 3 * SENSITIVITIES[norm] * float(np.linalg.norm(drawn, axis=1).mean())
    return simulated(cost, f"{ALGORITHMS[norm]}, {DRAWS} samples")


def figure_3() -> tuple[Figure, ...]:
    """Return Figure 3: K-norm noise, k of 2 and 3, and three privacy parameters."""
    return tuple(map(_figure_3, (2, 3)))


def _figure_3(k: int) -> Figure:
    costs: dict[str, float] = {f"naive, {norm}": naive_k_norm_cost(norm, k).value for norm in NORMS}
    costs["K-norm, corrected"] = k_norm_noise(k, "corrected").cost.value
    costs["K-norm, as printed"] = k_norm_noise(k, "printed").cost.value
    epsilons: tuple[Any, ...] = (Fraction(1, 10), Fraction(1, 2), Fraction(1))
    note = "" if k == 2 else "Corrected: the hull has twelve corners more at a(t) = 3 (erratum E2)."
    return Figure(
        f"figure-3-k{k}",
        f"Figure 3: K-norm noise, k = {k}",
        "epsilon",
        "mean L2 cost",
        tuple(
            Series(words, tuple((float(e), cost / float(e)) for e in epsilons))
            for words, cost in costs.items()
        ),
        logarithmic=frozenset("y"),
        note=note,
    )
