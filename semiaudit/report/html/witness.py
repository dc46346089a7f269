"""The witness of a(t) drawn: the records that must change, and the cells whose counts move."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.blocks.explain import SHOWN_STEPS, Move, moves_of
from semiaudit.report.html.blocks import scrolling
from semiaudit.report.html.markup import Attributes, Child, Element, element

_WIDTH, _ROW, _BOX = 720, 44, 318
_SHOWN_CELLS = 16
_MOST_LEVELS = 8
_LONGEST, _SHORTEST, _JOINT = 38, 10, 3
"""Characters that fit into a box, that a name keeps at least, and between two names."""


def drawings(witness: Witness, attributes: Sequence[str]) -> list[Element]:
    """Both drawings; words beside them say the same in full."""
    return [_records(witness, attributes), *_cells(witness, attributes)]


def _records(witness: Witness, attributes: Sequence[str]) -> Element:
    """From each record's cell to that which it becomes, the changed record first."""
    moves = moves_of(witness)
    first = Move(None, witness.record_from, witness.record_to)
    shown = [first, *moves[:SHOWN_STEPS]]
    rows = [_move(place, move, attributes) for place, move in enumerate(shown)]
    height = 28 + _ROW * len(shown)
    more = len(moves) - SHOWN_STEPS
    title = "The records that must change"
    columns = [
        element("text", {"x": 0, "y": 16, "class": "axis"}, "in one dataset"),
        element("text", {"x": _WIDTH - _BOX, "y": 16, "class": "axis"}, "in the other"),
    ]
    rest = [element("p", {"class": "note"}, f"and {more} more records")] if more > 0 else []
    return _figure("records", title, height, [*columns, *rows], rest)


def _move(place: int, move: Move, attributes: Sequence[str]) -> Element:
    top = 24 + _ROW * place
    middle = top + (_ROW - 10) / 2
    changed = _changed(move)
    left, right = (
        _box(x, top, cell, changed, attributes, absent)
        for x, cell, absent in (
            (0, move.before, "enters"),
            (_WIDTH - _BOX, move.after, "leaves"),
        )
    )
    start, end = _BOX + 8, _WIDTH - _BOX - 8
    point = f"M{end - 7} {middle - 5:g}L{end} {middle:g}L{end - 7} {middle + 5:g}"
    arrow = f"M{start} {middle:g}H{end}{point}"
    kind = "move first" if not place else "move"
    return element(
        "g", {"class": kind}, left, right, element("path", {"class": "arrow", "d": arrow})
    )


def _box(
    x: int,
    top: int,
    cell: Cell | None,
    changed: frozenset[int],
    attributes: Sequence[str],
    absent: str,
) -> Element:
    height = _ROW - 10
    frame = {"x": x + 0.5, "y": top + 0.5, "width": _BOX - 1, "height": height - 1, "rx": 5}
    text = {"x": x + 12, "y": top + height / 2 + 5}
    if cell is None:
        words: list[Child] = [element("tspan", {"class": "muted"}, absent)]
    else:
        words = _levels(cell, changed, attributes)
    kind = "box" if cell is not None else "box absent"
    return element("g", {"class": kind}, element("rect", frame), element("text", text, words))


