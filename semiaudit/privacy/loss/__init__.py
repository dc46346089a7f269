"""Privacy-loss distributions: certified brackets for compositions of known pairs.

A single pair has a closed form. Anything else is composed numerically; that part, and with it
numpy and scipy, is imported by the first question that needs it.
"""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.loss import PrivacyLoss
from semiaudit.privacy.loss.bracket import DEFAULT_ACCURACY, Accuracy, Bracket
from semiaudit.privacy.loss.single import closed_form

__all__ = [
    "Accuracy",
    "Bracket",
    "advantage_bracket",
    "delta_bracket",
    "epsilon_bracket",
    "type_ii_bracket",
]


def delta_bracket(
    loss: PrivacyLoss, epsilon: Fraction | float, accuracy: Accuracy = DEFAULT_ACCURACY
) -> Bracket:
    """The smallest delta for which the pair is (epsilon, delta)-indistinguishable.

    Args:
        loss: the product of pairs.
        epsilon: 0 or more.
        accuracy: relative width asked for.

    Returns:
        A bracket of the larger one of the two orders' deltas.

    Raises:
        ValueError: a parameter outside of its range.
        RefusedError: a pair too large for the engine.

    Rounding:
        lower end down, upper end up; docs/loss_engine.md has every error term.

    Source: Dong, Roth and Su 2022; Zhu, Dong and Wang 2022, Theorem 27 (composition); Koskela,
    Jaelkoe and Honkela 2020 (Fourier accountant); Doroshenko et al. 2022 (the upper end).
    """
    found = closed_form.delta_bracket(loss, Fraction(epsilon), accuracy)
    if found is not None:
        return found
    from semiaudit.privacy.loss import engine

    return engine.delta_bracket(loss, Fraction(epsilon), accuracy)


def epsilon_bracket(
    loss: PrivacyLoss, delta: Fraction, accuracy: Accuracy = DEFAULT_ACCURACY
) -> Bracket:
    """The smallest epsilon for which the pair is (epsilon, delta)-indistinguishable.

    Args:
        loss: the product of pairs.
        delta: in [0, 1].
        accuracy: relative width asked for.

    Returns:
        A bracket; both ends infinite where no epsilon has this delta.

    Raises:
        ValueError: a parameter outside of its range.
        RefusedError: a pair too large for the engine.

    Rounding:
        at the upper end delta is certified not to be exceeded, at the lower end to be reached.
    """
    found = closed_form.epsilon_bracket(loss, Fraction(delta), accuracy)
    if found is not None:
        return found
    from semiaudit.privacy.loss import engine

    return engine.epsilon_bracket(loss, Fraction(delta), accuracy)


def advantage_bracket(loss: PrivacyLoss, accuracy: Accuracy = DEFAULT_ACCURACY) -> Bracket:
    """The total variation distance of the pair, which is delta at epsilon 0."""
    return delta_bracket(loss, Fraction(0), accuracy)


def type_ii_bracket(
    loss: PrivacyLoss, alpha: Fraction, accuracy: Accuracy = DEFAULT_ACCURACY
) -> Bracket:
    """The symmetrised tradeoff function of the pair at a type I error.

    That is the largest convex function below T(P, Q) and T(Q, P), in the form of Su's review.

    Args:
        loss: the product of pairs.
        alpha: the type I error, in [0, 1].
        accuracy: relative width asked for.

    Returns:
        A bracket of the smallest type II error.

    Raises:
        ValueError: a parameter outside of its range.
        RefusedError: a pair too large for the engine.

    Source: Dong, Roth and Su 2022, Propositions 2.12 and 2.13 (duality).
    """
    found = closed_form.type_ii_bracket(loss, Fraction(alpha), accuracy)
    if found is not None:
        return found
    from semiaudit.privacy.loss import engine

    return engine.type_ii_bracket(loss, Fraction(alpha), accuracy)
