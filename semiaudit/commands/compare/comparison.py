"""Compare releases: specs are audited; JSON reports of `analyze` keep their own numbers.

Each number of a report is used as an upper bound, because a report does not show which of its
numbers are exact.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from semiaudit import deadline, progress
from semiaudit.auditing.run import TIME_LIMIT, TOLERANCE, audit_release, options_of, problems_of
from semiaudit.commands.compare import PRESENTATION
from semiaudit.commands.compare.figures import figures_of
from semiaudit.commands.compare.model import ComparedRelease, SideBySide
from semiaudit.commands.compare.standings import ComparisonSide, order_of_experiments, standings_of
from semiaudit.deadline import Deadline, OutOfTimeError
from semiaudit.errors import RefusedError, SemiauditError
from semiaudit.library.answer import EXIT_HOLDS, EXIT_NOT_AUDITED, FiguredAnswer
from semiaudit.library.arguments import seconds
from semiaudit.library.error_question import error_question
from semiaudit.library.guarantee import Guarantee
from semiaudit.library.mechanism_guarantee import release_of_mechanism
from semiaudit.library.mechanisms import Mechanism
from semiaudit.library.spec_argument import AnySpec, loaded_of
from semiaudit.mechanisms.parts import flattened, made_for, query_of
from semiaudit.model.audit import (
    UNTITLED,
    Audit,
    PublishedCounts,
    Release,
    ReportOptions,
    Statement,
)
from semiaudit.model.bound import joined
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import NO_NUMBERS, FrameworkGuarantee, GuaranteeRow, Numbers
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.mechanism import Part
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.errors import NO_MARGIN, CountErrors, ErrorQuestion
from semiaudit.model.rules import PLACEHOLDER
from semiaudit.model.semi_adjacency import Parameter, SemiAdjacency
from semiaudit.model.topdown import TopDown
from semiaudit.report import ANSWER_FIGURES
from semiaudit.report.blocks.count_errors import error_notes
from semiaudit.report.form.forms import object_of
from semiaudit.report.form.from_json import bytes_of_report, read_report
from semiaudit.report.form.to_json import NUMBERS
from semiaudit.spec.build import DEFAULT_DELTAS, DEFAULT_TYPE_I, Loaded, loaded
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.commands.compare.model import Standings
    from semiaudit.library.spec import Spec


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The names of releases whose titles and files do not distinguish them: the most are 26."""

MOST = len(LETTERS)

LONGEST_NAME = 24
"""The most letters of a name: tables have to fit in 80 columns."""

Asked = tuple[Release, Access, Loaded | None]
"""A release, its permissions, and the spec that was read; None for a mechanism alone."""


Input = Asked | ComparedRelease
"""A spec, or the release of a report, still without its name."""


def _named(inputs: Sequence[Input]) -> list[str]:
    """Return the files or the titles as names; letters if neither are short and distinct."""
    releases = [given if isinstance(given, ComparedRelease) else given[0] for given in inputs]
    titles = [release.title for release in releases]
    paths = [PurePath(release.path) for release in releases]
    files = [path.stem for path in paths]
    short = [f"{n[:6]}...{n[-15:]}" if len(n) > LONGEST_NAME else n for n in files]
    folders = [f"{path.parent.name}/{path.stem}" for path in paths]
    known = all(path.suffix for path in paths)
    for names in [short, folders] * known + [titles] * (UNTITLED not in titles):
        if len({*names}) == len(names) and max(map(len, names)) <= LONGEST_NAME:
            return names
    return list(LETTERS[: len(releases)])


