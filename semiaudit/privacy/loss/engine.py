"""Certified brackets of delta, epsilon, type II error and advantage of a product of pairs.

In closed form where the product is one pair, else by composition.

What composes, and with it numpy and scipy, is imported by the first question that needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from semiaudit.model.loss import PrivacyLoss
from semiaudit.numeric.intervals import ONE
from semiaudit.privacy.loss.bracket import DEFAULT_ACCURACY, Accuracy, Bracket, Number
from semiaudit.privacy.loss.closed_forms.single_pair import Ends, SinglePair, probability
from semiaudit.privacy.loss.normal_form import normal_form, only_pair
from semiaudit.privacy.loss.pairs.gaussian import SingleGaussian
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of


def delta_bracket(
    loss: PrivacyLoss,
    epsilon: Fraction | float,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """The smallest delta for which the pair is (epsilon, delta)-indistinguishable.

    Args:
        loss: the product of pairs.
        epsilon: 0 or more.
        accuracy: relative width asked for.
        floor: a delta that is certified not to exceed it needs no narrower bracket.

    Returns:
        A bracket of the larger one of the two directions' deltas.

    Raises:
        ValueError: a parameter outside of its range.
        RefusedError: a pair too large for the engine.

    Rounding:
        lower bound down, upper bound up; docs/theory/losses.md has every error term.

    Source: Dong, Roth and Su 2022; Zhu, Dong and Wang 2022, Theorem 27 (composition); Koskela,
    Jaelkoe and Honkela 2020 (Fourier accountant); Doroshenko et al. 2022 (the upper bound).
    """
    epsilon = Fraction(epsilon)
    if epsilon < 0:
        raise ValueError("epsilon is at least 0")
    shared = _shared(loss, epsilon, accuracy, "delta")
    if shared is not None:
        return shared
    closed = _closed(loss, accuracy, lambda single: single.delta(epsilon))
    if closed is not None:
        return closed
    from semiaudit.privacy.loss import refinement

    return refinement.delta_bracket(normal_form(loss), epsilon, accuracy, floor)


def epsilon_bracket(
    loss: PrivacyLoss,
    delta: Fraction,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """The smallest epsilon for which the pair is (epsilon, delta)-indistinguishable.

    Args:
        loss: the product of pairs.
        delta: in [0, 1].
        accuracy: relative width asked for.
        floor: an epsilon that is certified not to exceed it needs no narrower bracket.

    Returns:
        A bracket; both ends infinite if no epsilon has this delta.

    Raises:
        ValueError: a parameter outside of its range.
        RefusedError: a pair too large for the engine.

    Rounding:
        at the upper bound delta is certified not to be exceeded, at the lower bound to be reached.
    """
    delta = Fraction(delta)
    if not 0 <= delta <= 1:
        raise ValueError("delta lies in [0, 1]")
    if delta == 1:
        return Bracket(0.0, 0.0, "exact", True)
    shared = _shared(loss, delta, accuracy, "epsilon")
    if shared is not None:
        return shared
    closed = _closed(loss, accuracy, lambda single: single.epsilon(delta))
    if closed is not None:
        return closed
    from semiaudit.privacy.loss import refinement

    return refinement.epsilon_bracket(normal_form(loss), delta, accuracy, floor)


def advantage_bracket(
    loss: PrivacyLoss, accuracy: Accuracy = DEFAULT_ACCURACY, floor: float = 0.0
) -> Bracket:
    """The total variation distance of the pair, which is delta at epsilon 0."""
    return delta_bracket(loss, Fraction(0), accuracy, floor)


def type_ii_bracket(
    loss: PrivacyLoss,
    type_i: Fraction,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """The symmetrised tradeoff function of the pair at a type I error.

    That is the largest convex function below T(P, Q) and T(Q, P), in the form of Su's review.

    Args:
        loss: the product of pairs.
        type_i: the type I error, in [0, 1].
        accuracy: relative width asked for.
        floor: an error that is certified not to exceed it needs no narrower bracket.

    Returns:
        A bracket of the smallest type II error.

    Raises:
        ValueError: a parameter outside of its range.
        RefusedError: a pair too large for the engine.

    Source: Dong, Roth and Su 2022, Propositions 2.12 and 2.13 (duality).
    """
    type_i = _type_i(type_i)
    if type_i == 1:
        return Bracket(0.0, 0.0, "exact", True)
    shared = _shared(loss, type_i, accuracy, "type_ii")
    if shared is not None:
        return shared

    def ask(single: SinglePair) -> Ends | None:
        value = single.type_ii(type_i)
        return None if value is None else probability(value)

    closed = _closed(loss, accuracy, ask)
    if closed is not None:
        return closed
    from semiaudit.privacy.loss import operating_points

    return operating_points.type_ii_bracket(normal_form(loss), type_i, accuracy, floor)


def power_bracket(
    loss: PrivacyLoss,
    type_i: Fraction,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """The largest power at a type I error: 1 less :func:`type_ii_bracket`, narrow by itself.

    Args, Raises and Source as there.
    """
    type_i = _type_i(type_i)
    if type_i == 1:
        return Bracket(1.0, 1.0, "exact", True)
    shared = _shared(loss, type_i, accuracy, "power")
    if shared is not None:
        return shared

    def ask(single: SinglePair) -> Ends | None:
        value = single.type_ii(type_i)
        return None if value is None else probability(ONE - value)

    closed = _closed(loss, accuracy, ask)
    if closed is not None:
        return closed
    from semiaudit.privacy.loss import operating_points

    return operating_points.power_bracket(normal_form(loss), type_i, accuracy, floor)


def _shared(
    loss: PrivacyLoss, place: Fraction, accuracy: Accuracy, number: Number
) -> Bracket | None:
    """The bracket of one place of a curve; None if it is asked for by itself.

    As a single pair is, whose closed form is known at once.
    """
    if accuracy.curve is None or place not in accuracy.curve:
        return None
    found, key = accuracy.curve.found, (number, loss, accuracy.tolerance)
    if key not in found:
        found[key] = {}
        if single_pair(loss) is None:
            from semiaudit.privacy.loss.curve.brackets import brackets

            found[key] = brackets(number, normal_form(loss), accuracy)
    return found[key].get(place)


def _type_i(type_i: Fraction) -> Fraction:
    if not 0 <= type_i <= 1:
        raise ValueError("a type I error lies in [0, 1]")
    return Fraction(type_i)


def single_pair(loss: PrivacyLoss) -> SinglePair | None:
    """The closed form of a product that is one pair, once, or all Gaussian; else None."""
    pair = only_pair(loss)
    return None if pair is None else kind_of(pair, "a closed form").closed_form()


def _closed(
    loss: PrivacyLoss, accuracy: Accuracy, ask: Callable[[SinglePair], Ends | None]
) -> Bracket | None:
    """The answer of a single pair; None if there is none, or not as narrow as asked.

    A Gaussian pair has nothing better than its own profile.
    """
    single = single_pair(loss)
    ends = None if single is None else ask(single)
    if ends is None:
        return None
    # The ends of a closed form are certified whatever their width; a wide one is only left because
    # a composition may give a narrower one.
    complete = Bracket(*ends, "exact", True).within(accuracy.tolerance)
    if not complete and not isinstance(single, SingleGaussian):
        return None
    return Bracket(*ends, "exact", complete)
