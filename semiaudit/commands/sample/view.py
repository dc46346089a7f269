"""The view of a sample: what was sampled or swapped, part by part, and what is exact."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from semiaudit.model.audit import UNTITLED
from semiaudit.model.results.sample import Sample, SampledPart, SampledSwap, UtilityCurve
from semiaudit.numeric.rationals import decimal_text_up, rational_text
from semiaudit.report.blocks.count_errors import error_grids
from semiaudit.report.text.layout import Block, Grid, Lines, View
from semiaudit.version import __version__

NOT_ADDING_UP = (
    "the noisy answers do not add up to the values that are published exactly; to keep these, add "
    "`support: null_space` to the mechanism, or use --nonnegative-integers for tables"
)
SEEDED = (
    "anyone who knows the seed can remove the noise: use a sample with a seed only for tests, and "
    "do not publish it"
)
SEVERAL = (
    "the audit of the spec covers one run of the mechanism; {draws} runs on the same data are a "
    "composition: to audit them, add `repeat: {draws}` to the mechanism"
)

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
    summary = f"{strata.number:,} with {records}; the largest has {strata.largest:,}"
    yield "strata", f"{summary}; {strata.single:,} with one record, which stays"
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
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def view_of(sample: Sample) -> View:
    """Arrange the description of a sample; its numbers are in files."""
    named = sample.title not in ("", UNTITLED)
    subtitle = " · ".join([*[sample.title] * named, sample.path, f"semiaudit {__version__}"])
    parts = (Lines(f"Part {at}", tuple(_part(part))) for at, part in enumerate(sample.parts, 1))
    blocks: list[Block] = [Lines("Sample", tuple(_sampled(sample)))]
    if sample.swap is None:
        blocks += parts
    else:
        blocks.append(swap_lines(sample.swap, *sample.parts))
    several = len(sample.parts) > 1 and len({error.part for error in sample.errors}) > 1
    errors = [(f"part {error.part}", error) for error in sample.errors]
    blocks += error_grids(errors, "part" if several else "")
    if sample.utility is not None:
        blocks.append(utility_grid(sample.utility))
    if sample.notes:
        blocks.append(Lines("Notes", tuple(("", note) for note in sample.notes)))
    return View(answer(sample), subtitle, tuple(blocks), paths=(sample.path, sample.data))


def answer(sample: Sample) -> str:
    """Return what was sampled and where it was written, in one sentence."""
    if not sample.rows and sample.errors:
        return "Errors of counts; no sample was written."
    if sample.swap is not None:
        what = f"{_of(sample.rows, 'row')} of swapped records from {sample.data}"
    elif sample.utility is not None:
        what = ""
    elif sample.answers:
        what = f"{_of(sample.rows, 'noisy answer')} from {sample.data}"
    else:
        what = f"{_of(sample.rows, 'number')} of noise, without data"
    if not what:
        table = " * ".join(() if sample.utility is None else sample.utility.table)
        return f"Swap errors of {table}; no records were written."
    where = f", written to {' and '.join(sample.files)}" if sample.files else ""
    return f"{what}{where}."


def _sampled(sample: Sample) -> Iterator[tuple[str, str]]:
    if sample.swap is None and sample.utility is not None:
        yield "data", f"{sample.data}; swapped only to compute the errors"
    if sample.draws > 1:
        yield "runs", f"{sample.draws} independent runs of the mechanism"
    yield "randomness", f"from {sample.source}"
    if sample.distance is not None:
        yield "distance", f"{sample.distance} (semi-adjacency)"
    if sample.fit is not None:
        description = f"the nearest tables of nonnegative whole numbers ({sample.fit})"
        if sample.totals_first or any(part.kind == "topdown" for part in sample.parts):
            description = f"a table of nonnegative whole numbers, totals first ({sample.fit})"
        yield "afterwards", f"{description}; the invariants are kept"


def _part(part: SampledPart) -> Iterator[tuple[str, str]]:
    runs = f", {part.runs}×" if part.runs > 1 else ""
    numbers = ("whole number" if part.whole else "number") + "s" * (part.coordinates != 1)
    yield "noise", f"{part.kind} on {part.query}{runs}: {part.coordinates:,} {numbers}"
    yield "sampler", part.method
    yield "exactness", part.exactness
    if part.measured:
        yield "measured", part.measured
