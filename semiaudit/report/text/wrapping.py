"""How many places a text takes on a screen, and how it is wrapped or shortened to fit in some."""

from __future__ import annotations

import re
from textwrap import wrap

from semiaudit.report.text.layout import ELLIPSIS

NARROW = re.compile(r"[ -~·…─εδρμσθ×≤≥≈ₜ₁₂→√²é]*")
"""Characters that every terminal shows in one place, the symbols of reports among them."""

_LEAST = 20
"""Places that a line of words has at least, however narrow the screen is."""
LONGEST_WORD = 30
"""A word of more places is a name and no number: it may be clipped or broken."""


def places(text: str) -> int:
    """How many places a text without line ends takes; characters of East Asia take two."""
    if not NARROW.fullmatch(text):
        from rich.cells import cell_len

        return cell_len(text)
    return len(text)


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, at least one; words that are longer than a line are broken."""
    room = max(width, _LEAST)
    if not NARROW.fullmatch(text) or any(len(word) > room for word in text.split()):
        from rich.cells import chop_cells

        return _packed([chop_cells(word, room) for word in text.split()], room)
    return wrap(text, room) or [""]


def _packed(words: list[list[str]], room: int) -> list[str]:
    """Lines of words, each of which is a list of pieces that have a line of their own each."""
    lines = [""]
    for first, *others in filter(None, words):
        joined = f"{lines[-1]} {first}" if lines[-1] else first
        if not others and places(joined) <= room:
            lines[-1] = joined
        else:
            lines += [first, *others]
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


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
    words: list[str] = []
    room = lines * width
    for word in text.split():
        words.append(clipped(word, LONGEST_WORD))
        room -= places(words[-1]) + 1
        if room < 0:
            break
    else:
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
