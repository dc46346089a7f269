"""The view of a swap: what was selected and moved, what is kept, and the errors of tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from semiaudit.model.results.sample import SampledPart, SampledSwap, UtilityCurve
from semiaudit.numeric.rationals import decimal_text_up, rational_text
from semiaudit.report.text.layout import Grid, Lines

_PLACES = 4
"""Decimals of an epsilon, rounded up."""


def swap_lines(sampled_swap: SampledSwap, part: SampledPart) -> Lines:
    """Describe what a swap did, and its exactness."""
    how = (("sampler", part.method), ("exactness", part.exactness))
    return Lines("The swap", (*_said(sampled_swap), *how))


def _said(sampled_swap: SampledSwap) -> Iterator[tuple[str, str]]:
    part = sampled_swap.part
    inside = ", ".join(part.stratify_by)
    exchanged = ", ".join(part.swap)
    where = f"among records with the same {inside}" if inside else "among all records"
    yield "exchanged", f"{exchanged}, {where}"
    rate = "" if part.rate is None else rational_text(part.rate)
    yield "swap rate", rate
    strata, moves = sampled_swap.strata, sampled_swap.moves
    records = _of(sampled_swap.records, "record")
    summary = f"{strata.number} with {records}; the largest has {strata.largest}"
    yield "strata", f"{summary}; {strata.single} with one record, which stays"
    yield "selected", _of(moves.selected, "record")
    if part.reselection:
        again = f" ({_of(moves.selections, 'reselection')})" if moves.reselected else ""
        yield "reselected", f"{_of(moves.reselected, 'stratum', 'strata')}{again}"
    else:
        alone = _of(moves.alone, "stratum", "strata")
        yield "alone", f"{alone} where only one record was selected; it stayed"
    has = "has" if moves.moved == 1 else "have"
    yield "moved", f"{_of(moves.moved, 'record')} now {has} a different {exchanged}"
    kept = "; ".join(" * ".join(margin) for margin in sampled_swap.kept)
    yield "kept", f"{kept}: exactly as before; verified by a new count"
    if sampled_swap.left_out:
        yield "left out", ", ".join(sampled_swap.left_out)


def utility_grid(curve: UtilityCurve) -> Grid:
    """Return the error of a table at each rate, over all runs."""
    rows = []
    for rate, group in groupby(curve.errors, key=lambda one: one.rate):
        runs = list(group)
        errors = [one.error for one in runs]
        moved = sum(one.moved for one in runs) / len(runs)
        mean = sum(errors) / len(errors)
        shown = (f"{value:.4g}" for value in (mean, min(errors), max(errors)))
        epsilon = decimal_text_up(runs[0].epsilon, _PLACES)
        rows.append((rational_text(rate), epsilon, str(len(runs)), f"{moved:.1f}", *shown))
    notes = [
        "ε: the privacy loss for each record that differs, inside Dₜ",
        f"MAPE: the mean of |after - before| / before, in percent, over the "
        f"{_of(curve.cells, 'cell')} with a record",
    ]
    if curve.empty:
        left = f"{_of(curve.empty, 'cell')} without a record {'is' if curve.empty == 1 else 'are'}"
        notes.append(f"{left} left out, because a count of 0 has no percentage error")
    return Grid(
        f"Error of {' * '.join(curve.table)}",
        ("swap rate", "ε", "runs", "moved, mean", "MAPE %, mean", "least", "most"),
        tuple(rows),
        (True,) * 7,
        tuple(notes),
    )


def _of(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
