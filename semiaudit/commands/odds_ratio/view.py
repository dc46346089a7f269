"""The semi-private test of an odds ratio, arranged for reading."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.odds_ratio import words
from semiaudit.model.number_text import bound_text
from semiaudit.model.results.odds_ratio import OddsRatioTest
from semiaudit.numeric.rationals import decimal_text_up, rational_text
from semiaudit.report.text.layout import Grid, Lines, View
from semiaudit.version import __version__

_NOISE_PLACES = 9


def view_of(test: OddsRatioTest) -> View:
    """Arrange a test: its verdict, its statistic, the hypotheses, the guarantee, its power."""
    question = test.question
    statistic = Lines(
        "Statistic",
        (
            ("statistic", f"{decimal_text_up(test.statistic, _NOISE_PLACES)}, x21 with noise"),
            ("rejection", " or ".join(_regions(test))),
            ("", words.caution(test)),
        ),
    )
    tested = Lines("Test", tuple(_tested(test)))
    protects = Lines(
        "Privacy guarantee of the noisy count",
        (
            ("noise", words.noise(test)),
            ("guarantee", words.guarantee(test)),
            ("", words.NOT_PROTECTED),
        ),
    )
    curve = Grid(
        f"Power at level {rational_text(question.level)}",
        ("odds ratio w", "power, at least"),
        tuple((rational_text(odds), bound_text(power)) for odds, power in test.power),
        (True, True),
    )
    return View(
        words.verdict(test),
        f"Semi-private test of an odds ratio · semiaudit {__version__}",
        (statistic, tested, protects, *([curve] if test.power else [])),
        paths=() if test.table.labels is None else (test.table.labels.path,),
    )


def _regions(test: OddsRatioTest) -> Iterator[str]:
    if test.at_most is not None:
        yield f"statistics of at most {bound_text(test.at_most)}"
    if test.at_least is not None:
        yield f"statistics of at least {bound_text(test.at_least)}"


def _tested(test: OddsRatioTest) -> Iterator[tuple[str, str]]:
    margins, labels = test.table.margins, test.table.labels
    yield "odds ratio", f"{words.ODDS_RATIO}; {words.WHERE}"
    yield "hypotheses", words.hypotheses(test)
    if labels is not None:
        (rows, *row), (columns, *column) = labels.rows, labels.columns
        yield "table", f"{labels.path}; rows {rows}, columns {columns}"
        yield "x21", f"the records with {rows}={row[1]} and {columns}={column[0]}"
    second_column = margins.size - margins.first_column
    yield (
        "margins",
        f"rows {margins.first_row} and {margins.second_row}, columns {margins.first_column} and "
        f"{second_column}; x21 is between {margins.least} and {margins.most}",
    )
    yield "test", words.kind(test)
