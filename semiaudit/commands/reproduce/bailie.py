"""Bailie, Gong and Meng: the swap rates, the curve of 1940, TopDown, and the divergences."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from semiaudit.commands.reproduce.found import (
    Found,
    answered,
    floating,
    known,
    shipped_report,
)
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import Bound, upper
from semiaudit.model.figure import Figure, Series

if TYPE_CHECKING:
    from semiaudit.mechanisms.sampling.cells import Cells
    from semiaudit.model.swapping import SwapVariant

SOURCE = "Bailie, Gong and Meng (slides)"
LARGEST = 264_331
"""Two-person households of Massachusetts in 1940."""

RATES = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10), Fraction(1, 2))
CURVE = (
    Fraction(1, 100),
    Fraction(1, 20),
    Fraction(1, 10),
    Fraction(1, 5),
    Fraction(3, 10),
    Fraction(2, 5),
    Fraction(1, 2),
)
RUNS = 20
"""As each box plot of the slides has."""

SEED = 1940


def swapping() -> Found:
    """epsilon per record that differs, by swap rate; small strata; uniform permutations."""
    from semiaudit.mechanisms.swapping.bounds import published_bound, sizes_up_to, unit_loss

    def bound(value: Fraction) -> Bound:
        return upper(value, "swapping", f"{SOURCE}; docs/swapping.md")

    def own(rate: Fraction, size: int, variant: SwapVariant = "derangement") -> Bound:
        return bound(unit_loss(rate, sizes_up_to(size), variant, reselection=True).epsilon)

    half = Fraction(1, 2)
    numbers: dict[str, Ours] = {}
    for rate in RATES:
        numbers[f"epsilon_at_{float(rate):g}"] = own(rate, LARGEST)
    root = Fraction(isqrt((LARGEST + 1) * 10**24), 10**12)
    least = root / (1 + root)
    per_record = unit_loss(half, sizes_up_to(LARGEST), "derangement", reselection=True).epsilon
    numbers |= {
        "least_rate": floating(float(least), "the rate at which both branches are equal"),
        "least_epsilon": own(least, LARGEST),
        "at_distance_2": bound(2 * per_record),
        "at_distance_3": bound(3 * per_record),
        "formula_of_2": bound(published_bound(half, 2)),
        "stratum_of_2": own(half, 2),
        "stratum_of_3": own(Fraction(1, 100), 3),
        "stratum_of_4": own(half, 4),
        "uniform_of_4": own(Fraction(7, 10), 4, "uniform"),
    }
    rates = [Fraction(place, 80) for place in range(1, 80)]
    sizes = (10, 100, 10_000, LARGEST)
    figure = Figure(
        "swapping",
        "Swap rate and epsilon, by the largest stratum b",
        "swap rate",
        "epsilon per record",
        tuple(
            Series(
                f"b = {size}",
                tuple((float(p), float(bound(published_bound(p, size)))) for p in rates),
            )
            for size in sizes
        ),
        note="Every epsilon above the least one belongs to two swap rates; for one rate, the "
        "larger b, the larger epsilon.",
    )
    return Found(numbers, (figure,))


COUNTIES, LARGEST_HOUSEHOLD, DWELLINGS = 14, 6, 20_000


def census_1940() -> Found:
    """The shape of the curve of 1940, on made-up dwellings: the real ones are not in the slides."""
    import numpy as np

    from semiaudit.commands.sample.utility import CurveQuestion, curve_of
    from semiaudit.mechanisms.sampling.randomness import Randomness
    from semiaudit.mechanisms.sampling.swapped_table import Strata
    from semiaudit.model.swapping import Swapping

    cells, source = _dwellings(), Randomness(SEED)
    size, county, tenure = 0, 1, 2
    part = Swapping(Fraction(1, 2), stratify_by=("size",), swap=("county",))
    strata = Strata(cells, [size], [county])
    question = CurveQuestion(("county", "tenure"), CURVE, RUNS)
    curve = curve_of(question, cells, [county, tenure], strata, part, source)
    errors = {
        rate: np.array([one.error for one in curve.errors if one.rate == rate]) for rate in CURVE
    }
    medians = [float(np.median(errors[rate])) for rate in CURVE]
    after, _ = strata.swapped(Fraction(1, 2), part, source)

    def kept(columns: list[int]) -> str:
        old, new = cells.margin(columns), after.margin(columns)
        same = np.array_equal(old.levels, new.levels) and np.array_equal(old.counts, new.counts)
        return answered(same)

    numbers: dict[str, Ours] = {
        "rises_with_the_rate": answered(medians == sorted(set(medians))),
        "keeps_size_by_tenure": kept([size, tenure]),
        "keeps_size_by_county": kept([size, county]),
        "keeps_county_by_tenure": kept([county, tenure]),
    }
    rates = [100 * float(rate) for rate in CURVE]
    lines = {
        "largest of 20 runs": [float(errors[rate].max()) for rate in CURVE],
        "median of 20 runs": medians,
        "smallest of 20 runs": [float(errors[rate].min()) for rate in CURVE],
    }
    figure = Figure(
        "census-1940",
        "Ownership by county after swapping",
        "swap rate, in percent",
        "mean absolute percentage error",
        tuple(Series(name, tuple(zip(rates, ys, strict=True))) for name, ys in lines.items()),
        note=f"{cells.records} made-up dwellings in {COUNTIES} counties: the shape alone is "
        "compared, since the data of 1940 are not in the slides.",
    )
    note = "Simulated on made-up dwellings; the errors of the slides are not reproduced."
    return Found(numbers, (figure,), (note,))


def _dwellings() -> Cells:
    """Household size x county x tenure: counties of very different sizes, and owners' shares."""
    from semiaudit.mechanisms.sampling.cells import cells_of

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


def topdown() -> Found:
    """The budgets of TopDown in both units, and the divergences of the slides."""
    from semiaudit.library.mechanisms import GDP, Finite
    from semiaudit.library.specification import lipschitz
    from semiaudit.numeric.intervals import Interval

    pair = Finite(rows=[[0], [1]], probabilities=[["1/2", "1/2"], ["1/4", "3/4"]])
    numbers: dict[str, Ours] = {
        "mult": lipschitz(pair)[0].upper,
        "d_nor": lipschitz(pair, divergence="d_nor")[0].upper,
        "rho_of_a_gaussian": known(GDP("1.3").guarantee().rho),
    }
    for name, config in (("pl94", "census2020_pl94_with_housing"), ("dhc", "census2020_dhc")):
        report = shipped_report(config)
        rho = report.nominal_dp.rho
        numbers[f"rho_{name}"] = known(rho)
        numbers[f"rho_{name}_at_distance_2"] = known(report.semi_dp.rho)
        if rho is not None:
            root = Interval.of(Fraction(rho.value)).sqrt()
            numbers[f"d_nor_{name}"] = upper(root, "zcdp", f"{SOURCE}; erratum E11")
    return Found(numbers)
