"""The figures of releases side by side."""

from __future__ import annotations

from semiaudit.commands.compare.model import SideBySide
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import LEADING
from semiaudit.report.plots.side_by_side import Subject, captions, figures_side_by_side


def figures_of(found: SideBySide) -> tuple[Figure, ...]:
    """Every figure of which anything is known, of releases with their curves."""
    subjects = []
    for release in found.releases:
        rows = (row for row in release.rows if row.guarantee.framework == LEADING)
        subjects.append(Subject(release.name, next(rows, None), release.semi_adjacency))
    told = captions([(release.name, release.title) for release in found.releases])
    return figures_side_by_side(subjects, found.curves, "", "release", told)
