"""Bailie, Gong and Meng: swap rates."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.mechanisms.swapping.stratum_loss import published_bound, sizes_up_to, unit_loss
from semiaudit.model.bound import Bound, upper
from semiaudit.model.figure import Figure, Series
from semiaudit.model.randomizers import SwapVariant

SLIDES = "Bailie, Gong and Meng (slides)"
SOURCE = f"{SLIDES}; docs/swapping.md"
LARGEST = 264_331
"""Two-person households of Massachusetts in 1940."""


def swap_epsilon(
    rate: Fraction,
    stratum: int = LARGEST,
    variant: SwapVariant = "derangement",
    *,
    distance: int = 1,
    reselection: bool = True,
) -> Bound:
    """Return epsilon of swapping for records that differ.

    Args:
        stratum: the number of its records.
        reselection: whether a stratum with one selected record selects again.
    """
    sizes = sizes_up_to(stratum)
    epsilon = unit_loss(Fraction(rate), sizes, variant, reselection=reselection).epsilon
    return upper(distance * epsilon, "swapping", SOURCE)


def printed_swap_epsilon(rate: Fraction, stratum: int) -> Bound:
    """Return the formula of the slides for epsilon of swapping."""
    return upper(published_bound(Fraction(rate), stratum), "swapping", SOURCE)


def swap_rates() -> tuple[Figure, ...]:
    """Return epsilon for each record that differs, by swap rate and stratum."""
    rates = [Fraction(place, 80) for place in range(1, 80)]
    figure = Figure(
        "swapping",
        "Swap rate and epsilon, by the largest stratum b",
        "swap rate",
        "epsilon per record",
        tuple(
            Series(
                f"b = {size}",
                tuple((float(p), float(printed_swap_epsilon(p, size))) for p in rates),
            )
            for size in (10, 100, 10_000, LARGEST)
        ),
        note="Every epsilon above the least one belongs to two swap rates; for one rate, the "
        "larger b, the larger epsilon.",
    )
    return (figure,)
