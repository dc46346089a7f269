"""Explicit dataspaces: distances, a(t), the disclosures of t, and connection, by enumeration.

D is a product or a list of ordered datasets. The values of the invariants, of any kind, divide it
into universes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import product
from typing import TYPE_CHECKING, assert_never

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import Metric, has_places, per_record
from semiaudit.model.audit import ExampleDataset, Release
from semiaudit.model.dataspace import (
    EXPLICIT_ATTRIBUTE,
    Dataset,
    ExplicitSpace,
    Level,
    ListedSpace,
    ProductSpace,
    Value,
    value_label,
)
from semiaudit.model.invariants import Invariant, known
from semiaudit.model.invariants.constraint import is_linear, is_published
from semiaudit.model.invariants.records import OrderedRecords
from semiaudit.model.semi_adjacency import Cell, Disclosed, Parameter, Witness
from semiaudit.universe.method import ORDERED, UNORDERED, Method, ProvenBounds
from semiaudit.universe.witness import WitnessError, changed_classes, check_witness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from semiaudit.universe.distance.interval import ParameterInterval, Readings

    Counts = npt.NDArray[np.int64]
    Distances = npt.NDArray[np.uint16]

COVERING_OF_TABLES = "Definition 13 on multisets (design of this program, erratum E38); enumeration"
DEFINITION_13_OF_TABLES = "Definition 13 as printed, on multisets (erratum E38); enumeration"


class DatasetsProblem:
    """D_t of an explicit dataspace, by enumeration.

    Attributes:
        datasets: all datasets of D.
        key_of: maps a dataset to the values of its invariants, or to None if it is impossible.
        is_given: D_t is known: t is given, or there is only one.
        universes: D_t if it is known; else every D_t.
    """

    def __init__(self, release: Release, space: ExplicitSpace) -> None:
        self.release, self.space = release, space
        self.metric = release.adjacency.metric
        self.datasets = datasets_of(space)
        self.key_of = universe_key(release.invariants)
        self.all_universes: dict[Hashable, list[Dataset]] = defaultdict(list)
        for dataset in self.datasets:
            key = self.key_of(dataset)
            if key is not None:
                self.all_universes[key].append(dataset)
        self.is_given, self.universes = self._chosen()

    def _chosen(self) -> tuple[bool, list[list[Dataset]]]:
        published, universes = self.release.published, self.all_universes
        if isinstance(published, ExampleDataset):
            key = self.key_of(published.records)
            if key is None:
                mark = published.mark
                why = "contradicts a public bound"
                remedy = "correct the data or the bound"
                raise RefusedError(Refusal(why, remedy, "data.dataset", mark.line, mark.column))
            return True, [universes[key]]
        if not universes:
            mark = self.release.invariants[0].mark
            why = "no dataset satisfies the public bounds"
            remedy = "correct the bounds"
            raise RefusedError(Refusal(why, remedy, "invariants", mark.line, mark.column))
        return len(universes) == 1, list(universes.values())

    @property
    def unanswered(self) -> Refusal:
        """The refusal if no method answers."""
        mark = self.space.mark
        what, remedy = "has no method for a(t)", "describe it by attributes"
        return Refusal(what, remedy, "dataspace", mark.line, mark.column)

    def check(self, parameter: Parameter) -> None:
        """Check that the datasets of a witness are in one D_t, at its distance."""
        witness, metric = parameter.witness, self.metric
        if witness is None:
            return
        if has_places(metric):
            check_witness(witness, lambda counts: self.key_of(_ordered(counts, self.datasets)))
            return
        check_witness(witness, lambda counts: sum(counts.values()), metric=metric)
        for datasets in self.universes:
            tables = {
                frozenset(Counter((value_label(value),) for value in d).items()) for d in datasets
            }
            if frozenset(witness.start) in tables and frozenset(witness.end) in tables:
                return
        raise WitnessError("the tables of a witness are in no universe together")


def values_in(datasets: Sequence[Dataset]) -> list[Value]:
    """Return the values that occur, in order of occurrence."""
    return list(dict.fromkeys(value for dataset in datasets for value in dataset))


def counts_of(datasets: Sequence[Dataset], values: Sequence[Value]) -> Counts:
    """Return the table of every dataset: datasets x values."""
    import numpy as np

    places = {value: at for at, value in enumerate(values)}
    counts = np.zeros((len(datasets), len(values)), dtype=np.int64)
    for at, dataset in enumerate(datasets):
        for value in dataset:
            counts[at, places[value]] += 1
    return counts


def table_distances(datasets: Sequence[Dataset], metric: Metric) -> npt.NDArray[np.uint16]:
    """Return the m x m matrix of distances of the datasets' tables."""
    import numpy as np

    counts = counts_of(datasets, values_in(datasets))
    matrix = np.zeros((len(datasets),) * 2, dtype=np.uint16)
    for column in counts.T:
        matrix += np.abs(column[:, None] - column[None, :]).astype(np.uint16)
    return matrix * per_record(metric) // 2


