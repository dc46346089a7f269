"""`semiaudit mechanism test odds-ratio`: a semi-private test on a 2x2 table."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import click

from semiaudit import deadline
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.options import access_options, number, numbers
from semiaudit.commands.odds_ratio import PRESENTATION
from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.answer import Answer
from semiaudit.library.spec import Origin, Spec
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize, attributes_of
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.model.query import MarginsQuery
from semiaudit.model.results.odds_ratio import (
    ALTERNATIVES,
    NOISE_NAMES,
    Alternative,
    Labels,
    Margins,
    NoiseName,
    OddsRatioQuestion,
    OddsRatioTest,
    Table,
)
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.limits import Limits
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution
from semiaudit.privacy.canonical.of_function import noise_of
from semiaudit.privacy.canonical.sampling import draw
from semiaudit.privacy.odds_ratio.hypergeometric import HypergeometricLaw, law_of
from semiaudit.privacy.odds_ratio.umpu import p_value, power, region
from semiaudit.spec.build import loaded
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

LARGEST_SIZE = 100_000
"""The most records of a tested table."""

TIME_LIMIT = 60.0
"""Seconds for a(t), and for the changes inside D_t."""

_COUNTS = ("counts", "table", "records", "engine")
"""The kinds of data from which a table can be counted."""

_ANY: dict[str, Any] = {"pure_dp": {"epsilon": 1}}
"""A placeholder for the mechanism that a spec must have."""


def table_of_margins(margins: Margins, count: int | None, noisy_count: Fraction | None) -> Table:
    """Make a table of records with two attributes, of which only the margins are published.

    Raises:
        RefusedError: the margins fix the table, or it is too large.
    """
    _require_something_to_test(margins)
    rows = [margins.first_row, margins.second_row]
    columns = [margins.first_column, margins.size - margins.first_column]
    spec = Spec.from_mapping(
        {
            "semiaudit": 1,
            "dataspace": {"size": margins.size, "attributes": {"row": 2, "column": 2}},
            "invariants": [{"margin": ["row"]}, {"margin": ["column"]}],
            "data": {"margins": {"row": rows, "column": columns}},
            "mechanism": _ANY,
        }
    )
    release = spec._release
    names = "row", "column"
    distance = _distance(release, names)
    return Table(margins, count, noisy_count, release.adjacency.metric, distance)


def table_of_spec(
    path: str,
    names: tuple[str, ...],
    noisy_count: Fraction | None,
    access: Access = CONFINED,
    text: bytes | None = None,
) -> Table:
    """Return the two-attribute margin of a spec's data.

    Args:
        path: the path of a spec.
        names: the attributes of the rows and of the columns; empty if the spec has only two.
        noisy_count: x21 with noise, if it was released before.
        text: the spec itself, if it is not a file.

    Raises:
        SpecError: the spec or its data cannot be read, or it publishes too much or too little for
            the test.
    """
    with problems_of(path):
        spec = Spec(loaded(path, access, text=text), Origin(path, access))
        release, space = spec._release, _space(spec._release)
        rows, columns = _two(space, names)
        _require_counts(spec)
        only_margins = _require_margins(release, rows.name, columns.name)
        distance = _distance(counted(release, access), (rows.name, columns.name))
        cells = _cells(spec, space, rows.name, columns.name, access)
        margins = Margins(cells[0] + cells[1], cells[2] + cells[3], cells[0] + cells[2])
        _require_something_to_test(margins)
    return Table(
        margins=margins,
        count=cells[2] if noisy_count is None else None,
        noisy_count=noisy_count,
        metric=release.adjacency.metric,
        distance=distance,
        only_margins=only_margins,
        labels=Labels(release.path, _named(rows), _named(columns)),
    )


def _require_something_to_test(margins: Margins) -> None:
    if margins.least == margins.most:
        what = f"the margins alone fix the table: x21 is {margins.least} in every table with them"
        raise RefusedError(
            Refusal(what, "use another table: here nothing is left to test or to protect")
        )
    if margins.size > LARGEST_SIZE:
        what = f"the table has {margins.size} records, and the limit is {LARGEST_SIZE}"
        raise RefusedError(Refusal(what, "test a part of the table"))


def _named(attribute: Attribute) -> tuple[str, str, str]:
    return attribute.name, str(attribute.label(0)), str(attribute.label(1))


def _space(release: Release) -> TableSpace:
    if not isinstance(release.dataspace, TableSpace):
        what = "the test needs a table over attributes"
        raise RefusedError(Refusal(what, "describe the dataspace by attributes", "dataspace"))
    return release.dataspace


def _two(space: TableSpace, names: tuple[str, ...]) -> tuple[Attribute, Attribute]:
    by_name = {attribute.name: attribute for attribute in space.attributes}
    chosen = names or tuple(by_name)
    if len(chosen) != 2 or len({*chosen}) != 2:
        what = f"the dataspace has {len(by_name)} attributes, but the test is for two"
        raise RefusedError(Refusal(what, "name two with --attributes ROWS,COLUMNS", "dataspace"))
    for name in chosen:
        if name not in by_name:
            what = f"{name} is not an attribute of the dataspace"
            remedy = f"name two of {', '.join(by_name)}"
            raise RefusedError(Refusal(what, remedy, "--attributes"))
        if by_name[name].size != 2:
            what = f"{name} has {by_name[name].size} levels, but the test is for two"
            raise RefusedError(
                Refusal(what, "merge levels, or name another attribute", "--attributes")
            )
    return by_name[chosen[0]], by_name[chosen[1]]


def _require_counts(spec: Spec) -> None:
    data = spec.to_mapping().get("data")
    if not isinstance(data, Mapping) or not any(kind in data for kind in _COUNTS):
        what = "the spec has no data from which the table can be counted"
        remedy = f"give one of {', '.join(_COUNTS)}, or use --margins and --noisy-count"
        raise RefusedError(Refusal(what, remedy, "data"))


def _require_margins(release: Release, rows: str, columns: str) -> bool:
    """Require both one-way margins; return whether nothing else is published."""
    constraints = constraints_of(release.invariants)
    space = _space(release)
    same_margins = {attributes_of(c, space) for c in constraints if isinstance(c, SameMargin)}
    for name in (rows, columns):
        if not any(name in margin for margin in same_margins):
            what = (
                f"the margin of {name} is not published exactly, but the test needs it to be public"
            )
            raise RefusedError(Refusal(what, f"add {{margin: [{name}]}}", "invariants"))
    others = [c for c in constraints if not isinstance(c, SameMargin | SameSize)]
    alone = len(release.published_invariants) == len(constraints)
    return same_margins == {(rows,), (columns,)} and not others and alone


def _distance(release: Release, names: tuple[str, str]) -> int:
    """Return a distance inside D_t at which x21 changes by at most 1: a(t), or the spec's own."""
    with deadline.running(TIME_LIMIT):
        limits = Limits(TIME_LIMIT)
        try:
            distance = release.adjacency.distance
            if distance is None:
                distance = universe_of(release, limits).semi_adjacency.joint.value
            if not distance:
                what = (
                    "a(t) is not established"
                    if distance is None
                    else "the published values determine the dataset"
                )
                raise RefusedError(Refusal(what, "see `semiaudit analyze`", "invariants"))
            spaces = SensitivitySpaces(release, limits)
            moved = spaces.within(MarginsQuery((names,)), distance).linf
        except deadline.OutOfTimeError:
            late = Refusal("the time limit was reached before a(t) was known", "publish less")
            raise RefusedError(late) from None
    if moved.value == 0:
        what = "the invariants publish the whole margin, so there is nothing to test"
        raise RefusedError(Refusal(what, "see `semiaudit analyze`", "invariants"))
    if not moved.within(Fraction(1)):
        what = (
            f"x21 can change by {moved.value} between datasets in Dₜ at a distance of {distance}, "
            "but the test needs a change of at most 1"
        )
        raise RefusedError(
            Refusal(what, "publish fewer invariants, or set a smaller adjacency.distance")
        )
    return distance


