"""`semiaudit mechanism test odds-ratio`: a semi-private test on a 2x2 table."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_of,
    access_options,
    format_option,
    number,
    numbers,
    output_option,
    spec_of_standard_input,
)
from semiaudit.cli.output import Rendering, parse_outputs, put, rendered
from semiaudit.commands.odds_ratio import RENDERERS
from semiaudit.commands.odds_ratio.run import odds_ratio_test, table_of_margins, table_of_spec
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.model.results.odds_ratio import (
    ALTERNATIVES,
    NOISE_NAMES,
    Alternative,
    Margins,
    NoiseName,
    OddsRatioQuestion,
    Table,
)

FORMATS = tuple(RENDERERS)

_HALF = Fraction(1, 2)
ODDS_RATIOS: dict[Alternative, tuple[Fraction, ...]] = {
    "greater": (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(8)),
    "less": (_HALF**3, _HALF**2, _HALF, Fraction(2, 3), Fraction(1)),
    "two-sided": (_HALF**3, _HALF**2, _HALF, Fraction(1), Fraction(2), Fraction(4), Fraction(8)),
}
"""The odds ratios at which the power is shown by default."""

_LARGEST_ODDS = 10**6
_LARGEST_EPSILON = 10**6
_LARGEST_MU = 500
_LARGEST_COUNT = 10**15
_LEAST_LEVEL = Fraction(1, 10**9)

_epsilon = number("0 up to 1e6", lambda value: 0 <= value <= _LARGEST_EPSILON)
_delta = number("at least 0 and below 1", lambda value: 0 <= value < 1)
_mu = number("0 up to 500", lambda value: 0 <= value <= _LARGEST_MU)
_level = number("1e-9 or more, and below 1", lambda value: _LEAST_LEVEL <= value < 1)
_noisy = number("1e15 at most in size", lambda value: abs(value) <= _LARGEST_COUNT)
_odds = numbers(
    "a number from 1e-6 to 1e6", lambda value: Fraction(1, _LARGEST_ODDS) <= value <= _LARGEST_ODDS
)


def _counts(text: str, names: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != len(names.split(",")) or not all(
        part.isascii() and part.isdigit() and len(part) <= 15 for part in parts
    ):
        raise ValueError(
            f"{text!r} is not of the form {names}; write whole numbers of 0 or more, separated by "
            "commas"
        )
    return [int(part) for part in parts]


@click.command()
@click.option("--table", metavar="X11,X12,X21,X22", help="The confidential table, row by row.")
@click.option(
    "--margins",
    metavar="ROW1,ROW2,COLUMN1",
    help="The published totals of both rows and of the first column; needs --noisy-count.",
)
@click.option(
    "--noisy-count",
    metavar="NUMBER",
    callback=_noisy,
    help="x21 with canonical noise, from an earlier release.",
)
@click.option("--spec", metavar="FILE", help="A spec with data, instead of a table.")
@click.option(
    "--margin", metavar="ROWS,COLUMNS", help="Two attributes of the spec, if it has more than two."
)
@click.option(
    "--epsilon", metavar="NUMBER", callback=_epsilon, help="ε of the (ε, δ)-DP guarantee."
)
@click.option(
    "--delta", metavar="NUMBER", callback=_delta, help="δ of the (ε, δ)-DP guarantee. Default: 0."
)
@click.option(
    "--mu", metavar="NUMBER", callback=_mu, help="μ of the μ-GDP guarantee, instead of ε."
)
@click.option(
    "--noise",
    type=click.Choice(NOISE_NAMES),
    help="Canonical noise. Default: tulap with --epsilon, lemma_36 with --mu.",
)
@click.option(
    "--alternative",
    type=click.Choice(ALTERNATIVES),
    default="greater",
    show_default=True,
    help="Alternative hypothesis: the odds ratio is greater than 1, less than 1, or not 1.",
)
@click.option(
    "--alpha",
    "level",
    metavar="NUMBER",
    callback=_level,
    default="0.05",
    show_default=True,
    help="Significance level of the test.",
)
@click.option(
    "--odds-ratio",
    "odds_ratios",
    metavar="NUMBER",
    callback=_odds,
    multiple=True,
    help="Show the power at this odds ratio; repeatable.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="Sample repeatable noise: for examples, never for a release.",
)
@format_option(FORMATS)
@output_option()
@access_options()
def odds_ratio(
    table: str | None,
    margins: str | None,
    noisy_count: Fraction | None,
    spec: str | None,
    margin: str | None,
    epsilon: Fraction | None,
    delta: Fraction | None,
    mu: Fraction | None,
    noise: NoiseName | None,
    alternative: Alternative,
    level: Fraction,
    odds_ratios: tuple[Fraction, ...],
    seed: int | None,
    form: str,
    outputs: tuple[str, ...],
    **given: Any,
) -> int:
    """Test whether the rows and columns of a 2x2 table are independent, given its published margins
    and one noisy count: x21 of the table x11, x12 / x21, x22.

    The odds ratio is w = [th2/(1-th2)] / [th1/(1-th1)], where th1 and th2 are the probabilities of
    the first column in the first and in the second row. `greater` is the test of w <= 1 against w
    > 1.

    With --table or --spec, each run samples new noise and is a new release. Each release uses the
    privacy-loss budget again.
    """
    _require_one_table(table, margins, noisy_count, spec, margin)
    if seed is not None and noisy_count is not None:
        raise click.UsageError("--seed: --noisy-count already has its noise; remove --seed")
    measure = _measure(epsilon, delta, mu)
    # Tulap is the canonical noise of (epsilon, delta)-DP; Lemma 36 constructs one for mu-GDP.
    usual: NoiseName = "lemma_36" if isinstance(measure, GDP) else "tulap"
    question = OddsRatioQuestion(
        measure,
        noise or usual,
        alternative,
        level,
        odds_ratios or ODDS_RATIOS[alternative],
        seed,
    )
    # Outputs are checked before noise is sampled: a run that cannot write its result would use the
    # budget for nothing.
    files = parse_outputs(outputs, *([] if spec is None else [spec]), formats=FORMATS)

    tested = _tested(table, margins, noisy_count, spec, margin, files, given)
    test = odds_ratio_test(question, tested)
    put(*rendered(Rendering(RENDERERS, test), form, files))
    return 0


def _require_one_table(
    table: str | None,
    margins: str | None,
    noisy_count: Fraction | None,
    spec: str | None,
    margin: str | None,
) -> None:
    if sum(one is not None for one in (table, margins, spec)) != 1:
        raise click.UsageError(
            "give exactly one of --table, --margins (with --noisy-count), and --spec"
        )
    if margins is not None and noisy_count is None:
        raise click.UsageError("--margins: add the released count with --noisy-count")
    if table is not None and noisy_count is not None:
        raise click.UsageError(
            "--noisy-count: a released count does not need the table; use --margins instead of "
            "--table"
        )
    if margin is not None and spec is None:
        raise click.UsageError("--margin names attributes of a spec; add --spec")


def _measure(
    epsilon: Fraction | None, delta: Fraction | None, mu: Fraction | None
) -> ApproxDP | GDP:
    if mu is not None and (epsilon is not None or delta is not None):
        raise click.UsageError(
            "--mu cannot be combined with --epsilon or --delta; remove one of them"
        )
    if mu is not None:
        return GDP(mu * mu)
    if epsilon is None:
        raise click.UsageError("give --epsilon (with --delta, if it is not 0), or --mu")
    return ApproxDP(epsilon, delta or Fraction(0))


def _tested(
    table: str | None,
    margins: str | None,
    noisy_count: Fraction | None,
    spec: str | None,
    margin: str | None,
    files: Sequence[tuple[str, str]],
    given: dict[str, Any],
) -> Table:
    if spec is not None:
        names = tuple(name.strip() for name in margin.split(",")) if margin else ()
        standard_input = spec_of_standard_input(files) if spec == STANDARD_INPUT else None
        return table_of_spec(spec, names, noisy_count, access_of(given), standard_input)
    option = "--table" if table is not None else "--margins"
    try:
        if table is not None:
            x11, x12, x21, x22 = _counts(table, "X11,X12,X21,X22")
            return table_of_margins(Margins(x11 + x12, x21 + x22, x11 + x21), x21, None)
        first, second, column = _counts(margins or "", "ROW1,ROW2,COLUMN1")
        return table_of_margins(Margins(first, second, column), None, noisy_count)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None
