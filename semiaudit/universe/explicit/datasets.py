"""Explicit dataspaces under hamming: a(t) and the disclosures of t, by enumeration.

D is a product or a list of ordered datasets. The values of the invariants, of any kind, divide it
into universes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import product
from typing import assert_never

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import Metric, has_places
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
from semiaudit.universe.explicit.multisets import table_distances

MAX_DATASETS = 5_000
"""D is enumerated up to this many datasets: their matrix of distances takes 50 MB."""

Distances = npt.NDArray[np.uint16]
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
        far = row >= 2
        if not far.any():
            continue
        steps = matrix[row == 1][:, far]
        if not len(steps) or (steps.min(axis=0) != row[far] - 1).any():
            return False
    # From every X, there is a first step towards every Y, and so, by induction, a path.
    return True


def neighbours_disagree(
    datasets: Sequence[Dataset],
    key_of: Callable[[Dataset], Hashable | None],
    metric: Metric = "hamming",
) -> bool:
    """Return whether two datasets of D at a distance of at most 1 have different invariants."""
    keys = [key_of(dataset) for dataset in datasets]
    codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    column = np.array([codes[key] for key in keys])
    if len(codes) == 1:
        return False
    matrix = metric_distances(datasets, metric)
    return bool(((matrix <= 1) & (column[:, None] != column[None, :])).any())


def parameters(
    universes: Sequence[Sequence[Dataset]], *, supremum: bool
) -> tuple[Parameter, Parameter]:
    """Return both definitions of a(t), as the maximum over the given universes."""
    method = "supremum_over_t" if supremum else "enumeration"
    readings = [_readings(datasets, method) for datasets in universes]
    covering = max((both[0] for both in readings), key=lambda one: one.lower)
    return covering, max((both[1] for both in readings), key=lambda one: one.lower)


def remark_14(datasets: Sequence[Dataset]) -> tuple[int | None, int | None]:
    """Return a_min and a_maxmin of one universe; None if it contains one dataset."""
    if len(datasets) < 2:
        return None, None
    _, matrix = distances_between(datasets)
    np.fill_diagonal(matrix, np.iinfo(np.uint16).max)
    nearest = matrix.min(axis=1)
    return int(nearest.min()), int(nearest.max())


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


def disclosed_by_all(universes: Sequence[Sequence[Dataset]]) -> Disclosed:
    """Return what is disclosed for every universe that t can select."""
    public = all(disclosed(datasets, datasets).table_is_public for datasets in universes)
    return Disclosed(table_is_public=True if public else None)


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
    end = int(targets[matrix[start, targets].argmin()])
    return _witness(datasets[start], datasets[end], place, distance)


def _witness(start: Dataset, end: Dataset, place: int, distance: int) -> Witness:
    before, after = _cells(start), _cells(end)
    return Witness(
        before[place],
        after[place],
        distance,
        tuple((cell, 1) for cell in before),
        tuple((cell, 1) for cell in after),
    )


def _cells(dataset: Sequence[Value]) -> tuple[Cell, ...]:
    return tuple((place, value_label(value)) for place, value in enumerate(dataset, start=1))
