"""Experiments as tradeoff functions: pairs of finite distributions, and mixtures of pairs.

An experiment is a pair (P, Q) of output distributions; its tradeoff function is T(P, Q).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.library.arguments import (
    Number,
    Numbers,
    number,
    require_type,
    rows_of,
    several,
    share,
    tolerance,
)
from semiaudit.library.tradeoff import METHOD, SOURCE, TradeoffFunction, require_function
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.mechanism import MOST_TOLERANCE, is_law
from semiaudit.privacy.delta import LARGEST_EPSILON
from semiaudit.privacy.ordering.blackwell import kernel_between
from semiaudit.privacy.rounded_laws import pair_of_laws, pair_within_laws
from semiaudit.privacy.tradeoff.function import TradeoffBracket, epsilon_at
from semiaudit.privacy.tradeoff.links import divergence_of_mixture
from semiaudit.privacy.tradeoff.mixtures import (
    delta_of_mixture,
    mixture_of_functions,
    mixture_point,
)
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

CLOSE = Fraction(1, 2**40)
"""The relative distance within which an epsilon of a mixture is from the smallest one."""

MIXTURE = "mixture", "Wang, Su, Ye and Shokri 2023; Su, section 4.3 (4.1)"


class FiniteTradeoff(TradeoffFunction):
    """T(P, Q) of two distributions on finitely many outcomes, exactly.

    Args:
        null: the probabilities of P; they sum to 1 exactly: give fractions, or text such as
            ``"1/3"``; or floats.
        alternative: the probabilities of Q for the same outcomes, in the same order.
        rtol: the relative tolerance within which each float is right; by default 1e-12 if there
            are floats that do not sum to 1. The function is then enclosed, not exact, and what a
            sum lacks is added to delta.

    Raises:
        ValueError: lengths that differ, a negative probability, or a sum that is not 1.

    Source:
        Neyman and Pearson; Su, section 2.3 (2.2).
    """

    __slots__ = ("_pair", "_rtol")

    def __init__(self, null: Numbers, alternative: Numbers, *, rtol: Number | None = None) -> None:
        given = several(null, "null"), several(alternative, "alternative")
        laws = (
            tuple(number(value, "null") for value in given[0]),
            tuple(number(value, "alternative") for value in given[1]),
        )
        self._rtol = tolerance(given, rtol) or Fraction(0)
        if not 0 <= self._rtol <= MOST_TOLERANCE:
            raise ValueError(f"rtol: {rtol} is out of range; give at most {MOST_TOLERANCE}")
        if self._rtol and not all(is_law(law, self._rtol) for law in laws):
            raise ValueError("probabilities are at least 0, and sum to at most 1 + rtol")
        if len(laws[0]) != len(laws[1]):
            raise ValueError("both distributions must have the same outcomes")
        self._pair = pair_of_laws(laws, self._rtol)
        below, above = (
            tradeoff_from_likelihoods(pair).below
            for pair in (self._pair, pair_within_laws(laws, self._rtol))
        )
        shown = ", ".join(f"[{', '.join(repr(str(p)) for p in law)}]" for law in laws)
        shown += f", rtol='{self._rtol}'" if self._rtol else ""
        super().__init__(TradeoffBracket(below, above), f"FiniteTradeoff({shown})")

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
        if self._rtol or other._rtol:
            raise ValueError("rtol: a post-processing is of exact probabilities; give fractions")
        return kernel_between(self._pair, other._pair)


class MixtureTradeoff(TradeoffFunction):
    """The tradeoff function of a mixture with a revealed index, a lower bound for every mixture.

    With probability w_i, the output is that of component i. The mixture has at least this
    function, and exactly this one if the index is part of the output.

    Args:
        components: pairs (w_i, f_i); weights are above 0 and sum to 1 exactly.

    Raises:
        TypeError: it is no list of pairs, or a component is no tradeoff function.
        ValueError: there is no component, or the weights are no distribution.

    Source:
        Wang, Su, Ye and Shokri 2023; Su, section 4.3 (4.1).
    """

    __slots__ = ("_components", "_weighted")

    def __init__(self, components: Sequence[tuple[Number, TradeoffFunction]]) -> None:
        rows = rows_of(components, "components", '[("1/2", f), ("1/2", g)]')
        for place, row in enumerate(rows):
            if len(row) != 2:
                what = f"has {len(row)} entries; give a weight and a function"
                raise ValueError(f"components[{place}]: {what}")
            require_function(row[1])
        functions = [f for _, f in rows]
        weights = [number(weight, "components") for weight, _ in rows]
        self._components = list(zip(weights, functions, strict=True))
        self._weighted = [(w, f._function) for w, f in self._components]
        mixture = mixture_of_functions(
            self._weighted, from_above=all(f._known_from_above for f in functions)
        )
        arguments = ", ".join(f"({weight!r}, {f!r})" for weight, f in rows)
        super().__init__(mixture, f"MixtureTradeoff([{arguments}])")

    def _deltas(self, places: Sequence[Fraction]) -> list[Bound]:
        """Return the means of the components' deltas, from above."""
        largest = Fraction(LARGEST_EPSILON)
        deltas = (delta_of_mixture(self._weighted, min(at, largest)) for at in places)
        return [upper(delta, *MIXTURE) for delta in deltas]

    def _epsilons(self, places: Sequence[Fraction]) -> list[Bound]:
        """Return the smallest epsilons at which ``_deltas`` certifies the deltas, from above."""
        return [self._epsilon(at) for at in places]

    def _epsilon(self, at: Fraction) -> Bound:
        def enough(epsilon: Fraction) -> bool:
            return delta_of_mixture(self._weighted, epsilon).upper_rational <= at

        _, by_polygons = epsilon_at(self._function, at)
        low, high = Fraction(0), Fraction(min(by_polygons, LARGEST_EPSILON))
        if not enough(high) or enough(low):
            return upper(low if enough(low) else by_polygons, METHOD, SOURCE)
        # Whatever is halved, high is always an epsilon that is enough.
        while high - low > high * CLOSE:
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return upper(min(high, by_polygons), *MIXTURE)

    def inverse(self) -> MixtureTradeoff:
        """T(Q, P): the mixture of the components' inverses."""
        return MixtureTradeoff([(str(w), f.inverse()) for w, f in self._components])

    def _divergence(self, order: Fraction) -> Fraction | float:
        components = [(w, f._divergence(order)) for w, f in self._components]
        return divergence_of_mixture(components, order)

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
