"""Declared guarantees: all measures that follow from a declared one.

Each function takes the measure that a spec declares for datasets at distance 1 and returns every
measure that is then known to hold. The first one is the declared measure itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from semiaudit.errors import RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.kind import (
    Asked,
    DatasetPairs,
    KnownLoss,
    Measures,
    MechanismKind,
    refusal_of_sizes,
    steps_of,
)
from semiaudit.model.loss import PrivacyLoss, RandomizedResponseLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    DeclaredOrder,
    DeclaredPair,
    DeclaredPairs,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import Declared, DeclaredMeasure
from semiaudit.privacy.conversion import (
    pure_from_tradeoff,
    tradeoff_from_approx,
    zcdp_from_gdp,
    zcdp_from_pure,
)
from semiaudit.privacy.group import group
from semiaudit.privacy.tradeoff.polygon import (
    LARGEST_EPSILON,
    convex_minimum,
    inverse,
    pointwise_max,
    symmetrised,
    tradeoff_from_pairs,
)
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

M = TypeVar("M", bound=DeclaredMeasure)


@dataclass(frozen=True, slots=True)
class DeclaredKind(MechanismKind[Declared], Generic[M]):
    """A declared guarantee, which holds for all neighbors in D, and so for those in D_t.

    Attributes:
        follows: every measure that follows from the declared one, at distance 1.
        states_rho: whether its rho is a rational that follows from the declaration.
    """

    follows: Callable[[M], Measures]
    standard: str
    states_rho: bool = False

    def loss(self, part: Declared, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Group privacy, and nothing else: projecting is post-processing."""
        if pairs.way not in ("steps", "projected"):
            return KnownLoss()
        steps = steps_of(part.neighbors, pairs.distance, spaces)
        return KnownLoss(self._grouped(part, steps) if steps else ())

    def refusal(self, part: Declared, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse datasets of different sizes, if the guarantee is for datasets of one size."""
        return refusal_of_sizes(part.neighbors, asked, spaces)

    def specified_rho(self, part: Declared) -> Fraction | None:
        """Return the declared rho, or the rho that follows from the declaration."""
        return rho_of(self._grouped(part, 1)) if self.states_rho else None

    def _grouped(self, part: Declared, distance: int) -> Measures:
        measure = part.measure
        claims = tuple(getattr(measure, f.name) for f in fields(measure) if not f.compare)
        return _grouped(self.follows, measure, claims, distance)


@lru_cache(maxsize=64)
def _grouped(
    follows: Callable[..., Measures],
    measure: DeclaredMeasure,
    claims: tuple[bool, ...],
    distance: int,
) -> Measures:
    """Return what a declared measure implies at a distance.

    Cached, as the rows of an audit share it.

    Args:
        claims: what equal measures may differ in.
    """
    return group(follows(measure), distance)


def rho_of(measures: Measures) -> Fraction | None:
    """Return rho, if a zCDP measure is among them."""
    return next((measure.rho for measure in measures if isinstance(measure, ZCDP)), None)


def pure_dp(measure: PureDP) -> tuple[Measure, ...]:
    """Return epsilon-DP, its function f_{epsilon,0}, and zCDP with epsilon tanh(epsilon / 2).

    If the function's corner is too small for vertices, its pair replaces it.
    """
    rho = zcdp_from_pure(measure)
    if measure.epsilon > LARGEST_EPSILON:
        return measure, PrivacyLoss(((RandomizedResponseLoss(measure.epsilon), 1),)), rho
    return measure, tradeoff_from_approx(measure), rho


def approx_dp(measure: ApproxDP) -> tuple[Measure, ...]:
    """Return (epsilon, delta)-DP and its tradeoff function f_{epsilon,delta}.

    With delta 0, pure DP.
    """
    if not measure.delta:
        return pure_dp(PureDP(measure.epsilon, measure.exact))
    return tradeoff_from_approx(measure), measure


def zcdp(measure: ZCDP) -> tuple[Measure, ...]:
    """Return rho-zCDP only: the noise behind it is unknown."""
    return (measure,)


def gdp(measure: GDP) -> tuple[Measure, ...]:
    """Return mu-GDP, which is also mu^2/2-zCDP.

    Source: Dong, Roth and Su 2022; Cho and Awan, section 6.
    """
    return measure, zcdp_from_gdp(measure)


def tradeoff_points(measure: PiecewiseLinear) -> tuple[Measure, ...]:
    """Return the polygon through declared points, symmetrised: it holds for both orders of a pair.

    If its slopes are bounded, they give an epsilon, which has a rho.
    """
    f = symmetrised(measure)
    with suppress(RefusedError):
        return f, zcdp_from_pure(pure_from_tradeoff(f))
    return (f,)


def one_order(measure: DeclaredOrder) -> tuple[Measure, ...]:
    """Return the largest convex function below f and its inverse: one of them holds in each order.

    Source: Dong, Roth and Su 2022, Proposition 2.4, has the larger one only if f holds in both.
    """
    return tradeoff_points(convex_minimum(measure.f, inverse(measure.f)))


def dominating(measure: DeclaredPair) -> tuple[Measure, ...]:
    """Return the pair, and the largest symmetric function below it, which takes further steps.

    With (P, Q) at every epsilon, (Q, P) dominates the two datasets in the other order. So of two
    directions the larger function is that of both. All steps add the record, or all remove it. If
    it is replaced, the order in which the pair dominates may differ from step to step.

    Source: Zhu, Dong and Wang 2022, Proposition 3 and Theorem 10; Dong, Roth and Su 2022,
    Proposition 2.2.
    """
    from semiaudit.privacy.domination import finite_loss
    from semiaudit.privacy.finite_products import turned

    adding = turned(measure.remove) if measure.remove else None
    given = (measure.add, adding, measure.replace)
    known = [tradeoff_from_likelihoods(pair).below for pair in given if pair]
    f = known[0] if len(known) == 1 else pointwise_max(known[0], known[1])
    symmetric = convex_minimum(f, inverse(f))
    pair = finite_loss(symmetric if measure.replace else f)
    return PrivacyLoss(((pair, 1),)), *tradeoff_points(symmetric)


def pairs(measure: DeclaredPairs) -> tuple[Measure, ...]:
    """Return the largest of the functions f_{epsilon,delta}, and pure DP if a delta is 0.

    Source: each f_{epsilon,delta} is a lower bound in both orders (Su's review, Theorem 5), so
    their maximum is one too. No line between (epsilon, delta) pairs is assumed.
    """
    epsilon, delta = measure.points[-1]
    if len(measure.points) == 1:
        return approx_dp(ApproxDP(epsilon, delta))
    f = tradeoff_from_pairs(measure.points)
    with suppress(RefusedError):
        return f, *(() if delta else (PureDP(epsilon),)), zcdp_from_pure(pure_from_tradeoff(f))
    return (f,)


KINDS: Mapping[type[DeclaredMeasure], DeclaredKind[Any]] = {
    PureDP: DeclaredKind(pure_dp, "pure differential privacy (multiplicative distance)"),
    ApproxDP: DeclaredKind(approx_dp, "(ε, δ)-differential privacy (hockey-stick divergence)"),
    ZCDP: DeclaredKind(zcdp, "zCDP (the noise is not given)", states_rho=True),
    GDP: DeclaredKind(
        gdp,
        "Gaussian differential privacy (declared); ε is computed from its exact tradeoff function",
        states_rho=True,
    ),
    PiecewiseLinear: DeclaredKind(
        tradeoff_points, "f-differential privacy (a declared tradeoff function)"
    ),
    DeclaredOrder: DeclaredKind(
        one_order, "f-differential privacy (a tradeoff function declared for one order)"
    ),
    DeclaredPair: DeclaredKind(
        dominating,
        "(ε, δ)-differential privacy (hockey-stick divergence); a declared dominating pair",
    ),
    DeclaredPairs: DeclaredKind(
        pairs, "(ε, δ)-differential privacy (hockey-stick divergence); a list of declared pairs"
    ),
}
"""The record of every measure that can be declared."""
