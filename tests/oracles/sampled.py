"""Gaussian noise on Poisson samples, slowly: every subset of records, integrals, and directions.

Records are vectors, a dataset is a list of them, and a mixture has one centre for every subset that
may be sampled. On a line everything is a sum of normal tails or a quadrature in mpmath; in the
plane, and in space, densities are added up over a fine grid.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeAlias

import mpmath as mp
import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray
from scipy.special import ndtr

from tests.oracles import balls

Mpf: TypeAlias = "mp.mpf"
Floats = NDArray[np.float64]
Mixture = list[tuple[Mpf, Mpf]]
"""Weights and centres on a line, the noise having variance 1."""


def mixture(records: int, rate: Mpf, spacing: Mpf) -> Mixture:
    """Of as many equal records, by counting subsets."""
    found: dict[int, Mpf] = {}
    for sampled in itertools.product((0, 1), repeat=records):
        taken = sum(sampled)
        mass = rate**taken * (1 - rate) ** (records - taken)
        found[taken] = found.get(taken, mp.mpf(0)) + mass
    return [(mass, taken * spacing) for taken, mass in found.items()]


def density(law: Mixture, x: Mpf) -> Mpf:
    """Of the mixture at x."""
    return mp.fsum(mass * balls.npdf(x - centre) for mass, centre in law)


def above(law: Mixture, x: Mpf) -> Mpf:
    """The mass of the mixture beyond x."""
    return mp.fsum(mass * balls.ncdf(centre - x) for mass, centre in law)


def ends(removed: int, added: int, rate: Mpf, sigma: Mpf) -> tuple[Mixture, Mixture]:
    """The mixture of records that all point to the right, and of records that point to the left."""
    second = mixture(added, rate, 1 / sigma)
    return mixture(removed, rate, 1 / sigma), [(mass, -centre) for mass, centre in second]


def delta_of_step(first: Mixture, second: Mixture, epsilon: Mpf) -> Mpf:
    """E (1 - exp(epsilon - loss))+ for any real epsilon, by bisection for where the loss is it."""
    with ctx.workprec(2 * mp.mp.prec):
        odds = arb(epsilon).exp()
        laws = [[(arb(m), arb(c)) for m, c in law if m] for law in (first, second)]

        def excess(x: Mpf) -> arb:
            """Of the sign of the loss less epsilon: the densities, without a common factor."""
            at = arb(x)
            p, q = (sum((m * (c * at - c * c / 2).exp() for m, c in law), arb(0)) for law in laws)
            return p - odds * q

        reach = mp.mpf(2) ** 20
        low, high = -reach, reach
        if not excess(low) < 0:
            return 1 - mp.exp(epsilon)
        if not excess(high) > 0:
            return mp.mpf(0)
        while high - low > mp.mpf(10) ** (5 - mp.mp.dps):
            middle = (low + high) / 2
            if excess(middle) < 0:
                low = middle
            else:
                high = middle
    return above(first, low) - mp.exp(epsilon) * above(second, low)


def delta_by_quadrature(first: Mixture, second: Mixture, epsilon: Mpf, panels: int) -> Mpf:
    """The integral of the positive part of p - e^epsilon q, which knows of no threshold."""
    places = mp.linspace(-20, 20, panels + 1)

    def positive(x: Mpf) -> Mpf:
        return max(density(first, x) - mp.exp(epsilon) * density(second, x), mp.mpf(0))

    return mp.quad(positive, places, maxdegree=3)


def delta_of_two_steps(
    removed: int, added: int, rate: float, sigma: float, epsilon: float
) -> float:
    """The mean, over the first outcome, of the second step's delta at what is left of epsilon.

    In doubles, over 400,000 outcomes; at its threshold a delta hardly feels where that is.
    """
    with mp.workdps(20):
        laws = [
            [(float(mass), float(centre)) for mass, centre in law]
            for law in ends(removed, added, mp.mpf(rate), mp.mpf(sigma))
        ]
    reach = 10 + max(abs(centre) for law in laws for _, centre in law)
    places = np.linspace(-reach, reach, 400_001)
    first, second = (
        sum(mass * np.exp(centre * places - centre**2 / 2) for mass, centre in law) for law in laws
    )
    losses = np.log(first) - np.log(second)
    rest = np.minimum(epsilon - losses, 600.0)
    thresholds = np.interp(rest, losses, places)
    p, q = (sum(mass * ndtr(centre - thresholds) for mass, centre in law) for law in laws)
    noise = np.exp(-0.5 * places**2) / np.sqrt(2 * np.pi)
    return float(
        (noise * first * np.maximum(p - np.exp(rest) * q, 0)).sum() * (2 * reach / 400_000)
    )


def centres(records: Sequence[Floats], rate: float) -> tuple[Floats, Floats]:
    """Weights and sums of all subsets of records that are vectors of one length."""
    size = len(records[0]) if records else 0
    masses, sums = [], []
    for sampled in itertools.product((0, 1), repeat=len(records)):
        taken = sum(sampled)
        masses.append(rate**taken * (1 - rate) ** (len(records) - taken))
        chosen = [record for record, one in zip(records, sampled, strict=True) if one]
        sums.append(np.sum(chosen, axis=0) if chosen else np.zeros(size))
    return np.array(masses), np.array(sums)


def delta_of_vectors(
    removed: Sequence[Floats], added: Sequence[Floats], rate: float, factors: Floats, cells: int
) -> Floats:
    """The hockey-stick divergences of two datasets at some factors, over a grid of cells.

    Args:
        removed, added: vectors that only one of the datasets has, over sigma; at least one.
        factors: of Q, each above 0.
        cells: of the grid along each axis, which is 8 standard deviations wider than the centres.
    """
    every = [*removed, *added]
    size = len(every[0])
    reach = 8 + sum(float(np.linalg.norm(record)) for record in every)
    edges = np.linspace(-reach, reach, cells + 1)
    axis = (edges[1:] + edges[:-1]) / 2
    places = np.stack(np.meshgrid(*[axis] * size, indexing="ij"), -1).reshape(-1, size)
    volume = (2 * reach / cells) ** size

    def law(records: Sequence[Floats]) -> Floats:
        masses, sums = centres(records, rate)
        sums = sums if records else np.zeros((1, size))
        found = np.zeros(len(places))
        for mass, centre in zip(masses, sums, strict=True):
            found += mass * np.exp(-0.5 * ((places - centre) ** 2).sum(axis=1))
        scaled: Floats = found * (volume / (2 * np.pi) ** (size / 2))
        return scaled

    p, q = law(removed), law(added)
    return np.array([np.maximum(p - factor * q, 0).sum() for factor in factors])
