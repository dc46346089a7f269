"""Mathematical symbols in reports, and the ASCII words for outputs that cannot show them."""

from __future__ import annotations

import re

ASCII_WORDS = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "μ": "mu",
    "σ": "sigma",
    "θ": "th",
    "₁": "1",
    "₂": "2",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "ₜ": "_t",
    "→": "->",
    "√": "sqrt ",
    "²": "^2",
    "é": "e",
    "…": "...",
    "·": "-",
    "─": "-",
    "−": "-",
}
"""The ASCII form of each symbol of a report."""


_GAPS = re.compile(r"(^ +| {2,})")
"""The gap between two columns."""


def in_ascii(text: str) -> str:
    """Return a text with ASCII words for its symbols."""
    return "".join(ASCII_WORDS.get(char, char) for char in text)


def encodable(text: str, encoding: str) -> str:
    """Return a text as an encoding can show it: unchanged, or with ASCII words for symbols.

    A word replaces adjacent blanks, if there are some, so that columns stay aligned.
    """
    try:
        text.encode(encoding)
    except (LookupError, UnicodeError):
        return "\n".join(map(_spelled, text.split("\n")))
    return text


def _spelled(line: str) -> str:
    """Spell a line in ASCII words; a cell that grows takes blanks from the wider adjacent gap."""
    parts = ["", *_GAPS.split(line), ""]
    for place in range(1, len(parts), 2):
        cell = parts[place]
        parts[place] = in_ascii(cell)
        longer = len(parts[place]) - len(cell)
        gap = max(place + 1, place - 1, key=lambda at: len(parts[at]))
        if len(parts[gap]) > longer + 1:
            parts[gap] = parts[gap][longer:]
    return "".join(parts)
