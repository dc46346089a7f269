"""Many verdicts as tables for a document: the summary's rows, then the failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from semiaudit.model.verdict import Verdict
from semiaudit.report.blocks.notices import most_severe_first, specs_of
from semiaudit.report.blocks.summary_table import HEADER, cells_of
from semiaudit.report.blocks.verdict_view import OF_SPECS, verdict_view
from semiaudit.report.text.layout import Grid, Layout, View

NOTES = (
    "a(t) uses the covering definition. An interval means that it is not exact.",
    "Both columns show the mechanism's leading privacy measure (ρ, μ, or ε).",
    "ε: the best conversion, at the largest δ of the spec.",
)


def summary_view(verdicts: Sequence[Verdict], layout: Layout) -> View:
    """Return the summary, a row per spec with its leading numbers, and ``verdict_view``'s rest.

    The most severe exit codes come first.
    """
    view = verdict_view(verdicts, layout)
    specs = [
        verdict
        for verdict in specs_of(most_severe_first(verdicts))
        if verdict.exit_code or not layout.only_failures
    ]
    if not specs:
        return view
    rows = tuple(map(cells_of, specs))
    numeric = tuple(name == "a(t)" for name in HEADER)
    rest = tuple(b for b in view.blocks if not (isinstance(b, Grid) and b.title == OF_SPECS))
    return replace(view, blocks=(Grid(OF_SPECS, HEADER, rows, numeric, NOTES), *rest))
