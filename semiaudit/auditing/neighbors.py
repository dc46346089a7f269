"""The neighboring datasets of declared numbers: which are assumed, and what the others mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from semiaudit.deadline import OutOfTimeError
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.mechanism_loss import refusal
from semiaudit.mechanisms.parts import assumed_parts, for_neighbors
from semiaudit.model.adjacency import Neighbors, assumed_neighbors, per_record
from semiaudit.model.audit import Finding
from semiaudit.model.bound import upper
from semiaudit.model.labels import label
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.number_text import bound_text
from semiaudit.model.rules import NEIGHBORS_ASSUMED, finding_of
from semiaudit.numeric.intervals import Interval


def assumed_relation(context: Context) -> list[Finding]:
    """Return the finding that the spec does not name the neighboring datasets of its numbers.

    It compares the number of the assumed relation with that of the other one, for two datasets of
    one size that differ in one record.
    """
    parts = assumed_parts(context.made)
    if not parts:
        return []
    assumed = assumed_neighbors(context.adjacency.metric)
    other: Neighbors = "add_remove" if assumed == "replace_one" else "replace_one"
    kinds = " and ".join(dict.fromkeys(part.kind for part in parts))
    message = (
        f"the spec does not say for which neighboring datasets the numbers of {kinds} hold "
        f"(neighbors); {label(assumed)} is assumed: {_of_the_other(context, other)}"
    )
    return [finding_of(NEIGHBORS_ASSUMED, message, parts[0].mark, "neighbors")]


def _of_the_other(context: Context, other: Neighbors) -> str:
    changed = replace(context, mechanism=for_neighbors(context.mechanism, other))
    distance = per_record(context.adjacency.metric)
    try:
        why = refusal(changed.made, "nominal_dp", context.spaces)
        if why:
            return why
        now, then = (_leading(case.loss_at(distance, "D")) for case in (context, changed))
    except OutOfTimeError:
        now = then = None
    if now is None or then is None:
        return f"the numbers for {label(other)} differ"
    return f"if they hold for {label(other)}, {then} at distance {distance}, instead of {now}"


def _leading(measures: Sequence[Measure]) -> str | None:
    """Return the number of the first measure that has one; None if there is only a function."""
    for measure in measures:
        match measure:
            case GDP(mu_squared):
                return f"μ = {_text(Fraction(Interval.of(mu_squared).sqrt().high))}"
            case PureDP(epsilon):
                return f"ε = {_text(epsilon)}"
            case ZCDP(rho):
                return f"ρ = {_text(rho)}"
            case ApproxDP(epsilon, delta):
                return f"ε = {_text(epsilon)} at δ = {_text(delta)}"
            case ApproxZCDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
                continue
            case _:
                assert_never(measure)
    return None


def _text(value: Fraction) -> str:
    return bound_text(upper(value, "", ""))
