"""The error of a two-way table by swap rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semiaudit import deadline, progress
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.cells import Cells, codes_of
from semiaudit.mechanisms.swapping.stratum_loss import sizes_up_to, unit_loss
from semiaudit.mechanisms.swapping.swapped_table import SwappableTable
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.sample import CurveQuestion, SwapError, UtilityCurve


def curve_of(
    question: CurveQuestion,
    cells: Cells,
    columns: Sequence[int],
    strata: SwappableTable,
    part: Swapping,
    source: Randomness,
) -> UtilityCurve:
    """Swap the data repeatedly at each rate, and compare one table with that of the data.

    Args:
        cells: the data.
        columns: the columns of the table's two attributes.
        strata: the same data, ready to be swapped.
        part: the swapping, whose own rate does not count.
        source: of fair bits.

    Raises:
        OutOfTimeError: the time limit was reached.
    """
    before = cells.margin(columns)
    possible = int(np.prod([np.unique(cells.levels[:, at]).size for at in columns]))
    errors, largest = [], strata.largest_changing
    for rate in question.rates:
        loss = unit_loss(rate, sizes_up_to(largest), part.variant, reselection=part.reselection)
        for run in range(1, question.runs + 1):
            progress.doing(f"the utility at the rate {rate}, run {run}")
            deadline.check()
            after, moves = strata.swapped(rate, part, source)
            error = percentage_error(before, after.margin(columns))
            errors.append(SwapError(rate, run, moves.moved, loss.epsilon, error))
    occupied = before.counts.size
    return UtilityCurve(question.table, occupied, possible - occupied, tuple(errors))


def percentage_error(before: Cells, after: Cells) -> float:
    """Return the mean absolute percentage error of counts, over the cells with a record before.

    Returns:
        The mean of |after - before| / before, times 100; in floating point.
    """
    number = before.counts.size
    codes = codes_of(np.concatenate([before.levels, after.levels]))
    counts = np.zeros(number, dtype=np.int64)
    places = np.searchsorted(codes[:number], codes[number:])
    inside = places < number
    inside[inside] = codes[:number][places[inside]] == codes[number:][inside]
    counts[places[inside]] = after.counts[inside]
    return float(100 * np.mean(np.abs(counts - before.counts) / before.counts))
