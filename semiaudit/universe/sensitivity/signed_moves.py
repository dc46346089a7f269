"""The signed elements of a query's sensitivity space, for noise of any law.

Noise that is not log-concave need not lose more on larger moves, nor the same on a move and its
opposite. So elements are kept up to the order of the coordinates and a common sign of all of them:
the losses of independent, identical noise depend on nothing else. A coordinate that does not move
loses nothing, so an element with fewer moves is no worse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from semiaudit.errors import NOWHERE
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import Release, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import Query
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.bounds import Bounds
from semiaudit.universe.sensitivity.largest_norms import most_changed_records
from semiaudit.universe.sensitivity.move_patterns import patterns
from semiaudit.universe.sensitivity.sensitivity_numbers import (
    SensitivityQuestion,
    listed_everywhere,
)

if TYPE_CHECKING:
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
    """
    release = spaces.release
    question, bounds = _question(release, query, distance, universe)
    rows = None
    if universe == "D":
        listed = listed_everywhere(question)
        if listed is not None and listed[1].differences.vectors is not None:
            vectors = listed[1].differences.vectors
            rows = None if vectors.size > MAX_ENTRIES else vectors.tolist()
    else:
        elements = spaces.elements_of(query, distance, MAX_VECTORS)
        if elements is not None and elements.count <= MAX_VECTORS:
            rows = elements.vectors
    if rows is not None:
        moves = _kept((_moving(vector) for vector in rows), attained=True)
        if moves is not None:
            return moves
    if question.answers.matrix is not None:
        return None
    if question.reach.free:
        return _of_free(question)
    published = () if bounds is None else bounds.published
    return _of_patterns(question, published, attained=universe == "D")


def _question(
    release: Release, query: Query, distance: int, universe: UniverseName
) -> tuple[SensitivityQuestion, Bounds | None]:
    space = release.dataspace
    if not isinstance(space, TableSpace):
        raise TypeError("signed moves are those of a table")
    answers, records = Answers(space, replace(query, mark=NOWHERE)), Records(space)
    metric = release.adjacency.metric
    if universe == "D":
        reach = most_changed_records(metric, distance, space.size, fixed=space.size is not None)
        return SensitivityQuestion(release, space, answers, records, distance, reach), None
    size, size_is_known = size_of(release, space)
    fixed = size_is_known or not compares_sizes(metric)
    reach = most_changed_records(metric, distance, size, fixed=fixed)
    question = SensitivityQuestion(release, space, answers, records, distance, reach)
    return question, Bounds(release, space, answers, question.step, fixed=fixed)


def _moving(vector: Sequence[int]) -> Signed:
    return tuple(sorted(int(k) for k in vector if k))


def _of_patterns(
    question: SensitivityQuestion, published: tuple[frozenset[int], ...], *, attained: bool = True
) -> SignedMoves | None:
    """Compute signed moves from which changing records agree in which attributes: all of S over
    product cells if enough records can change; else a set that contains S.
    """
    records = question.reach.records
    if not records:
        return SignedMoves(((),), attained=True)
    levels = [attribute.size for attribute in question.space.attributes]
    margins = [frozenset(places) for places in question.answers.margins]
    distinct = list(dict.fromkeys(margins))
    moves = patterns(levels, list(published), distinct, records, signed=True)
    if moves is None:
        return None
    place = {margin: at for at, margin in enumerate(distinct)}
    elements = (
        tuple(sorted(k for margin in margins for k in move[place[margin]])) for move in moves
    )
    return _kept(elements, attained=attained and question.space.product_cells)


def _of_free(question: SensitivityQuestion) -> SignedMoves | None:
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
