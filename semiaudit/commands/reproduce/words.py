"""Published and recomputed numbers, in words that all formats share."""

from __future__ import annotations

from collections import Counter
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.commands.reproduce.model import (
    Basis,
    Difference,
    Estimate,
    EstimateKind,
    Ours,
    Reproduced,
    Reproduction,
)
from semiaudit.model.bound import Bound
from semiaudit.model.number_text import bound_text

BASES: dict[Basis, str] = {
    "printed": "printed there",
    "formula": "by its formula",
    "fitted": "printed there, parameters fitted",
    "checked": "not printed; checked",
}
KINDS: dict[EstimateKind, str] = {
    "approximation": "approximation, not a guarantee",
    "simulated": "simulated",
    "floating": "floating point",
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


def verdict_text(result: Reproduced) -> str:
    """Return the verdict, with the erratum that explains it."""
    erratum = result.published.erratum
    match result.verdict:
        case "equal" if result.published.basis == "fitted":
            return f"equal, as fitted: {erratum}"
        case "equal":
            return "equal"
        case "wrong":
            return f"published value wrong: {erratum}"
        case "looser":
            return f"valid, but looser: {erratum}"
        case "incomparable":
            return f"not comparable: {erratum}"
        case "differs":
            return "DIFFERS"
        case _:
            assert_never(result.verdict)


def summary_text(reproduction: Reproduction) -> str:
    """Return how many results agree, and how many do not."""
    number = Counter(result.verdict for result in reproduction.results)
    return (
        f"{number.total()} published results: {number['equal']} equal; published value wrong: "
        f"{number['wrong']}; valid, but looser: {number['looser']}; not comparable: "
        f"{number['incomparable']}; different without an erratum: {number['differs']}"
    )


def side_text(ours: Ours) -> str:
    """Return the side of a certified number, or the kind of another one."""
    if isinstance(ours, Bound):
        return ours.side
    return KINDS[ours.kind] if isinstance(ours, Estimate) else ""


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
    return bound_text(ours) if small or _is_far(shown, value) else shown


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
