"""The numbers of a guarantee, each on its safe side and by everything that is certified of it.

A report, the calculator, and the library get their numbers here. :class:`CertifiedRow` asks every
measure for every number, and then improves each number by what the others imply (``implied``).

Implications among the certified numbers of one guarantee: more pairs, and a tradeoff function.

Every number of a guarantee is a statement about the tradeoff function T of every ordered pair of
datasets that it covers. T is convex, falls, is at most 1 at 0, and 0 at 1.
docs/theory/conversions.md, *One row, all facts*, has the proof of each implication.

Operating points of the optimal membership attack that the measures allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.frozen import cached_property
from semiaudit.model.bound import Bound, Causes, joined, known, lower, upper
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, NumberAt, Numbers
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
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy import loss as losses
from semiaudit.privacy.certified_mu import LeastMu, least_mu_of
from semiaudit.privacy.conversion import without_implied_zcdp, zcdp_from_gdp, zcdp_from_pure
from semiaudit.privacy.delta import least_delta_at
from semiaudit.privacy.epsilons import LOOSE, SOURCES, epsilons_at, pure_epsilon, rho_of
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures import zcdp
from semiaudit.privacy.measures.gdp import is_delta_larger, is_type_ii_smaller
from semiaudit.privacy.tradeoff import function, polygon
from semiaudit.privacy.tradeoff.polygon import Line, envelope

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
        leading, functions, last = ([m for r, m in ranked if r == rank] for rank in range(3))
        self.measures: list[Measure] = [*leading, *functions]
        if functions:
            # Leave out zCDP only if there is a function in closed form.
            others = tuple(m for m in measures if not isinstance(m, PrivacyLoss | WorstLoss))
            last = [m for m in without_implied_zcdp(others) if _rank(m) == 2]
        self.measures += last
        # A loss that is known in full is at least as informative as the zCDP that follows from it.
        informative = without_implied_zcdp(measures) if leading else measures
        self._implied = [measure for measure in self.measures if measure not in informative]

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
        independent = [measure for measure in self.measures if measure not in self._implied]
        best = Fraction(0)
        for measure in sorted(independent, key=lambda one: isinstance(one, GDP)):
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
                share = 1 - measure.delta
                if type_i >= share:
                    return Fraction(0)
                return share * (1 - Fraction(zcdp.tpr_at(ZCDP(measure.rho), type_i / share)))
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
        difference = Fraction(0) if power is None else 1 - Fraction(power.upper)
        if difference > _SMALL_TYPE_II:
            return difference
        # A double next to 1 has few digits of its distance from 1.
        brackets = [losses.type_ii_at(loss, type_i, self.accuracy) for loss in products]
        bounds = [bound for bound in map(self._known, brackets) if bound is not None]
        if len(bounds) < len(brackets):
            return difference
        return max(difference, min(Fraction(bound.lower) for bound in bounds))

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
                share = 1 - measure.delta
                return measure.delta + share * Fraction(zcdp.advantage(ZCDP(measure.rho)))
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


_STEEPEST = Fraction(800)
"""A pair with a larger epsilon says nothing about type II errors that are doubles."""

_LARGEST_EPSILON = Fraction(1000)
"""No line is this steep: for a larger epsilon, the delta of all lines equals the one here."""


class Implied:
    """Certified (epsilon, delta) pairs of one guarantee, and their implications."""

    def __init__(self) -> None:
        self._pairs: dict[Fraction, Fraction] = {}
        self._function: PiecewiseLinear | None = None

    def add_pair(self, epsilon: Fraction | float, delta: Fraction) -> None:
        """Add a certified (epsilon, delta) pair.

        An infinite epsilon or a delta of 1 adds nothing.
        """
        if isinstance(epsilon, Fraction) and delta < self._pairs.get(epsilon, Fraction(1)):
            self._pairs[epsilon] = delta
            self._function = None

    def add_point(self, type_i: Fraction, type_ii: Fraction) -> None:
        """Add a lower bound ``type_ii`` on T at a type I error in (0, 1).

        For g = e^epsilon >= 1, delta is at most max{c, 1 - g type_i / (1 - type_ii)} with
        c = 1 - type_ii / (1 - type_i). Two pairs say the same: that at epsilon 0, and the first
        epsilon with c.

        Rounding: that epsilon is raised.
        """
        if type_ii >= 1 - type_i:
            self.add_pair(Fraction(0), Fraction(0))
            return
        epsilon_0_delta = 1 - type_ii / (1 - type_i)
        self.add_pair(Fraction(0), max(epsilon_0_delta, 1 - type_i / (1 - type_ii)))
        growth = (1 - epsilon_0_delta) * (1 - type_ii) / type_i
        if growth > 1:
            self.add_pair(Interval.of(growth).ln().upper_rational, epsilon_0_delta)

    @property
    def function(self) -> PiecewiseLinear:
        """Return the largest convex, symmetric function that is below every T with these pairs."""
        if self._function is None:
            self._function = _function_of(self._pairs.items())
        return self._function

    def epsilon_at(self, delta: Fraction) -> Fraction | float:
        """Return the least implied epsilon at a delta in [0, 1); infinite if none is implied."""
        epsilons = [e for e, d in self._pairs.items() if d <= delta]
        return min([*epsilons, function.epsilon_at(self.function, delta)[1]], default=math.inf)

    def delta_at(self, epsilon: Fraction) -> Fraction:
        """Return the least implied delta at an epsilon of 0 or more; 1 if none is implied."""
        deltas = [d for e, d in self._pairs.items() if e <= epsilon]
        # At a smaller epsilon delta is no smaller.
        at = min(epsilon, _LARGEST_EPSILON)
        delta = function.delta_at(self.function, at).upper_rational
        return min([*deltas, max(delta, Fraction(0))])

    def type_ii_at(self, type_i: Fraction) -> Fraction:
        """Return the largest implied lower bound on the type II error at a type I error."""
        return polygon.type_ii_at(self.function, type_i)

    @property
    def advantage(self) -> Fraction:
        """Return the least implied upper bound on the total variation distance."""
        return min(self._pairs.get(Fraction(0), Fraction(1)), polygon.advantage(self.function))


def _function_of(pairs: Iterable[tuple[Fraction, Fraction]]) -> PiecewiseLinear:
    """The largest convex and symmetric function below which no T with these pairs lies."""
    lines: list[Line] = []
    for epsilon, delta in pairs:
        if epsilon <= _STEEPEST:
            growth = Interval.of(epsilon).exp() if epsilon else ONE
            flat = ONE / growth
            lines.append((1 - delta, growth.upper_rational))
            low = (Interval.of(1 - delta) * flat).lower_rational if epsilon else 1 - delta
            lines.append((low, flat.upper_rational))
    return envelope(lines) if lines else polygon.NOTHING


_WORTH_LISTING = 1 - Fraction(1, 10**9)
"""Numbers that follow from others replace numbers that are larger by more than rounding."""

_BY_FUNCTION, _BY_VERTICES, _BY_MERGED = "tradeoff_duality", "tradeoff_exact", "tradeoff_merged"
"""The theorems behind a number that follows from other numbers: for an epsilon or a delta; for an
operating point; and for both, if some of these numbers come from a merged function."""


def numbers_of(
    measures: tuple[Measure, ...],
    deltas: Sequence[Fraction],
    rates: Sequence[Fraction],
    accuracy: Accuracy = losses.DEFAULT,
) -> Numbers:
    """Return all numbers of one row, from measures that all hold at once.

    Args:
        measures: valid for the same universe and adjacency; empty gives no numbers.
        deltas: each in (0, 1). rates: type I errors, each in (0, 1).
        accuracy: of what is computed from a composed loss.
    """
    return CertifiedRow(measures, deltas, rates, (), accuracy).numbers


class CertifiedRow:
    """All numbers of one guarantee, each by all that is certified for it.

    Args:
        measures: valid for the same universe and adjacency.
        deltas: each in (0, 1), at which epsilon is requested. rates: type I errors, each in (0, 1).
        epsilons: each 0 or more, at which delta is requested.
        accuracy: of what is computed from a composed loss.
        attack: ask the advantage. Without, it is asked only if a number was cut short or is loose.
    """

    def __init__(
        self,
        measures: tuple[Measure, ...],
        deltas: Sequence[Fraction],
        rates: Sequence[Fraction],
        epsilons: Sequence[Fraction],
        accuracy: Accuracy = losses.DEFAULT,
        *,
        attack: bool = True,
    ) -> None:
        self._measures, self._accuracy = measures, accuracy
        self._rates, self._epsilons = tuple(rates), tuple(epsilons)
        self._deltas: dict[Fraction, tuple[Fraction, str]] = {}
        self._advantage: Fraction | None = None
        self._implied = Implied()
        for measure in measures:
            if isinstance(measure, PureDP):
                self._implied.add_pair(measure.epsilon, Fraction(0))
            if isinstance(measure, ApproxDP):
                self._implied.add_pair(measure.epsilon, measure.delta)
        self._attack = BestAttack(measures, accuracy.at(rates))
        self._together = accuracy.at(deltas)
        self._cut_short: list[NumberAt] = []
        self._points, late = self._epsilons_at(deltas)
        self._cut_short += [("epsilon", delta) for delta in late]
        for delta, (points, _) in self._points.items():
            for point in points:
                self._implied.add_pair(point.epsilon.sharpest, delta)
        self._type_ii, late = deadline.in_turn(
            sorted(set(rates), reverse=True),
            self._attack.type_ii,
            lambda _: Fraction(0),
            together=self._attack.accuracy.curve is not None,
        )
        self._cut_short += [("type_ii", rate) for rate in late]
        for type_i, type_ii in self._type_ii.items():
            self._implied.add_point(type_i, type_ii)
        together = accuracy.at(epsilons)
        _, late = deadline.in_turn(
            sorted(set(epsilons)),
            lambda epsilon: self._ask_delta(epsilon, together),
            lambda epsilon: self._deltas.setdefault(epsilon, (Fraction(1), "none")),
            together=together.curve is not None,
        )
        self._cut_short += [("delta", epsilon) for epsilon in late]
        if attack:
            self._ask_advantage()

    def claiming(self, measures: tuple[Measure, ...]) -> CertifiedRow:
        """The row of equal measures with other claims, such as ``exact``. It shares searches."""
        row = copy(self)
        row._measures = measures
        row._points, _ = row._epsilons_at(tuple(self._points))
        of_mu = ("_least_mu", "_derived", "_least_advantage", "_operating_points")
        # Error rates, and what follows from numbers, depend on no claim; the mu of a GDP does.
        own_mu = any(isinstance(measure, GDP) for measure in measures)
        for name in ("numbers", "leading", "rho", *(of_mu if own_mu else ())):
            row.__dict__.pop(name, None)
        return row

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers that a report prints."""
        numbers = replace(self.leading, gdp_regret=self.mu_regret)
        return replace(numbers, incomplete_because=self._incomplete_because)

    @cached_property
    def leading(self) -> Numbers:
        """The numbers that a summary prints: all but the regret of mu."""
        if not self._measures:
            return NO_NUMBERS
        advantage, by = self._least_advantage
        points = self._operating_points
        # All operating points have one source: that of a number that follows from others, if any.
        sources = {by, *(source for _, source in points.values())}
        source = min(sources - {self._attack.source}, default=self._attack.source)
        name = SOURCES[source]
        return Numbers(
            pure_dp=pure_epsilon(self._measures),
            zcdp=self.rho,
            gdp=self.mu,
            approx_dp=tuple(point for delta in self._points for point in self._points_at(delta)),
            tradeoff=tuple((a, lower(b, source, name)) for a, (b, _) in points.items()),
            advantage=upper(advantage, source, name),
            tpr_at_fpr=tuple((a, upper(1 - b, source, name)) for a, (b, _) in points.items()),
            operating_points_from=source,
            incomplete_because=self._incomplete_because,
            cut_short=tuple(self._cut_short),
        )

    @property
    def profile(self) -> tuple[tuple[Fraction, Bound], ...]:
        """Return (epsilon, delta) at all requested epsilons."""
        return tuple((epsilon, self.delta_at(epsilon)) for epsilon in self._epsilons)

    def epsilon_at(self, delta: Fraction) -> ApproxPoint | None:
        """Return the least epsilon at a requested delta; None if none is known."""
        return next(iter(self._points_at(delta)), None)

    def delta_at(self, epsilon: Fraction, accuracy: Accuracy | None = None) -> Bound:
        """The least delta at an epsilon of 0 or more.

        Args:
            accuracy: of this number, if it is not that of the row.
        """
        candidates = [self._ask_delta(epsilon, accuracy or self._accuracy)]
        if self._incomplete_because or candidates[0][1] in LOOSE:
            self._ask_advantage()
        candidates += [
            _least_delta((measure,), epsilon, self._accuracy) for measure in self._derived
        ]
        delta, method = min(candidates, key=lambda one: one[0])
        implied = self._implied.delta_at(epsilon)
        if implied < delta * _WORTH_LISTING:
            delta, method = implied, self._by(_BY_FUNCTION)
        return _delta_bound(delta, method)

    def type_ii_at(self, type_i: Fraction) -> Fraction:
        """The largest lower bound of the type II error at a type I error in [0, 1]."""
        return self._operating_point(type_i)[0]

    @cached_property
    def _derived(self) -> tuple[Measure, ...]:
        """mu-GDP of a fitted mu, if some number was cut short; otherwise it adds nothing."""
        if not self._incomplete_because:
            return ()
        mu = self.mu
        if mu is None or not isinstance(mu.value, Fraction):
            return ()
        return (GDP(mu.value**2, exact=False),)

    @property
    def mu(self) -> Bound | None:
        """The least mu; None if none is known."""
        return None if self._least_mu is None else self._least_mu.bound

    @property
    def mu_regret(self) -> Bound | None:
        """Return an upper bound on how far G_mu is below the certified tradeoff function."""
        return None if self._least_mu is None else self._least_mu.regret()

    @cached_property
    def _least_mu(self) -> LeastMu | None:
        return least_mu_of(self._measures, self._accuracy, self._implied.function)

    @cached_property
    def rho(self) -> Bound | None:
        """Return the least rho, including those that follow from epsilon at delta 0 and from mu."""
        pure, mu = pure_epsilon(self._measures), self.mu
        implied: list[Measure] = []
        if pure is not None and isinstance(pure.value, Fraction):
            implied.append(zcdp_from_pure(PureDP(Fraction(pure.sharpest), exact=False)))
        if mu is not None and isinstance(mu.value, Fraction):
            implied.append(zcdp_from_gdp(GDP(mu.value**2, exact=False)))
        known, derived = rho_of(self._measures), rho_of(tuple(implied))
        if known is None or derived is None:
            return known or derived
        return derived if derived.sharpest < known.sharpest * _WORTH_LISTING else known

    def _by(self, result: str) -> str:
        merged = any(isinstance(m, PiecewiseLinear) and m.merged for m in self._measures)
        return _BY_MERGED if merged else result

    @property
    def _incomplete_because(self) -> Causes:
        all_causes = [causes for _, causes in self._points.values()]
        return joined(self._attack.incomplete_because, *all_causes)

    def _epsilons_at(
        self, deltas: Sequence[Fraction]
    ) -> tuple[dict[Fraction, tuple[tuple[ApproxPoint, ...], Causes]], tuple[Fraction, ...]]:
        points, late = deadline.in_turn(
            sorted(set(deltas), reverse=True),
            lambda delta: epsilons_at(self._measures, delta, self._together),
            lambda _: ((), ("time",)),
            together=self._together.curve is not None,
        )
        return {delta: points[delta] for delta in deltas}, late

    def _ask_delta(self, epsilon: Fraction, accuracy: Accuracy) -> tuple[Fraction, str]:
        if epsilon not in self._deltas:
            answer = _least_delta(self._measures, epsilon, accuracy)
            self._deltas[epsilon] = answer
            self._implied.add_pair(epsilon, answer[0])
        return self._deltas[epsilon]

    def _ask_advantage(self) -> Fraction:
        if self._advantage is None:
            self._advantage = self._attack.advantage()
            self._implied.add_pair(Fraction(0), self._advantage)
        return self._advantage

    def _points_at(self, delta: Fraction) -> tuple[ApproxPoint, ...]:
        """epsilon at a delta, the tightest first; no infinite one if another one is finite."""
        points, causes = self._points[delta]
        if causes:
            self._ask_advantage()
        points += epsilons_at(self._derived, delta, self._accuracy)[0]
        least = min((point.epsilon.sharpest for point in points), default=math.inf)
        implied = self._implied.epsilon_at(delta)
        if implied < least * _WORTH_LISTING:
            by = self._by(_BY_FUNCTION)
            points = (ApproxPoint(delta, upper(implied, by, SOURCES[by]), by), *points)
        finite = tuple(p for p in points if not math.isinf(p.epsilon.value))
        return tuple(sorted(finite or points, key=lambda point: point.epsilon.value))

    @cached_property
    def _operating_points(self) -> dict[Fraction, tuple[Fraction, str]]:
        return {type_i: self._operating_point(type_i) for type_i in self._rates}

    def _operating_point(self, type_i: Fraction) -> tuple[Fraction, str]:
        """(the type II error from below, what it rests on)."""
        if type_i not in self._type_ii:
            self._type_ii[type_i] = self._attack.type_ii(type_i)
        candidates = [(self._type_ii[type_i], self._attack.source)]
        if self._derived:
            fitted = BestAttack(self._derived, self._accuracy)
            candidates.append((fitted.type_ii(type_i), fitted.source))
        type_ii, source = max(candidates, key=lambda one: one[0])
        implied = self._implied.type_ii_at(type_i)
        if implied * _WORTH_LISTING > type_ii or 1 - implied < (1 - type_ii) * _WORTH_LISTING:
            return implied, self._by(_BY_VERTICES)
        return type_ii, source

    @cached_property
    def _least_advantage(self) -> tuple[Fraction, str]:
        """(the total variation distance from above, what it rests on)."""
        candidates = [(self._ask_advantage(), self._attack.source)]
        if self._derived:
            fitted = BestAttack(self._derived, self._accuracy)
            candidates.append((fitted.advantage(), fitted.source))
        advantage, source = min(candidates, key=lambda one: one[0])
        implied = self._implied.advantage
        if implied < advantage * _WORTH_LISTING:
            return implied, self._by(_BY_VERTICES)
        return advantage, source


