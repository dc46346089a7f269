"""One audit: from a spec or a release to everything that a report says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from semiaudit.errors import Problem, Refusal, RefusedError, SpecError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.frameworks.invariant_dp import at_distance
from semiaudit.gate.budgets import judge
from semiaudit.mechanisms.loss import flattened
from semiaudit.model.audit import Audit, Release, ReportOptions
from semiaudit.model.guarantee import Alternative, Guarantee, Row
from semiaudit.model.semi_adjacency import Universe
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.workflow.findings import findings_of
from semiaudit.workflow.ordering import ordering_of
from semiaudit.workflow.statement import statement_of


def audit_file(path: str | Path) -> Audit:
    """Read a spec and audit it.

    Raises:
        SpecError: the spec, its data, or a question that this version cannot answer; every
            problem with its line and column.
    """
    try:
        return audit_release(load_release(path))
    except RefusedError as error:
        raise error.in_file(str(path)) from None
    except SpecError as error:
        raise SpecError([*error.problems, *_refused_too(error, str(path))]) from None


def _refused_too(error: SpecError, path: str) -> Sequence[Problem]:
    """What a spec with problems would be refused for as well, as far as it could be read."""
    if not isinstance(error.partial, Release):
        return ()
    try:
        _universe(error.partial)
    except RefusedError as refused:
        return refused.in_file(path).problems
    return ()


def audit_release(release: Release) -> Audit:
    """Audit a release. Pure: the same release gives the same audit.

    Raises:
        RefusedError: an invariant, the metric or the mechanism is beyond this version.
    """
    universe = _universe(release)
    context = Context(universe, release.adjacency, release.mechanism)
    options = _options(release)
    rows = tuple(
        _row(framework(context), context, release, options) for framework in FRAMEWORKS.values()
    )
    return Audit(
        release=release,
        statement=statement_of(release, universe, rows),
        universe=universe,
        rows=rows,
        ordering=ordering_of(universe, rows),
        budgets=tuple(
            judge(budget, rows, universe, release.adjacency) for budget in release.budgets
        ),
        findings=findings_of(release, universe, rows),
    )


def _universe(release: Release) -> Universe:
    """The universe; what it and the mechanism refuse is listed together."""
    refusals: list[Refusal] = []
    try:
        flattened(release.mechanism)
    except RefusedError as error:
        refusals += error.refusals
    try:
        universe = universe_of(release)
    except RefusedError as error:
        raise RefusedError(*error.refusals, *refusals) from None
    if refusals:
        raise RefusedError(*refusals)
    return universe


def _options(release: Release) -> ReportOptions:
    """What the report asks for, and what the budgets need."""
    deltas = {b.at for b in release.budgets if b.measure == "epsilon" and b.at}
    rates = {b.at for b in release.budgets if b.measure == "tpr" and b.at}
    return ReportOptions(
        tuple(sorted({*release.options.deltas, *deltas}, reverse=True)),
        tuple(sorted({*release.options.alphas, *rates})),
    )


def _row(guarantee: Guarantee, context: Context, release: Release, options: ReportOptions) -> Row:
    alternatives: list[Alternative] = list(guarantee.alternatives)
    if guarantee.framework == "invariant_dp":
        wanted = sorted({b.distance for b in release.budgets if b.distance is not None})
        found = [at_distance(context, distance) for distance in wanted]
        alternatives += [alternative for alternative in found if alternative is not None]
    return Row(
        guarantee,
        numbers_of(guarantee.measures, options.deltas, options.alphas),
        tuple(
            (a.name, numbers_of(a.measures, options.deltas, options.alphas)) for a in alternatives
        ),
    )
