"""The numbers of every kind of secret of a hierarchical release."""

from __future__ import annotations

from fractions import Fraction

from semiaudit import progress
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.topdown.topdown_kind import semantics_of
from semiaudit.model.audit import ReportOptions
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.guarantee import ApproxPoint
from semiaudit.model.measure import ZCDP
from semiaudit.model.topdown import SecretPair, Semantic
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.epsilons import rho_of
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures.zcdp import epsilon_bs16

HALF = Fraction(1, 2)

OF_GUESSES = 1e-4
"""The relative bracket width of a delta for the success probability of a guess."""

TAIL = "Bun and Steinke 2016, the proof of Proposition 1.3: the tail of the privacy loss"


def semantics_with_numbers(
    context: Context, options: ReportOptions, accuracy: Accuracy
) -> tuple[Semantic, ...]:
    """Return every secret with rho, and with epsilon at the deltas of the report.

    Raises:
        OutOfTimeError: the time limit was reached.
    """
    semantics = list(semantics_of(context.made, context.spaces, steps=context.steps))
    if not semantics:
        return ()
    progress.doing("semantics")
    nominal = _rho(context.loss_at(1, "D").measures)
    return tuple(
        _numbered(secret, measures, nominal, options, accuracy) for secret, measures in semantics
    )


def _numbered(
    secret: SecretPair,
    measures: Measures,
    nominal: Fraction | None,
    options: ReportOptions,
    accuracy: Accuracy,
) -> Semantic:
    rho = _rho(measures)
    row = CertifiedRow(measures, options.deltas, (), (), accuracy, attack=False)
    points = [_tightest(measures, row, delta, attained=secret.attained) for delta in options.deltas]
    return Semantic(
        name=secret.name,
        universe=secret.universe,
        pair=secret.pair,
        distance=secret.distance,
        where=secret.where,
        zcdp=rho_of(measures),
        approx_dp=tuple(point for point in points if point is not None),
        factor=rho / nominal if rho is not None and nominal else None,
        posterior_odds=_posterior_odds(measures, options),
        best_guess=tuple(
            (prior, best_guess(row, prior, accuracy)) for prior in options.priors if measures
        ),
        has_pair=bool(secret.moves),
    )


def _posterior_odds(
    measures: Measures, options: ReportOptions
) -> tuple[tuple[Fraction, Bound], ...]:
    """Bound by how much the log odds of the truth grow, except with probability delta, by rho.

    Source: Bun and Steinke 2016, the proof of Proposition 1.3 (the tail of the privacy loss, which
    is the growth of the log odds); Kifer et al. 2022 for the interpretation.
    """
    rho = _rho(measures)
    if rho is None:
        return ()
    odds = []
    for delta in options.deltas:
        bound = exact(0, "bs16", TAIL)
        if rho:
            bound = upper(epsilon_bs16(ZCDP(rho), delta), "bs16", TAIL)
        odds.append((delta, bound))
    return tuple(odds)


def best_guess(row: CertifiedRow, prior: Fraction, accuracy: Accuracy) -> Bound:
    """Bound the probability that the best guess between two values of a secret is right.

    With the prior p of the less likely value, the error p type_ii + (1 - p) type_i is at least p (1
    - delta(epsilon)) at e^epsilon = (1 - p) / p, so the success probability is at most 1 minus
    this.

    Args:
        row: of the pair of the two values. prior: p, above 0 and up to 1/2.

    Rounding: epsilon is rounded down, delta and the success up.
    Source: Dong, Roth and Su 2022, Proposition 2.12 (duality); Kifer et al. 2022; Swanberg et al.
    2025.
    """
    odds = Interval.of((1 - prior) / prior).ln().low if prior < HALF else 0
    coarser = Accuracy(max(accuracy.tolerance, OF_GUESSES), accuracy.time_limit)
    delta = row.delta_at(max(Fraction(odds), Fraction(0)), coarser)
    return upper(1 - prior * (1 - Fraction(delta.value)), delta.method, delta.source)


def _tightest(
    measures: Measures, row: CertifiedRow, delta: Fraction, *, attained: bool
) -> ApproxPoint | None:
    if _rho(measures) == 0:
        # Without a lower bound if it is unknown whether such a pair exists.
        nothing = exact(0, "pure", "equal distributions")
        return ApproxPoint(delta, nothing, "pure", nothing if attained else None)
    return row.epsilon_at(delta)


def _rho(measures: Measures) -> Fraction | None:
    return min((m.rho for m in measures if isinstance(m, ZCDP)), default=None)
