"""Upper bounds on covering a(t) for every t and size, by the longest indivisible move.

The difference of two tables of D_t is a sum of moves whose signs agree with its own, so each of
them leads from one of the tables to a table of D_t. One of them brings y. The moves that are not
such a sum themselves are the Graver basis of the rows. The proofs are in
docs/theory/semi-adjacency.md (Two layers, Longest moves).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.adjacency import has_places, per_record
from semiaudit.model.invariants.constraint import attributes_of
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.classes_of_cells import Sum, System, total

LONGEST_OF_NINE = 24
"""The most records that an indivisible move of a 3 x 3 x N table takes out of their cells, if all
two-way margins are published."""

COMPLETION_SHARE = 0.2
"""The part of the time for the Graver basis of a small table."""

MAX_COORDINATES = 64
"""Classes and bounds of a system whose Graver basis is computed."""

MAX_ELEMENTS = 600
"""The most vectors of a completion, both signs of each."""

MAX_SUMS = 50_000
"""The most sums of two vectors that a completion reduces: one or two seconds."""

MAX_ENTRY = 1_000
"""Changes with larger entries are not completed; the arrays have 16 bits."""

Vectors = NDArray[np.int16]


def most_of_moves(problem: TableProblem) -> int | None:
    """Return an upper bound on covering a(t) by the longest move; None if none is proven."""
    system = problem.separate
    halves = [longest_of_two_layers(problem), longest_of_layers(problem)]
    if system is not None:
        with suppress(OutOfTimeError), deadline.part(COMPLETION_SHARE):
            halves.append(longest_element(system))
    known = [half for half in halves if half is not None]
    if not known:
        return None
    # The record x may have to change too. From a table with y, two records exchange their places.
    half = max(min(known), 1) + has_places(problem.metric)
    return half * per_record(problem.metric)


def _margins(problem: TableProblem) -> set[frozenset[str]]:
    """Return the largest margins; none if there are other invariants or structural zeros."""
    space = problem.space
    if not problem.has_only_margins or not space.product_cells:
        return set()
    margins = {frozenset(attributes_of(c, space)) for c in problem.constraints}
    return {one for one in margins if not any(one < other for other in margins)}


def longest_of_two_layers(problem: TableProblem) -> int | None:
    """Return the records of the longest move of a table of two layers; None if it is not one.

    One attribute has two levels, the sum of both layers is published, and so are two disjoint
    margins of each layer.
    """
    margins = _margins(problem)
    sizes = {attribute.name: attribute.size for attribute in problem.space.attributes}
    for name, size in sizes.items():
        layer = [margin - {name} for margin in margins if name in margin]
        sums = [margin for margin in margins if name not in margin]
        if (
            size == len(layer) == 2
            and sums == [frozenset(sizes) - {name}]
            and (layer[0].isdisjoint(layer[1]))
        ):
            return 2 * min(prod(sizes[other] for other in one) for one in layer)
    return None


def longest_of_layers(problem: TableProblem) -> int | None:
    """Return the records of the longest change if layers of 2 x m or 3 x 3 cells have a sum.

    The attributes are divided into groups A, C, and tops L1, ..., Lk. The margins are those of A
    and of C with each top, and either that of A with C, or k is 2: then the counts of A with C that
    L1 has are those that L2 has.
    """
    margins = _margins(problem)
    sizes = {attribute.name: attribute.size for attribute in problem.space.attributes}
    most = []
    for first, second in combinations(sorted(margins, key=sorted), 2):
        a, c = first - second, second - first
        tops = [margin - a for margin in margins if a <= margin and margin != a | c]
        sides = {side | top for side in (a, c) for top in tops}
        few, many = sorted(prod(sizes[name] for name in side) for side in (a, c))
        groups = [a, c, *tops]
        if (
            all(tops)
            and sum(map(len, groups)) == len(frozenset[str]().union(*groups)) == len(sizes)
            and (margins == sides | {a | c} or (margins == sides and len(tops) == 2))
            and (few == 2 or few == many == 3)
        ):
            most.append(len(tops) * (2 * many if few == 2 else LONGEST_OF_NINE))
    return min(most, default=None)


@deadline.cached(8)
def longest_element(system: System) -> int | None:
    """Return the most records that an element of the Graver basis takes out of their classes.

    Each bound of the system has a coordinate too, so that the parts of a change keep the bounds
    that the change keeps.

    Returns:
        0 if no change keeps every row; None if the basis is too large, if records can enter or
        leave, or under keys without t.

    Raises:
        OutOfTimeError: the deadline has come.
    """
    size, bounds = system.classes, [bound.sum for bound in system.bounds]
    if system.keys or size + len(bounds) > MAX_COORDINATES:
        return None
    lattice = lattice_basis(system.rows, size)
    if any(map(sum, lattice)):
        return None
    vectors = [[*change, *(total(bound, change) for bound in bounds)] for change in lattice]
    if not vectors:
        return 0
    basis = graver_basis(vectors)
    return None if basis is None else int(np.abs(basis[:, :size]).sum(axis=1).max()) // 2


def lattice_basis(rows: Sequence[Sum], size: int) -> list[list[int]]:
    """Return a basis of the integer vectors of a size on which every row is 0.

    Each row is eliminated by Euclid's algorithm on its values at the basis so far, exactly.
    """
    basis = [[int(a == b) for b in range(size)] for a in range(size)]
    for row in rows:
        values = [total(row, vector) for vector in basis]
        while len(rest := [at for at, number in enumerate(values) if number]) > 1:
            least = min(rest, key=lambda at: abs(values[at]))
            for at in rest:
                if at != least:
                    times = values[at] // values[least]
                    values[at] -= times * values[least]
                    pairs = zip(basis[at], basis[least], strict=True)
                    basis[at] = [one - times * other for one, other in pairs]
        for at in rest:
            del basis[at]
    return basis


def graver_basis(generators: Sequence[Sequence[int]]) -> Vectors | None:
    """Return the Graver basis of a lattice, both signs of every element; None if it is too large.

    The completion is Pottier's (Sturmfels, Gröbner Bases and Convex Polytopes, 1996, chapter 7).

    Args:
        generators: a basis of the lattice, at least one vector.
    """
    if max(abs(number) for vector in generators for number in vector) > MAX_ENTRY:
        return None
    signed = [[sign * number for number in one] for one in generators for sign in (1, -1)]
    found: Vectors = np.array(signed, dtype=np.int16)
    at = sums = 0
    # Invariant: the sum of two vectors before ``at`` is a sum of vectors in ``found`` whose signs
    # agree with its own. If the signs of the two agree, that is so; and of two opposite sums, one
    # is enough.
    while at < len(found):
        deadline.check()
        differ = (found[:at] * np.sign(found[at]) < 0).any(axis=1)
        waiting, at = _distinct(found[:at][differ] + found[at]), at + 2
        whole = waiting[:0]
        while len(waiting) or len(whole):
            sums += len(waiting)
            too_many = sums > MAX_SUMS or len(found) > MAX_ELEMENTS
            if too_many or np.abs(waiting).max(initial=0) > MAX_ENTRY:
                return None
            if len(waiting):
                left, waiting = _reduced(waiting, found)
                whole = np.unique(np.concatenate([whole, left]), axis=0)
            else:
                shortest = whole[np.abs(whole).sum(axis=1).argmin()]
                found = np.concatenate([found, [shortest, -shortest]])
                whole, waiting = _reduced(whole, found[-2:])
    basis: Vectors = found[_parts(found, found).sum(axis=1) == 1]
    return basis


def _distinct(vectors: Vectors) -> Vectors:
    return np.unique(vectors[vectors.any(axis=1)], axis=0)


def _reduced(vectors: Vectors, found: Vectors) -> tuple[Vectors, Vectors]:
    """Return the vectors without a part among those found, and what is left of the others."""
    parts = _parts(vectors, found)
    has_part = parts.any(axis=1)
    left = vectors[has_part] - found[parts.argmax(axis=1)[has_part]]
    return vectors[~has_part], _distinct(left)


def _parts(vectors: Vectors, found: Vectors) -> NDArray[np.bool_]:
    """Return for every vector which of those found have its signs, or 0, and no larger entries."""
    first, second = (
        np.concatenate([np.maximum(v, 0), np.maximum(-v, 0)], axis=1) for v in (vectors, found)
    )
    within: NDArray[np.bool_] = np.all(second[None] <= first[:, None], axis=2)
    return within
