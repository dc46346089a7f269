"""Bailie, Gong and Meng: swap rates, small strata, the curve of 1940, and roots of rho."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt

import numpy as np

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.procedures.swapping import LARGEST, SLIDES, swap_epsilon
from semiaudit.commands.reproduce.results import floating, report_of, simulated
from semiaudit.commands.sample.swap import curve_of
from semiaudit.library.mechanisms import GDP
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.cells import Cells, cells_of
from semiaudit.mechanisms.swapping.stratum_loss import published_bound, sizes_up_to, unit_loss
from semiaudit.mechanisms.swapping.swapped_table import SwappableTable, exchange
from semiaudit.model.bound import Bound, upper
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.sample import CurveQuestion
from semiaudit.numeric.intervals import Interval

STRATA = 200_000
CURVE = tuple(Fraction(percent, 100) for percent in (1, 5, 10, 20, 30, 40, 50))
RUNS = 20
"""The number of runs of each box plot of the slides."""

SEED = 1940


def slack_of_the_formula(rate: Fraction, stratum: int) -> Estimate:
    """Return the excess of the slides' formula over epsilon."""
    own = unit_loss(Fraction(rate), sizes_up_to(stratum), "derangement", reselection=True).epsilon
    slack = float(published_bound(Fraction(rate), stratum) - own)
    return floating(slack, "the difference of two upper bounds")


def rate_of_the_least_epsilon() -> Estimate:
    """Return the swap rate at which epsilon is smallest."""
    return floating(float(_least_rate()), "the rate at which both branches are equal")


def least_swap_epsilon() -> Bound:
    return swap_epsilon(_least_rate())


def _least_rate() -> Fraction:
    root = Fraction(isqrt((LARGEST + 1) * 10**24), 10**12)
    return root / (1 + root)


def selected_share(rate: Fraction, stratum: int) -> Estimate:
    """Return the share of records that the algorithm selects in the end."""
    sizes = np.full(STRATA, stratum)
    source = Randomness(SEED)
    exchanged = exchange(sizes, Fraction(rate), deranged=True, reselection=True, source=source)
    return simulated(float(exchanged.selected.mean()), f"of {STRATA} strata of {stratum}")


def root_of_rho(spec: str) -> Bound:
    return _root(report_of(spec).nominal_dp.rho, f"{SLIDES}; erratum E11")


def root_of_gaussian_rho(mu: Fraction) -> Bound:
    return _root(GDP(mu).guarantee().rho, SLIDES)


def _root(rho: Bound | None, source: str) -> Bound:
    if rho is None:
        raise ValueError("no rho is known")
    return upper(Interval.of(Fraction(rho.value)).sqrt(), "zcdp", source)


COUNTIES, LARGEST_HOUSEHOLD, DWELLINGS = 14, 6, 20_000
SIZE, COUNTY, TENURE = 0, 1, 2
"""The columns of a dwelling."""


def swapped_dwellings() -> dict[str, bool]:
    """Check the shape of the curve of 1940 on constructed dwellings; the slides lack the real ones.

    Returns:
        ``rises``: whether the median error grows with the swap rate. For each of the three two-way
        margins: whether swapping half of the dwellings keeps it.
    """
    errors, same = _curve_of_1940()
    medians = [float(np.median(errors[rate])) for rate in CURVE]
    return {"rises": medians == sorted(set(medians)), **same}


@cache
def _curve_of_1940() -> tuple[dict[Fraction, np.ndarray], dict[str, bool]]:
    """Return the errors of each run by swap rate, and which margins stay."""
    cells, source = _dwellings(), Randomness(SEED)
    part = Swapping(Fraction(1, 2), stratify_by=("size",), swap=("county",))
    strata = SwappableTable(cells, [SIZE], [COUNTY])
    question = CurveQuestion(("county", "tenure"), CURVE, RUNS)
    curve = curve_of(question, cells, [COUNTY, TENURE], strata, part, source)
    errors = {
        rate: np.array([one.error for one in curve.errors if one.rate == rate]) for rate in CURVE
    }
    after, _ = strata.swapped(Fraction(1, 2), part, source)

    def kept(columns: list[int]) -> bool:
        old, new = cells.margin(columns), after.margin(columns)
        return np.array_equal(old.levels, new.levels) and np.array_equal(old.counts, new.counts)

    return errors, {
        "keeps_size_by_tenure": kept([SIZE, TENURE]),
        "keeps_size_by_county": kept([SIZE, COUNTY]),
        "keeps_county_by_tenure": kept([COUNTY, TENURE]),
    }


def _dwellings() -> Cells:
    """Return household size x county x tenure: counties of different sizes, and owners' shares."""
    weights = {
        (size, county, tenure): (county + 1) ** 2
        * (LARGEST_HOUSEHOLD - abs(size - 1))
        * ((30 + 3 * county) if tenure else (70 - 3 * county))
        for size in range(LARGEST_HOUSEHOLD)
        for county in range(COUNTIES)
        for tenure in range(2)
    }
    total = sum(weights.values())
    counts = {cell: DWELLINGS * weight // total for cell, weight in weights.items()}
    return cells_of({cell: count for cell, count in counts.items() if count}, 3)
