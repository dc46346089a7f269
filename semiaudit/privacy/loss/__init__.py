"""Certified brackets for composed privacy losses: the interface for the rest of the program.

For a product of pairs of distributions, it returns certified brackets of epsilon, delta, type II
errors and advantage, and a valid mu. The modules that compose load numpy and scipy; they are
imported for the first number without a closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.model.loss import PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, Number, hull_of_maxima
from semiaudit.privacy.loss.mu_fit import FittedMu, fitted_mu_of_points

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
"""Seconds that one number may take; the bracket at that time is certified too."""

DEFAULT = Accuracy(time_limit=TIME_LIMIT)

_OF_DELTA_POINTS = 3e-3
"""The relative width of the deltas that a mu is fitted to."""

_NO_TYPE_II = 1e-12
"""A smaller type II error is not narrowed further: the attack succeeds on every record."""

_OF_TYPE_II = 1e-3
"""The relative width of a type II error; the power uses the requested tolerance."""


@deadline.cached(deadline.ANSWERS)
def epsilon_at(
    loss: PrivacyLoss, delta: Fraction, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """Return the smallest epsilon at a delta in (0, 1) that holds for both directions of the pair.

    A bracket that is certified not to exceed the floor is not narrowed further. Here and below, the
    result is None if the loss is too large for the engine, or if there is no time, which is
    recorded as a cut; other measures still hold then.
    """
    from semiaudit.privacy.loss.renyi_curve import reveals_as_much

    if _is_in_reach(loss) and reveals_as_much(loss, delta):
        return Bracket(math.inf, math.inf, "exact", True)
    return _bracket("epsilon", loss, delta, accuracy, floor)


@deadline.cached(deadline.ANSWERS)
def epsilon_of_renyi(loss: PrivacyLoss, delta: Fraction) -> Decimal:
    """Return an upper bound on epsilon at a delta in (0, 1) by the Renyi divergences of all pairs.

    Infinite if none is known, or if there is no time.
    """
    from semiaudit.privacy.loss import renyi_curve

    with suppress(OutOfTimeError):
        return renyi_curve.epsilon_of_renyi(loss, delta)
    return Decimal("Infinity")


@deadline.cached(deadline.ANSWERS)
def delta_at(
    loss: PrivacyLoss, epsilon: Fraction, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """Return delta at an epsilon of 0 or more: the larger of both directions."""
    return _bracket("delta", loss, epsilon, accuracy, floor)


@deadline.cached(deadline.ANSWERS)
def type_ii_at(loss: PrivacyLoss, type_i: Fraction, accuracy: Accuracy = DEFAULT) -> Bracket | None:
    """Return the least type II error at a type I error in (0, 1), over both directions."""
    return _bracket("type_ii", loss, type_i, _coarser(accuracy, _OF_TYPE_II), _NO_TYPE_II)


@deadline.cached(deadline.ANSWERS)
def power_at(
    loss: PrivacyLoss, type_i: Fraction, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """Return the largest power at a type I error in (0, 1), over both directions of the pair."""
    return _bracket("power", loss, type_i, accuracy, floor)


@deadline.cached(64)
def advantage(
    loss: PrivacyLoss, accuracy: Accuracy = DEFAULT, floor: float = 0.0
) -> Bracket | None:
    """Return the total variation distance of the pair, which is delta at epsilon 0."""
    return _bracket("delta", loss, Fraction(0), accuracy, floor)


def largest(
    products: Sequence[PrivacyLoss],
    asked: Callable[[PrivacyLoss, float], Bracket | None],
    accuracy: Accuracy = DEFAULT,
) -> Bracket | None:
    """Return the largest number of several products; narrow each only while it can be largest.

    Args:
        products: one or more; the likely largest one first.
        asked: computes the number of a product; stops narrowing when it is certified not to exceed
            a floor.

    Returns:
        None if a product has no number.
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
    """Return the smallest mu that is certified for the pair, and its regret; None if there is none.

    Args:
        loss: the product of pairs.
        zcdp: also holds, if known: it decides next to a type I error of 0.
        accuracy: its time limit is kept; its tolerance is raised to that of a fitted mu.
    """
    from semiaudit.privacy.loss.normal_form import normal_form

    if not _is_in_reach(loss) or not normal_form(loss).mu_fitted:
        return None
    from semiaudit.privacy.loss.delta_points import delta_points

    with suppress(RefusedError):
        return fitted_mu_of_points(delta_points(loss, _coarser(accuracy, _OF_DELTA_POINTS)), zcdp)
    return None


def _bracket(
    number: Number, loss: PrivacyLoss, place: Fraction, accuracy: Accuracy, floor: float
) -> Bracket | None:
    """Return the engine's bracket of a number; None as in :func:`epsilon_at`."""
    from semiaudit.privacy.loss import engine

    if _is_in_reach(loss):
        with suppress(RefusedError):
            return engine.BRACKETS[number](loss, place, accuracy, floor)
    return None


def _is_in_reach(loss: PrivacyLoss) -> bool:
    """Return whether the engine takes a product, and in time; one pair needs no time check."""
    if len(loss.parts) > 1 and not deadline.left():
        deadline.cut()
        return False
    from semiaudit.privacy.loss.reach import in_reach

    return in_reach(loss)


def _coarser(accuracy: Accuracy, least: float) -> Accuracy:
    return replace(accuracy, tolerance=max(accuracy.tolerance, least))
