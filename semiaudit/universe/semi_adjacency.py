"""D_t of a release: both definitions of a(t), what t alone discloses, and how D_t lies in D."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TypeVar, assert_never

from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import can_be_neighbors, compares_sizes, has_places
from semiaudit.model.audit import Release, own_invariants
from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.invariants.constraint import SameMargin, is_linear, publishing_constraints
from semiaudit.model.semi_adjacency import Disclosed, SemiAdjacency, Universe
from semiaudit.numeric.limits import Limits
from semiaudit.universe import disclosure, explicit
from semiaudit.universe.distance import methods
from semiaudit.universe.distance.open_sizes import suprema_of_free_sizes
from semiaudit.universe.explicit import DatasetsProblem
from semiaudit.universe.method import ProvenBounds, ask
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.components import places_of, possible_cells
from semiaudit.universe.system.decomposable import closure
from semiaudit.universe.system.invariant_normal_form import normal_form

T = TypeVar("T")


def universe_of(release: Release, limits: Limits | None = None) -> Universe:
    """Analyze D_t: both definitions of a(t), with checked witnesses, and what t alone discloses.

    The combinatorics are those of the protected unit's records. If invariants of other records can
    restrict D_t further, the result is reduced to what still holds.

    Args:
        limits: the limits of integer programs; by default, 60 seconds in total.

    Raises:
        RefusedError: an invariant, the metric, or the size of a dataspace is beyond the methods of
            this version, or the published values contradict each other.
    """
    return _with_other_records(
        release, _asked(release, limits or Limits(), _of_spelling, _of_datasets)
    )


def parameter_of(release: Release, limits: Limits | None = None) -> SemiAdjacency:
    """Return a(t) by both definitions as ``universe_of`` does, and nothing else."""
    return _own(
        release,
        _asked(
            release,
            limits or Limits(),
            lambda problem: _semi_adjacency(problem.release, ask(methods.METHODS, problem)),
            lambda problem: _semi_adjacency(problem.release, ask(explicit.METHODS, problem)),
        ),
    )


def _asked(
    release: Release,
    limits: Limits,
    of_table: Callable[[TableProblem], T],
    of_datasets: Callable[[DatasetsProblem], T],
) -> T:
    """Ask about D_t of the normal form; if that is refused, of the release as the spec has it.

    The refusal of the latter names places in the spec.
    """
    space = release.dataspace
    match space:
        case ProductSpace() | ListedSpace():
            return of_datasets(DatasetsProblem(release, space))
        case TableSpace():
            plain = normal_form(release)
            if plain is not release:
                with suppress(RefusedError):
                    return of_table(TableProblem(plain, space, limits, release))
            return of_table(TableProblem(release, space, limits))
        case _:
            assert_never(space)


def _of_spelling(problem: TableProblem) -> Universe:
    semi = _semi_adjacency(problem.release, ask(methods.METHODS, problem))
    disclosed, restricts = disclosure.disclosed_of(problem), _restricts(problem)
    # Two tables of D_t prove that t does not determine the table, even where no list shows it.
    witnesses = [p.witness for p in (semi.covering, semi.definition_13) if p.witness is not None]
    differ = any(witness.start != witness.end for witness in witnesses)
    if problem.is_given and disclosed.table_is_public is None and differ:
        disclosed = replace(disclosed, table_is_public=False)
    return Universe(
        semi,
        disclosed,
        restricts=restricts,
        whole=not restricts,
        metric_is_adjacency_metric=can_be_neighbors(problem.metric, problem.space.size),
        linear=all(map(is_linear, publishing_constraints(problem.constraints))),
        farthest=0 if semi.covering.upper == 0 and not restricts else None,
        one_size=problem.fixed,
    )


def _restricts(problem: TableProblem) -> bool:
    """Return whether neighboring datasets of D can differ in an invariant."""
    space, metric = problem.space, problem.metric
    sized = not compares_sizes(metric)
    if not space.attributes:
        counted = methods.counted_by_unlisted(problem)
        return counted or (not sized and bool(problem.release.invariants))
    if problem.is_unconstrained:
        return False
    if methods.bounded_by_changes(problem):
        return True
    if not problem.fixed and suprema_of_free_sizes(problem) is not None:
        return True
    if problem.tree is not None and (problem.is_given or has_places(metric)):
        margins = (c for c in problem.constraints if isinstance(c, SameMargin))
        closures = (tuple(sorted(closure(space, places_of(space, c)))) for c in margins)
        return not sized or any(
            len(list(islice(possible_cells(space, places), 2))) > 1 for places in closures
        )
    if has_places(metric) and problem.table is not None:
        return any(group.able > 1 for group in problem.table.groups)
    if any(len(part.members) > 1 for part in problem.components):
        return True
    # D has several sizes, so even a row over one class restricts it: the row fixes the size.
    return not sized and (
        any(any(row) for part in problem.components for _, row in part.rows)
        or (problem.size is not None and space.size is None)
    )


def _of_datasets(problem: DatasetsProblem) -> Universe:
    datasets, metric = problem.datasets, problem.metric
    is_product = isinstance(problem.space, ProductSpace)
    return Universe(
        _semi_adjacency(problem.release, ask(explicit.METHODS, problem)),
        explicit.disclosed_of(problem),
        restricts=explicit.neighbours_disagree(datasets, problem.key_of, metric),
        whole=len(problem.all_universes) == 1 and len(problem.universes[0]) == len(datasets),
        metric_is_adjacency_metric=(is_product and not compares_sizes(metric))
        or explicit.is_adjacency_metric(datasets, metric),
        linear=explicit.linear(problem.release.invariants),
        farthest=int(explicit.metric_distances(datasets, metric).max()),
    )


def _semi_adjacency(release: Release, bounds: ProvenBounds) -> SemiAdjacency:
    return SemiAdjacency(
        release.adjacency.metric,
        release.adjacency.reading,
        bounds.covering,
        bounds.definition_13,
        bounds.theorem_16_bound,
        bounds.a_min,
        bounds.a_maxmin,
    )


def _with_other_records(release: Release, universe: Universe) -> Universe:
    """Return what still holds if other records have invariants too: D_t is then not all of D.

    If D_t has a single dataset of the protected unit's records, it has no other one when more is
    published, so a(t) = 0 is proven jointly.
    """
    if len(release.published_invariants) == len(release.invariants):
        return universe
    universe, semi = replace(universe, whole=False), _own(release, universe.semi_adjacency)
    if semi.own is None:
        return universe
    return replace(universe, semi_adjacency=semi, disclosed=_at_least(universe.disclosed))


def _own(release: Release, semi: SemiAdjacency) -> SemiAdjacency:
    """Return a(t), with a note if it does not cover the invariants of other records."""
    if len(release.published_invariants) == len(release.invariants) or semi.covering.upper == 0:
        return semi
    return replace(semi, own=own_invariants(release))


def _at_least(disclosed: Disclosed) -> Disclosed:
    """Return what is certainly disclosed: further invariants can disclose more, never less."""
    return Disclosed(
        table_is_public=disclosed.table_is_public or None,
        constant_attributes=disclosed.constant_attributes or None,
        constant_groups=disclosed.constant_groups or None,
    )
