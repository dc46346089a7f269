"""The blocks of a report on the universe: a(t), its example pair, and sensitivities."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from semiaudit.model.adjacency import Reading, has_places
from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound, root_of
from semiaudit.model.guarantee import Numbers
from semiaudit.model.labels import label
from semiaudit.model.mechanism import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from semiaudit.model.number_text import bound_text, range_text, sentence_text
from semiaudit.model.semi_adjacency import Cell, Parameter, SemiAdjacency
from semiaudit.numeric.rationals import exact_sqrt, rational_text
from semiaudit.report.blocks.conclusion import leading_numbers, rows_of
from semiaudit.report.blocks.distance_sentence import (
    attributes_of,
    levels_of,
    number_word,
    others_text,
)
from semiaudit.report.blocks.growth import is_finite
from semiaudit.report.text.layout import Grid, Lines

SHOWN_CELLS = 4

EXAMPLE_PAIR = "Example pair (constructed from the invariants, not from your data)"

TRADED = "The records trade places, so no count changes."


def semi_adjacency_block(audit: Audit) -> Grid:
    """Return both definitions of a(t)."""
    semi = audit.universe.semi_adjacency
    definitions: tuple[tuple[Reading, str, Parameter], ...] = (
        ("covering", "every dataset", semi.covering),
        ("definition_13", "some dataset", semi.definition_13),
    )
    rows = tuple(
        (
            label(name),
            interval_text(parameter),
            start,
            label(parameter.method),
        )
        for name, start, parameter in definitions
    )
    the = "the " * (semi.reading == "covering")
    notes = [f"The guarantees use {the}{label(semi.reading)}."]
    if semi.own is not None:
        notes.append(f"This is a(t) of {semi.own.covered}; {semi.own.not_joint}.")
    disclosed = audit.universe.disclosed
    if disclosed.forced_cells:
        notes.append(
            f"The invariants alone determine the counts of {disclosed.forced_cells:,} of "
            f"{disclosed.cells or 0:,} cells."
        )
    columns = ("definition of a(t)", "changed records", "holds from", "method")
    title = "Semi-adjacent parameter a(t)"
    return Grid(title, columns, rows, (False, True, False, False), tuple(notes))


def example_pair_block(audit: Audit, *, caveats: bool = False) -> Lines | None:
    """Return the example pair, and how the leading number follows; None if neither is known.

    Args:
        caveats: say what the pair does not show.
    """
    texts = _witness_texts(audit, caveats=caveats)
    title = EXAMPLE_PAIR if texts else "How the number follows"
    texts += filter(None, [sensitivity_sentence(audit) or growth_sentence(audit)])
    return Lines(title, tuple(("", text) for text in texts)) if texts else None


def interval_text(parameter: Parameter) -> str:
    """Return the value of a(t), or its interval."""
    return range_text(parameter.lower, parameter.upper, parameter.established)


def _witness_texts(audit: Audit, *, caveats: bool) -> list[str]:
    semi = audit.universe.semi_adjacency
    witness, metric = semi.covering.witness, semi.metric
    if witness is None:
        return []
    others = witness.distance - 1
    match metric:
        case "hamming":
            also = f"{others_text(others)} must change"
        case "multiset_hamming" | "symmetric_difference":
            also = f"the two tables are at distance {witness.distance}"
        case _:
            assert_never(metric)

    def text_of(cell: Cell) -> str:
        return f"({', '.join(levels_of(attributes_of(audit, cell), cell))})"

    before, after = dict(witness.start), dict(witness.end)
    cells = [cell for cell in {**before, **after} if before.get(cell, 0) != after.get(cell, 0)]
    moves = [f"{text_of(c)} {before.get(c, 0):,} → {after.get(c, 0):,}" for c in cells]
    more = len(moves) - SHOWN_CELLS
    shown = ", ".join(moves[:SHOWN_CELLS]) + (f" and {more} more" if more > 0 else "")
    table = f"Counts: {shown}." if moves else TRADED
    table += f" {why_text(semi)}" if caveats else ""
    first, second = witness.record_from, witness.record_to
    if first is None or second is None:
        record = second if first is None else first
        verb = "enters" if first is None else "leaves"
        change = f"Record {text_of(record)} {verb}" if record else "A record enters or leaves"
        return [f"{change}. {table}"]
    return [f"Record {text_of(first)} becomes {text_of(second)}; {also}. {table}"]


def why_text(semi: SemiAdjacency) -> str:
    """Return what the example pair shows, and what it does not."""
    witness = semi.covering.witness
    if witness is None:
        return ""
    least = "at least " * (semi.covering.upper != witness.distance)
    return (
        f"The pair shows why a(t) is {least}{witness.distance}; the reported loss is the worst "
        "over all pairs."
    )


def sensitivity_block(audit: Audit) -> Grid | None:
    """Return the sensitivity space of every query, and of all together; None without queries."""
    if not audit.sensitivities:
        return None
    spaces = [(str(query), sensitivity) for query, sensitivity in audit.sensitivities]
    if audit.joint_sensitivity is not None and len(spaces) > 1:
        spaces.append(("all together", audit.joint_sensitivity))
    rows = []
    for name, sensitivity in spaces:
        rows.append(
            (
                name,
                bound_text(sensitivity.l1),
                bound_text(root_of(sensitivity.l2_squared)),
                bound_text(sensitivity.linf),
                "exact" if sensitivity.exact else "upper",
            )
        )
    distance = audit.sensitivities[0][1].distance
    columns = ("query", "l1", "l2", "linf", "bound")
    title = f"Sensitivity of each query inside Dₜ, up to distance {distance}"
    return Grid(title, columns, tuple(rows), (False, *(True for _ in columns[2:]), False))


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
    texts = sentence_text(before), sentence_text(after)
    whole = tuple(map(Fraction, texts)) == (before.value, after.value)
    product = f"{factor} × {texts[0]} = {texts[1]}" if whole else f"the factor is {factor}"
    return f"{first.symbol} grows {how}: {product}."


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
            variance = rational_text(mechanism.sigma_squared)
            formula = f"{rational_text(Fraction(most))} / (2 × {variance})"
            expected, symbol = most / (2 * mechanism.sigma_squared), "ρ"
        case Gaussian():
            variance = _root(mechanism.sigma_squared)
            formula = f"{_root(Fraction(most))} / {variance}"
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
        f"{norm} norm: {symbol} = {formula} = {sentence_text(first.after)}."
    )


def _root(square: Fraction) -> str:
    root = exact_sqrt(square)
    return rational_text(root) if root is not None else f"√{rational_text(square)}"


def pairs_of(audit: Audit, distance: int) -> str:
    """The pairs of datasets that a guarantee up to a distance covers."""
    metric = audit.release.adjacency.metric
    if has_places(metric):
        up_to = f"up to {number_word(distance)} records" if distance > 1 else "one record"
        return f"datasets that differ in {up_to}"
    return f"datasets up to distance {distance} ({label(metric)})"
