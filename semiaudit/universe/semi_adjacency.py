"""Compute a release's universe D_t: both definitions of a(t), with checked witnesses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import assert_never

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import compares_sizes, has_places
from semiaudit.model.audit import ExampleDataset, Release, own_invariants
from semiaudit.model.dataspace import (
    Dataset,
    ExplicitSpace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    value_label,
)
from semiaudit.model.semi_adjacency import Cell, Disclosed, SemiAdjacency, Universe
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.table_universe import table_universe
from semiaudit.universe.system.invariant_normal_form import normal_form
from semiaudit.universe.witness import check_table, check_witness


def universe_of(release: Release, limits: Limits | None = None) -> Universe:
    """Analyze D_t: both definitions of a(t), with checked witnesses, and what t alone discloses.

    The combinatorics are those of the protected unit's records. If invariants of other records can
    restrict D_t further, the result is reduced to what still holds.

    Args:
        limits: the limits of integer programs; by default, 60 seconds in total.

    Raises:
        RefusedError: an invariant or the size of a dataspace is beyond the methods of this
            version, or the published values contradict each other.
    """
    return _with_other_records(release, _of_own_records(release, limits))


def _of_own_records(release: Release, limits: Limits | None) -> Universe:
    space = release.dataspace
    match space:
        case TableSpace():
            return _of_table(release, space, limits or Limits())
        case ProductSpace() | ListedSpace():
            return _of_explicit(release, space)
        case _:
            assert_never(space)


def _with_other_records(release: Release, universe: Universe) -> Universe:
    """Return what still holds if other records have invariants too: D_t is then not all of D.

    If D_t has a single dataset of the protected unit's records, it has no other one when more is
    published, so a(t) = 0 is proven jointly.
    """
    if len(release.published_invariants) == len(release.invariants):
        return universe
    universe, parts = replace(universe, whole=False), own_invariants(release)
    if parts is None or universe.semi_adjacency.covering.upper == 0:
        return universe
    semi = replace(universe.semi_adjacency, own=parts)
    return replace(universe, semi_adjacency=semi, disclosed=_at_least(universe.disclosed))


def _at_least(disclosed: Disclosed) -> Disclosed:
    """Return what is certainly disclosed: further invariants can disclose more, never less."""
    return Disclosed(
        table_is_public=disclosed.table_is_public or None,
        constant_attributes=disclosed.constant_attributes or None,
        constant_groups=disclosed.constant_groups or None,
    )


def _of_table(release: Release, space: TableSpace, limits: Limits) -> Universe:
    """Compute a(t) from the normal form; check witnesses by the spec's own invariants too."""
    plain = normal_form(release)
    try:
        universe = table_universe(plain, space, limits, release)
    except RefusedError:
        if plain is release:
            raise
        # Errors name places in the spec, so they come from the spec as it is written.
        return table_universe(release, space, limits)
    if plain is not release:
        semi = universe.semi_adjacency
        for parameter in (semi.covering, semi.definition_13):
            check_table(release, space, parameter)
    return universe


def _of_explicit(release: Release, space: ExplicitSpace) -> Universe:
    from semiaudit.universe import explicit

    datasets = explicit.datasets_of(space)
    universes: dict[Hashable, list[Dataset]] = defaultdict(list)
    key_of = explicit.universe_key(release.invariants)
    for dataset in datasets:
        key = key_of(dataset)
        if key is not None:
            universes[key].append(dataset)
    known, chosen = _chosen(release, universes, key_of)
    adjacency, metric = release.adjacency, release.adjacency.metric
    if has_places(metric):
        covering, definition_13 = explicit.parameters(chosen, supremum=not known)
        for parameter in (covering, definition_13):
            if parameter.witness is not None:
                check_witness(
                    parameter.witness,
                    lambda counts: key_of(_ordered(counts, datasets)),
                )
        a_min, a_maxmin = explicit.remark_14(chosen[0]) if known else (None, None)
    else:
        covering, definition_13, first = explicit.parameters_of_tables(
            chosen, metric, supremum=not known
        )
        a_min, a_maxmin = (first.a_min, first.a_maxmin) if known else (None, None)
    return Universe(
        SemiAdjacency(
            adjacency.metric, adjacency.reading, covering, definition_13, None, a_min, a_maxmin
        ),
        explicit.disclosed(chosen[0], datasets) if known else explicit.disclosed_by_all(chosen),
        restricts=explicit.neighbours_disagree(datasets, key_of, metric),
        whole=len(universes) == 1 and len(chosen[0]) == len(datasets),
        metric_is_adjacency_metric=(isinstance(space, ProductSpace) and not compares_sizes(metric))
        or explicit.is_adjacency_metric(datasets, metric),
        linear=explicit.linear(release.invariants),
        farthest=int(explicit.metric_distances(datasets, metric).max()),
    )


def _chosen(
    release: Release,
    universes: dict[Hashable, list[Dataset]],
    key_of: Callable[[Dataset], Hashable | None],
) -> tuple[bool, list[list[Dataset]]]:
    if isinstance(release.published, ExampleDataset):
        key = key_of(release.published.records)
        if key is None:
            mark = release.published.mark
            why = "contradicts a public bound"
            remedy = "correct the data or the bound"
            raise RefusedError(Refusal(why, remedy, "data.dataset", mark.line, mark.column))
        return True, [universes[key]]
    if not universes:
        mark = release.invariants[0].mark
        why = "no dataset satisfies the public bounds"
        raise RefusedError(Refusal(why, "correct the bounds", "invariants", mark.line, mark.column))
    return len(universes) == 1, list(universes.values())


def _ordered(counts: Counter[Cell], datasets: tuple[Dataset, ...]) -> Dataset:
    """Return the dataset with these (place, value) counts, which must be in D."""
    spelled = tuple(level for _, level in sorted(counts, key=lambda cell: int(cell[0])))
    return next(d for d in datasets if tuple(value_label(value) for value in d) == spelled)
