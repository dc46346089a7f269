"""A sample, arranged for reading: what was drawn, part by part, and what is exact about it."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.sample.count_errors import count_errors_grid
from semiaudit.commands.sample.swap_view import swap_lines, utility_grid
from semiaudit.model.sample import Sample, SampledPart
from semiaudit.report.layout import Block, Lines, View
from semiaudit.version import __version__


def view_of(found: Sample) -> View:
    """Arrange what is said of a sample; its numbers stand in files."""
    subtitle = f"{found.path} · semiaudit {__version__}"
    parts = (Lines(f"Part {at}", tuple(_part(part))) for at, part in enumerate(found.parts, 1))
    blocks: list[Block] = [Lines("What was drawn", tuple(_drawn(found)))]
    if found.swap is None:
        blocks += parts
    else:
        blocks.append(swap_lines(found.swap, *found.parts))
    blocks += count_errors_grid(found)
    if found.utility is not None:
        blocks.append(utility_grid(found.utility))
    if found.notes:
        blocks.append(Lines("Notes", tuple(("", note) for note in found.notes)))
    return View(found.title or "A sample", subtitle, tuple(blocks))


def _drawn(found: Sample) -> Iterator[tuple[str, str]]:
    if found.swap is not None:
        yield "records", f"swapped records of {found.data}: {found.rows} rows"
    elif found.utility is not None:
        yield "records", f"none are written; {found.data} was swapped for the errors alone"
    else:
        what = f"noisy answers from {found.data}" if found.answers else "the noise alone"
        yield "numbers", f"{what}: {found.rows} rows, {found.draws} draw{'s' * (found.draws > 1)}"
    yield "randomness", f"from {found.source}"
    if found.distance is not None:
        yield "distance", f"{found.distance}, of semi-adjacency"
    if found.fit is not None:
        told = f"the nearest tables of whole numbers from 0 on by {found.fit}, invariants kept"
        if any(part.kind == "topdown" for part in found.parts):
            told = f"a table of whole numbers from 0 on, fitted by {found.fit}, invariants kept"
        yield "afterwards", told


def _part(part: SampledPart) -> Iterator[tuple[str, str]]:
    runs = f", {part.runs} times" if part.runs > 1 else ""
    numbers = ("whole number" if part.whole else "number") + "s" * (part.coordinates != 1)
    yield "noise", f"{part.kind} on {part.query}{runs}: {part.coordinates} {numbers}"
    yield "by", part.method
    yield "exactness", part.exactness
    if part.measured:
        yield "measured", part.measured
