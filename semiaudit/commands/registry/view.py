"""The view of a review of a registry entry: what is missing, and where."""

from __future__ import annotations

from semiaudit.model.results.registry import Review
from semiaudit.report.blocks.notices import counts_of
from semiaudit.report.text.layout import Lines, View
from semiaudit.version import __version__

NOTHING = (
    "None. A review reads only the entry; to check its numbers, audit a spec with "
    "`semiaudit analyze`."
)


def view_of(review: Review) -> View:
    """Arrange a review: the number of findings, then each with its rule, level, and place."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for finding in review.findings:
        same = finding.rule, finding.level, finding.message
        places.setdefault(same, []).append(f"{finding.mark.line}:{finding.mark.column}")
    items = [
        (level, f"{message} ({review.path}:{', '.join(where)}, {rule})")
        for (rule, level, message), where in places.items()
    ]
    totals = counts_of(finding.level for finding in review.findings)
    name = review.name or "The entry"
    subtitle = f"{review.path} · semiaudit {__version__}"
    findings = Lines("Findings", tuple(items) or (("", NOTHING),))
    title = f"{name}: {totals}" if items else f"{name}: no findings"
    return View(title, subtitle, (findings,), paths=(review.path,))
