"""Run the test of an odds ratio: sample the noise if it is not given, and test.

A 2x2 table with published margins: from its numbers, or from a margin of a spec.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from semiaudit import deadline
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.spec import Origin, Spec
from semiaudit.model.audit import Release
from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize, attributes_of
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.query import MarginsQuery
from semiaudit.model.results.odds_ratio import (
    Labels,
    Margins,
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
        raise RefusedError(Refusal(what, "name two with --margin ROWS,COLUMNS", "dataspace"))
    for name in chosen:
        if name not in by_name:
            what = f"{name} is not an attribute of the dataspace"
            remedy = f"name two of {', '.join(by_name)}"
            raise RefusedError(Refusal(what, remedy, "--margin"))
        if by_name[name].size != 2:
            what = f"{name} has {by_name[name].size} levels, but the test is for two"
            raise RefusedError(Refusal(what, "merge levels, or name another attribute", "--margin"))
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
