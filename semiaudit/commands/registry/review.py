"""Review an entry of the registry: list what its claim needs to be meaningful."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from semiaudit.commands.registry import words
from semiaudit.gate.judgement import is_fatal
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
    if words.is_absent(entry.text(*_DOMAIN)):
        message = (
            "data_domain does not say which datasets are possible; describe a dataset, and list "
            "the possible ones"
        )
        yield _finding(entry, NO_DOMAIN, _DOMAIN, message)


def _unit(entry: RegistryEntry) -> Iterator[Finding]:
    if words.is_absent(entry.text(*_UNIT)):
        message = (
            "privacy_unit does not say whose data are protected; name the unit, such as a person"
        )
        yield _finding(entry, NO_UNIT, _UNIT, message)
    if words.is_absent(entry.text(*_RELATION)):
        message = (
            "privacy_unit_details does not say which datasets are compared; add the metric and "
            "the largest distance"
        )
        yield _finding(entry, NO_RELATION, _RELATION, message)


def _invariants(entry: RegistryEntry) -> Iterator[Finding]:
    exact, relation = entry.text(*_EXACT), entry.text(*_RELATION)
    if words.is_absent(exact):
        message = (
            "unprotected_quantities does not say whether anything is published exactly; list the "
            'exact quantities, or write "none"'
        )
        yield _finding(entry, INVARIANTS_UNSAID, _EXACT, message)
        return
    if words.says_nothing(exact) or words.is_absent(relation):
        return
    if words.accounts_for_invariants(relation) or words.only_sizes(exact, relation):
        return
    if words.states_distance_one(relation):
        message = (
            "the guarantee is for a distance of one, but quantities are published exactly: if one "
            "record moves from one exact quantity to another, a second record must move too, so "
            "the guarantee covers no such move; add the semi-adjacent parameter a(t), and the loss "
            "at that distance"
        )
        yield _finding(entry, DISTANCE_ONE, _RELATION, message)
    elif not words.states_a_distance(relation):
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
    return place in entry.numbers or not words.is_absent(entry.text(*place))


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
    units = words.units_of(entry.text(*_UNIT))
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
    sharper = words.names_a_sharper_one(details)
    numbers = [entry.numbers.get(_RHO), entry.numbers.get(_EPSILON), _exactly(entry, _DELTA)]
    rho, epsilon, delta = numbers
    if rho is not None and epsilon is not None and not words.names_a_conversion(details):
        message = (
            "an epsilon is given with a rho, but privacy_parameters_details does not name the "
            "conversion; name it, and describe the noise"
        )
        yield _finding(entry, NO_CONVERSION, _EPSILON, message)
    stated: list[tuple[Place, words.ConversionClaim]] = [
        (_DETAILS, conversion) for conversion in words.conversions_in(details)
    ]
    if rho and epsilon is not None and delta is not None and 0 < delta < 1:
        stated.insert(0, (_EPSILON, words.conversion_of(rho, epsilon, delta)))
    for place, conversion in stated:
        if not sharper and conversion.rho > 0:
            yield from _proven(entry, place, conversion)


def _proven(entry: RegistryEntry, place: Place, claim: words.ConversionClaim) -> Iterator[Finding]:
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
