"""Releases whose sensitivity spaces are told rather than computed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, get_args

from semiaudit.frameworks.context import Context
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.bound import Bound, Side
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.mechanism import Mechanism, NoisePart
from semiaudit.model.query import DominatingMoves, MarginsQuery, Query, Sensitivity, TableQuery
from semiaudit.model.semi_adjacency import Disclosed, Parameter, SemiAdjacency, Universe
from semiaudit.universe.sensitivity.joint_moves import JointMoves
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.sensitivity.subspaces import NOT_LINEAR

TABLE = TableQuery()
MARGIN = MarginsQuery((("a",),))
NOISES: dict[str, Any] = {noise.kind: noise for noise in reversed(get_args(NoisePart))}


def sensitivity(
    distance: int, l1: int, l2_squared: int, linf: int, gauge: int, side: Side = "exact"
) -> Sensitivity:
    def bound(value: int) -> Bound:
        return Bound(Fraction(value), side, "told", "told")

    moves = DominatingMoves(
        ((Fraction(linf), l1 // linf),) if linf else (), attained=side == "exact"
    )
    norms = bound(l1), bound(l2_squared), bound(linf), bound(gauge)
    return Sensitivity(distance, *norms, None, None, "told", moves)


def histogram(distance: int, side: Side = "exact") -> Sensitivity:
    """S_Group of a histogram, k(e_i - e_j) being its longest element: (2, sqrt 2, 1) at 1."""
    k = distance
    return sensitivity(k, 2 * k, 2 * k * k, k, k, side)


STILL = {distance: sensitivity(distance, 0, 0, 0, 0) for distance in (1, 2, 3)}
"""A query that is a function of the invariants."""
TWO_BY_TWO = {2: sensitivity(2, 4, 4, 1, 2)}
"""Row 33: S_Semi of a histogram under one-way margins at distance 2."""
HEXAGONS = {3: sensitivity(3, 6, 6, 1, 3)}
"""Row 40: the same at distance 3 with three levels each."""


class ToldSpaces(SensitivitySpaces):
    """Histograms in D; inside D_t what a test says."""

    def __init__(
        self,
        within: Mapping[int, Sensitivity] | None = None,
        margin: Mapping[int, Sensitivity] | None = None,
        projected: Fraction | None = None,
        side: Side = "exact",
    ) -> None:
        self._told: dict[Query, Mapping[int, Sensitivity]] = {
            TABLE: within or {},
            MARGIN: margin or {},
        }
        self._projected = projected
        self._side: Side = side

    @property
    def subspaces(self) -> Any:
        """Only why there is no subspace."""
        return SimpleNamespace(nonlinearity=lambda query: NOT_LINEAR)

    def everywhere(self, query: Query, distance: int) -> Sensitivity:
        return histogram(distance, self._side)

    def within(self, query: Query, distance: int) -> Sensitivity:
        return self._told[query][distance]

    def joint_moves(
        self,
        queries: tuple[Query, ...],
        distance: int,
        universe: UniverseName,
        *,
        listed: bool = False,
    ) -> JointMoves | None:
        return None

    def projected_l2_squared(self, query: Query) -> Fraction | None:
        return self._projected


class NoSpaces(SensitivitySpaces):
    """For mechanisms without a query: asking is an error."""

    def __init__(self) -> None:
        pass


def context(
    mechanism: Mechanism,
    spaces: SensitivitySpaces,
    distance: int = 2,
    *,
    steps: bool = True,
    linear: bool = True,
    theorem_16_bound: int | None = None,
) -> Context:
    parameter = Parameter(distance, distance, "closed_form", "told", None)
    semi = SemiAdjacency("hamming", "covering", parameter, parameter, theorem_16_bound, None, None)
    universe = Universe(
        semi,
        Disclosed(),
        restricts=True,
        whole=False,
        metric_is_adjacency_metric=steps,
        linear=linear,
    )
    return Context(universe, Adjacency("hamming", "covering", None), mechanism, spaces)
