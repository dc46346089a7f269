"""Cho and Awan, Figures 2 and 3: the L2 costs of additive noise, as printed and as corrected.

The figures print no numbers. What is published are the procedures, and the costs follow from them:
noise is additive, so that neither the data nor the two models of section 5.2 matter. mu is not
printed either, and is 1 here; costs are in proportion to 1 / mu, and to 1 / epsilon.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

from semiaudit.commands.reproduce.cho_awan import table_changes, table_space
from semiaudit.commands.reproduce.found import Found, audited, floating, known, simulated
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.figure import Figure, Series

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

SIZES = range(2, 11)
"""k of the tables of k x k cells."""

SEMI, PRINTED = 3, 2
"""a(t), and the distance whose sensitivity space is the printed one where k is 3 or more (E2)."""

LISTED = 5
"""Tables up to so many rows have their sensitivity space from the audit."""

CHI = "the mean length of Gaussian noise of that rank, by the Gamma function"
Norm = Literal["l1", "l2", "linf"]
NORMS: tuple[Norm, ...] = get_args(Norm)
SENSITIVITIES: dict[Norm, float] = {"l1": 2.0, "l2": math.sqrt(2), "linf": 1.0}
"""Of a table of counts in all of D, between neighbours (section 5.2)."""

ALGORITHMS: dict[Norm, str] = {"l1": "Algorithm 4", "l2": "Algorithm 5", "linf": "Algorithm 6"}

DRAWS = 40_000
SEED = 2026


def figure_2() -> Found:
    """Gaussian noise, k from 2 to 10, mu = 1."""
    numbers: dict[str, Ours] = {}
    printed, corrected, naive = [], [], []
    for k in SIZES:
        old = _gaussian_cost(k, PRINTED)
        new = _gaussian_cost(k, SEMI)
        # The naive noise has sensitivity sqrt(2), three times, on all k^2 cells.
        other = 3 * math.sqrt(2) * _mean_chi(k * k)
        numbers[f"procedure_{k}"] = floating(old, f"{CHI}; S as printed")
        numbers[f"ours_{k}"] = floating(new, f"{CHI}; S as the audit has it at a(t) = 3")
        numbers[f"naive_{k}"] = floating(other, CHI)
        printed.append((float(k), old))
        corrected.append((float(k), new))
        naive.append((float(k), other))
    margins = [{"margin": ["row"]}, {"margin": ["column"]}]
    noise = {"gaussian": {"sigma": 2, "query": "table", "support": "sensitivity_space"}}
    space = {"size": 500, "attributes": {"row": 3, "column": 3}}
    numbers["mu_as_printed"] = known(audited(space, noise, invariants=margins).semi_dp.mu)
    figure = Figure(
        "figure-2",
        "Figure 2: Gaussian noise on k x k tables, mu = 1",
        "k",
        "mean L2 cost",
        (
            Series("naive, sensitivity 3 sqrt(2)", tuple(naive)),
            Series("Algorithm 1, corrected", tuple(corrected)),
            Series("Algorithm 1, as printed", tuple(printed)),
        ),
        note="Corrected: at a(t) = 3 the sensitivity of tables with k >= 3 is sqrt(6), not 2 "
        "(erratum E2). The data do not matter, nor do Models I and II.",
    )
    return Found(numbers, (figure,))


def _gaussian_cost(k: int, distance: int) -> float:
    """Delta_2 of the sensitivity space times the mean length of standard noise in its span.

    Three records that change and keep both margins touch three rows and three columns at most, so
    that the norm of a larger table is that of ``LISTED``; the rank is Proposition 25's.
    """
    found = table_space(min(k, LISTED), min(k, LISTED), distance)
    return math.sqrt(found.l2_squared.value) * _mean_chi((k - 1) ** 2)


def _mean_chi(freedom: int) -> float:
    """The mean of the chi distribution: sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2)."""
    return math.sqrt(2) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))


def figure_3() -> Found:
    """K-norm noise, k of 2 and 3, and three privacy parameters."""
    numbers: dict[str, Ours] = {}
    costs: dict[str, dict[int, float]] = {}

    def put(name: str, k: int, value: Ours, cost: float) -> None:
        numbers[f"{name}_{k}"] = value
        costs.setdefault(name, {})[k] = cost

    for k in (2, 3):
        for name, distance in (("procedure", PRINTED), ("ours", SEMI)):
            rejection, spread = _rejection(k, distance)
            cost = _mean_length(rejection, spread)
            told = f"Algorithm 3, {DRAWS} draws, {spread[1]}"
            put(name, k, simulated(cost, told), cost)
            if k == 3:
                share = rejection.kept / rejection.tried
                numbers[f"accepted_{name}"] = simulated(share, f"of {rejection.tried} points")
        if k == SEMI:
            most = float(
                (_walls(block_of(moves_of(k, PRINTED), k)) @ block_of(moves_of(k, SEMI), k).T).max()
            )
            numbers["epsilon_as_printed"] = floating(most, "the largest gauge of a move")
        for norm in NORMS:
            cost = _naive(norm, k * k)
            put(norm, k, simulated(cost, f"{ALGORITHMS[norm]}, {DRAWS} draws"), cost)
    return Found(numbers, tuple(_figure_3(k, costs) for k in (2, 3)))


def _figure_3(k: int, costs: dict[str, dict[int, float]]) -> Figure:
    told = {
        "l1": "naive, l1",
        "l2": "naive, l2",
        "linf": "naive, linf",
        "ours": "K-norm, corrected",
        "procedure": "K-norm, as printed",
    }
    epsilons = (Fraction(1, 10), Fraction(1, 2), Fraction(1))
    series = [
        Series(words, tuple((float(e), costs[name][k] / float(e)) for e in epsilons))
        for name, words in told.items()
    ]
    note = "" if k == 2 else "Corrected: the hull has twelve corners more at a(t) = 3 (erratum E2)."
    title = f"Figure 3: K-norm noise, k = {k}"
    return Figure(
        f"figure-3-k{k}",
        title,
        "epsilon",
        "mean L2 cost",
        tuple(series),
        logarithmic=frozenset("y"),
        note=note,
    )


def _rejection(k: int, distance: int) -> tuple[Any, tuple[Floats, str]]:
    """Algorithm 3 on a k x k table: the sampler, and the tables that its weights stand for."""
    import numpy as np

    from semiaudit.mechanisms.sampling.rejection import Rejection

    inner = block_of(moves_of(k, distance), k)
    basis = np.zeros((inner.shape[1], k * k))
    for place in range(inner.shape[1]):
        row, column = divmod(place, k - 1)
        table = np.zeros((k, k))
        table[row + 1, column + 1] = table[0, 0] = 1
        table[row + 1, 0] = table[0, column + 1] = -1
        basis[place] = table.reshape(-1)
    walls = np.array([[1.0], [-1.0]]) if inner.shape[1] == 1 else _walls(inner)
    return Rejection(inner, walls), (basis, f"{len(walls)} facets")


def moves_of(k: int, distance: int) -> npt.NDArray[np.int64]:
    """The corners of the hull of S_Semi, as the audit lists them: number x k^2."""
    import numpy as np

    listed = np.array(table_changes(k, k, distance), dtype=np.int64)
    return np.unique(np.concatenate([listed, -listed]), axis=0)


def block_of(moves: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """The lower right blocks of tables, which tell them: number x (k - 1)^2."""
    return moves.reshape(-1, k, k)[:, 1:, 1:].reshape(len(moves), -1)


def _walls(points: npt.NDArray[np.int64]) -> Floats:
    """Functionals that are at most 1 exactly on the hull: number of facets x rank."""
    import numpy as np
    from scipy.spatial import ConvexHull

    equations = ConvexHull(points).equations
    found: Floats = np.unique((equations[:, :-1] / -equations[:, -1:]).round(9), axis=0)
    return found


def _mean_length(rejection: Any, spread: tuple[Floats, str]) -> float:
    """The mean L2 norm of the noise at epsilon 1."""
    import numpy as np

    drawn = rejection.draw(DRAWS, np.random.default_rng(SEED))
    return float(np.linalg.norm(drawn @ spread[0], axis=1).mean())


def _naive(norm: Norm, cells: int) -> float:
    """The mean L2 norm of noise for three times the sensitivity in D, at epsilon 1."""
    import numpy as np

    from semiaudit.mechanisms.sampling.norm_balls import NormBall

    drawn = NormBall(norm, cells).draw(DRAWS, np.random.default_rng(SEED))
    return 3 * SENSITIVITIES[norm] * float(np.linalg.norm(drawn, axis=1).mean())
