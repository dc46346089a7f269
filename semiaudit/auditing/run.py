"""Run one audit: from a spec or a release to all results of a report.

Rows with equal measures share their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from semiaudit import deadline, progress
from semiaudit.auditing.building_blocks import building_blocks_of, statement_of
from semiaudit.auditing.findings import (
    assumed_relation,
    findings_of,
    other_sampling,
    rounded_probabilities,
)
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import NOWHERE, OutOfMemoryError, Problem, Refusal, RefusedError, SpecError
from semiaudit.frameworks import AT_DISTANCE, FRAMEWORKS, ordering_of
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.parts import flattened, queries_of, query_of
from semiaudit.model.adjacency import has_places, per_record
from semiaudit.model.audit import (
    NO_STATEMENT,
    Audit,
    Budget,
    BudgetResult,
    Finding,
    Release,
    ReportOptions,
)
from semiaudit.model.bound import Causes, joined
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import LEADING, FrameworkName
from semiaudit.model.guarantee import (
    NO_NUMBERS,
    Alternative,
    FrameworkGuarantee,
    GuaranteeRow,
    Numbers,
    WorstPairs,
)
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import attributes_of, is_margin
from semiaudit.model.labels import label
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import Measure
from semiaudit.model.mechanism import Finite, FiniteNoise, Part, parts_of
from semiaudit.model.query import Query, Sensitivity, Spread, TableQuery
from semiaudit.model.rules import CANNOT_CHANGE, EXCEEDED, NOT_STATED, finding_of
from semiaudit.model.semi_adjacency import Cell, Parameter, Universe
from semiaudit.model.topdown import Semantic, TopDown
from semiaudit.numeric.limits import Limits
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.loss import TIME_LIMIT as LOSS_TIME_LIMIT
from semiaudit.privacy.loss import Accuracy
from semiaudit.spec.build import load_release
from semiaudit.universe.connected import connected
from semiaudit.universe.explicit import explicit_tables_differ
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def without_loss(context: Context, rows: Sequence[GuaranteeRow]) -> list[Finding]:
    """Return a finding for each part of a mechanism whose output is known not to change."""
    parts = [*enumerate([part for part, _ in flattened(context.made)], 1)]
    still = [(place, part) for place, part in parts if _cannot_change(part, context)]
    if any(row.guarantee.framework == LEADING and row.numbers.is_zero for row in rows):
        still = still or parts
    return [
        finding_of(
            CANNOT_CHANGE,
            f"nothing that {getattr(part, 'kind', 'this mechanism')} publishes can change between "
            "the datasets that are compared, so its privacy loss is 0",
            getattr(part, "mark", NOWHERE),
            f"part {place}",
        )
        for place, part in still
    ]


def _cannot_change(part: Part, context: Context) -> bool:
    shifts, query, distance = getattr(part, "shifts", ()), query_of(part), context.distance
    if shifts or query is None or not distance:
        return bool(shifts) and not any(shifts)
    try:
        return context.spaces.within(query, distance).l1.value == 0
    except OutOfTimeError:
        return False


def tables_differ(
    universe: Universe, spaces: SensitivitySpaces, distance: int | None
) -> bool | None:
    """Return whether D_t has two datasets with different tables within a distance.

    Without t, the result is for any D_t. Two records that exchange their places are at distance 2
    under ``hamming`` with one table, so a(t) alone does not decide.

    A witness of a(t) can prove it, and so can a D_t of several tables that is connected at the
    distance. Otherwise the sensitivity space of the table decides, which can take integer programs.
    Records that the spec does not specify can differ.

    Returns:
        True with a reason, False with a proof, None if unknown.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    known(spaces.release.invariants)
    if universe.disclosed.table_is_public:
        return False
    if not distance:
        return None
    semi, space = universe.semi_adjacency, spaces.release.dataspace
    places = not isinstance(space, TableSpace) and has_places(semi.metric)
    if any(_shows(interval, distance, places) for interval in (semi.definition_13, semi.covering)):
        return True
    if _moves_unseen(universe, spaces.release, distance):
        return True
    try:
        if not isinstance(space, TableSpace):
            return explicit_tables_differ(spaces.release, space, distance)
        if not space.attributes:
            return True if universe.whole else None
        # D_t has at least two tables, and steps within the distance link them: each step is a pair.
        if universe.disclosed.table_is_public is False and connected(spaces, distance):
            return True
        sensitivity = spaces.within(TableQuery(), distance)
    except RefusedError:
        return None
    # The norm is an upper bound. If it is 0, no two datasets within the distance have different
    # tables. If it is exact and above 0, a pair attains it. A bound that is not exact proves no
    # pair.
    if sensitivity.l1.value == 0:
        return False
    listed = sensitivity.elements is not None and sensitivity.elements > 1
    return True if listed or sensitivity.l1.side == "exact" else None


