"""Which datasets are neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from semiaudit.model.source import NOWHERE, Mark

Metric = Literal["hamming", "multiset_hamming", "symmetric_difference"]
Reading = Literal["covering", "definition_13"]


@dataclass(frozen=True, slots=True)
class Adjacency:
    """The metric, the reading of a(t), and a distance that overrides a(t)."""

    metric: Metric = "hamming"
    reading: Reading = "covering"
    distance: int | None = None
    mark: Mark = NOWHERE
