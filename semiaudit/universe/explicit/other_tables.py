"""Explicit dataspaces: whether two close datasets of D_t have different tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

import numpy as np

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Dataset, ExplicitSpace
from semiaudit.model.published_invariants import ExampleDataset
from semiaudit.universe.explicit.datasets import datasets_of, metric_distances, universe_key
from semiaudit.universe.explicit.multisets import counts_of, values_in


def universes_of(release: Release, space: ExplicitSpace) -> tuple[list[Dataset], ...]:
    """Return the datasets of D_t; without t, those of every D_t.

    Raises:
        RefusedError: D is too large to be enumerated, or an invariant is not defined on it.
    """
    key_of = universe_key(release.invariants)
    universes: dict[Hashable, list[Dataset]] = defaultdict(list)
    for dataset in datasets_of(space):
        key = key_of(dataset)
        if key is not None:
            universes[key].append(dataset)
    if isinstance(release.published, ExampleDataset):
        own_key = key_of(release.published.records)
        universes = defaultdict(list, {own_key: universes[own_key]})
    return tuple(universes.values())


def explicit_tables_differ(release: Release, space: ExplicitSpace, distance: int) -> bool:
    """Return whether two datasets of D_t within a distance have different tables, by enumeration.

    Without t, the result is for any D_t.

    Args:
        distance: under the release's metric.

    Raises:
        RefusedError: D is too large to be enumerated, or an invariant is not defined on it.
    """
    for datasets in universes_of(release, space):
        if len(datasets) < 2:
            continue
        near = metric_distances(datasets, release.adjacency.metric) <= distance
        counts = counts_of(datasets, values_in(datasets))
        tables = np.unique(counts, axis=0, return_inverse=True)[1].reshape(-1)
        if (near & (tables[:, None] != tables[None, :])).any():
            return True
    return False
