"""Noise of finitely many values on an answer, of one law or of a law for each count.

Nothing is assumed of the law: it need not be symmetric nor log-concave, so that a larger move need
not lose more. Every element of the sensitivity space is set against it with its signs; where the
law depends on the count, every pair of counts that a coordinate may have. Coordinates are
independent, so that an element is a product of finite pairs, one for each coordinate that moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import TYPE_CHECKING, assert_never

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.finite.counts import largest_count
from semiaudit.mechanisms.kind import (
    NEIGHBORS,
    Asked,
    DatasetPairs,
    Deferred,
    Measures,
    MechanismKind,
    Sampler,
    not_attained,
)
from semiaudit.mechanisms.noise_kind import asked_query
from semiaudit.mechanisms.parts import has_loss, without_losses
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.mechanism import FiniteNoise
from semiaudit.model.query import width
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.tradeoff.polygon import lies_below, lower_hull
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods
from semiaudit.privacy.worst_pairs import PERFECT, measures_of_products
from semiaudit.universe.population import population
from semiaudit.universe.sensitivity.signed_moves import signed_moves
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.signed_moves import Signed

MAX_PRODUCTS = 400
"""The most products of pairs that are listed one by one."""


@lru_cache(maxsize=20_000)
def pair_of_counts(noise: FiniteNoise, first: int, second: int) -> FiniteLoss:
    """The laws of one coordinate of the output where its count is the first, and the second."""
    laws = noise.law(first), noise.law(second)
    return pair_of_answers(noise, Fraction(first), Fraction(second), *laws)


def pair_of_answers(
    noise: FiniteNoise,
    first: Fraction,
    second: Fraction,
    law: Sequence[Fraction],
    other: Sequence[Fraction],
) -> FiniteLoss:
    """The laws of two answers, each with its noise."""
    one = {first + value: share for value, share in zip(noise.values, law, strict=True) if share}
    two = {second + value: share for value, share in zip(noise.values, other, strict=True) if share}
    places = sorted({*one, *two})
    none = Fraction(0)
    return FiniteLoss(
        tuple(one.get(at, none) for at in places), tuple(two.get(at, none) for at in places)
    )


@dataclass(frozen=True, slots=True)
class FiniteNoiseKind(MechanismKind[FiniteNoise]):
    """Finite noise, set against the elements of a sensitivity space, or bare shifts."""

    standard: str

    def needs_steps(self, part: FiniteNoise) -> bool:
        """Return whether the noise has bare shifts: only these need steps."""
        return part.query is None

    def loss(self, part: FiniteNoise, pairs: DatasetPairs, spaces: SensitivitySpaces) -> Measures:
        """The noise against what its query can change; by steps group privacy, as of a law that is
        not log-concave nothing else is known."""
        match pairs.way:
            case "change":
                return _by_change(part, pairs.distance, pairs.universe, spaces)
            case "steps" if part.query is None:
                return group(_of_shifts(part), pairs.distance)
            case "steps":
                return group(_by_change(part, 1, "D", spaces), pairs.distance)
            case "published":
                return ()
            case _:
                assert_never(pairs.way)

    def projected(self, part: FiniteNoise, spaces: SensitivitySpaces) -> Measures | None:
        """The nominal loss: projecting is post-processing. None if T is not linear in it."""
        if part.query is not None and spaces.projected_l2_squared(part.query) is None:
            return None
        return self.loss(part, NEIGHBORS, spaces)

    def refusal(self, part: FiniteNoise, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Nothing is refused: the noise is on all coordinates."""
        return ""

    def sampler(self, part: FiniteNoise) -> Sampler:
        """Whole numbers below a common denominator."""
        query = asked_query(part)
        return lambda spaces, _: _DRAWING(part, width(query, spaces.table))


_DRAWING = Deferred("semiaudit.mechanisms.finite.finite_draws", "FiniteNoiseDrawing")


