"""A swap, arranged for reading: what was selected and moved, what is kept, what tables lose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from semiaudit.model.sample import SampledPart, SampledSwap, UtilityCurve
from semiaudit.numeric.rationals import decimal_text_up, rational_text
from semiaudit.report.text.layout import Grid, Lines

_PLACES = 4
"""Decimals of an epsilon, rounded up."""


def swap_lines(sampled_swap: SampledSwap, part: SampledPart) -> Lines:
    """What a swap did, and how exactly."""
    how = (("by", part.method), ("exactness", part.exactness))
    return Lines("The swap", (*_said(sampled_swap), *how))


def _said(sampled_swap: SampledSwap) -> Iterator[tuple[str, str]]:
    part = sampled_swap.part
    inside = ", ".join(part.stratify_by)
    exchanged = ", ".join(part.swap)
    where = f"among records of equal {inside}" if inside else "among all records"
    yield "exchanged", f"{exchanged}, {where}"
    rate = "" if part.rate is None else rational_text(part.rate)
    yield "swap rate", rate
    strata, moves = sampled_swap.strata, sampled_swap.moves
    summary = (
        f"{strata.number} of {_of(sampled_swap.records, 'record')}, the largest of {strata.largest}"
    )
    yield "strata", f"{summary}; {strata.single} of one record, which stays"
    yield "selected", _of(moves.selected, "record")
    if part.reselection:
        times = f", {_of(moves.selections, 'time')} in all" if moves.reselected else ""
        yield "reselected", f"{_of(moves.reselected, 'stratum', 'strata')}{times}"
    else:
        alone = _of(moves.alone, "stratum", "strata")
        yield "alone", f"{alone} of which one record was selected, and stayed"
    has = "has" if moves.moved == 1 else "have"
    yield "moved", f"{_of(moves.moved, 'record')} {has} another {exchanged} than before"
    kept = "; ".join(" * ".join(margin) for margin in sampled_swap.kept)
    yield "kept", f"{kept}: exact, counted again before anything was written"
    if sampled_swap.left_out:
        yield "left out", ", ".join(sampled_swap.left_out)


def utility_grid(curve: UtilityCurve) -> Grid:
    """The error of a table at each rate, over all runs."""
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
        "epsilon: what is lost per record that differs, inside D_t",
        f"MAPE: over the {_of(curve.cells, 'cell')} with a record the mean of "
        "|after - before| / before, in percent",
    ]
    if curve.empty:
        left = f"{_of(curve.empty, 'cell')} without a record {'is' if curve.empty == 1 else 'are'}"
        notes.append(f"{left} left out: nothing is a percentage of 0")
    return Grid(
        f"Error of {' * '.join(curve.table)}",
        ("swap rate", "epsilon", "runs", "moved, mean", "MAPE %, mean", "least", "most"),
        tuple(rows),
        (True,) * 7,
        tuple(notes),
    )


def _of(number: int, one: str, many: str = "") -> str:
    """A number of things; of most the plural has an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
