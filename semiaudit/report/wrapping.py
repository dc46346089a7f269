"""How many places a text takes on a screen, and how it is wrapped or shortened to fit in some."""

from __future__ import annotations

import re
from textwrap import wrap

NARROW = re.compile(r"[ -~·…─]*")
"""Characters that every terminal shows in one place."""

ELLIPSIS = "…"
_LEAST = 20
"""Places that a line of words has at least, however narrow the screen is."""
LONGEST_WORD = 30
"""A word of more places is a name and no number: it may be clipped or broken."""


def places(text: str) -> int:
    """How many places a text without line ends takes; characters of East Asia take two."""
    if NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, at least one; words that are longer than a line are broken."""
    room = max(width, _LEAST)
    if NARROW.fullmatch(text):
        return wrap(text, room) or [""]
    from rich.cells import chop_cells

    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if places(joined) <= room:
            lines[-1] = joined
            continue
        pieces = chop_cells(word, room) or [word]
        lines[-1:] = [lines[-1], *pieces] if lines[-1] else pieces
    return lines


def clipped(text: str, width: int) -> str:
    """A name of at most so many places: its beginning and an ellipsis if it has more."""
    if places(text) <= width:
        return text
    kept = text[: width - 1]
    while places(kept) > width - 1:
        kept = kept[:-1]
    return kept.rstrip() + ELLIPSIS


def clipped_path(path: str, width: int) -> str:
    """A path of at most so many places: an ellipsis and its end if it has more."""
    if places(path) <= width:
        return path
    parts = path.split("/")
    for first in range(1, len(parts)):
        kept = f"{ELLIPSIS}/{'/'.join(parts[first:])}"
        if places(kept) <= width:
            return kept
    kept = parts[-1]
    while kept and places(kept) >= width:
        kept = kept[1:]
    return ELLIPSIS + kept


def shortened(text: str, width: int, lines: int) -> str:
    """A text of at most so many lines: its last words are left out, and an ellipsis says so.

    No number is cut: words are left out whole, but for names of more than 30 places, which are
    clipped. Words inside an open bracket are left out together.
    """
    if len(wrapped(text, width)) <= lines:
        return text
    words = [clipped(word, LONGEST_WORD) for word in text.split()]
    if len(wrapped(" ".join(words), width)) <= lines:
        return " ".join(words)
    while len(words) > 1:
        words.pop()
        kept = " ".join(words)
        if _closed(kept) and len(wrapped(f"{kept} {ELLIPSIS}", width)) <= lines:
            return f"{kept.rstrip(',;:')} {ELLIPSIS}"
    return f"{words[0]} {ELLIPSIS}"


def _closed(text: str) -> bool:
    return all(text.count(first) <= text.count(last) for first, last in ("()", "[]", "{}"))