def _of_tables(problem: DatasetsProblem) -> ProvenBounds:
    """Compute both definitions of a(t) as the maximum over universes, by all pairs of tables."""
    import numpy as np

    from semiaudit.universe.distance.listed_tables import readings_of

    by_values: list[tuple[list[Value], Readings]] = []
    for datasets in problem.universes:
        values = values_in(datasets)
        counts = np.unique(counts_of(datasets, values), axis=0)
        tables = [tuple(int(count) for count in row) for row in counts]
        by_values.append(
            (values, readings_of(tables, (1,) * len(values), problem.metric, size_is_free=False))
        )
    results = []
    for source, intervals in (
        (COVERING_OF_TABLES, [(values, both.covering) for values, both in by_values]),
        (DEFINITION_13_OF_TABLES, [(values, both.definition_13) for values, both in by_values]),
    ):
        values, best = max(intervals, key=lambda item: item[1].lower)
        witness = _witness_of_tables(values, best)
        results.append(Parameter(best.lower, best.upper, _method(problem), source, witness))
    first = by_values[0][1]
    ends = (first.a_min, first.a_maxmin) if problem.is_given else (None, None)
    return ProvenBounds(results[0], results[1], *ends)


def _method(problem: DatasetsProblem) -> str:
    return "enumeration" if problem.is_given else "supremum_over_t"


def _witness_of_tables(values: Sequence[Value], interval: ParameterInterval) -> Witness | None:
    if not interval.lower or interval.start is None or interval.end is None:
        return None
    cells: list[Cell] = [(value_label(value),) for value in values]
    x, y = changed_classes(interval.start, interval.end, interval.classes)
    return Witness(
        None if x < 0 else cells[x],
        None if y < 0 else cells[y],
        interval.lower,
        tuple((cell, k) for cell, k in zip(cells, interval.start, strict=True) if k),
        tuple((cell, k) for cell, k in zip(cells, interval.end, strict=True) if k),
    )


def _ordered(counts: Counter[Cell], datasets: Sequence[Dataset]) -> Dataset:
    """Return the dataset with these (place, value) counts, which must be in D."""
    spelled = tuple(level for _, level in sorted(counts, key=lambda cell: int(cell[0])))
    return next(d for d in datasets if tuple(value_label(value) for value in d) == spelled)


MAX_DATASETS = 5_000
"""D is enumerated up to this many datasets: their matrix of distances takes 50 MB."""

COVERING = "Cho and Awan, Definition 13 as read by Example 5; enumeration"
DEFINITION_13 = "Cho and Awan, Definition 13 as printed; enumeration"


def datasets_of(space: ExplicitSpace) -> tuple[Dataset, ...]:
    """Return every dataset of D, in the order of the spec.

    Raises:
        RefusedError: there are more than ``MAX_DATASETS``.
    """
    if space.count > MAX_DATASETS:
        refusal = Refusal(
            f"has more than {MAX_DATASETS} datasets, the limit for enumeration",
            "describe it by attributes, or use a smaller one",
            path="dataspace",
            line=space.mark.line,
            column=space.mark.column,
        )
        raise RefusedError(refusal)
    match space:
        case ProductSpace():
            return tuple(product(space.values, repeat=space.size))
        case ListedSpace():
            return space.datasets
        case _:
            assert_never(space)


def universe_key(invariants: Sequence[Invariant]) -> Callable[[Dataset], Hashable | None]:
    """Return a function to the values of all invariants; its value is None for impossible datasets.

    Raises:
        RefusedError: the kind of an invariant is unknown. The function raises it for an invariant
            that is not defined for single values.
    """
    every = known(invariants)

    def key(dataset: Dataset) -> Hashable | None:
        records = OrderedRecords(dataset)
        values = tuple(invariant.value(records) for invariant in every)
        return None if None in values else values

    return key


