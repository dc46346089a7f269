"""Errors of the counts of a hierarchical release against the confidential ones."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.model.results.sample import Sample
from semiaudit.report.form.forms import LIMIT, TEXT, WHOLE, object_of, or_null
from semiaudit.report.text.layout import Grid

COUNT_ERROR = object_of(
    {
        "level": TEXT.described("the geographic level, as the spec names it"),
        "query": TEXT.described("the query, as the spec names it"),
        "counts": WHOLE.described("the number of counts, over all runs"),
        "noisy": LIMIT.described("the mean absolute error of the noisy counts"),
        "fitted": or_null(LIMIT).described(
            "the mean absolute error of the fitted table; null if no table was fitted"
        ),
        "zeros": or_null(LIMIT).described(
            "the mean fitted value of counts whose true value is 0; null if there is none"
        ),
    }
)


def count_errors_grid(sample: Sample) -> Iterator[Grid]:
    """Yield mean distances from the confidential counts, before and after the fit."""
    if not sample.errors:
        return
    columns = ("level", "query", "counts", "noisy", "fitted", "fitted zeros")
    rows = []
    for error in sample.errors:
        numbers = (error.noisy, error.fitted, error.zeros)
        texts = ("-" if number is None else f"{float(number):.3f}" for number in numbers)
        rows.append((error.level, error.query, str(error.counts), *texts))
    numeric = tuple(column not in ("level", "query") for column in columns)
    title = "Mean error of a count before and after the fit, and mean fitted value of true zeros"
    yield Grid(title, columns, tuple(rows), numeric)
