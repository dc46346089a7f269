"""How far the counts of a hierarchical release are from the confidential ones, in text and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.model.sample import Sample
from semiaudit.report.forms import LIMIT, TEXT, WHOLE, object_of, or_null
from semiaudit.report.layout import Grid

COUNT_ERROR = object_of(
    {
        "level": TEXT.told("of geography, as the spec names it"),
        "query": TEXT.told("as the spec names it"),
        "counts": WHOLE.told("how many, in all draws"),
        "noisy": LIMIT.told("mean distance of the noisy counts from the confidential ones"),
        "fitted": or_null(LIMIT).told("that of the fitted table; null where none was fitted"),
        "zeros": or_null(LIMIT).told(
            "mean fitted value of counts that are truly 0; null without any, or without a fit"
        ),
    }
)


def count_errors_grid(found: Sample) -> Iterator[Grid]:
    """Mean distances from the confidential counts, before and after the fit."""
    if not found.errors:
        return
    columns = ("level", "query", "counts", "noisy", "fitted", "fitted zeros")
    rows = []
    for error in found.errors:
        numbers = (error.noisy, error.fitted, error.zeros)
        texts = ("-" if number is None else f"{float(number):.3f}" for number in numbers)
        rows.append((error.level, error.query, str(error.counts), *texts))
    numeric = tuple(column not in ("level", "query") for column in columns)
    title = "Mean error of a count before and after the fit, and what true zeros became"
    yield Grid(title, columns, tuple(rows), numeric)
