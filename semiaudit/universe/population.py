"""All datasets of a small D or D_t, the input of a mechanism for each, and the neighbors.

The input is the dataset itself, or the answer of a query on its table. In an explicit dataspace,
datasets are listed one by one. Otherwise tables over the classes of cells that neither the
invariants nor the query distinguish are listed, at the distance of their closest orders.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import per_record
from semiaudit.model.audit import ExampleDataset, Release, size_within
from semiaudit.model.dataspace import (
    Dataset,
    ExplicitSpace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    value_label,
)
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import Query
from semiaudit.universe.explicit import datasets_of, metric_distances, universe_key
from semiaudit.universe.method import ALL_THREE, require_metric
from semiaudit.universe.sensitivity.answers import Answers, places_of_answers
from semiaudit.universe.sensitivity.query_classes import MAX_IMAGES, cell_system
from semiaudit.universe.system.listing import tables_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Distances = npt.NDArray[np.int64]

MAX_TABLES = 1_500
"""The most tables whose pairs are all compared, with numpy."""

Seen = tuple[int, ...]
"""The input of a mechanism: the index of a dataset in D, or its answer, one count per
coordinate."""


@dataclass(frozen=True, slots=True)
class Population:
    """Datasets, or tables that represent them.

    Attributes:
        seen: what the mechanism sees of each.
        names: a printable name of each.
        universe: for each, the number of its D_t, from 0; all 0 in D.
        distances: between all of them, under the release's metric.
    """

    seen: tuple[Seen, ...]
    names: tuple[str, ...]
    universe: tuple[int, ...]
    distances: Distances

    def neighbours(self, distance: int) -> dict[tuple[Seen, Seen], tuple[int, int]]:
        """Return what is seen of two datasets of one universe within a distance, if it differs.

        Args:
            distance: 1 or more.

        Returns:
            Unordered pairs of what is seen, the smaller one first, each with the indices of the
            closest two datasets of the pair.
        """
        import numpy as np

        distinct = sorted(set(self.seen))
        codes = {seen: code for code, seen in enumerate(distinct)}
        column = np.array([codes[seen] for seen in self.seen], dtype=np.int64)
        group = np.array(self.universe, dtype=np.int64)
        best: dict[tuple[int, int], tuple[int, int, int]] = {}
        for place in range(len(self.seen)):
            deadline.check()
            row = self.distances[place]
            is_neighbor = (row <= distance) & (group == group[place]) & (column > column[place])
            for other in np.flatnonzero(is_neighbor).tolist():
                key = int(column[place]), int(column[other])
                nearest = int(row[other]), place, other
                if key not in best or nearest < best[key]:
                    best[key] = nearest
        return {(distinct[a], distinct[b]): nearest[1:] for (a, b), nearest in sorted(best.items())}


@deadline.cached(8)
def population(release: Release, universe: UniverseName, *queries: Query) -> Population | None:
    """Return the datasets of D, or those of D_t (without t, of every D_t), if there are few.

    Args:
        queries: queries on the table whose answers are seen together (``places_seen`` separates
            them); none for a mechanism on an explicit dataspace that sees the dataset itself.

    Raises:
        RefusedError: an explicit D is too large, an invariant is not defined on it, or nothing is
            proven for the metric.
    """
    space = release.dataspace
    match space:
        case ProductSpace() | ListedSpace():
            return _explicit(release, space, universe)
        case TableSpace():
            return _tables(release, space, universe, queries) if queries else None
        case _:
            assert_never(space)


def _explicit(release: Release, space: ExplicitSpace, universe: UniverseName) -> Population:
    datasets = datasets_of(space)
    keys: list[Hashable | None] = [0] * len(datasets)
    if universe == "D_t":
        key_of = universe_key(release.invariants)
        keys = [key_of(dataset) for dataset in datasets]
        if isinstance(release.published, ExampleDataset):
            own_key = key_of(release.published.records)
            keys = [key if key == own_key else None for key in keys]
    kept = [place for place, key in enumerate(keys) if key is not None]
    return Population(
        tuple((place,) for place in kept),
        tuple(spelled(datasets[place]) for place in kept),
        _numbered([keys[place] for place in kept]),
        metric_distances([datasets[place] for place in kept], release.adjacency.metric).astype(int),
    )


def spelled(dataset: Dataset) -> str:
    """Return a dataset in words: its records in their order."""
    return f"({', '.join(str(value_label(value)) for value in dataset)})"


def _numbered(keys: Sequence[Hashable]) -> tuple[int, ...]:
    codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    return tuple(codes[key] for key in keys)


def places_seen(release: Release, *queries: Query) -> tuple[tuple[int, ...], ...]:
    """For each query, return the indices of its answer in what is seen of all answers."""
    space = release.dataspace
    if not isinstance(space, TableSpace):
        return ((0,),) * len(queries)

    question = Answers(space, *queries)
    places = places_of_answers(question)
    return tuple(
        tuple(place for (at, _), place in places.items() if at in block)
        for block in question.blocks
    )


def _tables(
    release: Release, space: TableSpace, universe: UniverseName, queries: Sequence[Query]
) -> Population | None:
    import numpy as np

    require_metric(release.adjacency, ALL_THREE)
    size = size_within(release, space, universe)
    if universe == "D":
        release = replace(release, invariants=(), published=None)
    if size is None or (release.published is None and size >= MAX_TABLES):
        return None  # a single cell can have that many counts, or the counts are unbounded
    question = Answers(space, *queries)
    cells = cell_system(release, space, question, size)
    if cells is None or cells.system.has_free_count:
        return None
    tables = tables_of(cells.system)
    if tables is None or not 0 < len(tables) <= MAX_TABLES:
        return None
    places = places_of_answers(question)
    if len(tables) * len(places) > MAX_IMAGES:
        return None
    counts = np.array(tables, dtype=np.int64)
    images = np.array(cells.images, dtype=np.int64).reshape(counts.shape[1], -1)
    distances = np.zeros((len(tables),) * 2, dtype=np.int64)
    for column in counts.T:
        distances += np.abs(column[:, None] - column[None, :])
    answers = np.zeros((len(tables), len(places)), dtype=np.int64)
    answers[:, [places[coordinate] for coordinate in cells.coordinates]] = counts @ images
    return Population(
        tuple(tuple(int(k) for k in row) for row in answers),
        tuple(f"answer ({', '.join(map(str, row))})" for row in answers.tolist()),
        _numbered([cells.system.invariants(table) for table in tables]),
        distances * per_record(release.adjacency.metric) // 2,
    )