def _moves_unseen(universe: Universe, release: Release, distance: int) -> bool:
    """Return whether a record can take another level of an attribute in no invariant.

    Then each dataset with a record has a neighbor with another table in its D_t, at distance 1. A
    nonzero a(t) shows that there is a record. This needs no integer program.
    """
    space, semi = release.dataspace, universe.semi_adjacency
    if not isinstance(space, TableSpace) or not space.product_cells or semi.covering.lower < 1:
        return False
    constraints = constraints_of(release.invariants)
    if not all(is_margin(constraint) for constraint in constraints):
        return False
    seen = {name for constraint in constraints for name in attributes_of(constraint, space)}
    least = per_record(semi.metric)
    free = any(a.size > 1 and a.name not in seen for a in space.attributes)
    return free and distance >= least


def _shows(parameter: Parameter, distance: int, places: bool) -> bool:
    """Return whether the witness is a pair of different tables within the distance.

    Args:
        places: whether its cells are (place, value), which distinguishes ordered datasets with
            equal tables.
    """
    witness = parameter.witness
    if witness is None or witness.distance > distance:
        return False
    tables: list[Counter[Cell]] = []
    for counts in (witness.start, witness.end):
        table: Counter[Cell] = Counter()
        for cell, count in counts:
            table[cell[1:] if places else cell] += count
        tables.append(table)
    return tables[0] != tables[1]


_Claims = list[tuple[bool, ...]]


class RowNumbers:
    """The numbers of every row of an audit, computed once for all rows with the same measures.

    Rows whose measures differ in nothing but claims such as ``exact`` share all searches.

    Privacy definitions differ in their datasets and neighbors. At equal distances, the same
    measures hold. An audit has a few rows, so that a few numbers are kept, and only for it.

    Args:
        options: the deltas and type I errors that the report asks for.
        accuracy: of what is computed from a composed loss.
        in_full: with the regret of mu, which reports print and summaries do not.
    """

    def __init__(self, options: ReportOptions, accuracy: Accuracy, *, in_full: bool = True) -> None:
        self._options, self._accuracy, self._in_full = options, accuracy, in_full
        self._known: list[tuple[tuple[Measure, ...], _Claims, CertifiedRow]] = []

    def of(self, measures: tuple[Measure, ...]) -> Numbers:
        """Return every number of a row, from measures that all hold.

        Raises:
            OutOfTimeError: the time limit was reached before any number.
        """
        claims = [_not_compared(measure) for measure in measures]
        # Few rows are compared faster than the fractions of one are hashed.
        alike = [(known, row) for equal, known, row in self._known if equal == measures]
        row = next((row for known, row in alike if known == claims), None)
        if row is None:
            row = alike[0][1].claiming(measures) if alike else self._asked(measures)
            self._known.append((measures, claims, row))
        return row.numbers if self._in_full else row.leading

    def needed(self, alternatives: Sequence[Alternative]) -> list[Alternative]:
        """The alternatives whose numbers are needed: for reports all of them.

        A summary has none, but it says whether a number of the audit is incomplete, and why.
        """
        if self._in_full:
            return list(alternatives)
        return [alternative for alternative in alternatives if _is_composed(alternative)]

    def _asked(self, measures: tuple[Measure, ...]) -> CertifiedRow:
        deltas, rates = self._options.deltas, self._options.type_i
        return CertifiedRow(measures, deltas, rates, (), self._accuracy)


