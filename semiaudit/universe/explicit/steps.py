"""Explicit dataspaces: whether D_t is connected at a distance."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Dataset, ExplicitSpace
from semiaudit.universe.explicit.datasets import metric_distances
from semiaudit.universe.explicit.other_tables import universes_of


def explicit_connected(release: Release, space: ExplicitSpace, distance: int) -> bool:
    """Return whether the graph on the datasets of D_t, with edges up to a distance, is connected.

    Without t, the result is for every t.

    Args:
        distance: under the release's metric.

    Raises:
        RefusedError: D is too large to be enumerated, or an invariant is not defined on it.
    """
    metric = release.adjacency.metric
    universes = universes_of(release, space)
    return all(_joined(datasets, metric, distance) for datasets in universes)


def _joined(datasets: Sequence[Dataset], metric: Metric, distance: int) -> bool:
    if len(datasets) < 2:
        return True
    near = metric_distances(datasets, metric) <= distance
    reached = fresh = near[0]
    while fresh.any():
        fresh = near[fresh].any(axis=0) & ~reached
        reached = reached | fresh
    # No step leads from a dataset that was reached to one that was not.
    return bool(reached.all())