def _by_change(
    part: FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Measures:
    """The noise against what its query can change; pairs inside D_t are pairs in D too, and their
    products say no less than those of all of D."""
    if part.query is None:
        return ()
    anywhere = _against(part, distance, "D", spaces)
    if universe == "D":
        return anywhere
    inside = _against(part, distance, "D_t", spaces)
    others = without_losses(anywhere) if has_loss(inside) else anywhere
    return strongest(inside, not_attained(others))


def _of_shifts(part: FiniteNoise) -> Measures:
    """Coordinates that move by their shift, up or down, or less of them.

    Whether all move the same way is not known: every choice of signs is one product, but for the
    sign of all of them.
    """
    ways = Counter(shift for shift in map(abs, part.shifts) if shift)
    law = part.laws[0]
    options: list[list[tuple[FiniteLoss, ...]]] = []
    for shift, number in ways.items():
        up = pair_of_answers(part, Fraction(0), shift, law, law)
        down = FiniteLoss(up.second, up.first)
        options.append([(up,) * k + (down,) * (number - k) for k in range(number + 1)])
    if prod(map(len, options)) > MAX_PRODUCTS:
        chosen = [[_joined([*way[0], *way[-1]])] * len(way[0]) for way in options]
        pairs = [pair for way in chosen for pair in way]
        return measures_of_products([FiniteProduct.of(pairs)], attained=False)
    products = [FiniteProduct.of(p for way in choice for p in way) for choice in product(*options)]
    return measures_of_products(products, attained=True)


@deadline.cached(64)
def _against(
    part: FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Measures:
    """What holds between datasets of a universe within a distance; empty if nothing is known."""
    query = part.query
    if query is None:
        return ()
    if universe == "D_t" and spaces.within(query, distance).l1.value == 0:
        return PERFECT
    if part.of_counts:
        exact = _of_population(part, distance, universe, spaces)
        if exact:
            return exact
    moves = signed_moves(spaces, query, distance, universe)
    if moves is None:
        return () if part.of_counts else _of_population(part, distance, universe, spaces)
    top = largest_count(spaces.release, query, universe)
    products = products_of_moves(part, moves.elements, top)
    sure = moves.attained and not part.of_counts
    measures = measures_of_products(products, attained=sure) if products else ()
    if not measures:
        joint = [
            FiniteProduct.of(_joined_element(part, element, top)) for element in moves.elements
        ]
        measures = measures_of_products(joint, attained=False)
    return measures


def _of_population(
    part: FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Measures:
    """Every pair of tables; empty if they, or their products, are too many."""
    if part.query is None:
        return ()
    tables = population(spaces.release, universe, part.query)
    if tables is None:
        return ()
    products: dict[FiniteProduct, None] = {}
    for one, other in tables.neighbours(distance):
        pairs = (pair_of_counts(part, a, b) for a, b in zip(one, other, strict=True) if a != b)
        products[FiniteProduct.of(pairs).simplest] = None
        if len(products) > 10 * MAX_PRODUCTS:
            return ()
    return measures_of_products(list(products), attained=True) if products else PERFECT


def _pairs_of_move(part: FiniteNoise, move: int, top: int | None) -> list[FiniteLoss]:
    """What a coordinate can lose that moves so far, from whatever count it does."""
    pairs = [pair for _, pair in pairs_by_count(part, move, top)]
    return _undominated(pairs) if part.of_counts else pairs


def pairs_by_count(part: FiniteNoise, move: int, top: int | None) -> list[tuple[int, FiniteLoss]]:
    """Every count from which a coordinate can move so far, with the laws before and after.

    Beyond the first row that repeats, counts a period apart have the same laws; noise of one law
    for all counts needs one of them.

    Args:
        move: not 0.
        top: no count is larger; None if nothing bounds it.
    """
    size, last = abs(move), 0
    if part.of_counts:
        last = len(part.laws) + part.period
        if top is not None:
            last = min(last, top - size)
    starts = (c if move > 0 else c + size for c in range(last + 1))
    return [(start, pair_of_counts(part, start, start + move)) for start in starts]


@lru_cache(maxsize=256)
def _lowest_of(pairs: tuple[FiniteLoss, ...]) -> tuple[FiniteLoss, ...]:
    kept: list[FiniteLoss] = []
    functions = {pair: tradeoff_from_likelihoods(pair).below for pair in pairs}
    for pair in pairs:
        f = functions[pair]
        if any(lies_below(functions[other], f) for other in kept):
            continue
        kept = [other for other in kept if not lies_below(f, functions[other])] + [pair]
    return tuple(kept)


def _undominated(pairs: Sequence[FiniteLoss]) -> list[FiniteLoss]:
    """The pairs, each in its order, without those that lose no more than another one."""
    return list(_lowest_of(tuple(dict.fromkeys(pairs))))


def products_of_moves(
    part: FiniteNoise, elements: Iterable[Signed], top: int | None
) -> list[FiniteProduct] | None:
    """Every element with every choice of counts; None if they are too many."""
    products: dict[FiniteProduct, None] = {}
    for element in elements:
        choices = _choices(part, element, top)
        if choices is None:
            return None
        for pairs in choices:
            products[FiniteProduct.of(pairs)] = None
        if len(products) > MAX_PRODUCTS:
            return None
    return list(products)


def _choices(
    part: FiniteNoise, element: Signed, top: int | None
) -> Iterator[tuple[FiniteLoss, ...]] | None:
    """For each coordinate that moves one of its pairs; None if the ways are too many."""
    options, number = [], 1
    for move, times in Counter(element).items():
        pairs = _pairs_of_move(part, move, top)
        if not pairs:
            return iter(())
        number *= comb(len(pairs) + times - 1, times)
        if number > MAX_PRODUCTS:
            return None
        options.append(list(combinations_with_replacement(pairs, times)))
    return (tuple(p for way in choice for p in way) for choice in product(*options))


def _joined_element(part: FiniteNoise, element: Signed, top: int | None) -> list[FiniteLoss]:
    """For each coordinate one pair that loses no less than any of its pairs."""
    losses = []
    for move in element:
        pairs = _pairs_of_move(part, move, top)
        if not pairs:
            return []
        losses.append(_joined(pairs))
    return losses


def _joined(pairs: Sequence[FiniteLoss]) -> FiniteLoss:
    """A pair whose tradeoff function, in its order, lies nowhere above that of any of them."""
    functions = [tradeoff_from_likelihoods(pair).below for pair in pairs]
    return finite_loss(lower_hull(vertex for f in functions for vertex in f.vertices))


FINITE_NOISE = FiniteNoiseKind(
    "(ε, δ)-differential privacy (hockey-stick divergence); the noise has finitely many "
    "values, so some outputs reveal which dataset it is: there is no ε at δ = 0",
)
KINDS = {FiniteNoise: FINITE_NOISE}