def _not_compared(measure: Measure) -> tuple[bool, ...]:
    """Return what equal measures may differ in, and their numbers with them: claims such as
    ``exact``.
    """
    return tuple(getattr(measure, field.name) for field in fields(measure) if not field.compare)


def _is_composed(alternative: Alternative) -> bool:
    return any(isinstance(m, PrivacyLoss | WorstLoss) for m in alternative.measures)


T = TypeVar("T")

TIME_LIMIT = 60.0
"""Seconds that the computations of one audit may take."""

TOLERANCE = 1e-6
"""The relative bracket width of a composed loss, with respect to its upper bound."""

OUT_OF_TIME = "the time limit was reached before its numbers were known; raise --time-limit"
"""The reason for refusing a guarantee if the time limit was reached first."""

SECOND_LOOK = 5.0
"""The most seconds to search for further reasons to refuse a spec with problems."""


def audit_file(
    path: str | Path,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    prepare: Callable[[Release], Release] | None = None,
    access: Access = CONFINED,
    *,
    text: bytes | None = None,
    in_full: bool = True,
) -> Audit:
    """Read a spec and audit it.

    Args:
        time_limit, tolerance: as ``TIME_LIMIT`` and ``TOLERANCE``.
        prepare: a change of the release between reading and audit, such as adding budgets.
        access: the caller's permissions for data access and for quotes in messages.
        text: the spec itself, if it is no file; ``path`` is then only its name.
        in_full: as for ``audit_release``.

    Raises:
        SpecError: every problem of the spec and its data, with its line and column.
    """
    with problems_of(str(path), time_limit):
        progress.doing("reading the spec")
        release = load_release(path, access, text=text)
        prepared = prepare(release) if prepare else release
        return audit_release(prepared, time_limit, tolerance, access, in_full=in_full)


@contextmanager
def problems_of(path: str, time_limit: float = TIME_LIMIT) -> Iterator[None]:
    """Turn every error that prevents an audit of a spec into problems of the file with that name.

    Args:
        time_limit: seconds to search for further problems.
    """
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryError(f"{path}: {str(error) or 'out of memory'}") from None
    except RefusedError as error:
        raise error.in_file(path) from None
    except SpecError as error:
        seconds = min(time_limit, SECOND_LOOK)
        problems = [*error.problems, *_refused_too(error, path, seconds)]
        raise SpecError(problems, file=error.file, lines=error.lines) from None


def _refused_too(error: SpecError, path: str, seconds: float) -> Sequence[Problem]:
    if not isinstance(error.partial, Release):
        return ()
    try:
        with deadline.running(seconds):
            _universe(error.partial, Limits(seconds))
    except OutOfTimeError:
        return ()
    except RefusedError as refused:
        return refused.in_file(path).problems
    return ()


def audit_release(
    release: Release,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    access: Access = CONFINED,
    *,
    in_full: bool = True,
) -> Audit:
    """Audit a release. The same release gives the same audit, unless the time limit is reached.

    Args:
        time_limit, tolerance, access: as for ``audit_file``.
        in_full: whether reports need the audit. Verdicts need no statement, order, building blocks,
            spreads, semantics, worst pairs, or regret, and few alternatives (``RowNumbers``).

    Raises:
        RefusedError: an invariant, the metric or the mechanism is beyond this version.
        SpecError: data in a file or an engine cannot be read, or contradict the spec.
    """
    with deadline.running(time_limit) as running:
        limits = Limits(time_limit)
        if release.source is not None:
            from semiaudit.auditing.counting import counted

            progress.doing("counting the data")
            release = counted(release, access)
        accuracy = Accuracy(tolerance, LOSS_TIME_LIMIT)
        audit = _audited(release, limits, accuracy, in_full=in_full)
    late: Causes = ("time",) if running.was_reached else ()
    return replace(audit, incomplete_because=joined(late, *map(_incomplete, audit.rows)))


