"""The Lipschitz constant of a finite mechanism: the largest divergence over the distance.

The maximum is over pairs of datasets of a universe. Source: Bailie, Gong and Meng (slides), as
meant: a mechanism satisfies a specification with every intensity of at least its constant (erratum
E32).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.building_blocks import Divergence, Lipschitz
from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric.intervals import ZERO, Interval
from semiaudit.privacy.measures.normalised_renyi import rho_bracket
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Distances = npt.NDArray[np.int64]

Law = tuple[Fraction, ...]

SOURCE = "Bailie, Gong and Meng; the slides' definition of a Lipschitz constant"
METHOD = "enumeration"

MAX_SEARCHED = 2_000
"""The most pairs of distributions for which D_nor is searched."""

_WIDTH = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class DatasetSample:
    """Some datasets, with the mechanism's law for each.

    Attributes:
        laws: of the output. names: of the datasets, in words.
        distances: between all of them.
        published_keys: the other exactly published values of each.
    """

    laws: Sequence[Law]
    names: Sequence[str]
    distances: Distances
    published_keys: Sequence[Hashable] = ()

    def part(self, places: Sequence[int]) -> DatasetSample:
        """Return some of the datasets."""
        import numpy as np

        keys = [self.published_keys[place] for place in places] if self.published_keys else ()
        return DatasetSample(
            [self.laws[place] for place in places],
            [self.names[place] for place in places],
            self.distances[np.ix_(list(places), list(places))],
            keys,
        )


@dataclass(frozen=True, slots=True)
class _WorstPair:
    """A divergence over a distance, enclosed; infinite with a reason."""

    value: Interval | None
    pair: tuple[str, str] | None
    distance: int | None
    reason: str = ""
    order: Fraction | None = None


def lipschitz_constant(
    sample: DatasetSample, divergence: Divergence, delta: Fraction | None = None
) -> Lipschitz | None:
    """Return the least intensity in one universe: the datasets of a sample.

    Args:
        delta: the delta of ``mult_delta``.

    Returns:
        A bracket with the pair that attains its lower bound; None if there are too many pairs.
        Infinite, with the reason, if two datasets at a finite distance differ in an exactly
        published value, have laws with an infinite divergence, or have different laws at distance
        0.
    """
    certain_pair = _certain_pair(sample)
    if certain_pair is not None:
        return _constant_of_pair(certain_pair, divergence, delta)
    best = _WorstPair(ZERO, None, None)
    pairs = _closest(sample)
    if divergence == "d_nor" and len(pairs) > MAX_SEARCHED:
        return None
    top = ZERO
    for (p, q), (distance, first, other) in pairs.items():
        deadline.check()
        names = sample.names[first], sample.names[other]
        if not distance:
            reason = "two datasets at distance 0 have different output distributions"
            return _constant_of_pair(_WorstPair(None, names, 0, reason), divergence, delta)
        value, order = _divergence(FiniteLoss(p, q), divergence, delta)
        if value is None:
            reason = _infinite(divergence, delta)
            return _constant_of_pair(_WorstPair(None, names, distance, reason), divergence, delta)
        share = value / Interval.of(distance)
        top = Interval(max(top.low, share.low), max(top.high, share.high))
        if best.value is None or best.pair is None or share.low > best.value.low:
            best = _WorstPair(share, names, distance, order=order)
    return _constant_of_pair(replace(best, value=top), divergence, delta)


def _certain_pair(sample: DatasetSample) -> _WorstPair | None:
    if not sample.published_keys:
        return None
    closest: tuple[int, int, int] | None = None
    for first, other, distance in _pairs(sample):
        if sample.published_keys[first] != sample.published_keys[other]:
            candidate = distance, first, other
            closest = candidate if closest is None else min(closest, candidate)
    if closest is None:
        return None
    distance, first, other = closest
    reason = (
        "an invariant is not the same in all of this universe: two datasets at a finite "
        "distance differ in it, so its exact value distinguishes them"
    )
    return _WorstPair(None, (sample.names[first], sample.names[other]), distance, reason)


def _pairs(sample: DatasetSample) -> Iterator[tuple[int, int, int]]:
    size = len(sample.names)
    for first in range(size):
        deadline.check()
        row = sample.distances[first].tolist()
        for other in range(first + 1, size):
            yield first, other, int(row[other])


def _closest(sample: DatasetSample) -> dict[tuple[Law, Law], tuple[int, int, int]]:
    codes = {law: code for code, law in enumerate(dict.fromkeys(sample.laws))}
    distinct, column = list(codes), [codes[law] for law in sample.laws]
    smallest: dict[tuple[int, int], tuple[int, int, int]] = {}
    for first, other, distance in _pairs(sample):
        a, b = column[first], column[other]
        if a != b:
            key, value = (min(a, b), max(a, b)), (distance, first, other)
            if key not in smallest or value < smallest[key]:
                smallest[key] = value
    return {(distinct[a], distinct[b]): value for (a, b), value in smallest.items()}


def _divergence(
    pair: FiniteLoss, divergence: Divergence, delta: Fraction | None
) -> tuple[Interval | None, Fraction | None]:
    """Return (the enclosed divergence of a pair; the order that attains it); None if infinite."""
    match divergence:
        case "mult":
            return _beyond(pair, Fraction(0)), None
        case "mult_delta":
            return _beyond(pair, delta or Fraction(0)), None
        case "d_nor":
            bracket = rho_bracket(((pair, 1),), _WIDTH)
            return (None, None) if bracket is None else (bracket.root, bracket.order)
        case _:
            assert_never(divergence)


def _beyond(pair: FiniteLoss, delta: Fraction) -> Interval | None:
    """Return sup over events S of ln [P(S) - delta]+ / Q(S), in both directions, at least 0.

    The quotient is largest at a test that rejects the outcomes with the largest ratios: a vertex of
    the tradeoff function.
    """
    steepest = Fraction(1)
    for p, q in ((pair.first, pair.second), (pair.second, pair.first)):
        # Rejecting under the second argument: type I error Q(S), power P(S).
        f = tradeoff_from_likelihoods(FiniteLoss(q, p)).below
        for type_i, type_ii in f.vertices:
            power = 1 - type_ii
            if power <= delta:
                continue
            if not type_i:
                return None
            steepest = max(steepest, (power - delta) / type_i)
    return ZERO if steepest == 1 else Interval.of(steepest).ln()


def _infinite(divergence: Divergence, delta: Fraction | None) -> str:
    if divergence == "mult_delta":
        return f"an event of probability above {delta} is impossible for the other dataset"
    return "an output that is possible for one dataset is impossible for the other"


def _constant_of_pair(
    worst_pair: _WorstPair, divergence: Divergence, delta: Fraction | None
) -> Lipschitz:
    ends: tuple[Bound, Bound]
    if worst_pair.value is None:
        infinite = Bound(math.inf, "exact", METHOD, SOURCE)
        ends = infinite, infinite
    elif not worst_pair.value.high:
        ends = exact(0, METHOD, SOURCE), exact(0, METHOD, SOURCE)
    else:
        ends = lower(worst_pair.value, METHOD, SOURCE), upper(worst_pair.value, METHOD, SOURCE)
    return Lipschitz(
        None,
        divergence,
        delta,
        *ends,
        worst_pair.pair,
        worst_pair.distance,
        worst_pair.order,
        worst_pair.reason,
    )


@dataclass(frozen=True, slots=True)
class Satisfied:
    """Whether a finite mechanism is (epsilon, delta)-DP for some pairs of datasets.

    Attributes:
        holds: whether this is proven; otherwise the pair disproves it.
        pair: with the largest delta at epsilon; None if no two laws differ.
        delta: delta of this pair, as an upper bound.
    """

    holds: bool
    pair: tuple[str, str] | None
    delta: Bound


def satisfies(
    sample: DatasetSample, epsilon: Fraction, delta: Fraction, distance: int
) -> Satisfied:
    """Check (D, A_k, f_{epsilon, delta})-DP of Cho and Awan's Definition 3, pair by pair.

    Args:
        distance: k; pairs up to it count.

    Rounding: e^epsilon is enclosed; if the enclosure does not decide, the result is that it does
    not hold.
    """
    growth = Interval.of(epsilon).exp() if epsilon else Interval.of(1)
    worst, names = ZERO, None
    for one, other, apart in _pairs(sample):
        p, q = sample.laws[one], sample.laws[other]
        if apart > distance or p == q:
            continue
        for first, second in ((p, q), (q, p)):
            total = ZERO
            for x, y in zip(first, second, strict=True):
                gained = Interval.of(x) - growth * Interval.of(y)
                total = total + Interval(max(gained.low, ZERO.low), max(gained.high, ZERO.high))
            if names is None or total.high > worst.high:
                worst, names = total, (sample.names[one], sample.names[other])
    return Satisfied(worst.high <= Interval.of(delta).low, names, upper(worst, METHOD, SOURCE))
