"""Changes of an answer between datasets of one D_t, per unit of their distance.

For noise that keeps the invariants, there are no steps of distance 1 in D with a finite loss. Its
loss per unit of distance is the supremum, over all pairs of D_t, of their loss over their distance;
if the loss of a change is a multiple of a norm, it is the norm of the changes divided by the
distance.

Two tables count at the distance of their closest orders: in other orders, they are further apart
and have the same loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.audit import Release
from semiaudit.model.query import Query
from semiaudit.universe.population import Population, population

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

MAX_VECTORS = 2_000
"""The most different changes per unit that are listed."""

AT_ONCE = 100_000
"""The most changes at one distance before those that are equal are dropped."""

LARGEST = 2**28
"""The largest answer that is squared in machine integers."""

SHARE = 0.25
"""The share of the remaining time for the comparison of all pairs."""


@deadline.cached(8)
def unit_l2_squared(release: Release, query: Query) -> Fraction | None:
    """Return the largest squared length of a change per unit of distance.

    Args:
        release: the release whose D_t is listed; without t, every D_t.
        query: on the table.

    Returns:
        Exact; None if the datasets or their answers are too large to be compared pair by pair.

    Raises:
        RefusedError: an invariant is not defined on the dataspace.
    """
    with deadline.part(SHARE):
        try:
            people = _people(release, query)
            if people is None:
                return None
            shares = (
                Fraction(int((changes * changes).sum(axis=1).max()), distance * distance)
                for changes, distance in _changes(people)
            )
            return max(shares, default=Fraction(0))
        except OutOfTimeError:
            deadline.cut()
            return None


@deadline.cached(8)
def unit_changes(release: Release, query: Query) -> tuple[tuple[Fraction, ...], ...] | None:
    """Return all changes per unit up to sign, without 0.

    Args, Raises:
        As for :func:`unit_l2_squared`.

    Returns:
        None if they, the datasets, or the answers are too many or too large.
    """
    with deadline.part(SHARE):
        try:
            people = _people(release, query)
            if people is None:
                return None
            units: dict[tuple[Fraction, ...], None] = {}
            for distance, changes in _distinct(people).items():
                if len(changes) <= MAX_VECTORS:
                    units |= {
                        tuple(Fraction(entry, distance) for entry in change): None
                        for change in changes.tolist()
                    }
                if max(len(units), len(changes)) > MAX_VECTORS:
                    return None
            return tuple(unit for unit in units if any(unit))
        except OutOfTimeError:
            deadline.cut()
            return None


def _people(release: Release, query: Query) -> Population | None:
    people = population(release, "D_t", query)
    if people is None:
        return None
    size = max((abs(entry) * len(seen) for seen in people.seen for entry in seen), default=0)
    return None if size > LARGEST else people


def _changes(people: Population) -> Iterator[tuple[Integers, int]]:
    import numpy as np

    answers = np.array(people.seen, dtype=np.int64)
    group = np.array(people.universe, dtype=np.int64)
    for place, answer in enumerate(answers):
        deadline.check()
        others = np.flatnonzero(group[:place] == group[place])
        differences, distances = answers[others] - answer, people.distances[place][others]
        for distance in np.unique(distances).tolist():
            yield differences[distances == distance], distance


def _distinct(people: Population) -> dict[int, Integers]:
    """Return the different changes up to sign at each distance, or too many of one distance."""
    import numpy as np

    from semiaudit.universe.sensitivity.differences import distinct, one_sign

    largest: dict[int, Integers] = {}
    waiting: dict[int, list[Integers]] = {}

    def collect(distance: int) -> int:
        largest[distance] = distinct(one_sign(np.concatenate(waiting.pop(distance))))
        return len(largest[distance])

    for changes, distance in _changes(people):
        rows = waiting.setdefault(distance, [largest[distance]] if distance in largest else [])
        rows.append(changes)
        if sum(map(len, rows)) > AT_ONCE and collect(distance) > MAX_VECTORS:
            return largest
    for distance in list(waiting):
        if collect(distance) > MAX_VECTORS:
            break
    return largest
