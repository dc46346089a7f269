"""Any text as LaTeX that prints it and runs nothing, in seven-bit characters."""

from __future__ import annotations

import re
import unicodedata

PREAMBLE = r"\providecommand{\semiauditchar}[2]{\ifdefined\Umathcode\symbol{#1}\else{[}U+#2{]}\fi}"
"""XeTeX and LuaTeX print a character by its number; pdfTeX, which can lack it, prints the
number."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "`": r"\symbol{96}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "·": r"\textperiodcentered{}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "’": r"\textquoteright{}",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "ρ": r"$\rho$",
    "μ": r"$\mu$",
    "σ": r"$\sigma$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "ₜ": r"$_t$",
    "√": r"$\surd$",
    "²": r"$^2$",
}
"""``[`` and ``*`` at the start of a row would be arguments of the line break before it."""

_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0308": r"\"",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0327": r"\c",
}
_NUMBER = re.compile(r"(-?)([0-9]+(?:\.[0-9]+)?)(?:e(-?[0-9]+))?")
_SYMBOLS = {"D": "$D$", "Dₜ": "$D_t$", "a(t)": "$a(t)$"}
_WORD = re.compile(r"(?<![\w(])(?:Dₜ|D|a\(t\))(?![\w(])")


def latex_text(text: str) -> str:
    """Escape a text. Characters that cannot be printed or seen are written as in Python."""
    seen = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return _apart("".join(map(_char, unicodedata.normalize("NFC", seen))))


def latex_words(text: str) -> str:
    """Escape a text of the program; D, Dₜ, and a(t) become formulas."""
    parts, at = [], 0
    for match in _WORD.finditer(text):
        parts += [latex_text(text[at : match.start()]), _SYMBOLS[match[0]]]
        at = match.end()
    return "".join([*parts, latex_text(text[at:])])


def latex_number(text: str) -> str:
    """Return the text of a number as mathematics; any other text, escaped."""
    if text in ("inf", "-inf"):
        return rf"${text.replace('inf', chr(92) + 'infty')}$"
    match = _NUMBER.fullmatch(text)
    if match is None:
        return latex_text(text) if text != "-" else "--"
    sign, digits, exponent = match.groups()
    if exponent is None:
        return f"${sign}{digits}$"
    power = f"10^{{{exponent}}}"
    return f"${sign}{power}$" if digits == "1" else rf"${sign}{digits} \times {power}$"


def _apart(text: str) -> str:
    return re.sub(r"(?<=[-',])(?=[-',])", "{}", text)


def _char(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    if char.isascii():
        return char
    base, *marks = list(unicodedata.normalize("NFD", char))
    if len(marks) == 1 and marks[0] in _ACCENTS and base.isascii() and base.isalpha():
        dotless = {"i": r"\i", "j": r"\j"}.get(base, base)
        return f"{_ACCENTS[marks[0]]}{{{dotless}}}"
    return rf"\semiauditchar{{{ord(char)}}}{{{ord(char):04X}}}"
