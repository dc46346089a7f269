"""The example pair of a(t): the records that must change, and the cells whose counts change.

Both are tables whose words wrap, so no name is cut off or overlaps another on any screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.blocks.explain import SHOWN_STEPS, Move, moves_of
from semiaudit.report.html.blocks import notes, scrolling
from semiaudit.report.html.markup import Child, Element, element

_SHOWN_CELLS = 16
_MOST_LEVELS = 8
"""The most levels of an attribute, across or down, in a table of two attributes."""


def drawings(witness: Witness, attributes: Sequence[str]) -> list[Element]:
    """Return the records and the cells of an example pair."""
    return [_records(witness, attributes), *_cells(witness, attributes)]


def _records(witness: Witness, attributes: Sequence[str]) -> Element:
    moves = moves_of(witness)
    first = Move(None, witness.record_from, witness.record_to)
    rows = [
        _move(move, attributes, "first" if not place else None)
        for place, move in enumerate([first, *moves[:SHOWN_STEPS]])
    ]
    heads = [
        element("th", {"scope": "col"}, "in one dataset"),
        element("td", {"class": "arrow"}),
        element("th", {"scope": "col"}, "in the other"),
    ]
    more = len(moves) - SHOWN_STEPS
    rest = [f"and {more} more records"] if more > 0 else []
    return _figure("records", "The records that must change", "moves", heads, rows, rest)


def _move(move: Move, attributes: Sequence[str], kind: str | None) -> Element:
    changed = _changed(move)
    return element(
        "tr",
        {"class": kind},
        element("td", {}, _box(move.before, changed, attributes, "enters")),
        element("td", {"class": "arrow"}, "→"),
        element("td", {}, _box(move.after, changed, attributes, "leaves")),
    )


def _box(
    cell: Cell | None, changed: frozenset[int], attributes: Sequence[str], absent: str
) -> Element:
    if cell is None:
        return element("div", {"class": "box absent"}, absent)
    words: list[Child] = []
    for place, text in enumerate(_levels(cell, attributes)):
        kind = "changed" if place in changed or not changed else None
        words += [" · "] if words else []
        words.append(element("span", {"class": kind}, text))
    return element("div", {"class": "box"}, words)


def _levels(cell: Cell, attributes: Sequence[str]) -> list[str]:
    """Return the levels of a cell; one without a letter has the name of its attribute before it."""
    named = zip(attributes, map(str, cell), strict=True)
    return [
        level if any(map(str.isalpha, level)) else f"{attribute} {level}"
        for attribute, level in named
    ]


def _changed(move: Move) -> frozenset[int]:
    if move.before is None or move.after is None:
        return frozenset()
    pairs = zip(move.before, move.after, strict=True)
    return frozenset(place for place, (a, b) in enumerate(pairs) if a != b)


Moved = dict[Cell, tuple[int, int]]
"""The counts of a cell in both datasets."""


def _cells(witness: Witness, attributes: Sequence[str]) -> list[Element]:
    """Show the counts that differ: a table of two attributes if only two matter, else a list."""
    before, after = dict(witness.start), dict(witness.end)
    moved = {
        cell: (before.get(cell, 0), after.get(cell, 0))
        for cell in {**before, **after}
        if before.get(cell, 0) != after.get(cell, 0)
    }
    if not moved:
        return [element("p", {"class": "note"}, "No count moves: records exchange places.")]
    varying = [i for i in range(len(attributes)) if len({cell[i] for cell in moved}) > 1]
    same = [f"{a} {next(iter(moved))[i]}" for i, a in enumerate(attributes) if i not in varying]
    rest = [f"Each of them has {', '.join(same)}."] if same and varying else []
    if len(varying) == 2:
        levels = [list(dict.fromkeys(cell[i] for cell in moved)) for i in varying]
        if max(map(len, levels)) <= _MOST_LEVELS:
            return [_crossed(moved, varying, levels, attributes, rest)]
    return [_listed(moved, varying or range(len(attributes)), attributes, rest)]


def _crossed(
    moved: Moved,
    varying: Sequence[int],
    levels: Sequence[Sequence[int | str]],
    attributes: Sequence[str],
    rest: Sequence[str],
) -> Element:
    down, across = levels
    one, two = varying
    at = {(cell[one], cell[two]): counts for cell, counts in moved.items()}
    heads = [
        element("th", {"scope": "col"}, f"{attributes[one]}, by {attributes[two]}"),
        *(element("th", {"scope": "col"}, str(level)) for level in across),
    ]
    rows = [
        element(
            "tr",
            {},
            element("th", {"scope": "row"}, str(name)),
            [_counts(at.get((name, level))) for level in across],
        )
        for name in down
    ]
    return _figure("cells", _MOVED, "crossed", heads, rows, rest)


def _listed(
    moved: Moved, varying: Iterable[int], attributes: Sequence[str], rest: Sequence[str]
) -> Element:
    places = list(varying)
    rows = []
    for cell, counts in list(moved.items())[:_SHOWN_CELLS]:
        levels = _levels(cell, attributes)
        name = " · ".join(levels[place] for place in places)
        rows.append(element("tr", {}, element("th", {"scope": "row"}, name), _counts(counts)))
    heads = [
        element("th", {"scope": "col"}, " · ".join(attributes[place] for place in places)),
        element("th", {"scope": "col"}, "count"),
    ]
    more = len(moved) - _SHOWN_CELLS
    rest = [*([f"and {more} more cells"] if more > 0 else []), *rest]
    return _figure("cells", _MOVED, "listed", heads, rows, rest)


def _counts(counts: tuple[int, int] | None) -> Element:
    if counts is None:
        return element("td")
    one, two = counts
    return element("td", {"class": "more" if two > one else "less"}, f"{one} → {two}")


_MOVED = "The cells whose counts move"


def _figure(
    name: str,
    title: str,
    kind: str,
    heads: Sequence[Element],
    rows: Sequence[Element],
    rest: Sequence[str],
) -> Element:
    table = element(
        "table",
        {"class": kind},
        element("thead", {}, element("tr", {}, heads)),
        element("tbody", {}, rows),
    )
    return element(
        "figure",
        {"class": "witnesses", "aria-labelledby": f"{name}-title"},
        element("figcaption", {"id": f"{name}-title"}, title),
        scrolling(title, table),
        notes(rest),
    )
