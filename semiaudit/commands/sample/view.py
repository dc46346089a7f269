"""The view of a sample: what was sampled, part by part, and what is exact."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.sample.count_errors import count_errors_grid
from semiaudit.commands.sample.swap_view import swap_lines, utility_grid
from semiaudit.model.audit import UNTITLED
from semiaudit.model.results.sample import Sample, SampledPart
from semiaudit.report.text.layout import Block, Lines, View
from semiaudit.version import __version__


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
    blocks += count_errors_grid(sample)
    if sample.utility is not None:
        blocks.append(utility_grid(sample.utility))
    if sample.notes:
        blocks.append(Lines("Notes", tuple(("", note) for note in sample.notes)))
    return View(answer(sample), subtitle, tuple(blocks), paths=(sample.path, sample.data))


def answer(sample: Sample) -> str:
    """Return what was sampled and where it was written, in one sentence."""
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
        if any(part.kind == "topdown" for part in sample.parts):
            description = f"a table of nonnegative whole numbers, fitted by {sample.fit}"
        yield "afterwards", f"{description}; the invariants are kept"


def _of(number: int, one: str) -> str:
    return f"{number} {one}{'s' * (number != 1)}"


def _part(part: SampledPart) -> Iterator[tuple[str, str]]:
    runs = f", {part.runs}×" if part.runs > 1 else ""
    numbers = ("whole number" if part.whole else "number") + "s" * (part.coordinates != 1)
    yield "noise", f"{part.kind} on {part.query}{runs}: {part.coordinates} {numbers}"
    yield "sampler", part.method
    yield "exactness", part.exactness
    if part.measured:
        yield "measured", part.measured
