"""Joint loss of several mechanisms whose law is known for every dataset.

Each mechanism has its own worst pair of datasets, and these pairs can differ. The joint loss
between two datasets is the product of the losses of each between these two, in one order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from semiaudit import deadline
from semiaudit.errors import NOWHERE
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.finite.finite_kind import laws_by_seen
from semiaudit.mechanisms.finite.finite_noise import changed_pairs
from semiaudit.mechanisms.kind import DatasetPairs, Measures
from semiaudit.mechanisms.parts import Repeated
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.mechanism import Finite, FiniteNoise
from semiaudit.model.query import Query
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.rounded_laws import pair_of_laws
from semiaudit.privacy.worst_pairs import measures_of_products
from semiaudit.universe.population import Seen, places_seen, population
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

MAX_PRODUCTS = 4_000
"""The most pairs of datasets, each with the product of all laws."""

Lawful = Finite | FiniteNoise


def together(
    parts: Sequence[Repeated], pairs: DatasetPairs, spaces: SensitivitySpaces
) -> tuple[list[Repeated], Measures]:
    """Return the parts that have a law for each dataset, and the measures of all of them together.

    Returns:
        Nothing if fewer than two parts have laws, if one is refused for what the pairs are asked
        for, or if there are too many datasets or products of laws.
    """
    lawful = _lawful(parts)
    refused = (kind_of(p).refusal(p, asked, spaces) for p, _ in lawful for asked in pairs.asked)
    if len(lawful) < 2 or any(refused):
        return [], ()
    products = _products(lawful, pairs.distance, pairs.universe, spaces)
    exact = not any(part.rtol for part, _ in lawful)
    measures = () if products is None else measures_of_products(products, attained=exact)
    return ([*lawful], measures) if measures else ([], ())


def _lawful(parts: Sequence[Repeated]) -> list[tuple[Lawful, int]]:
    return [
        (part, times)
        for part, times in parts
        if isinstance(part, Finite) or (isinstance(part, FiniteNoise) and part.query is not None)
    ]


def _products(
    parts: Sequence[Repeated],
    distance: int,
    universe: UniverseName,
    spaces: SensitivitySpaces,
) -> list[FiniteProduct] | None:
    lawful = _lawful(parts)
    queries_of_parts = [_query_of(part) for part, _ in lawful]
    queries = tuple(dict.fromkeys(query for query in queries_of_parts if query is not None))
    people = population(spaces.release, universe, *queries)
    if people is None or (queries and None in queries_of_parts):
        return None
    places = dict(zip(queries, places_seen(spaces.release, *queries), strict=True))
    laws = [laws_by_seen(part, spaces) if isinstance(part, Finite) else {} for part, _ in lawful]
    products: dict[FiniteProduct, None] = {}
    for one, other in people.neighbours(distance):
        deadline.check()
        pairs: list[tuple[FiniteLoss, int]] = []
        for (part, times), query, known in zip(lawful, queries_of_parts, laws, strict=True):
            first, second = (_seen(dataset, query, places) for dataset in (one, other))
            if isinstance(part, FiniteNoise):
                pairs += ((pair, times) for pair in changed_pairs(part, first, second))
            elif first not in known or second not in known:
                return None
            else:
                pair = pair_of_laws((known[first], known[second]), part.rtol)
                pairs.append((pair, times))
        products[FiniteProduct.of_parts(pairs).simplest] = None
        if len(products) > MAX_PRODUCTS:
            return None
    return list(products)


def _query_of(part: Lawful) -> Query | None:
    return None if part.query is None else replace(part.query, mark=NOWHERE)


def _seen(dataset: Seen, query: Query | None, places: dict[Query, tuple[int, ...]]) -> Seen:
    return dataset if query is None else tuple(dataset[place] for place in places[query])
