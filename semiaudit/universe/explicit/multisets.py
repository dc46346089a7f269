"""Explicit dataspaces under metrics that ignore the order of records: only tables count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from semiaudit.model.adjacency import Metric, per_record
from semiaudit.model.dataspace import Dataset, Value, value_label
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.universe.distance.interval import ParameterInterval, Readings
from semiaudit.universe.distance.listed_tables import readings_of
from semiaudit.universe.witness import WitnessError, changed_classes, check_witness

COVERING = "Definition 13 on multisets (design of this program, erratum E38); enumeration"
DEFINITION_13 = "Definition 13 as printed, on multisets (erratum E38); enumeration"

Counts = npt.NDArray[np.int64]


def values_in(datasets: Sequence[Dataset]) -> list[Value]:
    """Return the values that occur, in order of occurrence."""
    return list(dict.fromkeys(value for dataset in datasets for value in dataset))


def counts_of(datasets: Sequence[Dataset], values: Sequence[Value]) -> Counts:
    """Return the table of every dataset: datasets x values."""
    places = {value: at for at, value in enumerate(values)}
    counts = np.zeros((len(datasets), len(values)), dtype=np.int64)
    for at, dataset in enumerate(datasets):
        for value in dataset:
            counts[at, places[value]] += 1
    return counts


def table_distances(datasets: Sequence[Dataset], metric: Metric) -> npt.NDArray[np.uint16]:
    """Return the m x m matrix of distances of the datasets' tables."""
    counts = counts_of(datasets, values_in(datasets))
    matrix = np.zeros((len(datasets),) * 2, dtype=np.uint16)
    for column in counts.T:
        matrix += np.abs(column[:, None] - column[None, :]).astype(np.uint16)
    return matrix * per_record(metric) // 2


def parameters(
    universes: Sequence[Sequence[Dataset]], metric: Metric, *, supremum: bool
) -> tuple[Parameter, Parameter, Readings]:
    """Return both definitions of a(t) as the maximum over universes; also the first universe's."""
    method = "supremum_over_t" if supremum else "enumeration"
    by_values: list[tuple[list[Value], Readings]] = []
    for datasets in universes:
        values = values_in(datasets)
        counts = np.unique(counts_of(datasets, values), axis=0)
        tables = [tuple(int(count) for count in row) for row in counts]
        by_values.append(
            (values, readings_of(tables, (1,) * len(values), metric, size_is_free=False))
        )
    results = []
    for source, intervals in (
        (COVERING, [(values, both.covering) for values, both in by_values]),
        (DEFINITION_13, [(values, both.definition_13) for values, both in by_values]),
    ):
        values, best = max(intervals, key=lambda item: item[1].lower)
        witness = _witness(values, best)
        if witness is not None:
            _check(witness, universes, metric)
        results.append(Parameter(best.lower, best.upper, method, source, witness))
    return results[0], results[1], by_values[0][1]


def _witness(values: Sequence[Value], interval: ParameterInterval) -> Witness | None:
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


def _check(witness: Witness, universes: Sequence[Sequence[Dataset]], metric: Metric) -> None:
    check_witness(witness, lambda counts: sum(counts.values()), metric=metric)
    for datasets in universes:
        tables = {
            frozenset(Counter((value_label(value),) for value in d).items()) for d in datasets
        }
        if frozenset(witness.start) in tables and frozenset(witness.end) in tables:
            return
    raise WitnessError("the tables of a witness are in no universe together")
