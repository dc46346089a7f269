"""The view of a review of a registry entry: what is missing, and where."""

from __future__ import annotations

from collections import Counter

from semiaudit.model.audit import LEVELS
from semiaudit.model.results.registry import Review
from semiaudit.report.text.layout import Lines, View
from semiaudit.version import __version__

NOTHING = (
    "None. A review reads only the entry; to check its numbers, audit a spec with "
    "`semiaudit analyze`."
)


def view_of(review: Review) -> View:
    """Arrange a review: the number of findings, then each with its rule, level, and place."""
    counts = Counter(finding.level for finding in review.findings)
    totals = ", ".join(
        f"{counts[level]} {level}{'s' * (counts[level] > 1)}" for level in LEVELS if counts[level]
    )
    items = tuple(
        (
            f"{finding.rule} {finding.level}",
            f"{finding.message} ({review.path}:{finding.mark.line}:{finding.mark.column})",
        )
        for finding in review.findings
    )
    name = review.name or "The entry"
    subtitle = f"{review.path} · semiaudit {__version__}"
    findings = Lines("Findings", items or (("", NOTHING),))
    title = f"{name}: {totals}" if items else f"{name}: no findings"
    return View(title, subtitle, (findings,), paths=(review.path,))
