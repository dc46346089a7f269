"""Composed privacy losses: the one place that the rest of the program asks for their numbers.

A product of pairs of distributions gets certified brackets of its epsilon, delta, type II errors
and advantage, and the mu that holds for it. What composes loads numpy and scipy, and is imported
by the first question that has no closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.model.loss import PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, hull_of_maxima

if TYPE_CHECKING:
    from semiaudit.privacy.mu.fitted import FittedMu

__all__ = [
    "DEFAULT",
    "TIME_LIMIT",
    "Accuracy",
    "Bracket",
    "advantage",
    "delta_at",
    "epsilon_at",
    "epsilon_of_renyi",
    "fitted_mu",
    "largest",
    "power_at",
    "type_ii_at",
]

TIME_LIMIT = 20.0
"""Seconds that one number may take; what is known by then is certified all the same."""

DEFAULT = Accuracy(time_limit=TIME_LIMIT)

_OF_DELTA_POINTS = 3e-3
"""The relative width of the deltas that a mu is fitted to."""

_NO_TYPE_II = 1e-12
"""A type II error below it is not narrowed: an attacker distinguishes every record."""

_OF_TYPE_II = 1e-3
"""The relative width of a type II error; the power keeps the tolerance."""


@deadline.cached(deadline.ANSWERS)
def epsilon_at(
    loss: PrivacyLoss, delta: Fraction, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """epsilon at a delta in (0, 1): the smallest for which both directions of the pair satisfy it.

    A number that is certified not to exceed the floor needs no narrower bracket. None, here as
    below, where the loss is more than the engine can take, or there is no time, which is noted as a
    cut; other measures still hold then.
    """
    from semiaudit.privacy.loss import engine
    from semiaudit.privacy.loss.renyi_curve import reveals_as_much

    if _to_be_asked(loss):
        if reveals_as_much(loss, delta):
            return Bracket(math.inf, math.inf, "exact", True)
        with suppress(RefusedError):
            return engine.epsilon_bracket(loss, delta, accuracy, floor)
    return None


@deadline.cached(deadline.ANSWERS)
def epsilon_of_renyi(loss: PrivacyLoss, delta: Fraction) -> Decimal:
    """epsilon at a delta in (0, 1) by the Renyi divergences of all pairs, from above.

    Infinite where none is known, or not in time.
    """
    from semiaudit.privacy.loss import renyi_curve

    with suppress(OutOfTimeError):
        return renyi_curve.epsilon_of_renyi(loss, delta)
    return Decimal("Infinity")


@deadline.cached(deadline.ANSWERS)
def delta_at(
    loss: PrivacyLoss, epsilon: Fraction, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """delta at an epsilon of 0 or more: the larger one of both directions."""
    from semiaudit.privacy.loss import engine

    if _to_be_asked(loss):
        with suppress(RefusedError):
            return engine.delta_bracket(loss, epsilon, accuracy, floor)
    return None


@deadline.cached(deadline.ANSWERS)
def type_ii_at(loss: PrivacyLoss, type_i: Fraction, accuracy: Accuracy = DEFAULT) -> Bracket | None:
    """The least type II error at a type I error in (0, 1), over both directions of the pair."""
    from semiaudit.privacy.loss import engine

    if _to_be_asked(loss):
        with suppress(RefusedError):
            accuracy = _coarser(accuracy, _OF_TYPE_II)
            return engine.type_ii_bracket(loss, type_i, accuracy, _NO_TYPE_II)
    return None


@deadline.cached(deadline.ANSWERS)
def power_at(
    loss: PrivacyLoss, type_i: Fraction, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """The largest power at a type I error in (0, 1), over both directions of the pair."""
    from semiaudit.privacy.loss import engine

    if _to_be_asked(loss):
        with suppress(RefusedError):
            return engine.power_bracket(loss, type_i, accuracy, floor)
    return None


@deadline.cached(64)
def advantage(
    loss: PrivacyLoss, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """The total variation distance of the pair."""
    from semiaudit.privacy.loss import engine

    if _to_be_asked(loss):
        with suppress(RefusedError):
            return engine.advantage_bracket(loss, accuracy, floor)
    return None


def largest(
    products: Sequence[PrivacyLoss],
    asked: Callable[[PrivacyLoss, float], Bracket | None],
    accuracy: Accuracy = DEFAULT,
) -> Bracket | None:
    """The largest number of several products; each is narrowed only while it may be the largest.

    Args:
        products: one or more, those first that are likely to have the largest one.
        asked: the number of a product, of which nothing narrower is wanted once it is certified
            not to exceed a floor.

    Returns:
        None if some product has no number.
    """
    best: Bracket | None = None
    for product in products:
        number = asked(product, 0.0 if best is None else best.lower)
        if number is None:
            return None
        if best is None:
            best = number
        elif number.upper > best.lower:
            best = hull_of_maxima(best, number, accuracy.tolerance)
    return best


@deadline.cached(256)
def fitted_mu(
    loss: PrivacyLoss, zcdp: ZCDP | None, accuracy: Accuracy = DEFAULT
) -> FittedMu | None:
    """The smallest mu that the pair is certified for, and its regret; None if none is.

    Args:
        loss: the product of pairs.
        zcdp: also holds, if known: it decides next to a type I error of 0.
        accuracy: its time limit is kept; its tolerance is raised to that of a fitted mu.
    """
    from semiaudit.privacy.loss.normal_form import normal_form

    if not _to_be_asked(loss) or not normal_form(loss).mu_fitted:
        return None
    from semiaudit.privacy.loss.delta_points import delta_points
    from semiaudit.privacy.loss.mu_of_deltas import fitted_mu_of_points

    with suppress(RefusedError):
        return fitted_mu_of_points(delta_points(loss, _coarser(accuracy, _OF_DELTA_POINTS)), zcdp)
    return None


def _to_be_asked(loss: PrivacyLoss) -> bool:
    """Whether the engine takes a product, and in time; one pair may have a closed form at once."""
    if len(loss.parts) > 1 and not deadline.left():
        deadline.cut()
        return False
    from semiaudit.privacy.loss.reach import in_reach

    return in_reach(loss)


def _coarser(accuracy: Accuracy, least: float) -> Accuracy:
    """Return the accuracy with at least this tolerance."""
    return replace(accuracy, tolerance=max(accuracy.tolerance, least))
