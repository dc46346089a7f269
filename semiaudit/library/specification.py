"""Finite mechanisms and privacy specifications: Lipschitz constants, and (epsilon, delta)-DP.

A specification names a domain, a multiverse, an input metric and an output divergence (Bailie, Gong
and Meng); here the domain is the rows of a ``Finite`` mechanism.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from semiaudit.library.arguments import Number, nonnegative, require_type, share, whole
from semiaudit.library.mechanisms import METRICS, Finite, Mechanism, Metric
from semiaudit.mechanisms.finite.lipschitz import DatasetSample, lipschitz_constant
from semiaudit.mechanisms.finite.lipschitz import satisfies as check
from semiaudit.model.building_blocks import Divergence, Lipschitz
from semiaudit.model.mechanism import Finite as Described
from semiaudit.spec.python_values import node_of_values
from semiaudit.spec.scalars import record_value
from semiaudit.universe.explicit import metric_distances
from semiaudit.universe.population import spelled

if TYPE_CHECKING:
    from semiaudit.mechanisms.finite.lipschitz import DatasetSample, Satisfied
    from semiaudit.model.dataspace import Dataset

DIVERGENCES: tuple[Divergence, ...] = get_args(Divergence)


def lipschitz(
    mechanism: Finite,
    *,
    divergence: Divergence = "mult",
    delta: Number | None = None,
    universes: Sequence[Sequence[Sequence[object]]] | None = None,
    published: Sequence[Hashable] | None = None,
    metric: Metric = "hamming",
) -> tuple[Lipschitz, ...]:
    """Return the least intensity inside each universe: the largest divergence over the distance.

    Args:
        divergence: ``mult``, ``mult_delta`` or ``d_nor``.
        delta: the delta of ``mult_delta``.
        universes: each a list of datasets; one of all rows if not given.
        published: for each row, its exactly published values, in addition to the output.
        metric: the input metric.

    Returns:
        For each universe, a bracket with the pair that attains it; infinite with the reason.

    Raises:
        ValueError: a universe contains a dataset that is not a row, or an argument is not valid.
    """
    if divergence not in DIVERGENCES:
        known = ", ".join(DIVERGENCES)
        raise ValueError(f"divergence: there is no {divergence}; known are {known}")
    if (delta is None) == (divergence == "mult_delta"):
        raise ValueError("delta: it goes with mult_delta, which needs it")
    least = None if delta is None else share(delta, "delta", below_one=True)
    rows, sample = _sample(mechanism, metric, published)
    constants = []
    for at, places in enumerate(_places(rows, universes)):
        constant = lipschitz_constant(sample.part(places), divergence, least)
        if constant is None:
            raise ValueError("universes: one has too many pairs for d_nor; give fewer datasets")
        constants.append(replace(constant, universe=at))
    return tuple(constants)


def satisfies(
    mechanism: Finite,
    epsilon: Number,
    delta: Number = 0,
    *,
    distance: int = 1,
    metric: Metric = "hamming",
) -> Satisfied:
    """Return whether a finite mechanism is (epsilon, delta)-DP up to a distance; with a worst pair.

    Args:
        distance: the largest distance of pairs of rows.
    """
    _, sample = _sample(mechanism, metric, None)
    most = nonnegative(epsilon, "epsilon"), share(delta, "delta")
    return check(sample, *most, whole(distance, "distance"))


def _sample(
    mechanism: Finite, metric: Metric, published: Sequence[Hashable] | None
) -> tuple[tuple[Dataset, ...], DatasetSample]:
    if metric not in METRICS:
        raise ValueError(f"metric: there is no {metric}; known are {', '.join(METRICS)}")
    require_type(mechanism, Mechanism, "give a Finite", name="mechanism")
    part = mechanism._described(metric)
    if not isinstance(part, Described):
        raise ValueError("mechanism: it is not finite; give a Finite")
    if part.rtol:
        raise ValueError("mechanism: it has rounded probabilities; give exact ones, without rtol")
    if published is not None and len(published) != len(part.rows):
        raise ValueError(f"published: give {len(part.rows)} values, one for each row")
    return part.rows, DatasetSample(
        part.probabilities,
        [spelled(row) for row in part.rows],
        metric_distances(part.rows, metric).astype(int),
        tuple(published or ()),
    )


def _places(
    rows: Sequence[Dataset], universes: Sequence[Sequence[Sequence[object]]] | None
) -> list[list[int]]:
    if universes is None:
        return [list(range(len(rows)))]
    known = {row: place for place, row in enumerate(rows)}
    known_places = []
    for at, universe in enumerate(universes):
        places = [known.get(_dataset(dataset)) for dataset in universe]
        if None in places:
            raise ValueError(f"universes: the one at {at} holds a dataset that is not a row")
        known_places.append([place for place in places if place is not None])
    return known_places


def _dataset(records: Sequence[object]) -> Dataset:
    node: Any = node_of_values(list(records), "<dataset>", "dataset")
    return tuple(record_value(item) for item in node)
