"""Recognize statements in the free text of an entry, by their usual words.

An entry is English prose, and prose is not parsed: each function searches for the usual words of a
statement. In doubt, it reports a finding, which a reader can judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.numeric.rationals import decimal_from_text

_NOTHING = re.compile(
    r"|n/?a|none|no|nil|nothing|not applicable|unknown|unclear|not (?:stated|specified|known)"
    r"|tb[ad]|todo|null|[-\u2013\u2014?.]+|none[:.,;] .*|nothing is (?:published|released) exactly",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"|n/?a|not applicable|unknown|unclear|not (?:stated|specified|known|disclosed)|tb[ad]|todo"
    r"|null|[-\u2013\u2014?.]+",
    re.IGNORECASE,
)
_RECORD = r"(?:individual|person|record|row|entry|respondent|resident|household|user)"
_ONE = rf"(?:one|1(?![.,]?\d)|a single|any single|an? {_RECORD}|any {_RECORD})"
_DISTANCE_ONE = re.compile(
    rf"\bdistance\b[^.;\n]{{0,60}}?\b{_ONE}\b"
    rf"|\b{_ONE}[ -](?:unit of )?distance\b"
    rf"|\bdiffer(?:s|ing|ent)?\b[^.;\n]{{0,60}}?\b{_ONE}\b"
    rf"|\b(?:add|remov|chang|modif|replac|substitut|alter)\w*\b[^.;\n]{{0,40}}?\b{_ONE}\b"
    rf"|\b{_ONE}\b[^.;\n]{{0,40}}?\b(?:add|remov|chang|modif|replac|alter|differ|disagree)\w*"
    rf"|\b(?:all|same|equal|agree\w*|identical)\b[^.;\n]{{0,40}}?"
    rf"\b(?:but|except)\b[^.;\n]{{0,20}}?\b{_ONE}\b"
    r"|\b(?:un)?bounded[ -](?:neighbou?r|adjacen|DP\b|differential privacy)"
    r"|\b(?:change|replace|leave|add)[ -]one\b"
    r"|\bd(?:_\w+)?\s?(?:\([^()\n]{0,20}\))?\s?(?:=|<=|\u2264|\\leq?\b)\s?1(?![.,]?\d)"
    # In counts of cells, a replaced record is a distance of two.
    r"|\b(?:l[_ ]?1|manhattan|symmetric[ -]difference)\b[^.;\n]{0,60}?\b(?:two|2(?![.,]?\d))\b",
    re.IGNORECASE,
)
_DISTANCE_MORE = re.compile(
    r"(?<!l1 )(?<!l_1 )\bdistance\b[^.;\n]{0,60}?"
    r"(?:\bof|\bis|\bat most|\bup to|\bwithin|\bequals?|=)\s+"
    r"(?:at most\s+)?(?:two|three|four|five|six|[2-9]|[1-9]\d+)\b(?!\s+(?:datasets|databases))",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:chang|modif|replac|substitut|swap|alter)\w*|\bbounded\b|\bhamming\b", re.IGNORECASE
)
_ADDS = re.compile(r"\b(?:add|remov|insert|delet)\w*|\bunbounded\b|\bsymmetric", re.IGNORECASE)
_A_T = re.compile(r"\bsemi-?adjacen|\ba\(t\)|\bper unit of (?:the )?distance\b", re.IGNORECASE)
_TOTAL = re.compile(
    r"\b(?:total|overall|number of|size of|count of (?:all|the))\b|\bsample size\b|^\s*n\s*$",
    re.IGNORECASE,
)
_OF_PARTS = re.compile(
    r"\b(?:each|every|per|by|within|across|margin\w*|states?|count(?:y|ies)|blocks?|tracts?"
    r"|regions?|districts?|provinces?|municipalit\w+|households?|housing|units?|facilit\w+"
    r"|quarters|groups?|categor\w+|cells?|levels?|months?|days?|types?|pages?)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^[\s>*+\-\u2022]+|[*_`]")
_CONVERSION = re.compile(
    r"\b(?:bs16|cks20|joint[_ ]range|loss[_ ]distribution|gaussian[_ ]exact|renyi[_ ]curve)\b"
    r"|\bconver(?:t|sion)|\bbun\b|\bcanonne\b|\bprivacy loss distribution|\bPLD\b"
    r"|\banalytic gaussian\b|\bnumerical(?:ly)? (?:account|compos)",
    re.IGNORECASE,
)
_SHARPER = re.compile(
    r"\b(?:loss[_ ]distribution|gaussian[_ ]exact|PLD|analytic gaussian)\b"
    r"|\bprivacy loss distribution|\bnumerical(?:ly)? (?:account|compos)",
    re.IGNORECASE,
)
_NUMBER = r"\s*(?:=|is|of)?\s*([0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)"
_POWER = re.compile(r"(?:(?<![0-9.])([0-9.]+)\s*(?:x|\*|\\times|\\cdot)\s*)?10\s*\^\s*(-?[0-9]+)")
_RHO = re.compile(rf"(?:\brho|\u03c1){_NUMBER}", re.IGNORECASE)
_EPSILON = re.compile(rf"(?:\b(?:var)?epsilon|\u03b5){_NUMBER}", re.IGNORECASE)
_DELTA = re.compile(rf"(?:\bdelta|\u03b4){_NUMBER}", re.IGNORECASE)


_LEAST_UNIT = Fraction(1, 10**30)
"""The least unit of decimals in comparisons."""


@dataclass(frozen=True, slots=True)
class ConversionClaim:
    """A rho with the epsilon and the delta that a line gives for it.

    Attributes:
        rho_below, epsilon_above: the largest rounding errors of the two.
    """

    rho: Fraction
    epsilon: Fraction
    delta: Fraction
    rho_below: Fraction
    epsilon_above: Fraction


def conversion_of(rho: Fraction, epsilon: Fraction, delta: Fraction) -> ConversionClaim:
    """Return the numbers with half a unit of the last decimal of each."""
    return ConversionClaim(rho, epsilon, delta, rho - _half(rho), epsilon + _half(epsilon))


def _half(value: Fraction) -> Fraction:
    unit = Fraction(1)
    while (value / unit).denominator != 1 and unit > _LEAST_UNIT:
        unit /= 10
    return unit / 2


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        plain = _MARKS.sub("", line).strip()
        if plain:
            yield plain


def says_nothing(text: str) -> bool:
    """Return whether a field of quantities names none."""
    return all(_NOTHING.fullmatch(line.rstrip(". ")) for line in _lines(text))


def is_absent(text: str) -> bool:
    """Return whether a field has no answer."""
    return all(_ABSENT.fullmatch(line.rstrip(". ")) for line in _lines(text))


def states_distance_one(text: str) -> bool:
    """Return whether the compared datasets differ in one record."""
    return bool(_DISTANCE_ONE.search(text)) and not _DISTANCE_MORE.search(text)


def states_a_distance(text: str) -> bool:
    """Return whether any distance is specified."""
    return bool(_DISTANCE_ONE.search(text) or _DISTANCE_MORE.search(text) or _A_T.search(text))


def accounts_for_invariants(text: str) -> bool:
    """Return whether a(t) is given, or a loss for each unit of distance."""
    return bool(_A_T.search(text))


def only_sizes(quantities: str, relation: str) -> bool:
    """Return whether only the number of records is exact, and a record is replaced, never added."""
    sizes = all(_TOTAL.search(line) and not _OF_PARTS.search(line) for line in _lines(quantities))
    return sizes and bool(_REPLACES.search(relation)) and not _ADDS.search(relation)


def units_of(text: str) -> list[str]:
    """Return the units of a field that lists them, by semicolons or as a few words each.

    A sentence about one unit has commas, and more words between them.
    """
    listed = re.split(r"[;\n]", text)
    if len(listed) == 1:
        words = re.split(r",|\band\b", text)
        listed = words if all(len(part.split()) <= 2 for part in words) else listed
    return [part for part in (_MARKS.sub("", part).strip() for part in listed) if part]


def names_a_conversion(text: str) -> bool:
    """Return whether a conversion to epsilon is named."""
    return bool(_CONVERSION.search(text))


def names_a_sharper_one(text: str) -> bool:
    """Return whether epsilon is said to come from the noise itself, not from its rho."""
    return bool(_SHARPER.search(text))


def conversions_in(text: str) -> Iterator[ConversionClaim]:
    """Yield distinct lines that give a rho with its epsilon and its delta."""
    for line in text.splitlines():
        # One space each: a pattern that can begin anywhere in a long run takes quadratic time.
        plain = re.sub(r"\s+", " ", re.sub(r"[\\{}()$]|\btext\b", " ", line))
        plain = _POWER.sub(_as_exponent, plain)
        matches = [pattern.findall(plain) for pattern in (_RHO, _EPSILON, _DELTA)]
        if all(len(values) == 1 for values in matches):
            rho, epsilon, delta = (decimal_from_text(values[0]) for values in matches)
            if rho and epsilon is not None and delta and 0 < delta < 1:
                yield conversion_of(rho, epsilon, delta)


def _as_exponent(match: re.Match[str]) -> str:
    return f"{match[1] or 1}e{match[2]}"
