"""The two datasets that a finite mechanism distinguishes best, at an error rate and at a delta.

Pairs are compared in floating point; those within a rounding error of the best one are compared
again in fractions, so the named pair is a worst one: the first, if there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.finite.counts import largest_count
from semiaudit.mechanisms.finite.finite_kind import seen_laws
from semiaudit.mechanisms.finite.finite_noise import (
    changed_pairs,
    pairs_by_count,
    products_of_moves,
)
from semiaudit.mechanisms.finite.lipschitz import Law
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.mechanism import Finite, FiniteNoise
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.universe.population import Population, population
from semiaudit.universe.sensitivity.signed_moves import signed_moves
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Outcomes = tuple[tuple[Fraction, Fraction], ...]
"""For every outcome, its probabilities under the first and the second law."""

MAX_PAIRS = 20_000
"""The most pairs of datasets whose laws are compared."""

MAX_ENTRIES = 400_000
"""The most outcomes of all pairs that are compared."""

MAX_PRODUCTS = 1_000
"""The most pairs of tables whose products of laws are computed."""

NEAR = 1e-9
"""The relative distance from the best pair within which pairs are compared in fractions."""


@dataclass(frozen=True, slots=True)
class Two:
    """Two datasets, or what a mechanism sees of them, in words.

    Attributes:
        distance: between them; None if they represent all datasets with such counts.
    """

    first: str
    second: str
    distance: int | None

    @property
    def turned(self) -> Two:
        """Return the pair in the other order."""
        return Two(self.second, self.first, self.distance)


@dataclass(frozen=True, slots=True)
class Attained:
    """The two datasets that are easiest to distinguish.

    Attributes:
        two: the first one is the null at an error rate, or the dataset with the likelier output at
            a delta.
        value: the least type II error; or e^epsilon, None if that is infinite.
    """

    two: Two
    value: Fraction | None


class PairsOfLaws:
    """The laws of pairs of datasets within a distance, in both orders, each with two datasets."""

    def __init__(self, pairs: dict[Outcomes, Two]) -> None:
        self._pairs, self._outcomes = list(pairs.values()), list(pairs)
        longest = max(map(len, pairs), default=0)
        self._floats = np.zeros((len(pairs), longest, 2))
        for at, outcomes in enumerate(pairs):
            deadline.check()
            self._floats[at, : len(outcomes)] = [[float(p), float(q)] for p, q in outcomes]

    def at_rate(self, type_i: Fraction) -> Attained | None:
        """Return the pair with the least type II error at a type I error.

        None if no laws differ.
        """
        about = -_powers(self._floats, float(type_i))
        return self._least((about, about), lambda outcomes: 1 - _power(outcomes, type_i))

    def at_delta(self, delta: Fraction) -> Attained | None:
        """Return the pair with the largest epsilon at a delta below 1; None if no laws differ."""
        ends = _inverse_ratios(self._floats, float(delta))

        def exact(outcomes: Outcomes) -> Fraction:
            ratio = _ratio(outcomes, delta)
            return Fraction(0) if ratio is None else 1 / ratio

        best = self._least(ends, exact)
        if best is None or best.value is None:
            return best
        return Attained(best.two, 1 / best.value if best.value else None)

    def _least(
        self, ends: tuple[Floats, Floats], exact: Callable[[Outcomes], Fraction]
    ) -> Attained | None:
        if not self._pairs:
            return None
        low, high = ends
        nearly_least = np.flatnonzero(low <= high.min() + NEAR)
        deadline.check()
        value, at = min((exact(self._outcomes[at]), at) for at in nearly_least.tolist())
        return Attained(self._pairs[at], value)


def pairs_of_laws(
    part: Finite | FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> PairsOfLaws | None:
    """Return the laws of all pairs of datasets of a universe within a distance.

    Returns:
        None if there are too many pairs, or outcomes, to compare one by one.

    Raises:
        RefusedError: the mechanism has no row for a dataset.
    """
    laws = _laws(part, distance, universe, spaces)
    if laws is None:
        return None
    pairs: dict[Outcomes, Two] = {}
    entries = 0
    for outcomes, two in laws:
        deadline.check()
        if outcomes is None:
            return None
        if all(p == q for p, q in outcomes):
            continue
        for ordered, pair in ((outcomes, two), ([(q, p) for p, q in outcomes], two.turned)):
            key = tuple(sorted(row for row in ordered if any(row)))
            if key not in pairs:
                pairs[key] = pair
                entries += len(key)
        if entries > MAX_ENTRIES:
            return None
    return PairsOfLaws(pairs)


Told = Iterator[tuple[Sequence[tuple[Fraction, Fraction]] | None, Two]]


def _laws(
    part: Finite | FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Told | None:
    if isinstance(part, Finite):
        law_of, people = seen_laws(part, universe, spaces)
        neighbors = people.neighbours(distance)
        if len(neighbors) > MAX_PAIRS:
            return None
        laws: dict[tuple[Law, Law], tuple[int, int]] = {}
        for (first, other), places in neighbors.items():
            laws.setdefault((law_of(first), law_of(other)), places)
        return ((list(zip(p, q, strict=True)), _two(people, at)) for (p, q), at in laws.items())
    tables = None if part.query is None else population(spaces.release, universe, part.query)
    if tables is None:
        return _of_moves(part, distance, universe, spaces)
    neighbors = tables.neighbours(distance)
    if len(neighbors) > MAX_PRODUCTS:
        return None
    return (
        (_outcomes(FiniteProduct.of(changed_pairs(part, *answers))), _two(tables, places))
        for answers, places in neighbors.items()
    )


def _two(people: Population, places: tuple[int, int]) -> Two:
    first, other = places
    return Two(people.names[first], people.names[other], int(people.distances[first][other]))


def _outcomes(product: FiniteProduct) -> list[tuple[Fraction, Fraction]] | None:
    loss = product.loss
    return None if loss is None else list(zip(loss.first, loss.second, strict=True))


def _of_moves(
    part: FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Told | None:
    if part.query is None:
        return None
    moves = signed_moves(spaces, part.query, distance, universe)
    if moves is None:
        return None
    top = largest_count(spaces.release, part.query, universe)
    products = products_of_moves(part, moves.elements, top)
    if products is None:
        return None
    counts: dict[FiniteLoss, tuple[int, int]] = {}
    for move in {move for element in moves.elements for move in element}:
        for start, pair in pairs_by_count(part, move, top):
            counts.setdefault(pair, (start, start + move))
    # If no count changes, there are no two laws, and no counts to name.
    changing = (product for product in products if product.parts)
    return ((_outcomes(product), _two_counts(product, counts)) for product in changing)


def _two_counts(product: FiniteProduct, counts: dict[FiniteLoss, tuple[int, int]]) -> Two:
    changed_counts = [counts[pair] for pair, times in product.parts for _ in range(times)]
    first, second = (", ".join(map(str, side)) for side in zip(*changed_counts, strict=True))
    return Two(f"counts ({first})", f"counts ({second})", None)


def _power(outcomes: Outcomes, type_i: Fraction) -> Fraction:
    """Return the largest power of a test of the first law at a level (Neyman and Pearson).

    Outcomes are rejected in order of decreasing likelihood ratio.
    """
    ordered = sorted(outcomes, key=lambda o: (o[0] > 0, -o[1] / o[0] if o[0] else 0))
    x = y = Fraction(0)
    for p, q in ordered:
        if x + p > type_i:
            return y + q * (type_i - x) / p
        x, y = x + p, y + q
    return y


def _ratio(outcomes: Outcomes, delta: Fraction) -> Fraction | None:
    """Return the largest (P(S) - delta) / Q(S) of an event S, at least 1; None if it is infinite.

    Some set of the outcomes with the largest likelihood ratios attains it.
    """
    ordered = sorted(outcomes, key=lambda o: (o[1] > 0, -o[0] / o[1] if o[1] else 0))
    best, x, y = Fraction(1), Fraction(0), Fraction(0)
    for p, q in ordered:
        x, y = x + p, y + q
        if x > delta:
            if not y:
                return None
            best = max(best, (x - delta) / y)
    return best


def _sums(floats: Floats, first: int) -> tuple[Floats, Floats]:
    """Return cumulative sums of both laws, sorted by the second's share over that of ``first``."""
    below, above = floats[..., first], floats[..., 1 - first]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(below > 0, above / below, np.where(above > 0, np.inf, -1.0))
    order = np.argsort(-ratio, axis=1, kind="stable")
    zero = np.zeros((len(floats), 1))
    sums = (
        np.hstack([zero, np.cumsum(np.take_along_axis(side, order, axis=1), axis=1)])
        for side in (below, above)
    )
    x, y = sums
    return x, y


def _powers(floats: Floats, type_i: float) -> Floats:
    """Estimate ``_power`` of every pair."""
    x, y = _sums(floats, 0)
    index = (x <= type_i).sum(axis=1) - 1
    right = np.minimum(index + 1, x.shape[1] - 1)
    rows = np.arange(len(x))
    width, height = x[rows, right] - x[rows, index], y[rows, right] - y[rows, index]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(width > 0, (type_i - x[rows, index]) / width, 0.0)
    powers: Floats = y[rows, index] + height * share
    return powers


def _inverse_ratios(floats: Floats, delta: float) -> tuple[Floats, Floats]:
    """Estimate 1 over ``_ratio`` of every pair, from below and above.

    The value is 0 if the ratio is, or can be, infinite.
    """
    y, x = (sums[:, 1:] for sums in _sums(floats, 1))
    over, ratios = x - delta, []
    for least in (-NEAR, NEAR):
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(y > 0, over / y, np.where(over > least, np.inf, 1.0))
        ratios.append(1 / np.maximum(shares.max(axis=1, initial=1.0), 1.0))
    low, high = ratios
    return low, high
