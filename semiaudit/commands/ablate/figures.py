"""The figures of an ablation: curves of the effective guarantee for each part of the invariants."""

from __future__ import annotations

from semiaudit.commands.ablate.model import Ablated, name_of
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import LEADING
from semiaudit.model.labels import label
from semiaudit.report.figures.figures_of import captions, curve_figures


def figures_of(ablation: Ablated) -> tuple[Figure, ...]:
    """Return every figure with known numbers, of an ablation with its curves."""
    names = {str(place): v.name for place, v in enumerate(ablation.variants)}
    note = captions([(name_of(place), text) for place, text in enumerate(ablation.invariants)])
    of = f" of {label(LEADING)} by what is published exactly"
    return curve_figures(ablation.curves, names, {"0": "leading"}, of, note)