def _audited(release: Release, limits: Limits, accuracy: Accuracy, *, in_full: bool) -> Audit:
    progress.doing("a(t)")
    universe = _universe(release, limits)
    spaces = SensitivitySpaces(release, limits)
    context = Context(universe, release.adjacency, release.mechanism, spaces)
    options = options_of(release)
    numbers = RowNumbers(options, accuracy, in_full=in_full)
    rows = tuple(_row(name, context, release, numbers) for name in FRAMEWORKS)
    more = [
        *assumed_relation(context),
        *rounded_probabilities(context),
        *without_loss(context, rows),
    ]
    more += _in_time(lambda: other_sampling(context, options.deltas[0], accuracy), [])
    audit = Audit(
        release=release,
        statement=NO_STATEMENT,
        universe=universe,
        rows=rows,
        ordering=(),
        budgets=_judged(rows, context, release, numbers),
        findings=findings_of(release, universe, rows, _connected(context), more),
        sensitivities=_in_time(lambda: _sensitivities(context), ()),
        joint_sensitivity=_in_time(lambda: _joint_sensitivity(context), None),
    )
    if not in_full:
        return audit
    return replace(
        audit,
        statement=statement_of(release, universe, rows),
        ordering=_in_time(lambda: ordering_of(universe, rows), ()),
        building_blocks=_in_time(lambda: building_blocks_of(release, universe, spaces), None),
        spreads=_in_time(lambda: _spreads(context), ()),
        semantics=_in_time(lambda: _semantics(context, options, accuracy), ()),
        worst_pairs=_in_time(lambda: _worst_pairs(context, rows, options), None),
    )


def _semantics(
    context: Context, options: ReportOptions, accuracy: Accuracy
) -> tuple[Semantic, ...]:
    if not parts_of(context.made, TopDown) and not queries_of(context.made):
        return ()
    from semiaudit.auditing.semantics import semantics_with_numbers

    return semantics_with_numbers(context, options, accuracy)


def _worst_pairs(
    context: Context, rows: Sequence[GuaranteeRow], options: ReportOptions
) -> tuple[WorstPairs, ...] | None:
    match flattened(context.made):
        case [(Finite() | FiniteNoise() as part, 1)]:
            from semiaudit.auditing.finite_mechanisms import worst_pairs_of

            return worst_pairs_of(part, rows, options, context.spaces)
    return None


def _in_time(computed: Callable[[], T], otherwise: T) -> T:
    try:
        return computed()
    except OutOfTimeError:
        return otherwise


def _judged(
    rows: Sequence[GuaranteeRow], context: Context, release: Release, numbers: RowNumbers
) -> tuple[BudgetResult, ...]:
    if not release.budgets:
        return ()
    from semiaudit.gate.budgets import judge, row_of

    universe, adjacency = context.universe, release.adjacency
    differ: dict[int | None, bool | None] = {}

    def judged(budget: Budget, at_lower: Sequence[GuaranteeRow] = ()) -> BudgetResult:
        distance = budget.distance or context.distance
        inside = row_of(budget, rows).guarantee.universe == "D_t" and budget.measure != "a_t"
        if inside and distance not in differ:
            asked = partial(tables_differ, universe, context.spaces, distance)
            differ[distance] = _in_time(asked, None)
        near = differ[distance] if inside else None
        return judge(budget, rows, universe, adjacency, at_lower=at_lower, tables_differ=near)

    results = [judged(budget) for budget in release.budgets]
    failing = {r.budget.framework for r in results if r.rule in (EXCEEDED, NOT_STATED)}
    wanted = [name for name in FRAMEWORKS if NAMED[name].up_to_a_t and name in failing]
    semi = universe.semi_adjacency.joint.chosen
    if wanted and 0 < semi.lower != semi.upper and adjacency.distance is None:
        nearer = replace(context, adjacency=replace(adjacency, distance=semi.lower))
        at_lower = [_row(name, nearer, release, numbers) for name in wanted]
        results = [judged(budget, at_lower) for budget in release.budgets]
    return tuple(results)