def _levels(cell: Cell, changed: frozenset[int], attributes: Sequence[str]) -> list[Child]:
    """The levels of a cell, those that change in bold; only these where all are too many."""
    texts = [_level(attribute, level) for attribute, level in zip(attributes, cell, strict=True)]
    places = list(range(len(texts)))
    room = _LONGEST
    if _length(texts) > _LONGEST:
        places = sorted(changed) or places
        room = max(_SHORTEST, _LONGEST // len(places) - _JOINT)
    words: list[Child] = []
    used = 0
    for place in places:
        text = _short(texts[place], room)
        if words and used + len(text) > _LONGEST:
            return [*words, " …"]
        mark = {"class": "changed" if place in changed else None}
        words += [" · "] if words else []
        words.append(element("tspan", mark, text))
        used += len(text) + _JOINT
    return words if len(places) == len(texts) else [*words, " …"]


def _length(texts: Sequence[str]) -> int:
    return sum(map(len, texts)) + _JOINT * (len(texts) - 1)


def _level(attribute: str, level: object) -> str:
    text = str(level)
    return f"{attribute} {text}" if text.isdigit() else text


def _changed(move: Move) -> frozenset[int]:
    if move.before is None or move.after is None:
        return frozenset()
    pairs = zip(move.before, move.after, strict=True)
    return frozenset(place for place, (a, b) in enumerate(pairs) if a != b)


def _cells(witness: Witness, attributes: Sequence[str]) -> list[Element]:
    """The counts that differ: a table of two attributes where only two matter, else a list."""
    before, after = dict(witness.start), dict(witness.end)
    moved = {
        cell: (before.get(cell, 0), after.get(cell, 0))
        for cell in {**before, **after}
        if before.get(cell, 0) != after.get(cell, 0)
    }
    if not moved:
        return [element("p", {"class": "note"}, "No count moves: records exchange places.")]
    varying = [i for i in range(len(attributes)) if len({cell[i] for cell in moved}) > 1]
    title = "The cells whose counts move"
    if len(varying) == 2:
        levels = [list(dict.fromkeys(str(cell[i]) for cell in moved)) for i in varying]
        if max(map(len, levels)) <= _MOST_LEVELS:
            return [_table(title, moved, varying, levels, attributes)]
    return [_list(title, moved, attributes)]


Moved = dict[Cell, tuple[int, int]]


def _table(
    title: str,
    moved: Moved,
    varying: Sequence[int],
    levels: Sequence[Sequence[str]],
    attributes: Sequence[str],
) -> Element:
    down, across = levels
    longest = max(map(len, (*down, attributes[varying[0]])))
    left, width, height = 24 + 8 * min(longest, 20), 72, 40
    width = min(width, (_WIDTH - left) // len(across))
    drawn: list[Element] = [
        element("text", {"x": left, "y": 14, "class": "axis"}, _short(attributes[varying[1]], 40)),
        element("text", {"x": 0, "y": 36, "class": "axis"}, _short(attributes[varying[0]], 20)),
    ]
    for place, name in enumerate(across):
        x = left + width * (place + 0.5)
        text: Attributes = {"x": x, "y": 36, "text-anchor": "middle"}
        drawn.append(element("text", text, _short(name, max(3, width // 9))))
    for place, name in enumerate(down):
        y = 46 + height * place
        drawn.append(element("text", {"x": 0, "y": y + height / 2 + 5}, _short(name, 20)))
        for number, other in enumerate(across):
            drawn.append(_square(left + width * number, y, width, height, None))
            for cell, (one, two) in moved.items():
                if (str(cell[varying[0]]), str(cell[varying[1]])) == (name, other):
                    drawn.append(_square(left + width * number, y, width, height, (one, two)))
    cell = next(iter(moved))
    same = [f"{a} {cell[i]}" for i, a in enumerate(attributes) if i not in varying]
    note = [element("p", {"class": "note"}, f"Each of them has {', '.join(same)}.")] if same else []
    return _figure("cells", title, 52 + height * len(down), drawn, note)


def _square(x: float, y: float, width: int, height: int, counts: tuple[int, int] | None) -> Element:
    frame = {"x": x + 2, "y": y + 2, "width": width - 4, "height": height - 4, "rx": 4}
    if counts is None:
        return element("rect", {"class": "cell", **frame})
    one, two = counts
    return element(
        "g",
        {"class": "cell more" if two > one else "cell less"},
        element("rect", frame),
        element(
            "text",
            {"x": x + width / 2, "y": y + height / 2 + 5, "text-anchor": "middle"},
            f"{one} → {two}",
        ),
    )


def _list(title: str, moved: Moved, attributes: Sequence[str]) -> Element:
    drawn = []
    most = max(abs(two - one) for one, two in moved.values())
    middle = _WIDTH - 150
    for place, (cell, (one, two)) in enumerate(list(moved.items())[:_SHOWN_CELLS]):
        y = 34 * place
        levels = [_level(a, level) for a, level in zip(attributes, cell, strict=True)]
        name = _short(" · ".join(levels), 44)
        length = round(max(120 * abs(two - one) / most, 2), 1)
        x = middle if two > one else middle - length
        drawn += [
            element("text", {"x": 0, "y": y + 21}, name),
            element(
                "text", {"x": middle - 138, "y": y + 21, "text-anchor": "end"}, f"{one} → {two}"
            ),
            element(
                "g",
                {"class": "cell more" if two > one else "cell less"},
                element("rect", {"x": x, "y": y + 7, "width": length, "height": 20, "rx": 3}),
            ),
        ]
    height = 34 * min(len(moved), _SHOWN_CELLS) + 4
    drawn.append(
        element("line", {"class": "mesh", "x1": middle, "x2": middle, "y1": 0, "y2": height})
    )
    more = len(moved) - _SHOWN_CELLS
    rest = [element("p", {"class": "note"}, f"and {more} more cells")] if more > 0 else []
    return _figure("cells", title, height, drawn, rest)


def _figure(
    name: str, title: str, height: float, drawn: Sequence[Element], notes: Sequence[Element] = ()
) -> Element:
    shape = {"viewBox": f"0 0 {_WIDTH} {height:g}", "role": "img"}
    svg = element(
        "svg",
        {**shape, "class": "witness", "aria-label": f"{title}; the text next to it says the same"},
        drawn,
    )
    head = {"id": f"{name}-title"}
    return element(
        "figure",
        {"class": "witnesses", "aria-labelledby": f"{name}-title"},
        element("figcaption", head, title),
        scrolling(title, svg),
        notes,
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
