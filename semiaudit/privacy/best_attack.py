"""Operating points of the optimal membership attack that the measures allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.model.bound import Causes, joined
from semiaudit.model.loss import PrivacyLoss, WorstLoss, plain_products_of
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy import loss as losses
from semiaudit.privacy.conversion import without_implied_zcdp
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import zcdp
from semiaudit.privacy.measures.gdp import is_type_ii_smaller
from semiaudit.privacy.tradeoff import function

_SMALL = Fraction(1, 10**6)
"""Below this composed type II error, the error is known relative to 1, not relative to itself."""


class BestAttack:
    """The operating points of the optimal attack: the best bound that any measure gives.

    zCDP is not used if a tradeoff function is known in closed form and zCDP follows from pure or
    Gaussian DP. It is named as the source only if no other measure decides.

    Attributes:
        short_of: why brackets of the engine are wider than requested, other than the time limit.
        cuts: computations that the time limit cut short before.
        declined: a loss for which the engine did not find some or all numbers.
    """

    def __init__(self, measures: tuple[Measure, ...], accuracy: Accuracy) -> None:
        self.accuracy = accuracy
        self.short_of: Causes = ()
        self.cuts = deadline.cuts()
        self.declined = False
        ranked = [(_rank(measure), measure) for measure in measures]
        leading, functions, rest = ([m for r, m in ranked if r == rank] for rank in range(3))
        self.measures: list[Measure] = [*leading, *functions]
        if functions:
            # Leave out zCDP only if there is a function in closed form.
            others = tuple(m for m in measures if not isinstance(m, PrivacyLoss | WorstLoss))
            rest = [m for m in without_implied_zcdp(others) if _rank(m) == 2]
        self.measures += rest
        # A loss that is known in full is at least as informative as the zCDP that follows from it.
        kept = without_implied_zcdp(measures) if leading else measures
        self._implied = [measure for measure in self.measures if measure not in kept]

    @property
    def source(self) -> str:
        """Name the sharpest of the methods behind the numbers.

        Call it after all numbers are computed.
        """
        named = {_DECIDING[type(measure)] for measure in self.measures}
        if any(isinstance(m, PiecewiseLinear) and m.merged for m in self.measures):
            named = named - {"tradeoff_exact"} | {"tradeoff_merged"}
        if self.declined:
            named -= {"loss_distribution"}
        return min(named, key=_SHARPEST.index, default="cks20_envelope")

    @property
    def incomplete_because(self) -> Causes:
        """Return why a number is wider than requested, or why a looser bound replaces it."""
        return ("time",) if deadline.cuts() != self.cuts else self.short_of

    def _known(self, bracket: losses.Bracket | None) -> losses.Bracket | None:
        self.declined = self.declined or bracket is None
        if bracket is not None and not bracket.complete:
            self.short_of = joined(self.short_of, [bracket.short_of])
        return bracket

    def type_ii(self, type_i: Fraction) -> Fraction:
        """A lower bound of the type II error at a type I error."""
        asked = [measure for measure in self.measures if measure not in self._implied]
        best = Fraction(0)
        for measure in sorted(asked, key=lambda one: isinstance(one, GDP)):
            if not (isinstance(measure, GDP) and is_type_ii_smaller(measure, type_i, best)):
                best = max(best, self._type_ii(measure, type_i))
        if self._implied and (best < _SMALL or self.declined or self.incomplete_because):
            best = max([best, *(self._type_ii(measure, type_i) for measure in self._implied)])
        return best

    def advantage(self) -> Fraction:
        """An upper bound of the total variation distance."""
        return min([Fraction(1), *(self._advantage(measure) for measure in self.measures)])

    def _type_ii(self, measure: Measure, type_i: Fraction) -> Fraction:
        match measure:
            case PureDP() | ApproxDP() | GDP() | PiecewiseLinear():
                return function.type_ii_from_below(measure, type_i)
            case PrivacyLoss() | WorstLoss():
                return self._missed(plain_products_of(measure), type_i)
            case ApproxZCDP():
                kept = 1 - measure.delta
                if type_i >= kept:
                    return Fraction(0)
                return kept * (1 - Fraction(zcdp.tpr_at(ZCDP(measure.rho), type_i / kept)))
            case ZCDP():
                return 1 - Fraction(zcdp.tpr_at(measure, type_i))
            case _:
                assert_never(measure)

    def _missed(self, products: Sequence[PrivacyLoss], type_i: Fraction) -> Fraction:
        """Return the least type II error of several products."""
        power = self._known(
            losses.largest(
                products,
                lambda loss, floor: losses.power_at(loss, type_i, self.accuracy, floor),
                self.accuracy,
            )
        )
        left = Fraction(0) if power is None else 1 - Fraction(power.upper)
        if left > _SMALL_TYPE_II:
            return left
        # A double next to 1 has few digits of its distance from 1.
        missed = [losses.type_ii_at(loss, type_i, self.accuracy) for loss in products]
        known = [bound for bound in map(self._known, missed) if bound is not None]
        if len(known) < len(missed):
            return left
        return max(left, min(Fraction(bound.lower) for bound in known))

    def _advantage(self, measure: Measure) -> Fraction:
        match measure:
            case PureDP() | ApproxDP() | GDP() | PiecewiseLinear():
                return function.advantage_from_above(measure)
            case PrivacyLoss() | WorstLoss():
                alone = replace(self.accuracy, curve=None)
                bracket = self._known(
                    losses.largest(
                        plain_products_of(measure),
                        lambda loss, floor: losses.advantage(loss, alone, floor),
                        alone,
                    )
                )
                return Fraction(1) if bracket is None else Fraction(bracket.upper)
            case ApproxZCDP():
                kept = 1 - measure.delta
                return measure.delta + kept * Fraction(zcdp.advantage(ZCDP(measure.rho)))
            case ZCDP():
                return Fraction(zcdp.advantage(measure))
            case _:
                assert_never(measure)


def _rank(measure: Measure) -> int | None:
    """Rank a measure: 0 for a loss, 1 for a tradeoff function, 2 for a bound well below a function.

    None for an epsilon: the polygon that it implies is in the same list.
    """
    match measure:
        case PrivacyLoss() | WorstLoss():
            return 0
        case PiecewiseLinear():
            return 2 if measure.merged else 1
        case GDP():
            return 1
        case ZCDP() | ApproxZCDP():
            return 2
        case PureDP() | ApproxDP():
            return None
        case _:
            assert_never(measure)


_SMALL_TYPE_II = Fraction(1, 1000)
"""Above this type II error, the power gives as many digits; a smaller type II error is computed
itself."""

_DECIDING: dict[type[Measure], str] = {
    PrivacyLoss: "loss_distribution",
    WorstLoss: "loss_distribution",
    GDP: "gaussian_exact",
    PiecewiseLinear: "tradeoff_exact",
    ZCDP: "cks20_envelope",
    ApproxZCDP: "cks20_envelope",
}

_SHARPEST = (
    "loss_distribution",
    "gaussian_exact",
    "tradeoff_exact",
    "tradeoff_merged",
    "cks20_envelope",
)
"""Methods for operating points, the sharpest first."""
