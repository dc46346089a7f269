"""How wide the columns of a table are, and into which tables one is split that is too wide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from semiaudit.report.text.layout import Grid
from semiaudit.report.text.wrapping import LONGEST_WORD, places

BETWEEN = 3
"""Places between two columns."""

INDENT = 1


def natural(grid: Grid) -> list[int]:
    """The widths of the columns as they are."""
    return [max(1, *map(places, column)) for column in _columns(grid)]


def least(grid: Grid, width: int) -> list[int]:
    """The narrowest that the columns may get: their longest words, or cells that stay whole."""
    whole = rigid(grid, width)
    widths = [_least(column, whole=w) for column, w in zip(_columns(grid), whole, strict=True)]
    if grid.breaks:
        most = [_share(width), *[LONGEST_WORD] * (len(widths) - 1)]
        widths = [n if w else min(n, m) for n, w, m in zip(widths, whole, most, strict=True)]
    return widths


def rigid(grid: Grid, width: int) -> list[bool]:
    """Columns whose cells stay whole: numbers, and names at the left that leave room for others."""
    short = natural(grid)[0] <= _share(width)
    return [
        numeric or (i == 0 and (short or not grid.breaks)) for i, numeric in enumerate(grid.numeric)
    ]


def _share(width: int) -> int:
    """Places that names at the left may take before they fold."""
    return max(width // 3, 20)


def header(name: str, width: int) -> str:
    """The name of a column on lines of a width, broken at blanks and behind underscores."""
    lines: list[str] = []
    for part in _parts(name):
        if lines and places(lines[-1] + part.rstrip()) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(line.rstrip() for line in lines)


def _parts(name: str) -> list[str]:
    return re.findall(r"[^ _]*[ _]+|[^ _]+", name)


def taken(widths: Sequence[int]) -> int:
    """Places that a table of such columns takes."""
    return INDENT + sum(widths) + BETWEEN * (len(widths) - 1)


def split(grid: Grid, width: int) -> list[Grid]:
    """Tables that fit, each with the first column; the grid in one where it fits or may fold.

    A column that does not fit next to the first one has a table of its own, which grows past the
    width: no number is cut.
    """
    grid = replace(grid, breaks=True)
    if not grid.rows or taken(least(grid, width)) <= width:
        return [grid]
    widths = natural(grid)
    groups: list[list[int]] = []
    for unit in _units(grid):
        joined = [0, *groups[-1], *unit] if groups else []
        if joined and taken([widths[i] for i in joined]) <= width:
            groups[-1] += unit
        else:
            groups.append(list(unit))
    return [_part(grid, group, place, len(groups)) for place, group in enumerate(groups)]


def _part(grid: Grid, group: Sequence[int], place: int, number: int) -> Grid:
    kept = (0, *group)
    return replace(
        grid,
        title=grid.title + (", continued" if place else ""),
        columns=tuple(grid.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in grid.rows),
        numeric=tuple(grid.numeric[i] for i in kept),
        notes=grid.notes if place == number - 1 else (),
        glued=frozenset(),
    )


def _units(grid: Grid) -> list[list[int]]:
    units: list[list[int]] = []
    for place in range(1, len(grid.columns)):
        if units and place in grid.glued:
            units[-1].append(place)
        else:
            units.append([place])
    return units


def _columns(grid: Grid) -> list[tuple[str, ...]]:
    return list(zip(grid.columns, *grid.rows, strict=True))


def _least(column: Sequence[str], *, whole: bool) -> int:
    """The longest word of a column, or its longest cell if those stay whole."""
    name, *cells = column
    words = [word for cell in cells for word in cell.split()]
    parts = [part.rstrip() for part in _parts(name)]
    return max(1, *map(places, [*parts, *(cells if whole else words)]))