def linear(invariants: Sequence[Invariant]) -> bool:
    """Return whether every invariant is a sum over the numbers of records with each value."""
    constraints = [invariant.constraint for invariant in known(invariants)]
    return all(c is not None and is_published(c) and is_linear(c) for c in constraints)


def distances_between(datasets: Sequence[Dataset]) -> tuple[npt.NDArray[np.int32], Distances]:
    """Return codes (m x n) of the values, and the m x m matrix of Hamming distances."""
    import numpy as np

    names = {value: i for i, value in enumerate(dict.fromkeys(v for d in datasets for v in d))}
    codes = np.array([[names[v] for v in d] for d in datasets], dtype=np.int32)
    codes = codes.reshape(len(datasets), -1)
    matrix = np.zeros((len(datasets), len(datasets)), dtype=np.uint16)
    for place in range(codes.shape[1]):
        deadline.check()
        matrix += codes[:, place, None] != codes[None, :, place]
    return codes, matrix


def metric_distances(datasets: Sequence[Dataset], metric: Metric) -> Distances:
    """Return the m x m matrix of distances under a metric."""
    return (
        distances_between(datasets)[1] if has_places(metric) else table_distances(datasets, metric)
    )


def is_adjacency_metric(datasets: Sequence[Dataset], metric: Metric = "hamming") -> bool:
    """Check Definition 1: every distance is the length of a path of steps of distance 1 inside D.

    Equivalent, by induction: from X towards any Y at distance 2 or more there is a Z in D next
    to X that is one closer to Y.
    """
    matrix = metric_distances(datasets, metric)
    for row in matrix:
        deadline.check()
        distant = row >= 2
        if not distant.any():
            continue
        steps = matrix[row == 1][:, distant]
        if not len(steps) or (steps.min(axis=0) != row[distant] - 1).any():
            return False
    # From every X, there is a first step towards every Y, and so, by induction, a path.
    return True


def neighbours_disagree(
    datasets: Sequence[Dataset],
    key_of: Callable[[Dataset], Hashable | None],
    metric: Metric = "hamming",
) -> bool:
    """Return whether two datasets of D at a distance of at most 1 have different invariants."""
    import numpy as np

    keys = [key_of(dataset) for dataset in datasets]
    codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    column = np.array([codes[key] for key in keys])
    if len(codes) == 1:
        return False
    matrix = metric_distances(datasets, metric)
    return bool(((matrix <= 1) & (column[:, None] != column[None, :])).any())


def _of_places(problem: DatasetsProblem) -> ProvenBounds:
    """Compute both definitions of a(t), as the maximum over the universes."""
    readings = [_readings(datasets, _method(problem)) for datasets in problem.universes]
    return ProvenBounds(
        max((both[0] for both in readings), key=lambda one: one.lower),
        max((both[1] for both in readings), key=lambda one: one.lower),
        *(remark_14(problem.universes[0]) if problem.is_given else (None, None)),
    )


def remark_14(datasets: Sequence[Dataset]) -> tuple[int | None, int | None]:
    """Return a_min and a_maxmin of one universe; None if it contains one dataset."""
    import numpy as np

    if len(datasets) < 2:
        return None, None
    _, matrix = distances_between(datasets)
    np.fill_diagonal(matrix, np.iinfo(np.uint16).max)
    nearest = matrix.min(axis=1)
    return int(nearest.min()), int(nearest.max())


def disclosed_of(problem: DatasetsProblem) -> Disclosed:
    """Return what t alone discloses; if it is not given, what every t discloses."""
    if problem.is_given:
        return disclosed(problem.universes[0], problem.datasets)
    public = all(disclosed(datasets, datasets).table_is_public for datasets in problem.universes)
    return Disclosed(table_is_public=True if public else None)


def disclosed(datasets: Sequence[Dataset], space: Sequence[Dataset]) -> Disclosed:
    """Return what t alone discloses of the table of an explicit universe.

    Args:
        datasets: those of D_t.
        space: those of D.
    """
    tables = [Counter(dataset) for dataset in datasets]
    values = list(dict.fromkeys(v for dataset in datasets for v in dataset))
    forced = sum(len({table[value] for table in tables}) == 1 for value in values)
    several = len({value for dataset in space for value in dataset}) > 1
    constant: tuple[tuple[str, Level], ...] = ()
    if len(values) == 1 and several:
        constant = ((EXPLICIT_ATTRIBUTE, value_label(values[0])),)
    return Disclosed(
        table_is_public=forced == len(values),
        constant_attributes=constant,
        forced_cells=forced,
        cells=len(values),
    )


