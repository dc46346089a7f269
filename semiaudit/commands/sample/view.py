"""A sample, arranged for reading: what was drawn, part by part, and what is exact about it."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.sample.count_errors import count_errors_grid
from semiaudit.commands.sample.swap_view import swap_lines, utility_grid
from semiaudit.model.sample import Sample, SampledPart
from semiaudit.report.text.layout import Block, Lines, View
from semiaudit.version import __version__


def view_of(sample: Sample) -> View:
    """Arrange what is said of a sample; its numbers stand in files."""
    subtitle = f"{sample.path} · semiaudit {__version__}"
    parts = (Lines(f"Part {at}", tuple(_part(part))) for at, part in enumerate(sample.parts, 1))
    blocks: list[Block] = [Lines("What was drawn", tuple(_drawn(sample)))]
    if sample.swap is None:
        blocks += parts
    else:
        blocks.append(swap_lines(sample.swap, *sample.parts))
    blocks += count_errors_grid(sample)
    if sample.utility is not None:
        blocks.append(utility_grid(sample.utility))
    if sample.notes:
        blocks.append(Lines("Notes", tuple(("", note) for note in sample.notes)))
    return View(
        sample.title or "A sample", subtitle, tuple(blocks), paths=(sample.path, sample.data)
    )


def _drawn(sample: Sample) -> Iterator[tuple[str, str]]:
    if sample.swap is not None:
        yield "records", f"swapped records of {sample.data}: {sample.rows} rows"
    elif sample.utility is not None:
        yield "records", f"none are written; {sample.data} was swapped for the errors alone"
    else:
        what = f"noisy answers from {sample.data}" if sample.answers else "the noise alone"
        yield (
            "numbers",
            f"{what}: {sample.rows} rows, {sample.draws} draw{'s' * (sample.draws > 1)}",
        )
    yield "randomness", f"from {sample.source}"
    if sample.distance is not None:
        yield "distance", f"{sample.distance}, of semi-adjacency"
    if sample.fit is not None:
        description = (
            f"the nearest tables of whole numbers from 0 on by {sample.fit}, invariants kept"
        )
        if any(part.kind == "topdown" for part in sample.parts):
            description = (
                f"a table of whole numbers from 0 on, fitted by {sample.fit}, invariants kept"
            )
        yield "afterwards", description


def _part(part: SampledPart) -> Iterator[tuple[str, str]]:
    runs = f", {part.runs} times" if part.runs > 1 else ""
    numbers = ("whole number" if part.whole else "number") + "s" * (part.coordinates != 1)
    yield "noise", f"{part.kind} on {part.query}{runs}: {part.coordinates} {numbers}"
    yield "by", part.method
    yield "exactness", part.exactness
    if part.measured:
        yield "measured", part.measured
