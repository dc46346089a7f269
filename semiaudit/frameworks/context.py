"""What every compared notion is computed from."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.adjacency import Adjacency
from semiaudit.model.mechanism import Mechanism
from semiaudit.model.semi_adjacency import Universe

NO_PATHS = (
    "the metric is no adjacency metric on this dataspace (Definition 1 fails: some datasets are "
    "not joined by steps of distance 1), so nothing follows for distances above 1"
)

ONE_DATASET = "D_t holds one dataset: the invariants disclose it whole, nothing is protected"


@dataclass(frozen=True, slots=True)
class Context:
    """One release as the frameworks see it."""

    universe: Universe
    adjacency: Adjacency
    mechanism: Mechanism

    @property
    def distance(self) -> int | None:
        """The distance of semi-adjacency: the spec's own, or the upper end of a(t)."""
        return self.adjacency.distance or self.universe.semi_adjacency.value
