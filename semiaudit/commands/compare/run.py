"""Compare releases: audit the specs, and use reports unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from semiaudit import deadline, progress
from semiaudit.auditing.run import audit_release, options_of, problems_of
from semiaudit.commands.compare.model import ComparedRelease, SideBySide
from semiaudit.commands.compare.standings import ComparisonSide, order_of_experiments, standings_of
from semiaudit.model.audit import Audit, Release, ReportOptions
from semiaudit.model.data_source import Access

MOST = 26
"""The most releases of a comparison: they are named by letters."""

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Asked = tuple[Release, Access]
"""A spec that was read, and its permissions."""


Input = Asked | Callable[[str], ComparedRelease]
"""A spec, or a report as a function that gives its release under a name."""


def compared(inputs: Sequence[Input], time_limit: float, tolerance: float) -> SideBySide:
    """Audit every spec, and order the guarantees of every two releases.

    Epsilon and TPR are computed for all specs at all deltas and type I errors of any spec or
    report. Budgets are not checked.

    Args:
        inputs: from 2 to 26.
        time_limit: seconds for all audits and orders together, in equal shares of the remaining
            time.
        tolerance: the relative bracket width of a composed loss.

    Raises:
        SpecError: one of them cannot be audited.
    """
    reports = {place: given(NAMES[place]) for place, given in enumerate(inputs) if callable(given)}
    releases = [given[0] for given in inputs if not callable(given)]
    options = _options(releases, reports.values())
    with deadline.running(time_limit):
        sides = _sides(inputs, reports, options, tolerance)
        progress.doing("the order of their guarantees")
        standings = tuple(
            standing
            for first, second in combinations(sides, 2)
            for standing in standings_of(first, second)
        )
        experiments = [order_of_experiments(*pair) for pair in combinations(sides, 2)]
    known = tuple(given for given in experiments if given is not None)
    return SideBySide(tuple(side.release for side in sides), standings, known)


def _sides(
    inputs: Sequence[Input],
    reports: Mapping[int, ComparedRelease],
    options: ReportOptions,
    tolerance: float,
) -> list[ComparisonSide]:
    sides: list[ComparisonSide] = []
    waiting = len(inputs) - len(reports)
    for place, given in enumerate(inputs):
        if callable(given):
            sides.append(ComparisonSide(reports[place], None))
            continue
        progress.reached(place, len(inputs))
        release, access = replace(given[0], options=options, budgets=()), given[1]
        with problems_of(release.path):
            audit = audit_release(release, deadline.left() / (waiting + 1), tolerance, access)
        waiting -= 1
        sides.append(ComparisonSide(_compared(NAMES[place], audit), audit))
    return sides


def _options(releases: Iterable[Release], reports: Iterable[ComparedRelease]) -> ReportOptions:
    deltas: set[Fraction] = set()
    type_i: set[Fraction] = set()
    for release in releases:
        own = options_of(release)
        deltas |= {*own.deltas}
        type_i |= {*own.type_i}
    for report in reports:
        for row in report.rows:
            deltas |= {p.delta for p in row.numbers.approx_dp if 0 < p.delta < 1}
            type_i |= {rate for rate, _ in row.numbers.tpr_at_fpr if 0 < rate < 1}
    return ReportOptions(tuple(sorted(deltas, reverse=True)), tuple(sorted(type_i)))


def _compared(name: str, audit: Audit) -> ComparedRelease:
    release = audit.release
    return ComparedRelease(
        name=name,
        path=release.path,
        title=release.title,
        sha256=release.sha256,
        from_report=False,
        statement=audit.statement,
        unit=release.dataspace.unit,
        invariants=tuple(publication.key for publication in release.published_invariants),
        semi_adjacency=audit.universe.semi_adjacency.joint,
        rows=audit.rows,
        incomplete_because=audit.incomplete_because,
        example=release.example,
        placeholder=release.placeholder_place,
    )
