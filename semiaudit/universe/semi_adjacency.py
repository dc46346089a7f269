"""From a release to its universe: which method answers, and a check of what it answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Dataset, ExplicitSpace, ListedSpace, TableSpace, value_label
from semiaudit.model.invariant import Count, Margin, Total
from semiaudit.model.published import ExampleDataset, MarginCounts
from semiaudit.model.semi_adjacency import Cell, Parameter, SemiAdjacency, Universe
from semiaudit.universe import group_margins
from semiaudit.universe.groups import GroupedTable, grouped_table
from semiaudit.universe.witness import check_witness


def universe_of(release: Release) -> Universe:
    """Analyse D_t: both readings of a(t), with checked witnesses, and what t alone discloses.

    Raises:
        RefusedError: the metric, an invariant or the size of an explicit dataspace is beyond the
            methods of this version.
    """
    refusals = _metric_refusals(release)
    try:
        if isinstance(release.dataspace, TableSpace):
            universe = _of_table(release, release.dataspace)
        else:
            universe = _of_explicit(release, release.dataspace)
    except RefusedError as error:
        refusals += error.refusals
    if refusals:
        raise RefusedError(*refusals)
    return universe


def _metric_refusals(release: Release) -> list[Refusal]:
    metric, mark = release.adjacency.metric, release.adjacency.mark
    if metric == "hamming":
        return []
    message = f"the metric {metric} is not supported yet"
    return [Refusal(message, "use hamming", "adjacency.metric", mark.line, mark.column)]


def _of_table(release: Release, space: TableSpace) -> Universe:
    published = release.published
    counts = published if isinstance(published, MarginCounts) else None
    table = grouped_table(space, release.invariants, counts)
    covering = group_margins.covering(table)
    literal = group_margins.definition_13(table)
    for parameter in (covering, literal):
        _check_table(table, parameter)
    a_min, a_maxmin = group_margins.remark_14(table)
    semi = SemiAdjacency(
        release.adjacency.metric,
        release.adjacency.reading,
        covering,
        literal,
        group_margins.theorem_16_bound(table),
        a_min,
        a_maxmin,
    )
    return Universe(
        semi,
        group_margins.disclosed(table),
        restricts=any(group.cells > 1 for group in table.groups),
        whole=all(group.cells == 1 for group in table.groups),
        metric_is_adjacency_metric=True,
        linear=True,
    )


def _check_table(table: GroupedTable, parameter: Parameter) -> None:
    if parameter.witness is None:
        return

    def margins(counts: Counter[Cell]) -> tuple[Counter[Cell], ...]:
        found = [Counter[Cell]() for _ in table.groups]
        for cell, number in counts.items():
            for group, margin in zip(table.groups, found, strict=True):
                margin[tuple(cell[place] for place in group.positions)] += number
        return tuple(found)

    attributes = table.space.attributes
    published = None
    if table.counts_given:
        published = tuple(
            Counter(
                {
                    tuple(
                        attributes[place].label(level)
                        for place, level in zip(group.positions, group.levels_of(cell), strict=True)
                    ): number
                    for cell, number in group.counts or ()
                }
            )
            for group in table.groups
        )
    check_witness(parameter.witness, margins, published)


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
    covering, literal = explicit.parameters(chosen, supremum=not known)
    for parameter in (covering, literal):
        if parameter.witness is not None:
            check_witness(
                parameter.witness,
                lambda counts: key_of(_ordered(counts, datasets)),
            )
    a_min, a_maxmin = explicit.remark_14(chosen[0]) if known else (None, None)
    adjacency = release.adjacency
    return Universe(
        SemiAdjacency(
            adjacency.metric, adjacency.reading, covering, literal, None, a_min, a_maxmin
        ),
        explicit.disclosed(chosen[0]) if known else explicit.disclosed_by_all(chosen),
        restricts=explicit.neighbours_disagree(datasets, key_of),
        whole=len(universes) == 1 and len(chosen[0]) == len(datasets),
        metric_is_adjacency_metric=not isinstance(space, ListedSpace)
        or explicit.is_adjacency_metric(datasets),
        linear=all(isinstance(i, Total | Margin | Count) for i in release.invariants),
    )


def _chosen(
    release: Release,
    universes: dict[Hashable, list[Dataset]],
    key_of: Callable[[Dataset], Hashable | None],
) -> tuple[bool, list[list[Dataset]]]:
    """The one universe that t selects, or all of them where t is not given."""
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
        why = "the public bounds rule out every dataset"
        raise RefusedError(Refusal(why, "correct the bounds", "invariants", mark.line, mark.column))
    return len(universes) == 1, list(universes.values())


def _ordered(counts: Counter[Cell], datasets: tuple[Dataset, ...]) -> Dataset:
    """The dataset that (place, value) counts spell out, which must be one of D."""
    spelled = tuple(level for _, level in sorted(counts, key=lambda cell: int(cell[0])))
    return next(d for d in datasets if tuple(value_label(value) for value in d) == spelled)