def _least_delta(
    measures: tuple[Measure, ...], epsilon: Fraction, accuracy: Accuracy
) -> tuple[Fraction, str]:
    return least_delta_at(measures, epsilon, accuracy)


def _delta_bound(delta: Fraction, method: str) -> Bound:
    """Return a declared delta as the rational that it is; another one is rounded up to a double."""
    if method == "declared":
        return known(delta, method, SOURCES[method], exact=False)
    return upper(delta, method, SOURCES[method])


def epsilon_at(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The smallest epsilon at a delta in [0, 1); infinite if none is known."""
    if not delta:
        best = pure_epsilon(measures)
    else:
        points, causes = _epsilons_of_few(measures, delta, accuracy)
        best = min((p.epsilon for p in points), key=lambda bound: bound.sharpest, default=None)
        if causes and BestAttack(measures, accuracy).advantage() <= delta:
            return upper(Fraction(0), _BY_FUNCTION, SOURCES[_BY_FUNCTION])
    return upper(math.inf, "none", SOURCES["none"]) if best is None else best


def _epsilons_of_few(
    measures: tuple[Measure, ...], delta: Fraction, accuracy: Accuracy
) -> tuple[tuple[ApproxPoint, ...], Causes]:
    curves = tuple(m for m in measures if isinstance(m, GDP))
    others = tuple(m for m in without_implied_zcdp(measures) if m not in curves)
    points, causes = epsilons_at(others or curves, delta, accuracy)
    if points and not others:
        # zCDP that follows from GDP has no tighter conversion: the Gaussian pair is zCDP too.
        return points, causes
    best = points[0].epsilon.sharpest if points else math.inf
    if causes or isinstance(best, float) or points[0].conversion in LOOSE:
        return epsilons_at(measures, delta, accuracy)
    undecided = tuple(m for m in curves if not is_delta_larger(m, best, delta))
    more, _ = epsilons_at(undecided, delta, accuracy)
    return tuple(sorted((*points, *more), key=lambda point: point.epsilon.value)), causes


def delta_at(
    measures: tuple[Measure, ...], epsilon: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The smallest delta at an epsilon of 0 or more; 1 if none is known."""
    before = deadline.cuts()
    delta, method = _least_delta(measures, epsilon, accuracy)
    if method in LOOSE or deadline.cuts() > before:
        attack = BestAttack(measures, accuracy)
        delta, method = min((delta, method), (attack.advantage(), attack.source))
    return _delta_bound(delta, method)


def type_ii_at(
    measures: tuple[Measure, ...], type_i: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The smallest type II error at a type I error in [0, 1], from below."""
    attack = BestAttack(measures, accuracy)
    value = attack.type_ii(type_i)
    if attack.incomplete_because:
        value = max(value, 1 - type_i - attack.advantage())
    return lower(value, attack.source, SOURCES[attack.source])


def tpr_at(
    measures: tuple[Measure, ...], fpr: Fraction, accuracy: Accuracy = losses.DEFAULT
) -> Bound:
    """The largest true positive rate at a false positive rate in [0, 1], from above."""
    type_ii = type_ii_at(measures, fpr, accuracy)
    return upper(1 - Fraction(type_ii.sharpest), type_ii.method, type_ii.source)


def advantage_of(measures: tuple[Measure, ...], accuracy: Accuracy = losses.DEFAULT) -> Bound:
    """The total variation distance, from above."""
    attack = BestAttack(measures, accuracy)
    value = attack.advantage()
    return upper(value, attack.source, SOURCES[attack.source])
