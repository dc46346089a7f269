"""The width of a text on a screen, and wrapping it to a width."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap

from semiaudit.report.text.layout import Grid

NARROW = re.compile(r"[ -~·…─εδρμσθ×−≤≥≈ₜ₁₂→√²é]*")
"""Characters that every terminal shows in one place, including the symbols of reports."""

LEAST = 20
"""The least width of a line of words, for any width of the screen."""
LONGEST_WORD = 30
"""A longer word is a name and not a number: it can be broken."""


def places(text: str) -> int:
    """Return the width of a text without line ends; East Asian characters take two places."""
    if not NARROW.fullmatch(text):
        from rich.cells import cell_len

        return cell_len(text)
    return len(text)


def wrapped(text: str, width: int, least: int = LEAST) -> list[str]:
    """Return the lines of a text, at least one; words that are longer than a line are broken."""
    room = max(width, least)
    if not NARROW.fullmatch(text) or any(len(word) > room for word in text.split()):
        from rich.cells import chop_cells

        return _packed([chop_cells(word, room) for word in text.split()], room)
    return wrap(text, room, break_on_hyphens=False) or [""]


def _packed(words: list[list[str]], room: int) -> list[str]:
    """Pack words into lines; each word is a list of pieces that have a line of their own each."""
    lines = [""]
    for first, *others in filter(None, words):
        joined = f"{lines[-1]} {first}" if lines[-1] else first
        if not others and places(joined) <= room:
            lines[-1] = joined
        else:
            lines += [first, *others]
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


SHORT = 8
"""The most places of a cell that never folds."""

BETWEEN = 3
"""The gap between two columns."""

INDENT = 1


def fitting(grid: Grid, width: int) -> list[int]:
    """Return the natural widths of the columns if they fit; else the least, and what is left.

    What is left goes to the columns with the highest head or cells.
    """
    widths = natural(grid)
    if taken(widths) <= width:
        return widths
    narrow = least(grid, width)
    if taken(narrow) > width:
        return [max(n, w) if w <= LEAST else n for n, w in zip(narrow, widths, strict=True)]
    longest = [max(map(places, cells), default=0) for _, *cells in _columns(grid)]

    def height(at: int) -> int:
        head = header(grid.columns[at], narrow[at]).count("\n") + 1
        return max(head, math.ceil(longest[at] / narrow[at]))

    for _ in range(width - taken(narrow)):
        folded = [at for at, size in enumerate(narrow) if size < widths[at]]
        narrow[max(folded, key=height)] += 1
    return narrow


def natural(grid: Grid) -> list[int]:
    """Return the natural widths of the columns."""
    return [max(1, *map(places, column)) for column in _columns(grid)]


def least(grid: Grid, width: int) -> list[int]:
    """Return the least widths of the columns: their longest words, or cells that stay whole."""
    whole = rigid(grid, width)
    widths = [_least(column, whole=w) for column, w in zip(_columns(grid), whole, strict=True)]
    if grid.breaks:
        most = [_share(width), *[LONGEST_WORD] * (len(widths) - 1)]
        widths = [n if w else min(n, m) for n, w, m in zip(widths, whole, most, strict=True)]
    return widths


def rigid(grid: Grid, width: int) -> list[bool]:
    """Mark columns whose cells stay whole: numbers, short cells, and names that leave room."""
    short = natural(grid)[0] <= _share(width)
    cells = [max((places(cell) for cell in column[1:]), default=0) for column in _columns(grid)]
    return [
        numeric or (short or not grid.breaks if i == 0 else cells[i] <= SHORT)
        for i, numeric in enumerate(grid.numeric)
    ]


def _share(width: int) -> int:
    return max(width // 3, 20)


def header(name: str, width: int) -> str:
    """Return the name of a column in lines of a width, broken at blanks and after underscores."""
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
    """Return the width of a table of such columns."""
    return INDENT + sum(widths) + BETWEEN * (len(widths) - 1)


def split(grid: Grid, width: int) -> list[Grid]:
    """Split a grid into tables that fit, each with the first column; one if it fits or can fold.

    A column that does not fit next to the first one has its own table, which exceeds the width: no
    number is cut.
    """
    grid = replace(grid, breaks=True)
    if not grid.rows or taken(least(grid, width)) <= width:
        return [grid]
    widths = least(grid, width)
    groups: list[list[int]] = []
    for unit in _units(grid):
        joined = [0, *groups[-1], *unit] if groups else []
        if joined and taken([widths[i] for i in joined]) <= width:
            groups[-1] += unit
        else:
            groups.append(list(unit))
    return [_part(grid, group, place, len(groups)) for place, group in enumerate(groups)]


def _part(grid: Grid, group: Sequence[int], place: int, number: int) -> Grid:
    group_places = (0, *group)
    return replace(
        grid,
        title=grid.title + (", continued" if place else ""),
        columns=tuple(grid.columns[i] for i in group_places),
        rows=tuple(tuple(row[i] for i in group_places) for row in grid.rows),
        numeric=tuple(grid.numeric[i] for i in group_places),
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
    name, *cells = column
    words = [word for cell in cells for word in cell.split()]
    parts = [part.rstrip() for part in _parts(name)]
    return max(1, *map(places, [*parts, *(cells if whole else words)]))