def _cells(
    spec: Spec, space: TableSpace, rows: str, columns: str, access: Access
) -> tuple[int, int, int, int]:
    """Return (x11, x12, x21, x22), counted as if the spec published only this margin."""
    in_order = sorted((rows, columns), key=space.position)
    narrowed = spec.with_(
        invariants=[{"margin": in_order}],
        mechanism=_ANY,
        releases=None,
        budgets=None,
        waivers=None,
    )
    published = counted(narrowed._release, access).published
    if not isinstance(published, PublishedCounts):
        raise RefusedError(Refusal("the data hold no table", "give counts", "data"))
    counts = dict(published.margins)[tuple(in_order)]
    a, b, c, d = counts
    return (a, b, c, d) if in_order == [rows, columns] else (a, c, b, d)


METHOD = "canonical_noise", "Cho and Awan, Theorem 37; docs/errata.md, E3"


def odds_ratio_test(question: OddsRatioQuestion, table: Table) -> OddsRatioTest:
    """Return the p-value, the rejection region, and its power.

    If the noise of the table is not given, it is sampled now: every call is another release.

    Raises:
        RefusedError: the function has no such noise, or no noise is enough.
    """
    noise = noise_of(question.measure, question.noise)
    at_one = law_of(table.margins, Fraction(1))
    statistic = _statistic(question, table, noise, at_one)
    p_bound = p_value(noise, at_one, statistic, question.alternative)
    rejecting = region(noise, at_one, question.level, question.alternative)

    def reached(odds: Fraction) -> Bound:
        if odds == 1:
            return exact(question.level, *METHOD)
        return lower(power(noise, law_of(table.margins, odds), rejecting), *METHOD)

    return OddsRatioTest(
        question=question,
        table=table,
        statistic=statistic,
        p_value=upper(p_bound, *METHOD),
        at_least=_bound(rejecting.at_least, up=True),
        at_most=_bound(rejecting.at_most, up=False),
        power=tuple((odds, reached(odds)) for odds in question.odds_ratios),
    )


