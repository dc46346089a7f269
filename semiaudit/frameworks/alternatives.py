"""A release's guarantee by other valid ways, as alternatives: another order, published bounds."""

from __future__ import annotations

from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.mechanism_loss import loss_by_published_bounds, loss_composition_first
from semiaudit.model.guarantee import Alternative


def composition_first(context: Context, distance: int) -> tuple[Alternative, ...]:
    """Proposition 21's weaker order, where there are several parts and steps to the distance."""
    if not context.steps:
        return ()
    measures = loss_composition_first(context.made, distance, context.spaces)
    return (Alternative("composition_first", measures),) if measures else ()


def published_bound(context: Context, distance: int) -> tuple[Alternative, ...]:
    """What published bounds say inside D_t, of parts that have better ones."""
    measures = loss_by_published_bounds(context.made, distance, context.spaces)
    return (Alternative("published_bound", measures),) if measures else ()
