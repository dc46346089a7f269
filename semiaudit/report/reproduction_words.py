"""Published numbers beside ours, in words that all formats share."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import assert_never

from semiaudit.model.bound import Bound
from semiaudit.model.reproduction import (
    Basis,
    Estimate,
    EstimateKind,
    Ours,
    Reproduced,
    Reproduction,
)
from semiaudit.report.numbers import bound_text

BASES: dict[Basis, str] = {
    "printed": "printed there",
    "formula": "by its formula",
    "fitted": "printed there, parameters fitted",
    "checked": "not printed; checked",
}
KINDS: dict[EstimateKind, str] = {
    "approximation": "approximation, no guarantee",
    "simulated": "simulated",
    "floating": "floating point",
}
NOT_PROVEN = (
    "An approximation is no guarantee, and neither is a simulation or a formula in floating point: "
    "no budget takes any of them."
)


def verdict_text(found: Reproduced) -> str:
    """The verdict, with the erratum that explains it."""
    erratum = found.published.erratum
    match found.verdict:
        case "equal" if found.published.basis == "fitted":
            return f"equal, as fitted: {erratum}"
        case "equal":
            return "equal"
        case "erratum":
            return f"differs, because: {erratum}"
        case "differs":
            return "DIFFERS"
        case _:
            assert_never(found.verdict)


def summary_text(found: Reproduction) -> str:
    """How many results agree, and how many not."""
    verdicts = [result.verdict for result in found.results]
    equal, explained = verdicts.count("equal"), verdicts.count("erratum")
    left = verdicts.count("differs")
    told = (
        f"{len(verdicts)} published results: {equal} equal, {explained} differ as an erratum says"
    )
    return f"{told}, {left} differ without one" if left else f"{told}, none differs without one"


def side_text(ours: Ours) -> str:
    """What our number is: the side of a certified one, or what else it is."""
    if isinstance(ours, Bound):
        return ours.side
    return KINDS[ours.kind] if isinstance(ours, Estimate) else ""


def method_text(ours: Ours) -> str:
    """How our number was obtained."""
    if isinstance(ours, Bound):
        return f"{ours.method}; {ours.source}"
    return ours.told if isinstance(ours, Estimate) else ""


def ours_text(found: Reproduced) -> str:
    """Our number with one digit more than the published one; a bound is rounded to its side."""
    ours, published = found.ours, found.published
    if isinstance(ours, str):
        return ours
    texts = published.text, published.corrected
    small = any("e" in text for text in texts)
    longest = max(map(_decimals, texts))
    if isinstance(ours, Bound):
        value = ours.sharpest
        if isinstance(value, float) or small:
            return bound_text(ours)
        mode = {"exact": ROUND_HALF_EVEN, "upper": ROUND_CEILING, "lower": ROUND_FLOOR}[ours.side]
        return _decimal(value, longest, mode)
    return (
        f"{ours.value:.6g}" if small else _decimal(Fraction(ours.value), longest, ROUND_HALF_EVEN)
    )


def _decimals(text: str) -> int:
    """One more than a text has behind its point."""
    return len(text.partition(".")[2]) + 1


def _decimal(value: Fraction, places: int, rounding: str) -> str:
    """A rational with so many decimals at most, without zeros at its end."""
    with localcontext() as context:
        context.prec, context.rounding = 60, rounding
        found = Decimal(value.numerator) / Decimal(value.denominator)
        text = f"{found.quantize(Decimal(1).scaleb(-places)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