def _readings(datasets: Sequence[Dataset], method: str) -> tuple[Parameter, Parameter]:
    """Return covering and definition_13: the largest distance that a change of one record needs.

    For every place and value y, the distance from each dataset to the closest one with y there is
    computed. covering is the largest of these distances; definition_13 is the largest of their
    minima over the datasets with the same value x at that place. All pairs are examined, so both
    are exact.
    """
    import numpy as np

    codes, matrix = distances_between(datasets)
    best, where = [0, 0], [(0, 0, np.zeros(0, dtype=np.intp))] * 2
    for place in range(codes.shape[1]):
        order = np.argsort(codes[:, place], kind="stable")
        starts = np.flatnonzero(np.diff(codes[order, place], prepend=-1))
        for targets in np.split(order, starts[1:]):
            deadline.check()
            nearest = matrix[:, targets].min(axis=1)
            minima = np.minimum.reduceat(nearest[order], starts)
            for reading, worst in enumerate((int(nearest.max()), int(minima.max()))):
                if worst > best[reading]:
                    group = np.split(order, starts[1:])[int(minima.argmax())]
                    start = nearest.argmax() if not reading else group[nearest[group].argmin()]
                    best[reading], where[reading] = worst, (place, int(start), targets)
    shown = [_nearest_witness(datasets, matrix, *where[at], best[at]) for at in (0, 1)]
    return (
        Parameter(best[0], best[0], method, COVERING, shown[0]),
        Parameter(best[1], best[1], method, DEFINITION_13, shown[1]),
    )


def _nearest_witness(
    datasets: Sequence[Dataset],
    matrix: Distances,
    place: int,
    start: int,
    targets: npt.NDArray[np.intp],
    distance: int,
) -> Witness | None:
    if not distance:
        return None
    before, after = (
        tuple((at, value_label(value)) for at, value in enumerate(datasets[which], start=1))
        for which in (start, int(targets[matrix[start, targets].argmin()]))
    )
    return Witness(
        before[place],
        after[place],
        distance,
        tuple((cell, 1) for cell in before),
        tuple((cell, 1) for cell in after),
    )


def explicit_tables_differ(release: Release, space: ExplicitSpace, distance: int) -> bool:
    """Return whether two datasets of D_t within a distance have different tables, by enumeration.

    Without t, the result is for any D_t.

    Args:
        distance: under the release's metric.

    Raises:
        RefusedError: D is too large to be enumerated, or an invariant is not defined on it.
    """
    import numpy as np

    for datasets in DatasetsProblem(release, space).universes:
        if len(datasets) < 2:
            continue
        near = metric_distances(datasets, release.adjacency.metric) <= distance
        counts = counts_of(datasets, values_in(datasets))
        tables = np.unique(counts, axis=0, return_inverse=True)[1].reshape(-1)
        if (near & (tables[:, None] != tables[None, :])).any():
            return True
    return False


def explicit_connected(release: Release, space: ExplicitSpace, distance: int) -> bool:
    """Return whether the graph on the datasets of D_t, with edges up to a distance, is connected.

    Without t, the result is for every t.

    Args:
        distance: under the release's metric.

    Raises:
        RefusedError: D is too large to be enumerated, or an invariant is not defined on it.
    """
    metric = release.adjacency.metric
    universes = DatasetsProblem(release, space).universes
    return all(_joined(datasets, metric, distance) for datasets in universes)


def _joined(datasets: Sequence[Dataset], metric: Metric, distance: int) -> bool:
    if len(datasets) < 2:
        return True
    neighbors = metric_distances(datasets, metric) <= distance
    connected = fresh = neighbors[0]
    while fresh.any():
        fresh = neighbors[fresh].any(axis=0) & ~connected
        connected = connected | fresh
    # No step leads from a dataset that was reached to one that was not.
    return bool(connected.all())


METHODS: tuple[Method[DatasetsProblem, ProvenBounds], ...] = (
    Method("ordered datasets", ORDERED, lambda _: True, _of_places),
    Method("tables of datasets", UNORDERED, lambda _: True, _of_tables),
)
"""All pairs of datasets, or of their tables, are compared: both definitions are exact."""
