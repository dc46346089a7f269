"""The figures of releases side by side."""

from __future__ import annotations

from semiaudit.commands.compare.model import SideBySide
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import LEADING
from semiaudit.report.plots.side_by_side import Subject, captions, figures_side_by_side


def figures_of(comparison: SideBySide) -> tuple[Figure, ...]:
    """Return every figure with known numbers, of releases with their curves."""
    subjects = []
    for release in comparison.releases:
        rows = (row for row in release.rows if row.guarantee.framework == LEADING)
        subjects.append(Subject(release.name, next(rows, None), release.semi_adjacency))
    caption = captions([(release.name, release.title) for release in comparison.releases])
    return figures_side_by_side(subjects, comparison.curves, "", "release", caption)