def compared(
    inputs: Sequence[Input],
    time_limit: float,
    tolerance: float,
    errors: ErrorQuestion = NO_MARGIN,
) -> SideBySide:
    """Audit every spec, and order the guarantees of every two releases.

    Epsilon and TPR are computed for all specs at all deltas and type I errors of any spec or
    report. Budgets are not checked.

    Args:
        inputs: from 2 to 26.
        time_limit: seconds for all audits and orders together, in equal shares of the remaining
            time.
        tolerance: the relative bracket width of a composed loss.
        errors: the margins whose errors are computed.

    Raises:
        SpecError: one of them cannot be audited.
    """
    reports = [given for given in inputs if isinstance(given, ComparedRelease)]
    releases = [given[0] for given in inputs if not isinstance(given, ComparedRelease)]
    options = _options(releases, reports)
    with deadline.running(time_limit):
        sides = _sides(inputs, options, tolerance, errors)
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
    inputs: Sequence[Input], options: ReportOptions, tolerance: float, errors: ErrorQuestion
) -> list[ComparisonSide]:
    sides: list[ComparisonSide] = []
    names = _named(inputs)
    waiting = sum(not isinstance(given, ComparedRelease) for given in inputs)
    for place, given in enumerate(inputs):
        if isinstance(given, ComparedRelease):
            sides.append(ComparisonSide(replace(given, name=names[place]), None))
            continue
        progress.reached(place, len(inputs))
        release, access = replace(given[0], options=options, budgets=()), given[1]
        with problems_of(release.path):
            audit = audit_release(release, deadline.left() / (waiting + 1), tolerance, access)
            found, notes = _errors(given, audit.release, audit, errors)
        waiting -= 1
        compared = replace(_compared(names[place], audit), errors=found, error_notes=notes)
        sides.append(ComparisonSide(compared, audit))
    return sides


def _errors(
    given: Asked, release: Release, audit: Audit, question: ErrorQuestion
) -> tuple[tuple[CountErrors, ...], tuple[str, ...]]:
    """Return the known errors of a release's counts, and notes on them.

    Raises:
        RefusedError: a margin that is asked for is not one of the table.
    """
    from semiaudit.auditing.confidential_table import error_table  # loads SciPy
    from semiaudit.mechanisms.count_errors import errors_of_part

    _, access, read = given
    distance = release.adjacency.distance or audit.universe.semi_adjacency.value
    parts = flattened(made_for(release.mechanism, distance))
    counts = any(_has_counts(part) for part, _ in parts)
    table = error_table(read if counts else None, release, question, access)
    if table is None:
        return (), ()
    spaces, found = SensitivitySpaces(release), list[CountErrors]()
    for number, (part, _) in enumerate(parts, 1):
        with suppress(RefusedError, OutOfTimeError):
            found += errors_of_part(table, part, spaces, number)
    data = release.source is not None or isinstance(release.published, PublishedCounts)
    hidden = data and table.table is None and any(isinstance(part, Swapping) for part, _ in parts)
    notes = error_notes(found, question.by, confidential=data and counts, hidden=hidden)
    return tuple(found), tuple(notes)


def _has_counts(part: Part) -> bool:
    return isinstance(part, Swapping | TopDown) or query_of(part) is not None


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
        placeholder=release.placeholder_place,
    )


_NUMBERS = object_of(NUMBERS)

_OF_ITS_OWN = (
    "declared",
    "tradeoff_duality",
    "tradeoff_merged",
    "loss_distribution",
    "renyi_curve",
)
"""Conversions of an epsilon that does not follow from rho, mu or epsilon at delta 0 of the
report."""


def looks_like_a_report(data: bytes) -> bool:
    """Return whether a file is meant as JSON of this program, and not as a spec."""
    return data.lstrip().startswith(b"{") and b'"schema_version"' in data


def compared_from_report(path: str, data: bytes) -> ComparedRelease:
    """Return the release of a report of `analyze`.

    Args:
        path: the path of the file. data: its content.

    Raises:
        SpecError: it is not a report of `analyze` that passes every check.
    """
    report = read_report(path, data)
    spec = report["spec"]
    causes = report.get("incomplete_because") or ["time"]
    return ComparedRelease(
        name="",
        path=path,
        title=spec["title"],
        sha256=spec["sha256"],
        from_report=True,
        statement=Statement(**report["statement"]),
        unit=report["unit"],
        invariants=tuple(report["invariants"]),
        semi_adjacency=_semi_adjacency(report["semi_adjacency"]),
        rows=tuple(map(_row, report["guarantees"])),
        incomplete_because=() if report["complete"] else joined(causes),
        placeholder=_placeholder(report),
    )


def _placeholder(report: dict[str, Any]) -> str:
    """The place of a placeholder in the spec; empty if the report found none."""
    lines = (f["line"] for f in report["findings"] if f["rule"] == PLACEHOLDER)
    return next((f"{report['spec']['path']}:{line}" for line in lines), "")


