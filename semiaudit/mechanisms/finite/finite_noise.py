"""Noise with finitely many values on an answer, with one law or one law for each count.

The law need not be symmetric or log-concave, so a larger change need not lose more. The loss is
computed for every signed element of the sensitivity space and, if the law depends on the count, for
every possible pair of counts of a coordinate. Coordinates are independent, so an element is a
product of finite pairs, one for each coordinate that changes.
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
    Asked,
    DatasetPairs,
    Deferred,
    KnownLoss,
    Measures,
    MechanismKind,
    Sampler,
    not_attained,
    refusal_of_sizes,
    steps_of,
)
from semiaudit.mechanisms.noise import asked_query
from semiaudit.mechanisms.parts import has_loss, without_losses
from semiaudit.mechanisms.supports import no_subspace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.mechanism import FiniteNoise
from semiaudit.model.query import width
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.rounded_laws import pair_of_laws
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
    """Return the laws of one coordinate of the output for the first and the second count."""
    laws = noise.law(first), noise.law(second)
    return pair_of_answers(noise, Fraction(first), Fraction(second), *laws)


def changed_pairs(
    noise: FiniteNoise, counts: Sequence[int], others: Sequence[int]
) -> Iterator[FiniteLoss]:
    """Yield the laws of every coordinate in which two answers differ."""
    pairs = zip(counts, others, strict=True)
    return (pair_of_counts(noise, one, other) for one, other in pairs if one != other)


def pair_of_answers(
    noise: FiniteNoise,
    first: Fraction,
    second: Fraction,
    law: Sequence[Fraction],
    other: Sequence[Fraction],
) -> FiniteLoss:
    """Return the laws of two answers, each with its noise."""
    moved = {first + value: share for value, share in zip(noise.values, law, strict=True) if share}
    two = {second + value: share for value, share in zip(noise.values, other, strict=True) if share}
    places = sorted({*moved, *two})
    none = Fraction(0)
    one, another = ([law.get(at, none) for at in places] for law in (moved, two))
    return pair_of_laws((one, another), noise.rtol)


@dataclass(frozen=True, slots=True)
class FiniteNoiseKind(MechanismKind[FiniteNoise]):
    """Finite noise, for the elements of a sensitivity space, or for bare shifts."""

    standard: str

    def loss(self, part: FiniteNoise, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss for the changes of the query; by steps, group privacy.

        Nothing else is known for a law that is not log-concave. Projecting is post-processing.
        """
        match pairs.way:
            case "change":
                return KnownLoss(_by_change(part, pairs.distance, pairs.universe, spaces))
            case "published":
                return KnownLoss()
            case "steps" | "projected" if part.query is None:
                steps = steps_of(part.neighbors, pairs.distance, spaces)
                known = group(_of_shifts(part), steps) if steps else ()
                return KnownLoss(known if steps == pairs.distance else not_attained(known))
            case "projected" if spaces.projected_l2_squared(part.query) is None:
                return KnownLoss(refused=no_subspace(part.query, spaces))
            case "steps" | "projected":
                return KnownLoss(group(_by_change(part, 1, "D", spaces), pairs.distance))
            case _:
                assert_never(pairs.way)

    def refusal(self, part: FiniteNoise, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse only datasets that shifts are not for: the noise is on all coordinates."""
        return refusal_of_sizes(part.neighbors, asked, spaces)

    def sampler(self, part: FiniteNoise) -> Sampler:
        """Sample integers below a common denominator."""
        query = asked_query(part)
        return lambda spaces, _: _DRAWING(part, width(query, spaces.table))


_DRAWING = Deferred("semiaudit.mechanisms.finite.finite_draws", "FiniteNoiseDrawing")


def _by_change(
    part: FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Measures:
    """Pairs inside D_t are pairs in D, and their products are at least as tight as those of D."""
    if part.query is None:
        return ()
    anywhere = _against(part, distance, "D", spaces)
    if universe == "D":
        return anywhere
    inside = _against(part, distance, "D_t", spaces)
    others = without_losses(anywhere) if has_loss(inside) else anywhere
    return strongest(inside, not_attained(others))


def _of_shifts(part: FiniteNoise) -> Measures:
    """Return the loss of coordinates that change by up to their shift, in either direction.

    The directions are unknown: every choice of signs, up to a common sign, is one product.
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
    return measures_of_products(products, attained=not part.rtol)


@deadline.cached(64)
def _against(
    part: FiniteNoise, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Measures:
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
    sure = moves.attained and not part.of_counts and not part.rtol
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
    if part.query is None:
        return ()
    tables = population(spaces.release, universe, part.query)
    if tables is None:
        return ()
    products: dict[FiniteProduct, None] = {}
    for first, other in tables.neighbours(distance):
        products[FiniteProduct.of(changed_pairs(part, first, other)).simplest] = None
        if len(products) > 10 * MAX_PRODUCTS:
            return ()
    return measures_of_products(list(products), attained=not part.rtol) if products else PERFECT


def _pairs_of_move(part: FiniteNoise, move: int, top: int | None) -> list[FiniteLoss]:
    pairs = [pair for _, pair in pairs_by_count(part, move, top)]
    return _undominated(pairs) if part.of_counts else pairs


def pairs_by_count(part: FiniteNoise, move: int, top: int | None) -> list[tuple[int, FiniteLoss]]:
    """Return every count from which a coordinate can move, with the laws before and after.

    After the first row that repeats, counts that differ by a period have the same laws; noise with
    one law for all counts needs one count.

    Args:
        move: not 0.
        top: an upper bound on all counts; None if there is none.
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
    lowest: list[FiniteLoss] = []
    functions = {pair: tradeoff_from_likelihoods(pair).below for pair in pairs}
    for pair in pairs:
        f = functions[pair]
        if any(lies_below(functions[other], f) for other in lowest):
            continue
        lowest = [other for other in lowest if not lies_below(f, functions[other])] + [pair]
    return tuple(lowest)


def _undominated(pairs: Sequence[FiniteLoss]) -> list[FiniteLoss]:
    return list(_lowest_of(tuple(dict.fromkeys(pairs))))


def products_of_moves(
    part: FiniteNoise, elements: Iterable[Signed], top: int | None
) -> list[FiniteProduct] | None:
    """Return the products of every element with every choice of counts.

    None if there are too many.
    """
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
    """For each coordinate that changes, yield one of its pairs; None if there are too many."""
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
    losses = []
    for move in element:
        pairs = _pairs_of_move(part, move, top)
        if not pairs:
            return []
        losses.append(_joined(pairs))
    return losses


def _joined(pairs: Sequence[FiniteLoss]) -> FiniteLoss:
    """Return a pair whose tradeoff function, in its order, is nowhere above that of any of them."""
    functions = [tradeoff_from_likelihoods(pair).below for pair in pairs]
    return finite_loss(lower_hull(vertex for f in functions for vertex in f.vertices))


FINITE_NOISE = FiniteNoiseKind(
    "(ε, δ)-differential privacy (hockey-stick divergence); the noise has finitely many "
    "values, so some outputs reveal which dataset it is: there is no ε at δ = 0",
)
KINDS = {FiniteNoise: FINITE_NOISE}
