"""Review an entry of the registry: list the facts that its claim lacks, and the conversions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import get_args

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.commands.registry import PRESENTATION
from semiaudit.frozen import dataclass
from semiaudit.gate.judgement import is_fatal
from semiaudit.library.answer import EXIT_EXCEEDS, EXIT_HOLDS, Answer
from semiaudit.model.audit import Finding
from semiaudit.model.measure import ZCDP
from semiaudit.model.policy import FailOn
from semiaudit.model.results.registry import Place, RegistryEntry, Review, slug_of
from semiaudit.model.rules.registry_rules import (
    DISTANCE_ONE,
    INVARIANTS_UNSAID,
    NO_CONVERSION,
    NO_DELTA,
    NO_DISTANCE,
    NO_DOMAIN,
    NO_PARAMETERS,
    NO_RELATION,
    NO_UNIT,
    NO_VARIANT,
    NOT_PROVEN,
    OTHER_SLUG,
    REGISTRY_RULES,
    SEVERAL_UNITS,
    UNFILLED,
    UNLIKE_VARIANT,
)
from semiaudit.numeric.rationals import decimal_from_text, rational_text
from semiaudit.privacy.conversion import approx_from_zcdp
from semiaudit.privacy.evaluate import epsilon_at
from semiaudit.spec.registry.entry import load_entry

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
_SAID_RHO = re.compile(rf"(?:\brho|\u03c1){_NUMBER}", re.IGNORECASE)
_SAID_EPSILON = re.compile(rf"(?:\b(?:var)?epsilon|\u03b5){_NUMBER}", re.IGNORECASE)
_SAID_DELTA = re.compile(rf"(?:\bdelta|\u03b4){_NUMBER}", re.IGNORECASE)


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
        matches = [pattern.findall(plain) for pattern in (_SAID_RHO, _SAID_EPSILON, _SAID_DELTA)]
        if all(len(values) == 1 for values in matches):
            rho, epsilon, delta = (decimal_from_text(values[0]) for values in matches)
            if rho and epsilon is not None and delta and 0 < delta < 1:
                yield conversion_of(rho, epsilon, delta)


def _as_exponent(match: re.Match[str]) -> str:
    return f"{match[1] or 1}e{match[2]}"


_TOP = ("deployment",)
_BASIC = (*_TOP, "basic")
_DOMAIN = (*_TOP, "dp_variant", "data_domain")
_EXACT = (*_TOP, "dp_variant", "unprotected_quantities")
_VARIANT = (*_TOP, "dp_variant", "variant_name")
_UNIT = (*_TOP, "privacy_loss", "privacy_unit")
_RELATION = (*_TOP, "privacy_loss", "privacy_unit_details")
_PARAMETERS = (*_TOP, "privacy_loss", "privacy_parameters")
_DETAILS = (*_TOP, "privacy_loss", "privacy_parameters_details")
_EPSILON, _DELTA, _RHO = ((*_PARAMETERS, key) for key in ("epsilon", "delta", "rho"))

_LARGEST_RHO = 10**6
"""For a larger rho, the conversion of this one is used: a larger rho proves no smaller epsilon."""


def review_file(path: str, text: bytes | None = None) -> Review:
    """Read an entry and review it.

    Args:
        text: its content, if it is not a file.

    Raises:
        SpecError: it cannot be read, or does not fit the registry's schema.
    """
    return reviewed(load_entry(path, text))


def failing(review: Review, fail_on: FailOn) -> bool:
    """Return whether a finding is severe enough to fail the review."""
    return any(is_fatal(finding, fail_on) for finding in review.findings)


def reviewed(entry: RegistryEntry) -> Review:
    """Review an entry; the findings come in the order of the file."""
    findings = [finding for check in _CHECKS for finding in check(entry)]
    findings.sort(key=lambda finding: (finding.mark, finding.rule))
    return Review(entry.path, entry.text(*_BASIC, "name"), tuple(findings))


def _finding(
    entry: RegistryEntry, rule: str, place: Place, message: str, *, mild: bool = False
) -> Finding:
    level = "warning" if mild else REGISTRY_RULES[rule].level
    return Finding(rule, level, message, entry.mark(*place))


def _domain(entry: RegistryEntry) -> Iterator[Finding]:
    if is_absent(entry.text(*_DOMAIN)):
        message = (
            "data_domain does not say which datasets are possible; describe a dataset, and list "
            "the possible ones"
        )
        yield _finding(entry, NO_DOMAIN, _DOMAIN, message)


def _unit(entry: RegistryEntry) -> Iterator[Finding]:
    if is_absent(entry.text(*_UNIT)):
        message = (
            "privacy_unit does not say whose data are protected; name the unit, such as a person"
        )
        yield _finding(entry, NO_UNIT, _UNIT, message)
    if is_absent(entry.text(*_RELATION)):
        message = (
            "privacy_unit_details does not say which datasets are compared; add the metric and "
            "the largest distance"
        )
        yield _finding(entry, NO_RELATION, _RELATION, message)


def _invariants(entry: RegistryEntry) -> Iterator[Finding]:
    exact, relation = entry.text(*_EXACT), entry.text(*_RELATION)
    if is_absent(exact):
        message = (
            "unprotected_quantities does not say whether anything is published exactly; list the "
            'exact quantities, or write "none"'
        )
        yield _finding(entry, INVARIANTS_UNSAID, _EXACT, message)
        return
    if says_nothing(exact) or is_absent(relation):
        return
    if accounts_for_invariants(relation) or only_sizes(exact, relation):
        return
    if states_distance_one(relation):
        message = (
            "the guarantee is for a distance of one, but quantities are published exactly: if one "
            "record moves from one exact quantity to another, a second record must move too, so "
            "the guarantee covers no such move; add the semi-adjacent parameter a(t), and the loss "
            "at that distance"
        )
        yield _finding(entry, DISTANCE_ONE, _RELATION, message)
    elif not states_a_distance(relation):
        message = (
            "quantities are published exactly, but privacy_unit_details does not give the distance "
            "between the compared datasets, which agree on them; add it"
        )
        yield _finding(entry, NO_DISTANCE, _RELATION, message)


def _parameters(entry: RegistryEntry) -> Iterator[Finding]:
    known: list[Place] = [place for place in (_EPSILON, _DELTA, _RHO) if _is_given(entry, place)]
    variant = entry.text(*_VARIANT)
    if not known:
        message = "privacy_parameters has no number; add the numbers of the variant"
        yield _finding(entry, NO_PARAMETERS, _PARAMETERS, message)
        return
    if not variant:
        message = "variant_name is missing, so the parameters have no meaning; add it"
        yield _finding(entry, NO_VARIANT, _VARIANT, message)
    if _EPSILON in known and _DELTA not in known and variant != "Pure DP":
        message = (
            f"epsilon has no delta, and {variant or 'the unnamed variant'} has an epsilon only at "
            "a delta; add the delta"
        )
        yield _finding(entry, NO_DELTA, _EPSILON, message)
    yield from _of_variant(entry, variant, known)
    yield from _in_range(entry)


def _is_given(entry: RegistryEntry, place: Place) -> bool:
    return place in entry.numbers or not is_absent(entry.text(*place))


def _of_variant(entry: RegistryEntry, variant: str, known: Sequence[Place]) -> Iterator[Finding]:
    def unlike(place: Place, message: str) -> Finding:
        return _finding(entry, UNLIKE_VARIANT, place, message)

    if variant == "Pure DP" and _EPSILON not in known:
        yield unlike(_PARAMETERS, "Pure DP needs an epsilon; add it")
    if variant == "Pure DP" and _is_given(entry, _DELTA) and _exactly(entry, _DELTA) != 0:
        message = "Pure DP has delta 0, and the entry has another delta; is it approximate DP?"
        yield unlike(_DELTA, message)
    if variant == "Approximate DP" and _EPSILON not in known:
        yield unlike(_PARAMETERS, "Approximate DP needs an epsilon; add it")
    if variant == "Zero-concentrated DP" and _RHO not in known:
        message = "Zero-concentrated DP needs a rho; add it"
        yield unlike(_PARAMETERS, message)
    if _DELTA in known and _EPSILON not in known and variant != "Approximate DP":
        yield unlike(_DELTA, "delta has no epsilon; add epsilon, or remove delta")


def _exactly(entry: RegistryEntry, place: Place) -> Fraction | None:
    """Return an exact number, even if it is text; None for a formula or a missing number."""
    return entry.numbers.get(place, decimal_from_text(entry.text(*place)))


def _in_range(entry: RegistryEntry) -> Iterator[Finding]:
    for place in (_EPSILON, _RHO):
        if place in entry.numbers and entry.numbers[place] < 0:
            message = f"{place[-1]} is negative; use a number of at least 0"
            yield _finding(entry, UNLIKE_VARIANT, place, message)
    delta = _exactly(entry, _DELTA)
    if delta is not None and not 0 <= delta < 1:
        message = "delta is out of range; use 0, or a number above 0 and below 1"
        yield _finding(entry, UNLIKE_VARIANT, _DELTA, message)


def _units(entry: RegistryEntry) -> Iterator[Finding]:
    """Report numbers for several units together: each unit has its own loss and conversion."""
    units = units_of(entry.text(*_UNIT))
    stated = [place for place in (_RHO, _EPSILON) if place in entry.numbers]
    if len(units) > 1 and stated:
        key = stated[0][-1]
        message = (
            f"one {key} is given for {len(units)} units of privacy, and a sum over units is not "
            "the privacy loss of any of them; give the numbers of each unit, or write an entry for "
            "each"
        )
        yield _finding(entry, SEVERAL_UNITS, stated[0], message)


def _conversions(entry: RegistryEntry) -> Iterator[Finding]:
    details = entry.text(*_DETAILS)
    sharper = names_a_sharper_one(details)
    numbers = [entry.numbers.get(_RHO), entry.numbers.get(_EPSILON), _exactly(entry, _DELTA)]
    rho, epsilon, delta = numbers
    if rho is not None and epsilon is not None and not names_a_conversion(details):
        message = (
            "an epsilon is given with a rho, but privacy_parameters_details does not name the "
            "conversion; name it, and describe the noise"
        )
        yield _finding(entry, NO_CONVERSION, _EPSILON, message)
    stated: list[tuple[Place, ConversionClaim]] = [
        (_DETAILS, conversion) for conversion in conversions_in(details)
    ]
    if rho and epsilon is not None and delta is not None and 0 < delta < 1:
        stated.insert(0, (_EPSILON, conversion_of(rho, epsilon, delta)))
    for place, conversion in stated:
        if not sharper and conversion.rho > 0:
            yield from _proven(entry, place, conversion)


def _proven(entry: RegistryEntry, place: Place, claim: ConversionClaim) -> Iterator[Finding]:
    least = _least(min(claim.rho, Fraction(_LARGEST_RHO)), claim.delta)
    if least <= claim.epsilon:
        return
    below = min(claim.rho_below, Fraction(_LARGEST_RHO))
    proven = "at least " * (claim.rho > _LARGEST_RHO) + rational_text(least)
    near = below > 0 and _least(below, claim.delta) <= claim.epsilon_above
    rounded = "; rounding may explain it" if near else ""
    message = (
        f"epsilon {rational_text(claim.epsilon)} at delta {rational_text(claim.delta)} is not "
        f"proven: the smallest epsilon known from rho {rational_text(claim.rho)} alone is "
        f"{proven}; round epsilon up, or describe the noise that proves more{rounded}"
    )
    yield _finding(entry, NOT_PROVEN, place, message, mild=near)


def _least(rho: Fraction, delta: Fraction) -> Fraction:
    measure = ZCDP(rho)
    known = epsilon_at((measure,), delta).sharpest
    return min(approx_from_zcdp(measure, delta).epsilon, Fraction(known))


def _unfilled(entry: RegistryEntry) -> Iterator[Finding]:
    for mark in entry.placeholders:
        message = "a placeholder is not filled in; replace it"
        yield Finding(UNFILLED, REGISTRY_RULES[UNFILLED].level, message, mark)


def _slug(entry: RegistryEntry) -> Iterator[Finding]:
    curators = list(entry.items(*_BASIC, "data_curators"))
    name, day = entry.text(*_BASIC, "name"), entry.text(*_BASIC, "publication_date")
    slug = slug_of(name, curators, day)
    if entry.text("url_slug") != slug:
        message = f"the registry computes another slug from name, curators, and year; use {slug}"
        yield _finding(entry, OTHER_SLUG, ("url_slug",), message)


_CHECKS: tuple[Callable[[RegistryEntry], Iterator[Finding]], ...] = (
    _domain,
    _unit,
    _invariants,
    _parameters,
    _units,
    _conversions,
    _unfilled,
    _slug,
)


class ReviewAnswer(Answer[Review]):
    """A review, and the lowest level of a finding that fails it."""

    __slots__ = ("_fail_on",)

    _presentation = PRESENTATION

    def __init__(self, result: Review, fail_on: FailOn) -> None:
        super().__init__(result)
        self._fail_on = fail_on

    @property
    def exit_code(self) -> int:
        """Return 1 if a finding fails; else 0."""
        return EXIT_EXCEEDS if failing(self._result, self._fail_on) else EXIT_HOLDS


@click.command()
@click.argument("entry", type=click.Path())
@prints_answer(PRESENTATION.renderers, "entry")
@click.option(
    "--fail-on",
    type=click.Choice(get_args(FailOn)),
    default="error",
    show_default=True,
    help="Lowest level of a finding that fails.",
)
def review(entry: str, fail_on: FailOn, shared: SharedOptions) -> ReviewAnswer:
    """Review ENTRY, a file of the OpenDP deployments registry: list what it must add so that its
    claim is meaningful, with line and column. Use - to read it from standard input.

    Exit code 1: a finding fails. Exit code 2: the entry does not fit the schema of the registry.
    """
    return ReviewAnswer(review_file(entry, shared.standard_input), fail_on)
