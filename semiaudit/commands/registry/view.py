"""A review of an entry of the registry, arranged for reading: what is missing, and where."""

from __future__ import annotations

from collections import Counter

from semiaudit.model.audit import LEVELS
from semiaudit.model.registry import Review
from semiaudit.report.text.layout import Lines, View
from semiaudit.version import __version__

NOTHING = "nothing that this review looks for is missing; whether the numbers hold, an audit tells"


def view_of(review: Review) -> View:
    """Arrange a review; a finding begins with its rule, its level and its place."""
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
    subtitle = f"{review.path} · semiaudit {__version__}"
    answer = Lines("The answer", (("findings", totals or NOTHING),))
    missing = Lines("What is missing for the claim to mean something", items)
    blocks = (answer, missing) if items else (answer,)
    return View(
        review.name or "An entry of the registry",
        subtitle,
        blocks,
        totals or NOTHING,
        (review.path,),
    )
