"""Definition 20: which of the compared guarantees is stronger than which."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit import deadline
from semiaudit.model.frameworks import FRAMEWORKS
from semiaudit.model.guarantee import FrameworkGuarantee, GuaranteeRow, Order
from semiaudit.model.semi_adjacency import Universe
from semiaudit.privacy.ordering.implication import bundle_implies


def ordering_of(universe: Universe, rows: Sequence[GuaranteeRow]) -> tuple[Order, ...]:
    """Every proven relation between two rows.

    What speaks of another output, such as a projected one, is not ordered against the others, and
    guarantees of different metrics never are. Strict where the pairs or the measures differ.
    """
    guarantees = [
        row.guarantee
        for row in rows
        if row.guarantee.measures and FRAMEWORKS[row.guarantee.framework].of_the_output
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
    """IND(inner) is a subset of IND(outer)."""
    if inner.metric != outer.metric or inner.distance is None or outer.distance is None:
        return False
    deadline.check()
    inside = outer.universe == "D" or inner.universe == "D_t" or universe.whole
    return inside and inner.distance <= outer.distance


def _strict(universe: Universe, strong: FrameworkGuarantee, weak: FrameworkGuarantee) -> bool:
    fewer_pairs = strong.universe == "D" and weak.universe == "D_t" and universe.restricts
    return fewer_pairs or not bundle_implies(weak.measures, strong.measures)
