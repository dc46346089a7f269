"""The privacy loss of a mechanism between datasets at a distance, by the mechanism's kind.

``KINDS`` maps the type of a mechanism's part (of a declared guarantee: of its measure) to what is
known of the kind; each kind's record stands in the module that is the kind's home.
"""

from __future__ import annotations

from typing import Any

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms import declared, noise, randomizers, subspace_noise
from semiaudit.mechanisms.finite.kernel import FINITE
from semiaudit.mechanisms.finite.noise import FINITE_NOISE
from semiaudit.mechanisms.kind import Kind
from semiaudit.mechanisms.other_records import OTHER_RECORDS
from semiaudit.mechanisms.topdown.kernel import TOPDOWN
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import (
    BasisLaplace,
    CorrelatedGaussian,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Finite,
    FiniteNoise,
    Gaussian,
    KNorm,
    Laplace,
    OtherRecords,
    Part,
    RandomizedResponse,
    Shuffled,
    SubsampledGaussian,
)
from semiaudit.model.source import NOWHERE
from semiaudit.model.topdown import TopDown

KINDS: dict[type, Kind[Any]] = {
    PureDP: declared.PURE_DP,
    ApproxDP: declared.APPROX_DP,
    ZCDP: declared.ZCDP_KIND,
    GDP: declared.GDP_KIND,
    PiecewiseLinear: declared.TRADEOFF,
    Gaussian: noise.GAUSSIAN,
    CorrelatedGaussian: subspace_noise.CORRELATED_GAUSSIAN,
    DiscreteGaussian: noise.DISCRETE_GAUSSIAN,
    Laplace: noise.LAPLACE,
    BasisLaplace: subspace_noise.BASIS_LAPLACE,
    DiscreteLaplace: noise.DISCRETE_LAPLACE,
    KNorm: subspace_noise.K_NORM,
    FiniteNoise: FINITE_NOISE,
    Finite: FINITE,
    RandomizedResponse: randomizers.RANDOMIZED_RESPONSE,
    SubsampledGaussian: randomizers.SUBSAMPLED_GAUSSIAN,
    Shuffled: randomizers.SHUFFLED,
    TopDown: TOPDOWN,
    OtherRecords: OTHER_RECORDS,
}


def kind_of(part: Part) -> Kind[Any]:
    """The kind of a part, with all that the analysis asks of it.

    Raises:
        RefusedError: no such kind is known, whatever it may be derived from.
    """
    described = part.measure if isinstance(part, Declared) else part
    known = KINDS.get(type(described))
    if known is None:
        mark = getattr(part, "mark", NOWHERE)
        what = f"{type(described).__name__} is no known kind of mechanism"
        remedy = "describe it by one of the known kinds"
        raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
    return known
