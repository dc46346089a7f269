"""The view as LaTeX: booktabs tables, for a document that loads only that package.

Any text as LaTeX that prints it and runs nothing, in seven-bit characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import assert_never

from semiaudit.model.audit import Audit
from semiaudit.model.bound import describe
from semiaudit.model.labels import label
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.text.layout import Grid, Head, Lines, View
from semiaudit.report.text.shield import shielded

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
    printable = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return _apart("".join(map(_char, unicodedata.normalize("NFC", printable))))


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


ROWS_OF_A_TABLE = 40
"""A table with more rows is split, each part with its head: a float must fit a page."""
TABLES_AT_ONCE = 10
"""Floats that LaTeX places together; it fails beyond 52."""
WIDE = 32
"""A column with longer cells is broken into lines."""

_HEAD = r"% booktabs tables: \usepackage{booktabs} belongs into the preamble of the document"
ROUNDED = (
    "Upper bounds are rounded up and lower bounds down, at the last digit shown. ε, ρ, and μ have "
    "no unit (natural logarithms); δ, advantage, TPR, and FPR are probabilities."
)
"""The units of all numbers, and their rounding sides."""


def to_latex(view: View, rounding: str) -> str:
    """Render a view, to be read with ``\\input``.

    Args:
        rounding: the text of every caption: units, rounding, and the subject of all rows.
    """
    lines = [_HEAD, PREAMBLE, rf"\section*{{{latex_text(view.title)}}}", latex_text(view.subtitle)]
    tables = 0
    for block in view.blocks:
        lines.append("")
        match block:
            case Head():
                first, *others = block.items
                items = tuple((said.label, said.text) for said in others)
                lines += [latex_text(first.text), *_lines(Lines("Main numbers", items))]
            case Lines():
                lines += _lines(block)
            case Grid():
                for part in _parts(block):
                    tables += 1
                    lines += _table(part, rounding)
                    lines += [r"\clearpage"] if tables % TABLES_AT_ONCE == 0 else []
            case _:
                assert_never(block)
    return shielded("\n".join(lines) + "\n")


def units_of(audit: Audit) -> str:
    """Return the caption of an audit: unit, metric, universes, distances, δ, rounding."""
    rows = [row.guarantee for row in audit.rows]
    stated = [
        f"{label(guarantee.framework)} {label(guarantee.universe)} {guarantee.distance}"
        for guarantee in rows
        if not guarantee.refused
    ]
    refused = [label(guarantee.framework) for guarantee in rows if guarantee.refused]
    points = [point for row in audit.rows for point in row.numbers.approx_dp]
    deltas = list(dict.fromkeys(point.delta for point in points))
    conversions = "; ".join(dict.fromkeys(label(point.conversion) for point in points))
    shown = ", ".join(map(rational_text, deltas)) if len(deltas) < 4 else f"{len(deltas)} values"
    unit, metric = audit.release.dataspace.unit, audit.release.adjacency.metric
    units = [
        f"Release: {audit.release.title}",
        f"Unit: one {unit}; metric of the distances: {label(metric)}",
        "D is the set of all datasets, Dₜ the set of those that agree on the invariants",
        *([f"Universe and distance of the pairs: {', '.join(stated)}"] if stated else []),
        *([f"Refused: {', '.join(refused)}"] if refused else []),
        *([f"ε at δ = {shown} by the conversions {conversions}"] if points else []),
        *([] if audit.complete else [f"INCOMPLETE: {describe(audit.incomplete_because)}"]),
    ]
    return f"{'. '.join(units)}. {ROUNDED}"


def _lines(block: Lines) -> list[str]:
    title = rf"\subsection*{{{latex_text(block.title)}}}"
    if not any(label for label, _ in block.items):
        return [title, *(f"{latex_text(text)}\n" for _, text in block.items)]
    items = [rf"\item[{latex_text(label)}] {latex_text(text)}" for label, text in block.items]
    return [title, r"\begin{description}", *items, r"\end{description}"]


def _parts(block: Grid) -> Iterator[Grid]:
    for start in range(0, max(len(block.rows), 1), ROWS_OF_A_TABLE):
        title = block.title if not start else f"{block.title} (continued)"
        rows = block.rows[start : start + ROWS_OF_A_TABLE]
        yield Grid(title, block.columns, rows, block.numeric, block.notes)


def _table(block: Grid, rounding: str) -> list[str]:
    notes = " ".join(note if note.endswith(".") else f"{note}." for note in block.notes)
    long = " ".join(filter(None, [f"{block.title}.", notes, rounding]))
    columns = "".join(
        _column(block.rows, place, numeric=numeric) for place, numeric in enumerate(block.numeric)
    )
    rows = [
        " & ".join(
            latex_number(cell) if numeric else latex_words(cell)
            for cell, numeric in zip(row, block.numeric, strict=True)
        )
        for row in block.rows
    ]
    return [
        r"\begin{table}[htbp]",
        r"\centering",
        r"\small",
        rf"\caption[{latex_text(block.title)}]{{{latex_words(long)}}}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        rf"{' & '.join(map(latex_words, block.columns))} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _column(rows: Sequence[tuple[str, ...]], place: int, *, numeric: bool) -> str:
    if numeric:
        return "r"
    return r"p{0.3\linewidth}" if any(len(row[place]) > WIDE for row in rows) else "l"