def _semi_adjacency(section: dict[str, Any]) -> SemiAdjacency:
    established = section["value"] is not None

    def parameter(reading: str) -> Parameter:
        interval = section[reading]
        trivial = reading == section["reading"] and not established
        return Parameter(
            int(interval["lower"]),
            None if interval["upper"] is None else int(interval["upper"]),
            interval["method"],
            interval["source"],
            None,
            trivial and interval["upper"] is not None,
        )

    return SemiAdjacency(
        section["metric"],
        section["reading"],
        parameter("covering"),
        parameter("definition_13"),
        section["theorem_16_bound"],
        section["a_min"],
        section["a_maxmin"],
    )


def _row(section: dict[str, Any]) -> GuaranteeRow:
    place = section["adjacency"]
    numbers = NO_NUMBERS if section["refused"] else _numbers(section)
    distance = place["distance"]
    guarantee = FrameworkGuarantee(
        framework=section["framework"],
        universe=section["universe"],
        metric=place["metric"],
        distance=None if distance is None else int(distance),
        measures=_measures(numbers),
        covers_joint_release=section["covers_joint_release"],
        not_protected=section["not_protected"],
        note="" if section["refused"] else section["note"],
        refused=section["note"] or "the report gives no reason" if section["refused"] else "",
    )
    return GuaranteeRow(guarantee, numbers)


def _numbers(section: dict[str, Any]) -> Numbers:
    read = _NUMBERS.read(section)
    gdp = read.pop("gdp") or {"mu": None, "regret": None}
    source = read.pop("operating_points_from") or ""
    return Numbers(**read, gdp=gdp["mu"], gdp_regret=gdp["regret"], operating_points_from=source)


def _measures(numbers: Numbers) -> tuple[Measure, ...]:
    """Return the measures that follow from the numbers; none is known to be the least one."""
    measures: list[Measure] = []
    if numbers.pure_dp is not None and isinstance(numbers.pure_dp.value, Fraction):
        measures.append(PureDP(numbers.pure_dp.value, exact=False))
    if numbers.zcdp is not None and isinstance(numbers.zcdp.value, Fraction):
        measures.append(ZCDP(numbers.zcdp.value, exact=False))
    if numbers.own_gdp is not None and isinstance(numbers.own_gdp.value, Fraction):
        measures.append(GDP(numbers.own_gdp.value**2, exact=False))
    for point in numbers.tightest:
        independent = point.conversion in _OF_ITS_OWN or not measures
        if independent and isinstance(point.epsilon.value, Fraction) and point.delta < 1:
            measures.append(ApproxDP(point.epsilon.value, point.delta, exact=False))
    return tuple(measures)


class Comparison(FiguredAnswer[SideBySide]):
    """Two or more releases side by side, named by files or titles; else A, B, ..."""

    __slots__ = ()

    figures = ANSWER_FIGURES
    _presentation = PRESENTATION
    _figures_of = staticmethod(figures_of)

    def order(self, first: str, second: str, framework: str = LEADING) -> str:
        """Return the order of two releases' guarantees for a privacy definition.

        Args:
            first, second: their names, which the report lists.

        Returns:
            ``equal``, ``stronger`` (the first is), ``weaker``, or ``none``: no order, or none is
            proven; ``explain`` says why.

        Raises:
            KeyError: there are no such releases, or no such privacy definition.
        """
        turned = {"stronger": "weaker", "weaker": "stronger"}
        standing = self._standing(first, second, framework)
        same = standing.first == first
        return standing.order if same else turned.get(standing.order, standing.order)

    def explain(self, first: str, second: str, framework: str = LEADING) -> str:
        """Return the order in a sentence, or why there is none.

        Raises:
            KeyError: there are no such releases, or no such privacy definition.
        """
        return self._standing(first, second, framework).explanation

    def _standing(self, first: str, second: str, framework: str) -> Standings:
        standings = self._result.standings
        for standing in standings:
            pair = {standing.first, standing.second}
            if standing.framework == framework and pair == {first, second}:
                return standing
        notions = ", ".join(dict.fromkeys(standing.framework for standing in standings))
        releases = ", ".join(release.name for release in self._result.releases)
        raise KeyError(
            f"no order of {first!r} and {second!r} in {framework!r}; "
            f"the releases are {releases}, and the privacy definitions are {notions}"
        )

    @property
    def refusals(self) -> tuple[str, ...]:
        """Return every release without a semi_dp guarantee, with the reason.

        A release whose invariants disclose the whole dataset is not included, because nothing is
        left to protect.
        """
        return tuple(
            f"{release.name}: no effective guarantee is proven: {row.guarantee.refused}"
            for release in self._result.releases
            for row in release.rows
            if row.guarantee.framework == LEADING
            and row.guarantee.refused
            and release.semi_adjacency.covering.upper != 0
        )

    @property
    def exit_code(self) -> int:
        """Return 2 if a release has no semi_dp; else 0. Budgets are not checked."""
        return EXIT_NOT_AUDITED if self.refusals else EXIT_HOLDS

    @property
    def _remarks(self) -> tuple[str, ...]:
        return self.refusals

    def __repr__(self) -> str:
        names = ", ".join(f"{release.name} {release.path}" for release in self._result.releases)
        return f"<Comparison {names}>"


