"""Why the leading effective number has its value: by group privacy, or by a query's sensitivity."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from semiaudit.model.adjacency import has_places
from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers
from semiaudit.model.labels import label
from semiaudit.model.mechanism import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from semiaudit.model.number_text import screen_text
from semiaudit.numeric.rationals import exact_sqrt, rational_text
from semiaudit.report.blocks.conclusion import leading_numbers, rows_of
from semiaudit.report.blocks.distance_sentence import number_word
from semiaudit.report.blocks.growth import is_finite

_PROPORTION = "in proportion to the number of records"
_GROWTH: dict[str, tuple[Callable[[Numbers], Bound | None], int, str]] = {
    "μ": (lambda numbers: numbers.own_gdp, 1, _PROPORTION),
    "ε": (lambda numbers: numbers.pure_dp, 1, _PROPORTION),
    "ρ": (lambda numbers: numbers.zcdp, 2, "with the square of the number of records"),
}
"""By the symbol of a measure, how group privacy lets it grow with the number of records: the
number, the power of the factor, and the words for it."""


def growth_sentence(audit: Audit) -> str:
    """Return why the leading number grows with a(t); empty unless group privacy gives it exactly.

    ρ grows with the square of the number of records, and μ and ε of pure DP in proportion. The
    sentence appears only if the effective number is the advertised one times that factor.
    """
    nominal, semi = rows_of(audit)
    distance, first = semi.guarantee.distance, next(iter(leading_numbers(audit)), None)
    if first is None or distance is None or distance < 2:
        return ""
    number, power, how = _GROWTH[first.symbol]
    if (first.before, first.after) != (number(nominal.numbers), number(semi.numbers)):
        return ""
    adjacency = audit.release.adjacency
    if adjacency.distance is not None or not has_places(adjacency.metric):
        return ""
    before, after = first.before, first.after
    if not is_finite(before) or not is_finite(after) or first.growth != distance**power:
        return ""
    factor = f"{distance}²" if power == 2 else str(distance)
    texts = screen_text(before), screen_text(after)
    whole = tuple(map(Fraction, texts)) == (before.value, after.value)
    product = f"{factor} × {texts[0]} = {texts[1]}" if whole else f"the factor is {factor}"
    pairs = pairs_of(audit, distance)
    return f"The guarantee is for {pairs}, and {first.symbol} grows {how}: {product}."


def sensitivity_sentence(audit: Audit) -> str:
    """Return how the leading number follows from the sensitivity of a query and its noise.

    Empty unless the number is exactly what independent noise on one query gives.
    """
    mechanism = audit.release.mechanism
    first = next(iter(leading_numbers(audit)), None)
    if first is None or first.after is None or len(audit.sensitivities) != 1:
        return ""
    ((query, sensitivity),) = audit.sensitivities
    most, norm, value = sensitivity.l2_squared.sharpest, "l2", first.after.sharpest
    match mechanism:
        case DiscreteGaussian():
            given = rational_text(mechanism.sigma_squared)
            formula = f"{rational_text(Fraction(most))} / (2 × {given})"
            expected, symbol = most / (2 * mechanism.sigma_squared), "ρ"
        case Gaussian():
            given = _root(mechanism.sigma_squared)
            formula = f"{_root(Fraction(most))} / {given}"
            expected, symbol = most / mechanism.sigma_squared, "μ"
            value = first.after.squared or Fraction(0)
        case Laplace() | DiscreteLaplace():
            most, norm = sensitivity.l1.sharpest, "l1"
            formula = f"{rational_text(Fraction(most))} / {rational_text(mechanism.scale)}"
            expected, symbol = most / mechanism.scale, "ε"
        case _:
            return ""
    if not sensitivity.exact or first.symbol != symbol or value != expected:
        return ""
    change = _root(Fraction(most)) if norm == "l2" else rational_text(Fraction(most))
    pairs = pairs_of(audit, sensitivity.distance)
    return (
        f"Inside Dₜ, {pairs} change the answer of the query ({query}) by at most {change} in the "
        f"{norm} norm: {symbol} = {formula} = {screen_text(first.after)}."
    )


def _root(square: Fraction) -> str:
    """The root of a number, exactly."""
    root = exact_sqrt(square)
    return rational_text(root) if root is not None else f"√{rational_text(square)}"


def pairs_of(audit: Audit, distance: int) -> str:
    """The pairs of datasets that a guarantee up to a distance covers."""
    metric = audit.release.adjacency.metric
    if has_places(metric):
        up_to = f"up to {number_word(distance)} records" if distance > 1 else "one record"
        return f"datasets that differ in {up_to}"
    return f"datasets up to distance {distance} ({label(metric)})"
