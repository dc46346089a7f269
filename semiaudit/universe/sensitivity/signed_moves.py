"""The signed elements of a query's sensitivity space, for noise of any law.

Noise that is not log-concave need not lose more on larger moves, nor the same on a move and its
opposite. So elements are kept up to the order of the coordinates and a common sign of all of them:
the losses of independent, identical noise depend on nothing else. A coordinate that does not move
loses nothing, so an element with fewer moves is no worse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from semiaudit.frozen import dataclass
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import Query
from semiaudit.universe.method import ALL_THREE, OF_SETS, Method, first_answer
from semiaudit.universe.sensitivity.move_patterns import patterns
from semiaudit.universe.sensitivity.question import Question
from semiaudit.universe.sensitivity.sensitivity_numbers import SolvedQuestion, listed_everywhere
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

MAX_ENTRIES = 2_000_000
"""The most entries of listed elements that are sorted, in Python."""

MAX_VECTORS = 40_000
"""The most elements inside D_t that are sorted, in Python."""

MAX_ELEMENTS = 400
"""The most distinct elements whose loss is computed."""

MAX_FREE = 5
"""The most records that enter or leave for which all combinations are listed."""

Signed = tuple[int, ...]
"""The moves of the coordinates that move, ascending; one of the two signs."""


@dataclass(frozen=True, slots=True)
class SignedMoves:
    """A set that contains every element of a sensitivity space.

    Attributes:
        elements: each with its signs; the moves of none are among those of another one.
        attained: two datasets differ by each of them.
    """

    elements: tuple[Signed, ...]
    attained: bool


def signed_moves(
    spaces: SensitivitySpaces, query: Query, distance: int, universe: UniverseName
) -> SignedMoves | None:
    """Return a set that contains every element of a query's S, with signs.

    None if too many or unknown.

    Args:
        spaces: of a release with a table. query: over its cells. distance: 1 or more.
        universe: between datasets anywhere in D, or inside D_t.

    Raises:
        RefusedError: no method is proven for the metric.
    """
    return first_answer(SIGNED, spaces.question((query,), distance, universe))


def _of_listed_everywhere(question: Question) -> SignedMoves | None:
    listing = listed_everywhere(question)
    vectors = None if listing is None else listing.differences.vectors
    if vectors is None or vectors.size > MAX_ENTRIES:
        return None
    return _kept(map(_moving, vectors.tolist()), attained=True)


def _of_listed_inside(question: SolvedQuestion) -> SignedMoves | None:
    listing = question.listing
    vectors = None if listing is None or not listing.whole else listing.differences.vectors
    if vectors is None or 2 * len(vectors) + 1 > MAX_VECTORS:
        return None
    return _kept([(), *map(_moving, vectors.tolist())], attained=True)


def _moving(vector: Sequence[int]) -> Signed:
    return tuple(sorted(int(k) for k in vector if k))


def _of_patterns(question: Question) -> SignedMoves | None:
    """Compute signed moves from which changing records agree in which attributes: all of S over
    product cells if enough records can change; else a set that contains S.
    """
    records = question.reach.records
    if not records:
        return SignedMoves(((),), attained=True)
    levels = [attribute.size for attribute in question.space.attributes]
    margins = [frozenset(places) for places in question.answers.margins]
    distinct = list(dict.fromkeys(margins))
    moves = patterns(levels, question.margins.published, distinct, records, signed=True)
    if moves is None:
        return None
    place = {margin: at for at, margin in enumerate(distinct)}
    elements = (
        tuple(sorted(k for margin in margins for k in move[place[margin]])) for move in moves
    )
    attained = question.universe == "D" and question.space.product_cells
    return _kept(elements, attained=attained)


def _of_free(question: Question) -> SignedMoves | None:
    k, margins = question.reach.records, len(question.answers.margins)
    if k > MAX_FREE:
        return None
    elements: list[Signed] = []
    for leaving in range(k + 1):
        ways = [
            (*(-size for size in out), *into)
            for out in _shared(leaving)
            for into in _shared(k - leaving)
        ]
        if len(ways) ** margins > 50 * MAX_ELEMENTS:
            return None
        elements += [
            tuple(sorted(move for way in chosen for move in way))
            for chosen in product(ways, repeat=margins)
        ]
    return _kept(elements, attained=False)


def _shared(number: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    if not number:
        yield ()
        return
    for first in range(min(number, most or number), 0, -1):
        for others in _shared(number - first, first):
            yield (first, *others)


def _kept(elements: Iterable[Signed], *, attained: bool) -> SignedMoves | None:
    distinct = {min(element, _opposite(element)) for element in elements}
    if len(distinct) > 50 * MAX_ELEMENTS:
        return None
    largest: list[Signed] = []
    for element in sorted(distinct, key=lambda e: (-len(e), e)):
        if not any(_holds(other, element) for other in largest):
            largest.append(element)
            if len(largest) > MAX_ELEMENTS:
                return None
    return SignedMoves(tuple(largest), attained)


def _opposite(element: Signed) -> Signed:
    return tuple(sorted(-k for k in element))


def _holds(move: Signed, other: Signed) -> bool:
    return any(
        all(move.count(k) >= signed.count(k) for k in set(signed))
        for signed in (other, _opposite(other))
    )


SIGNED: tuple[Method[SolvedQuestion, SignedMoves], ...] = (
    Method("listed elements in D", ALL_THREE, lambda q: not q.is_inside, _of_listed_everywhere),
    Method("listed elements", ALL_THREE, lambda q: q.is_inside, _of_listed_inside),
    Method(
        "records that enter and leave",
        OF_SETS,
        lambda q: q.answers.matrix is None and q.reach.free,
        _of_free,
    ),
    Method(
        "patterns of moves",
        ALL_THREE,
        lambda q: q.answers.matrix is None and not q.reach.free,
        _of_patterns,
    ),
)
"""The methods for signed elements, in the order in which they are asked."""
