"""Dominating pairs of distributions for measures, and zCDP with a delta set aside.

Every measure except zCDP is a statement about one tradeoff function, and every tradeoff function is
that of some pair. zCDP has a dominating pair too, which is used for parts of which only zCDP is
known. Pairs of independent releases multiply, whatever their families.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from semiaudit.errors import unknown_kind
from semiaudit.model.loss import (
    ApproxLoss,
    ConcentratedLoss,
    FiniteLoss,
    GaussianLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    WorstLoss,
)
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.finite_products import turned
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of, require_known
from semiaudit.privacy.measures.zcdp import rho_of_pure_dp
from semiaudit.privacy.tradeoff.polygon import lower_hull
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

Part = tuple[tuple[Measure, ...], int]

MOST_TURNED = 3
"""The most releases that are composed in both orders of their datasets; for more, one pair
dominates both orders."""

_PLACE = "a composition"

_CORNERS = 3
"""The number of vertices of f_{epsilon,0}; a function with other vertices says more than its
epsilon."""


def dominating_loss(measures: tuple[Measure, ...]) -> PrivacyLoss | None:
    """Return a pair that dominates all pairs that the measures cover; None if nothing is known.

    The noise's own loss where it is known, else the Gaussian pair, else the pair of the tradeoff
    function: its pieces are the outcomes, with the length of a piece under the one distribution
    and its fall under the other. The pair of zCDP only where nothing else is known: what has a
    pair of its own is not zCDP alone. A delta that is set aside counts as revealed. The Gaussian
    pair is attained if mu is.

    Source: Dong, Roth and Su 2022, Propositions 2.2 and 2.10 (every tradeoff function is that of
    a pair); Kairouz, Oh and Viswanath 2015 for (epsilon, delta); docs/theory/conversions.md for
    zCDP.
    """
    loss = gdp = pure = pair = f = zcdp = None
    for measure in reversed(measures):  # of two measures of one kind, the first counts
        match measure:
            case PrivacyLoss():
                loss = measure
            case GDP():
                gdp = measure
            case PureDP():
                pure = measure
            case ApproxDP():
                pair = measure
            case PiecewiseLinear():
                f = measure
            case ZCDP():
                zcdp = PrivacyLoss(((ConcentratedLoss(measure.rho), 1),) if measure.rho else ())
            case ApproxZCDP():
                approx_part = ((ApproxLoss(Fraction(0), measure.delta), 1),)
                zcdp = zcdp or PrivacyLoss((*approx_part, (ConcentratedLoss(measure.rho), 1)))
            case WorstLoss():
                pass  # not a statement about one pair
            case _:
                unknown_kind(measure, "a dominating pair")
    # Each measure covers the same pairs of datasets, so the pair of any one dominates them all. The
    # order of the cases decides only how tight the result is.
    if loss is not None:
        return require_known(loss, "a dominating pair")
    if gdp is not None:
        parts = ((GaussianLoss(gdp.mu_squared), 1),) if gdp.mu_squared else ()
        return PrivacyLoss(parts, gdp.attained)
    if pure is not None:
        # At epsilon 0, both distributions are equal, and nothing is lost.
        if not pure.epsilon:
            return PrivacyLoss(())
        if f is None or len(f.vertices) <= _CORNERS:
            return _single(RandomizedResponseLoss(pure.epsilon))
    if pair is not None:
        return _single(ApproxLoss(pair.epsilon, pair.delta))
    return zcdp if f is None else _single(finite_loss(f))


def dominating_losses(measures: tuple[Measure, ...]) -> tuple[PrivacyLoss, ...]:
    """List pairs such that, for any two datasets, one of them dominates; empty if nothing is known.

    These are the pairs of the noise's own loss (one or several), else the one of
    :func:`dominating_loss`.
    """
    for measure in measures:
        if isinstance(measure, WorstLoss):
            return measure.losses
        if isinstance(measure, PrivacyLoss):
            break
    loss = dominating_loss(measures)
    return () if loss is None else (loss,)


def is_concentrated(loss: PrivacyLoss) -> bool:
    """Return whether only zCDP is known: no pair has a loss of its own."""
    return all(isinstance(pair, ConcentratedLoss) for pair, _ in loss.parts)


def finite_loss(f: PiecewiseLinear) -> FiniteLoss:
    """Return the pair whose tradeoff function is exactly f: one outcome for each piece of f."""
    first, second = [Fraction(0)], [1 - f.vertices[0][1]]
    for (x0, y0), (x1, y1) in zip(f.vertices, f.vertices[1:], strict=False):
        first.append(x1 - x0)
        second.append(y0 - y1)
    occurring = [(p, q) for p, q in zip(first, second, strict=True) if p or q]
    return FiniteLoss(tuple(p for p, _ in occurring), tuple(q for _, q in occurring))


def product_of_losses(losses: Iterable[tuple[PrivacyLoss, int]]) -> PrivacyLoss:
    """Compose independent releases: multiply the pairs of all of them, and join equal ones.

    The order of the two datasets in the pair of one release is not known relative to the others. If
    several releases depend on the order, finite pairs are replaced by pairs that dominate in both
    orders.

    Source: Zhu, Dong and Wang 2022, Theorem 27.
    """
    known = _required(losses)
    mixed = sum(_turns(loss) for loss, _ in known) > 1
    return _joined(
        ((_in_both_orders(loss) if mixed else loss, repeat) for loss, repeat in known),
        attained=not mixed and all(loss.attained for loss, _ in known),
    )


def products_in_all_orders(losses: Iterable[tuple[PrivacyLoss, int]]) -> tuple[PrivacyLoss, ...]:
    """Compose independent releases in every possible combination of their orders.

    Every product fixes one order of all its factors and also stands for the reversed one. So one of
    the finite pairs that depend on the order can keep its order, if all others do not depend on it,
    or are finite too. For too many such releases, :func:`product_of_losses` is used.
    """
    known = _required(losses)
    turning = [place for place, (loss, _) in enumerate(known) if _turns(loss)]
    free = [place for place in turning if _is_finite(known[place][0])]
    if len(turning) < 2 or not free:
        return (product_of_losses(known),)
    if len(free) == len(turning):
        free = free[1:]
    if len(free) > MOST_TURNED:
        return (product_of_losses(known),)
    products = []
    for chosen in product((False, True), repeat=len(free)):
        reverse = {place for place, turn in zip(free, chosen, strict=True) if turn}
        parts = (
            (_turned(loss) if place in reverse else loss, repeat)
            for place, (loss, repeat) in enumerate(known)
        )
        products.append(_joined(parts, attained=False))
    return tuple(dict.fromkeys(products))


def _required(losses: Iterable[tuple[PrivacyLoss, int]]) -> list[tuple[PrivacyLoss, int]]:
    return [(require_known(loss, _PLACE), repeat) for loss, repeat in losses]


def _turns(loss: PrivacyLoss) -> bool:
    kinds = (kind_of(pair, _PLACE) for pair, _ in loss.parts)
    return any(not kind.symmetric or kind.sides for kind in kinds)


def _is_finite(loss: PrivacyLoss) -> bool:
    return not any(_turns(_single(p)) for p, _ in loss.parts if not isinstance(p, FiniteLoss))


def _joined(parts: Iterable[tuple[PrivacyLoss, int]], *, attained: bool) -> PrivacyLoss:
    repeats: dict[Loss, int] = {}
    for loss, repeat in parts:
        for pair, number in loss.parts:
            repeats[pair] = repeats.get(pair, 0) + number * repeat
    return PrivacyLoss(tuple(repeats.items()), attained)


def _turned(loss: PrivacyLoss) -> PrivacyLoss:
    parts = tuple(
        (turned(pair) if isinstance(pair, FiniteLoss) else pair, number)
        for pair, number in loss.parts
    )
    return replace(loss, parts=parts)


def _in_both_orders(loss: PrivacyLoss) -> PrivacyLoss:
    """Replace finite pairs by those of the largest symmetric tradeoff functions below their own."""
    parts = tuple(
        (_symmetric(pair) if isinstance(pair, FiniteLoss) else pair, number)
        for pair, number in loss.parts
    )
    return replace(loss, parts=parts)


def _symmetric(pair: FiniteLoss) -> FiniteLoss:
    f = tradeoff_from_likelihoods(pair).below
    return finite_loss(lower_hull([*f.vertices, *((y, x) for x, y in f.vertices)]))


def approximate_zcdp(parts: Sequence[Part]) -> Measure | None:
    """Return zCDP of composed releases, with a delta set aside for those that are not zCDP.

    A part without zCDP enters by its tradeoff function f: with probability 1 - f(0) a pair of f is
        revealed, and otherwise its likelihood ratios lie within e^(+-epsilon), where epsilon is the
        largest of f's other slopes, which is zCDP with rho = epsilon tanh(epsilon / 2). The deltas
        of independent parts compose to 1 - (1 - delta_1)(1 - delta_2)...

    Returns:
        zCDP if no delta is left, delta-approximate zCDP, or None if a part has neither.

    Rounding: epsilon is raised.
    Source: Bun and Steinke 2016, section 8 (Definition 8.1, Lemmas 8.2 and 8.8);
    docs/theory/conversions.md for rho.
    """
    rho, unrevealed, exact = Fraction(0), Fraction(1), True
    for measures, repeat in parts:
        known = next((m for m in measures if isinstance(m, ZCDP)), None)
        if known is not None:
            rho, exact = rho + known.rho * repeat, exact and known.exact
            continue
        f = next((m for m in measures if isinstance(m, PiecewiseLinear)), None)
        if f is None:
            return None
        epsilon, delta = _inner_epsilon(f)
        if epsilon is None:
            rho, unrevealed = Fraction(0), Fraction(0)
            break
        rho, exact = rho + rho_of_pure_dp(epsilon) * repeat, False
        unrevealed = _kept(unrevealed, 1 - delta, repeat)
    return ZCDP(rho, exact) if unrevealed == 1 else ApproxZCDP(rho, 1 - unrevealed)


def _inner_epsilon(f: PiecewiseLinear) -> tuple[Fraction | None, Fraction]:
    """Return (the largest finite log likelihood ratio of f, the mass of infinite ratios).

    Both directions count: the revealed mass is the jump at 0 under the one distribution, the last
    and flat piece under the other. If rounding made the two unequal, the rest has unequal masses,
    and the ratios grow by their quotient.
    """
    flat = f.vertices[-1][0] - f.vertices[-2][0] if not f.vertices[-2][1] else Fraction(0)
    low, high = sorted((1 - f.vertices[0][1], flat))
    if high == 1:
        return None, high
    steepest = Fraction(1)
    for (x0, y0), (x1, y1) in zip(f.vertices, f.vertices[1:], strict=False):
        if y0 > y1:
            slope = (y0 - y1) / (x1 - x0)
            steepest = max(steepest, slope, 1 / slope)
    steepest *= (1 - low) / (1 - high)
    return Interval.of(steepest).ln().upper_rational if steepest > 1 else Fraction(0), high


def _kept(before: Fraction, share: Fraction, repeat: int) -> Fraction:
    """Return before * share ** repeat, rounded down if the rational would be long."""
    if share == 1:
        return before
    if repeat == 1:
        return before * share
    power = (Interval.of(repeat) * Interval.of(share).ln()).exp()
    return before * max(power.lower_rational, Fraction(0))


def _single(pair: Loss) -> PrivacyLoss:
    return PrivacyLoss(((pair, 1),))
