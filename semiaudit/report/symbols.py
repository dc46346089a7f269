"""Mathematical symbols in reports, and the ASCII words for outputs that cannot show them."""

from __future__ import annotations

import re

ASCII_WORDS = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "μ": "mu",
    "σ": "sigma",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "ₜ": "_t",
    "→": "->",
    "√": "sqrt ",
    "²": "^2",
    "é": "e",
    "…": "...",
    "·": "-",
    "─": "-",
    "–": "-",
}
"""What each symbol of a report is in ASCII."""


_APART = re.compile(r"( *)((?:[^ \n]| (?=[^ \n]))+)( *)")
"""Words with single blanks between them, and the blanks before and after them."""


def encodable(text: str, encoding: str) -> str:
    """Return a text as an encoding can show it: unchanged, or with ASCII words for symbols.

    A word takes the place of blanks next to it if there are some, so that columns stay aligned.
    """
    try:
        text.encode(encoding)
    except (LookupError, UnicodeError):
        return "\n".join(_APART.sub(_spelled, line) for line in text.split("\n"))
    return text


def _spelled(found: re.Match[str]) -> str:
    before, words, after = found.groups()
    told = "".join(ASCII_WORDS.get(char, char) for char in words)
    longer = len(told) - len(words)
    if len(after) > max(len(before), longer + 1):
        return before + told + after[longer:]
    if len(before) > longer + 1:
        return before[longer:] + told + after
    return before + told + after
