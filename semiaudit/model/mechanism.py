"""What was done to the data: only described here, analysed in ``mechanisms``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from semiaudit.model.measure import Measure
from semiaudit.model.query import Query
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class Declared:
    """A mechanism known only by the guarantee it declares for neighbours at distance 1 in D."""

    kind: str
    measure: Measure
    mark: Mark = NOWHERE


NoiseKind = Literal["gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "k_norm"]
Norm = Literal["hull", "l1", "l2", "linf"]


@dataclass(frozen=True, slots=True)
class Noise:
    """A query plus independent noise of a known distribution.

    Attributes:
        scale: sigma^2 of a (discrete) Gaussian, the scale b of a (discrete) Laplace, or the
            epsilon that a K-norm mechanism has at distance 1 in D.
        query: what the noise is added to; or None where only ``shifts`` are known.
        shifts: by how much each affected coordinate moves at distance 1; empty with a query.
        norm: of a K-norm mechanism: whose unit ball K is (``hull``: that of the query's own
            sensitivity space in D at distance 1, the optimal one of Proposition 9).
    """

    kind: NoiseKind
    scale: Fraction
    query: Query | None
    shifts: tuple[Fraction, ...] = ()
    norm: Norm = "hull"
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Composition:
    """Mechanisms run on the same data, each as many times as its ``repeat`` says."""

    parts: tuple[tuple[Mechanism, int], ...]
    mark: Mark = NOWHERE


Mechanism = Declared | Noise | Composition
