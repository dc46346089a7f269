"""Cells of the standard normal law: their masses, and averages over a cell."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeVar

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.privacy.loss.sources.loss_source import OMITTED_NATS, UNIT, Floats

NORMAL_REACH = math.sqrt(2 * OMITTED_NATS)
"""The mass of a normal law further out is at most exp(-64)."""

Size = TypeVar("Size", float, Floats)


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Floats, Floats]:
    """Return the nodes and the weights of Gauss and Legendre on [-1, 1], six each."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(6)
    return nodes, weights


def log_normal_cells(middle: Floats, half: Floats) -> Floats:
    """Return ln of the standard normal mass of [middle - half, middle + half]."""

    import numpy as np

    density = -0.5 * middle * middle - 0.5 * math.log(2 * math.pi)
    logs: Floats = density + np.log(2 * half) + log_average(middle, half)
    return logs


def cell_error(size: Size) -> Size:
    """Bound on the relative error of the mass of a cell at most ``size`` from 0.

    Edges are exact doubles. Their difference has a relative rounding error; the rounding of their
    middle moves the cell by size u, which changes its mass by size^2 u.
    """
    return UNIT * (64 + 4 * size * size)


def middles(edges: Floats) -> tuple[Floats, Floats]:
    """Return the middles and half-widths of the cells between edges; one shorter than the edges."""
    return (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2


def log_average(middle: Floats, half: Floats) -> Floats:
    """Return ln of the average of exp(-middle v - v^2 / 2) over v in [-half, half].

    Six Gauss-Legendre nodes; with (|middle| + 5) 2 half <= 1/2 their relative error is below
    (2 half)^12 (6!)^4 / (13 (12!)^3) sup |f^(12)| < 1e-18.

    Raises:
        OutOfTimeError: the time limit was reached; a fine grid has millions of cells.
        RefusedError: an average is not a double, for example if wide noise is sampled very rarely
            and is tilted far; its bracket would not be informative.
    """

    import numpy as np

    deadline.check()
    total = np.zeros_like(middle)
    with np.errstate(over="ignore", invalid="ignore"):
        for node, weight in zip(*_quadrature(), strict=True):
            v = half * node
            total += weight / 2 * np.expm1(-v * (middle + v / 2))
        logs: Floats = np.log1p(total)
    if not np.isfinite(logs).all():
        raise RefusedError(Refusal("the noise is sampled too rarely", "leave out its steps"))
    return logs
