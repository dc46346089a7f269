"""The numbers of every kind of secret of a hierarchical release."""

from __future__ import annotations

from fractions import Fraction

from semiaudit import under_way
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.topdown.semantics import semantics_of
from semiaudit.model.audit import ReportOptions
from semiaudit.model.bound import exact
from semiaudit.model.guarantee import ApproxPoint
from semiaudit.model.measure import ZCDP
from semiaudit.model.semantics import SecretPair, Semantic
from semiaudit.privacy.evaluate import epsilons_at, rho_of
from semiaudit.privacy.loss import Accuracy


def semantics_with_numbers(
    context: Context, options: ReportOptions, accuracy: Accuracy
) -> tuple[Semantic, ...]:
    """Every secret with rho, and with epsilon at the deltas of the report.

    Raises:
        OutOfTimeError: the deadline came first.
    """
    found = list(semantics_of(context.made, context.spaces, steps=context.steps))
    if not found:
        return ()
    under_way.doing("semantics")
    nominal = _rho(context.loss_at(1, "D"))
    return tuple(
        _numbered(secret, measures, nominal, options, accuracy) for secret, measures in found
    )


def _numbered(
    secret: SecretPair,
    measures: Measures,
    nominal: Fraction | None,
    options: ReportOptions,
    accuracy: Accuracy,
) -> Semantic:
    rho = _rho(measures)
    points = [_tightest(measures, delta, accuracy) for delta in options.deltas]
    return Semantic(
        name=secret.name,
        universe=secret.universe,
        pair=secret.pair,
        distance=secret.distance,
        where=secret.where,
        zcdp=rho_of(measures),
        approx_dp=tuple(point for point in points if point is not None),
        factor=rho / nominal if rho is not None and nominal else None,
    )


def _tightest(measures: Measures, delta: Fraction, accuracy: Accuracy) -> ApproxPoint | None:
    if _rho(measures) == 0:
        nothing = exact(0, "pure", "equal distributions")
        return ApproxPoint(delta, nothing, "pure", nothing)
    points, _ = epsilons_at(measures, delta, accuracy)
    return min(points, key=lambda point: point.epsilon.sharpest, default=None)


def _rho(measures: Measures) -> Fraction | None:
    return min((m.rho for m in measures if isinstance(m, ZCDP)), default=None)
