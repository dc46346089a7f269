"""Published and recomputed numbers, arranged for reading: a table for each entry."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import Literal

from semiaudit.commands.reproduce.model import (
    Basis,
    Difference,
    Estimate,
    Ours,
    Reproduced,
    Reproduction,
    ReproductionEntry,
)
from semiaudit.model.bound import Bound
from semiaudit.model.number_text import bound_text
from semiaudit.report.renderers import for_terminal
from semiaudit.report.text.layout import Grid, Layout, Lines, View
from semiaudit.version import __version__

COLUMNS = ("what", "published", "ours", "verdict")


NOT_CERTIFIED = "≤ is an upper bound, ≥ a lower bound, and ≈ a number that is not certified."

HEADING = View("Published numbers and recomputed numbers", f"semiaudit {__version__}", ())


def view_of(reproduction: Reproduction) -> View:
    """Arrange a reproduction: every entry, then how many results are equal."""
    grids = (grid_of(entry) for entry in reproduction.entries)
    return replace(HEADING, blocks=(*grids, _answer(reproduction)))


def heading_text(layout: Layout) -> str:
    """Return the first lines of the text."""
    return for_terminal(HEADING, layout)


def entry_text(entry: ReproductionEntry, layout: Layout) -> str:
    """Return the text of one entry, which can be printed before the others are known."""
    return _part(grid_of(entry), layout)


def closing_text(reproduction: Reproduction, layout: Layout) -> str:
    """Return the last lines of the text."""
    return _part(_answer(reproduction), layout)


def _part(block: Grid | Lines, layout: Layout) -> str:
    text = for_terminal(replace(HEADING, blocks=(block,)), layout)
    return text.removeprefix(heading_text(layout))


def _answer(reproduction: Reproduction) -> Lines:
    late = () if reproduction.complete else (("", LATE),)
    results = reproduction.results
    equal = [result for result in results if result.verdict == "equal"]
    items = [("equal", f"{len(equal)} of {len(results)} published results")]
    for verdict, (name, meaning) in VERDICTS.items():
        others = [result for result in results if result.verdict == verdict]
        if others:
            errata = ", ".join(sorted({r.published.erratum for r in others} - {""}, key=_order))
            items.append((name, f"{len(others)}: {meaning}{f' ({errata})' if errata else ''}"))
    return Lines("Answer", (*late, *items, ("", NOT_CERTIFIED), ("", NOT_PROVEN)))


def _order(erratum: str) -> tuple[int, str]:
    return len(erratum), erratum


def grid_of(entry: ReproductionEntry) -> Grid:
    """Return the table of an entry: published and recomputed numbers."""
    rows = tuple(map(_row, entry.results))
    numeric = (False, True, True, False)
    notes = (f"{entry.source}.", *entry.notes)
    return Grid(f"{entry.name}: {entry.title}", COLUMNS, rows, numeric, notes, breaks=True)


def _row(result: Reproduced) -> tuple[str, ...]:
    published = result.published
    basis = "" if published.basis == "printed" else f", {BASES[published.basis]}"
    return (
        f"{published.what} ({published.place}{basis})",
        published.text,
        f"{_sign(result)}{ours_text(result)}",
        _verdict(result),
    )


def _sign(result: Reproduced) -> str:
    """Return the sign before our number: empty if it is exact or a word."""
    match result.ours:
        case Bound(side="upper"):
            return "≤ "
        case Bound(side="lower"):
            return "≥ "
        case Estimate():
            return "≈ "
        case _:
            return ""


def _verdict(result: Reproduced) -> str:
    erratum = result.published.erratum
    if result.verdict == "equal":
        return f"equal, as fitted: {erratum}" if result.published.basis == "fitted" else "equal"
    return f"{VERDICTS[result.verdict][0]}{f': {erratum}' if erratum else ''}"


BASES: dict[Basis, str] = {
    "printed": "printed there",
    "formula": "by its formula",
    "fitted": "printed there, parameters fitted",
    "checked": "not printed; checked",
}
VERDICTS: dict[Difference | Literal["differs"], tuple[str, str]] = {
    "wrong": ("wrong", "an erratum shows that the published value is wrong"),
    "looser": ("looser", "the published value is a valid bound, but the recomputed one is tighter"),
    "incomparable": (
        "not comparable",
        "the published and the recomputed value are for different things",
    ),
    "differs": ("DIFFERS", "different, and no erratum explains it"),
}
"""Verdicts other than equal: their names in a table, and their meanings."""

MOST_DECIMALS = 12
"""The most decimals of an exact number."""

LATE = "INCOMPLETE: the time limit was reached before all entries were computed."

NOT_PROVEN = (
    "Approximations, simulations, and formulas in floating point are not guarantees, and cannot be "
    "used for a budget."
)


def summary_text(reproduction: Reproduction) -> str:
    """Return how many results agree, and how many do not."""
    number = Counter(result.verdict for result in reproduction.results)
    return (
        f"{number.total()} published results: {number['equal']} equal; published value wrong: "
        f"{number['wrong']}; valid, but looser: {number['looser']}; not comparable: "
        f"{number['incomparable']}; different without an erratum: {number['differs']}"
    )


def method_text(ours: Ours) -> str:
    """Return the method of our number."""
    if isinstance(ours, Bound):
        return f"{ours.method}; {ours.source}"
    return ours.note if isinstance(ours, Estimate) else ""


def ours_text(result: Reproduced) -> str:
    """Return our number with one digit more than the published one, rounded to its side.

    An exact number has all of its digits, or is a fraction if the published one is, or if it has
    many. A number of which such digits would show too little has six significant ones.
    """
    ours, published = result.ours, result.published
    if isinstance(ours, str):
        return ours
    texts = published.text, published.corrected
    small = any("e" in text for text in texts)
    longest = max(map(_decimals, texts))
    if not isinstance(ours, Bound):
        shown = _decimal(Fraction(ours.value), longest, ROUND_HALF_EVEN)
        return f"{ours.value:.6g}" if small or _is_far(shown, Fraction(ours.value)) else shown
    value = ours.sharpest
    if isinstance(value, float):
        return bound_text(ours)
    if ours.side == "exact":
        shown = (
            str(value)
            if any("/" in text for text in texts)
            else _decimal(value, MOST_DECIMALS, ROUND_HALF_EVEN)
        )
        return shown if Fraction(shown) == value else str(value)
    shown = _decimal(value, longest, ROUND_CEILING if ours.side == "upper" else ROUND_FLOOR)
    return bound_text(ours, 6) if small or _is_far(shown, value) else shown


def _is_far(shown: str, value: Fraction) -> bool:
    return abs(Fraction(shown) - value) * 1000 > abs(value)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2]) + 1


def _decimal(value: Fraction, places: int, rounding: str) -> str:
    with localcontext() as context:
        context.prec, context.rounding = 60, rounding
        quotient = Decimal(value.numerator) / Decimal(value.denominator)
        text = f"{quotient.quantize(Decimal(1).scaleb(-places)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def side_of(ours: Ours) -> str:
    """Return the side of the truth on which a bound is, or the other kind of a number."""
    if isinstance(ours, Bound):
        return ours.side
    return ours.kind if isinstance(ours, Estimate) else "word"
