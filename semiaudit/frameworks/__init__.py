"""The privacy definitions, one module each, and the order of their guarantees.

``model.frameworks`` names the definitions. The module of each has ``stated``, its guarantee for a
release; if budgets for it name a distance, it also has ``at_distance``, the guarantee at a
distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType

from semiaudit import deadline
from semiaudit.frameworks.context import Context, Stated, certainty_note
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import PER_DISTANCE, FrameworkName
from semiaudit.model.guarantee import Alternative, FrameworkGuarantee, GuaranteeRow, Order
from semiaudit.model.semi_adjacency import Universe
from semiaudit.privacy.ordering.implication import bundle_implies

_MODULES: dict[FrameworkName, ModuleType] = {
    name: import_module(f"{__name__}.{name}") for name in NAMED
}


def _guarantee(name: FrameworkName, context: Context) -> FrameworkGuarantee:
    statement: Stated = _MODULES[name].stated(context)
    remark = certainty_note(context.mechanism, statement.measures)
    return FrameworkGuarantee(
        framework=name,
        universe=NAMED[name].universe,
        metric=context.adjacency.metric,
        distance=statement.distance,
        measures=statement.measures,
        covers_joint_release=statement.covers_joint_release,
        not_protected=statement.not_protected,
        note="; ".join(filter(None, (statement.note, remark))),
        alternatives=statement.alternatives,
        refused=statement.refused,
        specific="; ".join(filter(None, (statement.specific, remark))),
    )


FRAMEWORKS: dict[FrameworkName, Callable[[Context], FrameworkGuarantee]] = {
    name: partial(_guarantee, name) for name in NAMED
}
"""The guarantee of every privacy definition, in the order of the report."""

AT_DISTANCE: dict[FrameworkName, Callable[[Context, int], Alternative | None]] = {
    name: _MODULES[name].at_distance for name in PER_DISTANCE
}
"""Guarantees per unit of distance, evaluated at a distance; None if refused."""


def ordering_of(universe: Universe, rows: Sequence[GuaranteeRow]) -> tuple[Order, ...]:
    """Return every proven relation between two rows (Definition 20).

    A guarantee for another output, such as a projected one, is not ordered against the others, and
    guarantees of different metrics never are. The order is strict if the pairs or the measures
    differ.
    """
    guarantees = [
        row.guarantee
        for row in rows
        if row.guarantee.measures and NAMED[row.guarantee.framework].of_the_output
    ]
    return tuple(
        Order(strong.framework, weak.framework, _strict(universe, strong, weak))
        for strong in guarantees
        for weak in guarantees
        if strong is not weak
        and _pairs_contained(universe, weak, strong)
        and bundle_implies(strong.measures, weak.measures)
    )


def _pairs_contained(
    universe: Universe, inner: FrameworkGuarantee, outer: FrameworkGuarantee
) -> bool:
    """Return whether IND(inner) is a subset of IND(outer)."""
    if inner.metric != outer.metric or inner.distance is None or outer.distance is None:
        return False
    deadline.check()
    inside = outer.universe == "D" or inner.universe == "D_t" or universe.whole
    return inside and inner.distance <= outer.distance


def _strict(universe: Universe, strong: FrameworkGuarantee, weak: FrameworkGuarantee) -> bool:
    fewer_pairs = strong.universe == "D" and weak.universe == "D_t" and universe.restricts
    return fewer_pairs or not bundle_implies(weak.measures, strong.measures)
