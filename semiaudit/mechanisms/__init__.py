"""The privacy loss of a mechanism between datasets at a distance, by the mechanism's kind.

``KINDS`` maps the type of a mechanism's part (of a declared guarantee: of its measure) to what is
known of the kind; each kind's record stands in the module that is the kind's home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms import declared, noise, randomizers, subspace_noise
from semiaudit.mechanisms.kind import Kind
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
    Swapping,
)
from semiaudit.model.source import NOWHERE
from semiaudit.model.topdown import TopDown

_ALWAYS: dict[type, Kind[Any]] = {
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
    RandomizedResponse: randomizers.RANDOMIZED_RESPONSE,
    SubsampledGaussian: randomizers.SUBSAMPLED_GAUSSIAN,
    Shuffled: randomizers.SHUFFLED,
}


def _finite() -> Kind[Any]:
    from semiaudit.mechanisms.finite.kernel import FINITE

    return FINITE


def _finite_noise() -> Kind[Any]:
    from semiaudit.mechanisms.finite.noise import FINITE_NOISE

    return FINITE_NOISE


def _swapping() -> Kind[Any]:
    from semiaudit.mechanisms.swapping.kind import SWAPPING

    return SWAPPING


def _topdown() -> Kind[Any]:
    from semiaudit.mechanisms.topdown.kernel import TOPDOWN

    return TOPDOWN


def _other_records() -> Kind[Any]:
    from semiaudit.mechanisms.other_records import OTHER_RECORDS

    return OTHER_RECORDS


_WHERE_ASKED_FOR: dict[type, Callable[[], Kind[Any]]] = {
    FiniteNoise: _finite_noise,
    Finite: _finite,
    Swapping: _swapping,
    TopDown: _topdown,
    OtherRecords: _other_records,
}
"""Kinds with rooms of their own, which few specs need: imported when one does."""


class _Kinds(Mapping[type, Kind[Any]]):
    def __getitem__(self, described: type) -> Kind[Any]:
        later = _WHERE_ASKED_FOR.get(described)
        return _ALWAYS[described] if later is None else later()

    def __iter__(self) -> Iterator[type]:
        return iter((*_ALWAYS, *_WHERE_ASKED_FOR))

    def __len__(self) -> int:
        return len(_ALWAYS) + len(_WHERE_ASKED_FOR)


KINDS: Mapping[type, Kind[Any]] = _Kinds()
"""What is known of every kind, by the type of a part, or of a declared guarantee's measure."""


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