def _bound(end: Fraction | None, *, up: bool) -> Bound | None:
    if end is None:
        return None
    return (upper if up else lower)(end, *METHOD)


def _statistic(
    question: OddsRatioQuestion,
    table: Table,
    noise: CanonicalDistribution,
    at_one: HypergeometricLaw,
) -> Fraction:
    """Return the noisy count as it was released, or with noise that is sampled now.

    It is rounded to nine decimals, to the side with the larger p-value, so rounding never makes a
    p-value too small.
    """
    if table.noisy_count is not None:
        return table.noisy_count
    if table.count is None:
        raise ValueError("a table has a count, or a noisy one")
    bits = random.SystemRandom() if question.seed is None else random.Random(question.seed)

    def p_value_at(statistic: Fraction) -> Interval:
        return p_value(noise, at_one, statistic, question.alternative)

    ends = [table.count + end for end in draw(noise, bits)]
    return max(ends, key=lambda end: p_value_at(end).high)


class OddsRatioAnswer(Answer[OddsRatioTest]):
    """The result of a semi-private test of an odds ratio."""

    __slots__ = ()

    _presentation = PRESENTATION


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
    "--attributes",
    "margin",
    metavar="ROWS,COLUMNS",
    help="Two attributes of the spec, if it has more than two.",
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
    "--level",
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
@prints_answer(PRESENTATION.renderers, "spec")
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
    shared: SharedOptions,
) -> OddsRatioAnswer:
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
    # The outputs were checked before noise is sampled: a run that cannot write its result would use
    # the budget for nothing.
    tested = _tested(table, margins, noisy_count, spec, margin, shared)
    return OddsRatioAnswer(odds_ratio_test(question, tested))


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
        raise click.UsageError("--attributes names attributes of a spec; add --spec")


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
    shared: SharedOptions,
) -> Table:
    if spec is not None:
        names = tuple(name.strip() for name in margin.split(",")) if margin else ()
        return table_of_spec(spec, names, noisy_count, shared.access, shared.standard_input)
    option = "--table" if table is not None else "--margins"
    try:
        if table is not None:
            x11, x12, x21, x22 = _counts(table, "X11,X12,X21,X22")
            return table_of_margins(Margins(x11 + x12, x21 + x22, x11 + x21), x21, None)
        first, second, column = _counts(margins or "", "ROW1,ROW2,COLUMN1")
        return table_of_margins(Margins(first, second, column), None, noisy_count)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None
