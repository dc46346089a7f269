"""The figures of one release without some of its invariants."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.words import name_of, variant_name
from semiaudit.model.figure import Figure
from semiaudit.report.plots.side_by_side import Subject, captions, figures_side_by_side


def figures_of(ablation: Ablated) -> tuple[Figure, ...]:
    """Return every figure with known numbers, of an ablation with its curves."""
    names = {str(place): variant_name(v) for place, v in enumerate(ablation.variants)}
    subjects = [Subject(variant_name(v), v.row, v.semi_adjacency) for v in ablation.variants]
    curves = [replace(curve, name=names[curve.name]) for curve in ablation.curves]
    caption = captions([(name_of(place), text) for place, text in enumerate(ablation.invariants)])
    by = "by what is published exactly"
    return figures_side_by_side(subjects, curves, by, "published exactly", caption)