def _connected(context: Context) -> bool | None:
    distance = context.distance
    return _in_time(lambda: connected(context.spaces, distance), None) if distance else None


def _spreads(context: Context) -> tuple[Spread, ...]:
    parts = (part for part, _ in flattened(context.made))
    spreads = (kind_of(part).spread(part, context.spaces) for part in parts)
    return tuple(spread for spread in spreads if spread is not None)


def _sensitivities(context: Context) -> tuple[tuple[Query, Sensitivity], ...]:
    distance = context.distance
    if not distance:
        return ()
    queries = queries_of(context.mechanism)
    return tuple((query, context.spaces.within(query, distance)) for query in queries)


def _joint_sensitivity(context: Context) -> Sensitivity | None:
    queries = queries_of(context.mechanism)
    if not context.distance or not queries:
        return None
    return context.spaces.question(queries, context.distance, "D_t").sensitivity


def _universe(release: Release, limits: Limits) -> Universe:
    """Return the universe; its refusals and those of the mechanism are listed together."""
    refusals: list[Refusal] = []
    try:
        flattened(release.mechanism)
    except RefusedError as error:
        refusals += error.refusals
        limits = Limits(SECOND_LOOK)
    try:
        universe = universe_of(release, limits)
    except RefusedError as error:
        raise RefusedError(*error.refusals, *refusals) from None
    if refusals:
        raise RefusedError(*refusals)
    return universe


def options_of(release: Release) -> ReportOptions:
    """Return the report's options, with the deltas and rates that the budgets need."""
    deltas = {b.at for b in release.budgets if b.measure == "epsilon" and b.at}
    type_i = {b.at for b in release.budgets if b.measure == "tpr" and b.at}
    return ReportOptions(
        tuple(sorted({*release.options.deltas, *deltas}, reverse=True)),
        tuple(sorted({*release.options.type_i, *type_i})),
        release.options.priors,
    )


def _incomplete(row: GuaranteeRow) -> Causes:
    every = [row.numbers, *(numbers for _, numbers in row.alternatives)]
    return joined(*(numbers.incomplete_because for numbers in every))


def _row(
    name: FrameworkName, context: Context, release: Release, numbers: RowNumbers
) -> GuaranteeRow:
    stage = [*FRAMEWORKS].index(name) + 1
    progress.doing(f"{label(name)} ({stage} of {len(FRAMEWORKS)})")
    try:
        return _numbered(FRAMEWORKS[name](context), context, release, numbers)
    except OutOfTimeError:
        unstated = FrameworkGuarantee(
            framework=name,
            universe=NAMED[name].universe,
            metric=release.adjacency.metric,
            distance=None,
            measures=(),
            covers_joint_release=False,
            not_protected="",
            refused=OUT_OF_TIME,
        )
        return GuaranteeRow(unstated, NO_NUMBERS)


def _numbered(
    guarantee: FrameworkGuarantee, context: Context, release: Release, numbers: RowNumbers
) -> GuaranteeRow:
    alternatives: list[Alternative] = numbers.needed(guarantee.alternatives)
    if guarantee.framework in AT_DISTANCE:
        wanted = sorted({b.distance for b in release.budgets if b.distance is not None})
        at_distances = [AT_DISTANCE[guarantee.framework](context, distance) for distance in wanted]
        alternatives += [alternative for alternative in at_distances if alternative is not None]
    return GuaranteeRow(
        guarantee,
        numbers.of(guarantee.measures),
        tuple((a.name, numbers.of(a.measures)) for a in alternatives),
    )