def compare(
    *specs: str | os.PathLike[str] | Mapping[str, object] | Spec | Mechanism,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
    by: Iterable[Iterable[str]] = (),
    runs: int | None = None,
) -> Comparison:
    """Compare releases, and order their guarantees if there is an order.

    Args:
        specs: from 2 to 26; each as for ``audit``, the path of a JSON report of ``analyze``, or a
            ``Mechanism``, which is a release without invariants under replace-one.
        time_limit: seconds, above 0, for all audits together, in equal shares of the remaining
            time.
        tolerance, root, allow_engines, show_values: as for ``audit``.
        by, runs: as for ``sample``: the margins whose errors are compared.

    Raises:
        SpecError: a spec that cannot be audited, or a report that does not fit its schema.
        SemiauditError: fewer than 2 or more than 26 of them.
    """
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    question = error_question(by, runs)
    return _comparison([_input(spec, access) for spec in specs], limit, tolerance, question)


def compare_paths(
    paths: Iterable[str],
    time_limit: float,
    tolerance: float,
    access: Access,
    standard_input: bytes | None = None,
    errors: ErrorQuestion = NO_MARGIN,
) -> Comparison:
    """Compare files.

    Args:
        standard_input: the content of standard input, for the path ``-``.
        errors: the margins whose errors are compared.
    """
    limit = Deadline(time_limit)
    inputs = [_of_path(path, access, standard_input) for path in paths]
    return _comparison(inputs, limit, tolerance, errors)


def _comparison(
    inputs: list[Input], limit: Deadline, tolerance: float, errors: ErrorQuestion
) -> Comparison:
    if not 2 <= len(inputs) <= MOST:
        raise SemiauditError(f"compare needs 2 to {MOST} specs or reports; there are {len(inputs)}")
    return Comparison(compared(inputs, limit.left, tolerance, errors), limit.left)


def _input(spec: AnySpec | Mechanism, access: Access) -> Input:
    if isinstance(spec, Mechanism):
        release = release_of_mechanism(spec._described("hamming"), "hamming")
        shown = ReportOptions(DEFAULT_DELTAS[::-1], DEFAULT_TYPE_I)
        return replace(release, path="<mechanism>", title=str(spec), options=shown), access, None
    if isinstance(spec, Guarantee):
        what = "a guarantee does not hold its invariants"
        raise TypeError(f"{what}; give its spec or mechanism, or use `guarantee.order(other)`")
    if isinstance(spec, str | os.PathLike):
        name = os.fspath(spec)
        report = None if "\n" in name else _report(name)
        if report is not None:
            return report
    read, allowed = loaded_of(spec, access)
    return read.release, allowed, read


def _of_path(path: str, access: Access, standard_input: bytes | None) -> Input:
    text = standard_input if path == "-" else None
    report = _report(path, text)
    if report is not None:
        return report
    with problems_of(path):
        progress.doing(f"reading {path}")
        read = loaded(path, access, text=text)
        return read.release, access, read


def _report(path: str, text: bytes | None = None) -> ComparedRelease | None:
    """Return the release of a JSON report, without a name; None for other files."""
    if text is None and not os.path.isfile(path):
        return None  # the reader of specs reports what is wrong with it
    data = bytes_of_report(path) if text is None else text
    return compared_from_report(path, data) if looks_like_a_report(data) else None
