"""The compared notions of privacy, a file each.

``model.frameworks`` names them. The module of a notion's name has ``stated``, what it states of a
release; where budgets name a distance, also ``at_distance``, the same read at one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType

from semiaudit.frameworks.context import Context, Stated, certainty_note
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import PER_DISTANCE, FrameworkName
from semiaudit.model.guarantee import Alternative, FrameworkGuarantee

_MODULES: dict[FrameworkName, ModuleType] = {
    name: import_module(f"{__name__}.{name}") for name in NAMED
}


def _guarantee(name: FrameworkName, context: Context) -> FrameworkGuarantee:
    """The whole guarantee that a notion states of a release."""
    stated: Stated = _MODULES[name].stated(context)
    remark = certainty_note(context.mechanism, stated.measures)
    return FrameworkGuarantee(
        framework=name,
        universe=NAMED[name].universe,
        metric=context.adjacency.metric,
        distance=stated.distance,
        measures=stated.measures,
        covers_joint_release=stated.covers_joint_release,
        not_protected=stated.not_protected,
        note="; ".join(filter(None, (stated.note, remark))),
        alternatives=stated.alternatives,
        refused=stated.refused,
        specific="; ".join(filter(None, (stated.specific, remark))),
    )


FRAMEWORKS: dict[FrameworkName, Callable[[Context], FrameworkGuarantee]] = {
    name: partial(_guarantee, name) for name in NAMED
}
"""What every notion states, in the order of the report."""

AT_DISTANCE: dict[FrameworkName, Callable[[Context, int], Alternative | None]] = {
    name: _MODULES[name].at_distance for name in PER_DISTANCE
}
"""A notion that states a loss per unit of distance, read at a distance; None if refused."""
