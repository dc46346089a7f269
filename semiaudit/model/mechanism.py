"""What was done to the data: only described here, analysed in ``mechanisms``."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.measure import Measure
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class Declared:
    """A mechanism known only by the guarantee it declares for neighbours at distance 1 in D."""

    kind: str
    measure: Measure
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Composition:
    """Mechanisms run on the same data, each as many times as its ``repeat`` says."""

    parts: tuple[tuple[Mechanism, int], ...]
    mark: Mark = NOWHERE


Mechanism = Declared | Composition
