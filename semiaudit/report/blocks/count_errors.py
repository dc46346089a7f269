"""The errors of counts as tables, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from semiaudit.model.results.errors import CountErrors, Names, SizeError, Stage, TableErrors
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.forms import (
    JsonForm,
    Keys,
    object_of,
)
from semiaudit.report.text.layout import Grid

BIASED = (
    "a fitted table has no negative counts, so it is biased: on average, small counts are too "
    "large and large counts are too small, and errors of cells can add up in totals; the noisy "
    "counts are unbiased; --fit topdown fits totals first"
)
CONFIDENTIAL = (
    "do not publish the errors by size of count, of zeros, and of small groups, nor any errors of "
    "fitted or swapped tables: they are computed from the confidential table, and no audit covers "
    "them"
)
HIDDEN = (
    "errors by size of count, of zeros, and of small groups, and all errors of fitted or swapped "
    "tables, are functions of the confidential table; to print them, add --show-values"
)

WALK = "For the errors of noise that is sampled approximately, add --runs N."
UNKNOWN = "no errors are known for the margin that was named: {names}"

_SIZE = JsonForm({"type": "number", "minimum": 0, "examples": [2.9957]})
_BIAS = JsonForm({"type": "number", "examples": [0.25]})
_SHARE = JsonForm({"type": "number", "minimum": 0, "maximum": 1, "examples": [0.125]})

_SIZES, _BIASES = {float: _SIZE}, {float: _BIAS}

_TABLE: Keys = {
    **keys_of(
        TableErrors,
        "sizes",
        {
            SizeError: object_of(
                keys_of(SizeError, "low high counts mean_relative_error=error", _SIZES)
            )
        },
    ),
    **keys_of(TableErrors, "above_10_percent=above_tenth", {float: _SHARE}),
    **keys_of(TableErrors, "zeros smallest", _BIASES),
}
COUNT_ERRORS = object_of(
    keys_of(
        CountErrors,
        "part stage by cells counts runs standard_deviation=deviation margin_of_error "
        "mean_absolute_error=absolute table",
        {**_SIZES, TableErrors: object_of(_TABLE)},
    )
)


def error_notes(
    errors: Sequence[CountErrors],
    by: Sequence[Names] = (),
    *,
    confidential: bool,
    hidden: bool = False,
) -> Iterator[str]:
    """Yield what is not to be published, and what is not shown.

    Args:
        by: the margins that were named. confidential: whether there is a confidential table.
        hidden: whether their errors are known only from a table that must not be shown.
    """
    known = {error.by for error in errors}
    missing = [" * ".join(names) for names in by if names not in known]
    if missing and not hidden:
        yield UNKNOWN.format(names=", ".join(missing))
    if any(error.table is not None for error in errors):
        yield CONFIDENTIAL
    elif confidential:
        yield HIDDEN


def name_of(error: CountErrors) -> str:
    """Return the name of a margin."""
    return "cells" if error.cells else " * ".join(error.by) or "rows of the matrix"


def size_text(size: float) -> str:
    """Return an error with four digits, or as a whole number."""
    return f"{size:,.0f}" if size >= 1000 else f"{size:.4g}"


def error_grids(named: Sequence[tuple[str, CountErrors]], head: str = "") -> Iterator[Grid]:
    """Yield the errors of counts, and those that are functions of the confidential table.

    Args:
        named: errors with what they belong to. head: the title of that column; empty for none.
    """
    if not named:
        return
    first = (head,) if head else ()
    stages = tuple(stage for stage in get_args(Stage) if any(e.stage == stage for _, e in named))
    columns = (*first, "margin", "answers", "counts", "sd", "95% ±", "mean ±", "from")
    rows = []
    for name, error in named:
        numbers = map(size_text, (error.deviation, error.margin_of_error, error.absolute))
        how = "exact" if error.runs is None else f"{error.runs:,} runs"
        label = [name] * bool(head)
        rows.append((*label, name_of(error), error.stage, f"{error.counts:,}", *numbers, how))
    # Of many designs, the table would be too wide.
    left_out = ("counts", *(("answers",) if len(stages) == 1 else ())) if head == "design" else ()
    kept = [at for at, name in enumerate(columns) if name not in left_out]
    numeric = [columns[at] in ("counts", "sd", "95% ±", "mean ±") for at in kept]
    note = (
        "sd, 95% ±, mean ±: of the error of a count, its standard deviation, the size that it does "
        "not exceed with probability 95%, and its mean size."
    )
    if any(error.runs is not None for _, error in named):
        note += " Runs have the seed 0, so the numbers can be repeated."
    yield Grid(
        "Errors of counts",
        tuple(columns[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
        tuple(numeric),
        (note,),
    )
    keys = tuple(dict.fromkeys((name, e.stage) for name, e in named if e.table is not None))
    names = {name for name, _ in keys}
    side_by_side = len(names) == 1 or len(keys) <= _SIDE_BY_SIDE
    cells: dict[tuple[str, ...], dict[tuple[str, ...], str]] = {}
    for name, error in named:
        of_row, of_column = ((), (name, error.stage)) if side_by_side else ((name,), (error.stage,))
        for what, number in _of_table(error):
            row = cells.setdefault((*of_row[: len(first)], name_of(error), what), {})
            row[of_column] = number
    if not cells:
        return
    shown = tuple(dict.fromkeys(column for row in cells.values() for column in row))
    varying = [at for at in range(len(shown[0])) if len({column[at] for column in shown}) > 1]
    titles = [" ".join(column[at] for at in varying or [-1]) for column in shown]
    labels = (*(() if side_by_side else first), "margin", "error")
    yield Grid(
        "Errors that depend on the confidential table: do not publish them",
        (*labels, *titles),
        tuple((*row, *(of.get(column, "") for column in shown)) for row, of in cells.items()),
        (*((False,) * len(labels)), *((True,) * len(shown))),
        ("relative error: the mean of |error| / count; in parentheses, how many counts.",),
    )


_SIDE_BY_SIDE = 4
"""The most columns of errors; of more, each release or design has its own rows."""


def _of_table(error: CountErrors) -> Iterator[tuple[str, str]]:
    table = error.table
    if table is None:
        return
    for size in table.sizes:
        what = f"relative error of counts {size.low:,} to {size.high:,} ({size.counts:,})"
        yield what, f"{100 * size.error:.3g}%"
    if table.above_tenth is not None:
        yield "positive counts with an error above 10%", f"{100 * table.above_tenth:.3g}%"
    if table.zeros is not None:
        yield "bias of true zeros", _bias_text(table.zeros)
    for group in table.smallest:
        yield f"bias of {group.attribute} {group.level}, the smallest", _bias_text(group.bias)


def _bias_text(bias: float) -> str:
    return f"{round(bias, 9) + 0:.3g}"
