"""Certified brackets of delta, epsilon, type II error and advantage of a product of pairs.

If the product is one pair, a closed form is used, else composition.

The modules that compose, with numpy and scipy, are imported when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from semiaudit.model.loss import PrivacyLoss
from semiaudit.numeric.intervals import ONE
from semiaudit.privacy.loss.bracket import (
    DEFAULT_ACCURACY,
    FEWEST_TOGETHER,
    Accuracy,
    Bracket,
    Number,
)
from semiaudit.privacy.loss.normal_form import normal_form, only_pair
from semiaudit.privacy.loss.pairs.gaussian import SingleGaussian
from semiaudit.privacy.loss.pairs.pair_kind import Ends, SinglePair, probability
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of


def delta_bracket(
    loss: PrivacyLoss,
    epsilon: Fraction | float,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """Bracket the smallest delta for which the pair is (epsilon, delta)-indistinguishable.

    Args:
        loss: the product of pairs.
        epsilon: 0 or more.
        accuracy: requested relative width.
        floor: a delta that is certified not to exceed it is not narrowed further.

    Returns:
        A bracket of the larger of the two directions' deltas.

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
    return _bracket("delta", loss, epsilon, accuracy, floor, lambda single: single.delta(epsilon))


def epsilon_bracket(
    loss: PrivacyLoss,
    delta: Fraction,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """Bracket the smallest epsilon for which the pair is (epsilon, delta)-indistinguishable.

    Args:
        loss: the product of pairs.
        delta: in [0, 1].
        accuracy: requested relative width.
        floor: an epsilon that is certified not to exceed it is not narrowed further.

    Returns:
        A bracket; both bounds are infinite if no epsilon has this delta.

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
    return _bracket("epsilon", loss, delta, accuracy, floor, lambda single: single.epsilon(delta))


def type_ii_bracket(
    loss: PrivacyLoss,
    type_i: Fraction,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """Bracket the smaller of T(P, Q) and T(Q, P) at a type I error, in the form of Su's review.

    As a function, it is not convex, and no function that is composed. If it depends on the two
    datasets which of several pairs dominates (``sides``), the largest convex function below all of
    them replaces it.

    Args:
        loss: the product of pairs.
        type_i: the type I error, in [0, 1].
        accuracy: requested relative width.
        floor: an error that is certified not to exceed it is not narrowed further.

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

    def ask(single: SinglePair) -> Ends | None:
        value = single.type_ii(type_i)
        return None if value is None else probability(value)

    return _bracket("type_ii", loss, type_i, accuracy, floor, ask)


def power_bracket(
    loss: PrivacyLoss,
    type_i: Fraction,
    accuracy: Accuracy = DEFAULT_ACCURACY,
    floor: float = 0.0,
) -> Bracket:
    """Bracket the largest power at a type I error: 1 - :func:`type_ii_bracket`, narrowed by itself.

    Args, Raises and Source are those of :func:`type_ii_bracket`.
    """
    type_i = _type_i(type_i)
    if type_i == 1:
        return Bracket(1.0, 1.0, "exact", True)

    def ask(single: SinglePair) -> Ends | None:
        value = single.type_ii(type_i)
        return None if value is None else probability(ONE - value)

    return _bracket("power", loss, type_i, accuracy, floor, ask)


_NEAR_1 = 0.999
"""1 less a smaller power is precise enough for the type II error."""

BRACKETS = {
    "delta": delta_bracket,
    "epsilon": epsilon_bracket,
    "type_ii": type_ii_bracket,
    "power": power_bracket,
}
"""The functions above, by the quantity that they bracket."""


def _bracket(
    number: Number,
    loss: PrivacyLoss,
    place: Fraction,
    accuracy: Accuracy,
    floor: float,
    ask: Callable[[SinglePair], Ends | None],
) -> Bracket:
    """Return the bracket of a curve, else of the closed form, else of a composition."""
    bracket = _shared(loss, place, accuracy, number) or _closed(loss, accuracy, ask)
    if bracket is not None:
        return bracket
    from semiaudit.privacy.loss.brackets import brackets

    return brackets(number, normal_form(loss), [place], accuracy, floor)[place]


def _shared(
    loss: PrivacyLoss, place: Fraction, accuracy: Accuracy, number: Number
) -> Bracket | None:
    """Return the bracket of one place of a curve; None if the place is computed by itself.

    A single pair is computed by itself, because its closed form is fast.
    """
    if accuracy.curve is None or place not in accuracy.curve:
        return None
    shared, key = accuracy.curve.found, (number, loss, accuracy.tolerance)

    def is_known(rate: Fraction) -> bool:
        """Return whether the power at a rate is so far from 1 that the type II error follows."""
        of_powers = [b for (kind, own, _), b in shared.items() if (kind, own) == ("power", loss)]
        return any(rate in b and b[rate].upper < _NEAR_1 for b in of_powers)

    if key not in shared:
        shared[key] = {}
        if single_pair(loss) is None:
            from semiaudit.privacy.loss.brackets import brackets

            wanted = [p for p in accuracy.curve.places if number != "type_ii" or not is_known(p)]
            if len(wanted) >= FEWEST_TOGETHER:
                shared[key] = brackets(number, normal_form(loss), wanted, accuracy)
    return shared[key].get(place)


def _type_i(type_i: Fraction) -> Fraction:
    if not 0 <= type_i <= 1:
        raise ValueError("a type I error lies in [0, 1]")
    return Fraction(type_i)


def single_pair(loss: PrivacyLoss) -> SinglePair | None:
    """Return the closed form of a product that is a single pair, or all Gaussian; else None."""
    pair = only_pair(loss)
    return None if pair is None else kind_of(pair, "a closed form").closed_form()


def _closed(
    loss: PrivacyLoss, accuracy: Accuracy, ask: Callable[[SinglePair], Ends | None]
) -> Bracket | None:
    """Return the bracket of a closed form; None if there is none, or if it is not narrow enough.

    For a Gaussian pair, its own profile is always the best bracket.
    """
    single = single_pair(loss)
    ends = None if single is None else ask(single)
    if ends is None:
        return None
    # The bounds of a closed form are certified at any width. A wide bracket is rejected only
    # because a composition can give a narrower one.
    complete = Bracket(*ends, "exact", True).within(accuracy.tolerance)
    if not complete and not isinstance(single, SingleGaussian):
        return None
    return Bracket(*ends, "exact", complete)
