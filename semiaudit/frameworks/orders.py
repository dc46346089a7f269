"""A release's guarantee by the other order of composing and grouping, as an alternative."""

from __future__ import annotations

from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.loss import loss_composition_first
from semiaudit.model.guarantee import Alternative


def composition_first(context: Context, distance: int) -> tuple[Alternative, ...]:
    """Proposition 21's weaker order, where there are several parts and steps to the distance."""
    if not context.steps:
        return ()
    measures = loss_composition_first(context.made, distance, context.spaces)
    return (Alternative("composition_first", measures),) if measures else ()
