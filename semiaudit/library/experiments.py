"""Experiments as tradeoff functions: pairs of finite distributions, and mixtures of pairs.

An experiment is a pair (P, Q) of output distributions; its tradeoff function is T(P, Q).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.library.arguments import Number, nonnegative, number, require_type, share
from semiaudit.library.tradeoff import TradeoffFunction, require_function
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.loss import FiniteLoss
from semiaudit.privacy.delta import LARGEST_EPSILON
from semiaudit.privacy.ordering.blackwell import kernel_between
from semiaudit.privacy.tradeoff.mixtures import (
    delta_of_mixture,
    mixture_of_functions,
    mixture_point,
)
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

MIXTURE = "mixture", "Wang, Su, Ye and Shokri 2023; Su, section 4.3 (4.1)"


class FiniteTradeoff(TradeoffFunction):
    """T(P, Q) of two distributions on finitely many outcomes, exactly.

    Args:
        null: the probabilities of P; they sum to 1 exactly: give fractions, or text such as
            ``"1/3"``.
        alternative: the probabilities of Q for the same outcomes, in the same order.

    Raises:
        ValueError: lengths that differ, a negative probability, or a sum that is not 1.

    Source:
        Neyman and Pearson; Su, section 2.3 (2.2).
    """

    __slots__ = ("_pair",)

    def __init__(self, null: Sequence[Number], alternative: Sequence[Number]) -> None:
        laws = [
            tuple(number(value, name) for value in given)
            for given, name in ((null, "null"), (alternative, "alternative"))
        ]
        self._pair = FiniteLoss(*laws)
        shown = ", ".join(f"[{', '.join(repr(str(p)) for p in law)}]" for law in laws)
        super().__init__([(tradeoff_from_likelihoods(self._pair), 1)], f"FiniteTradeoff({shown})")

    def kernel_to(self, other: FiniteTradeoff) -> tuple[tuple[Fraction, ...], ...] | None:
        """Return the post-processing that turns this pair into another one, verified in rationals.

        Returns:
            A row for each outcome of this pair: the probabilities with which it becomes each
            outcome of the other pair. None if the other pair reveals something that this one does
            not, so that no such post-processing exists.

        Source:
            Blackwell 1950; Su, Theorem 4.
        """
        require_type(other, FiniteTradeoff, "give a pair of finite distributions")
        return kernel_between(self._pair, other._pair)


class MixtureTradeoff(TradeoffFunction):
    """The tradeoff function of a mixture with a revealed index, a lower bound for every mixture.

    With probability w_i, the output is that of component i. The mixture has at least this
    function, and exactly this one if the index is part of the output.

    Args:
        components: pairs (w_i, f_i); weights are above 0 and sum to 1 exactly.

    Raises:
        ValueError: there is no component, or the weights are not a distribution.

    Source:
        Wang, Su, Ye and Shokri 2023; Su, section 4.3 (4.1).
    """

    __slots__ = ("_weighted",)

    def __init__(self, components: Sequence[tuple[Number, TradeoffFunction]]) -> None:
        functions = [f for _, f in components]
        for f in functions:
            require_function(f)
        weights = [number(weight, "components") for weight, _ in components]
        self._weighted = [(w, f._function) for w, f in zip(weights, functions, strict=True)]
        mixture = mixture_of_functions(
            self._weighted, from_above=all(f._known_from_above for f in functions)
        )
        arguments = ", ".join(f"({weight!r}, {f!r})" for weight, f in components)
        super().__init__([(mixture, 1)], f"MixtureTradeoff([{arguments}])")

    def delta(self, epsilon: Number) -> Bound:
        """Return an upper bound: the mean of the components' deltas at an epsilon of 0 or more."""
        at = min(nonnegative(epsilon, "epsilon"), Fraction(LARGEST_EPSILON))
        return upper(delta_of_mixture(self._weighted, at), *MIXTURE)

    def errors_at(self, ratio: Number, tie: Number = 0) -> tuple[Bound, Bound]:
        """Return the type I and type II errors of the test that rejects above a likelihood ratio.

        Args:
            ratio: of Q to P, above 0; the same for every component.
            tie: the probability in [0, 1] of a rejection at exactly this ratio.

        Returns:
            Lower bounds on both errors: no test of the mixture with at most this type I error has a
            smaller type II error.

        Raises:
            ValueError: an argument is out of range, or a component is neither Gaussian nor an
                exact polygon.
        """
        at, often = number(ratio, "ratio"), share(tie, "tie")
        type_i, type_ii = mixture_point(self._weighted, at, often)
        return lower(type_i, *MIXTURE), lower(type_ii, *MIXTURE)
