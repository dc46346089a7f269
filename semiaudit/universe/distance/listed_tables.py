"""Both definitions of a(t) from the list of all tables of D_t.

With u = h_Y - h_X, the closest orders of two tables in which x becomes y at one place differ in
(1/2)|u| + [u_y <= 0] + [u_x >= 0] records for x != y. A record that must leave or enter a cell,
although the table does not require it, costs one more change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.model.adjacency import Metric, has_places, per_record
from semiaudit.universe.distance.interval import ParameterInterval, Readings
from semiaudit.universe.system.classes_of_cells import Table
from semiaudit.universe.system.components import Numbers

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NEVER = 2**31 - 1
"""The distance if there is no such dataset."""

MAX_WORK = 3_000_000_000
"""The largest (tables x classes)^2 for which tables are compared pair by pair: about a second."""


def feasible_work(tables: int, classes: int) -> bool:
    """Return whether that many tables can be compared pair by pair in about a second."""
    return (tables * classes) ** 2 <= MAX_WORK


def readings_of(
    tables: Sequence[Table], multiplicity: Numbers, metric: Metric, *, size_is_free: bool
) -> Readings:
    """Return both definitions and Remark 14's values, by comparing all tables of one D_t.

    Args:
        tables: every table of D_t over the classes, at least one.
        multiplicity: cells in each class; all 1 for the metrics that ignore the order of records
            (see ``split``).
        size_is_free: the number of records is not fixed in D (symmetric_difference only).
    """
    counts = np.array(tables, dtype=np.int64).reshape(len(tables), -1)
    if has_places(metric):
        return _with_places(counts, np.array(multiplicity))
    return _without_places(counts, metric, size_is_free=size_is_free)


def pair_distances(start: Ints, counts: Ints) -> Ints:
    """For one start, return M x M distances of the closest datasets in which a record x became y.

    ``NEVER`` if x does not occur in the start, or if y occurs in no table.
    """
    change = counts - start
    base = np.abs(change).sum(axis=1) // 2
    order = np.argsort(base, kind="stable")
    change, base, has = change[order], base[order], counts[order] > 0
    leaves, enters = change < 0, change > 0
    never = np.full(counts.shape[1], NEVER, dtype=np.int64)
    at_once = _first(base, leaves, enters)
    after_leaving = _first(base, leaves, has) + 1
    entered = np.minimum(_first_of(base, enters, never) + 1, _first_of(base, has, never) + 2)
    distances = np.minimum(np.minimum(at_once, after_leaving), entered[None, :])
    distances[start <= 0] = NEVER
    np.fill_diagonal(distances, NEVER)
    return np.where(distances >= NEVER, NEVER, distances)


def _first_of(base: Ints, flags: Flags, never: Ints) -> Ints:
    """For every class, return the least base (in increasing order) at which its flag is set."""
    place = flags.argmax(axis=0)
    return np.where(flags.any(axis=0), base[place], never)


def _first(base: Ints, rows: Flags, columns: Flags) -> Ints:
    """Return M x M: the least base at which a row and a column flag are both set; bases ascend."""
    size = rows.shape[1]
    distances = np.full((size, size), NEVER, dtype=np.int64)
    starts = np.flatnonzero(np.diff(base, prepend=-1))
    if len(starts) > size:
        # There are fewer classes than different bases: looping over the classes of the rows is
        # faster.
        leaving, arriving = np.ascontiguousarray(rows.T), np.ascontiguousarray(columns.T)
        for c in range(size):
            hits = arriving & leaving[c]
            place = hits.argmax(axis=1)
            distances[c] = np.where(hits[np.arange(size), place], base[place], NEVER)
        return distances
    for begin, end in zip(starts, [*starts[1:], len(base)], strict=True):
        hit = rows[begin:end].T.astype(np.float32) @ columns[begin:end].astype(np.float32) > 0
        distances[hit & (distances == NEVER)] = base[begin]
    return distances


def _with_places(counts: Ints, multiplicity: Ints) -> Readings:
    several = multiplicity > 1
    moves_inside: Flags = np.asarray((counts[:, several] > 0).any(axis=1))
    covering = definition_13 = ParameterInterval(0, 0)
    if moves_inside.any():
        at = int(moves_inside.argmax())
        c = int(np.flatnonzero(several & (counts[at] > 0))[0])
        covering = definition_13 = ParameterInterval(
            1, 1, _row(counts, at), _row(counts, at), (c, c)
        )
    closest = np.full((counts.shape[1],) * 2, NEVER, dtype=np.int64)
    nearest_start = np.zeros_like(closest)
    worst, worst_at, worst_pair = covering.lower, -1, (0, 0)
    nearest = []
    for at, start in enumerate(counts):
        deadline.check()
        distances = pair_distances(start, counts)
        finite = np.where(distances == NEVER, -1, distances)
        if finite.size and finite.max() > worst:
            worst, worst_at = int(finite.max()), at
            worst_pair = divmod(int(finite.argmax()), finite.shape[1])
        closer = distances < closest
        closest[closer], nearest_start[closer] = distances[closer], at
        nearest.append(_nearest_other(at, counts, moves_inside=bool(moves_inside[at])))
    if worst_at >= 0:
        covering = _interval(counts, worst_at, worst_pair, worst)
    finite = np.where(closest == NEVER, -1, closest)
    if finite.size and finite.max() > definition_13.lower:
        x, y = divmod(int(finite.argmax()), finite.shape[1])
        value = int(finite.max())
        definition_13 = _interval(counts, int(nearest_start[x, y]), (x, y), value)
    known = [value for value in nearest if value < NEVER]
    return Readings(covering, definition_13, min(known, default=None), max(known, default=None))


def _nearest_other(at: int, counts: Ints, *, moves_inside: bool) -> int:
    if moves_inside:
        return 1
    distances = np.abs(counts - counts[at]).sum(axis=1) // 2
    distances[at] = NEVER
    nearest = int(distances.min())
    return min(nearest, 2) if (counts[at] > 0).sum() > 1 else nearest


def _interval(counts: Ints, at: int, pair: tuple[int, int], value: int) -> ParameterInterval:
    change = counts - counts[at]
    x, y = pair
    distance = np.abs(change).sum(axis=1) // 2 + (change[:, y] <= 0) + (change[:, x] >= 0)
    distance[counts[:, y] <= 0] = NEVER
    end = int(distance.argmin())
    return ParameterInterval(value, value, _row(counts, at), _row(counts, end), pair)


def _without_places(counts: Ints, metric: Metric, *, size_is_free: bool) -> Readings:
    """All values are exact, because all pairs are compared. Of the pairs that attain a value, one
    in which Y has more records y than X is chosen, if there is one.
    """
    has = counts > 0
    size = counts.shape[1]
    closest = np.full((size, size), NEVER, dtype=np.int64)
    worst, shown = (0, False), (0, 0, 0)
    nearest = []
    for at, start in enumerate(counts):
        deadline.check()
        base = np.abs(counts - start).sum(axis=1) * per_record(metric) // 2
        # Only another table is a neighbor: without places, an exchange of two records changes
        # nothing.
        base[at] = NEVER
        best = np.where(has, base[:, None], NEVER).min(axis=0)
        nearest.append(int(base.min()))
        # A dataset without records has none that changes, unless a record can enter.
        if start.any() or size_is_free:
            gains = np.where(counts > start, base[:, None], NEVER)
            shows = gains.min(axis=0) == best
            rank = np.where(best == NEVER, -1, 2 * best + shows)
            y = int(rank.argmax()) if size else 0
            if size and rank[y] > 2 * worst[0] + worst[1]:
                column = gains[:, y] if shows[y] else np.where(has[:, y], base, NEVER)
                worst, shown = (int(best[y]), bool(shows[y])), (at, int(column.argmin()), y)
        if size_is_free and start.any() and NEVER > base.min() > worst[0]:
            worst, shown = (int(base.min()), True), (at, int(base.argmin()), -1)
        rows = np.ones(size, dtype=bool) if size_is_free else start > 0
        # definition_13 may choose X among all tables with x, so the least over these starts is its
        # distance.
        closest[rows] = np.minimum(closest[rows], best)
    known = [value for value in nearest if value < NEVER]
    covering = ParameterInterval(0, 0)
    if worst[0]:
        at, end, y = shown
        covering = ParameterInterval(
            worst[0], worst[0], _row(counts, at), _row(counts, end), (-1, y)
        )
    definition_13 = ParameterInterval(0, 0)
    finite = np.where(closest == NEVER, -1, closest)
    if finite.size and finite.max() > 0:
        definition_13 = _closest_pair(
            counts, finite == finite.max(), int(finite.max()), metric, size_is_free=size_is_free
        )
    return Readings(covering, definition_13, min(known, default=None), max(known, default=None))


def _closest_pair(
    counts: Ints, pairs: Flags, value: int, metric: Metric, *, size_is_free: bool
) -> ParameterInterval:
    """Return two tables at a distance with a pair (x, y): if possible, with fewer x and more y.

    Args:
        pairs: flags by x and y: pairs for which some tables are at this distance, and none are
            closer.
        value: the distance, above 0.
        size_is_free: x is the absence of a record, for any row of ``pairs``.
    """
    for changes in (True, False):
        for start in counts:
            base = np.abs(counts - start).sum(axis=1) * per_record(metric) // 2
            ends = counts[base == value]
            leaves, enters = start > ends, ends > start
            if not changes:
                leaves, enters = np.broadcast_to(start > 0, ends.shape), ends > 0
            if size_is_free:
                leaves = np.ones_like(leaves)
            fits = ((leaves.astype(np.float32) @ pairs.astype(np.float32)) > 0) & enters
            if fits.any():
                at, y = divmod(int(fits.argmax()), fits.shape[1])
                x = int((leaves[at] & pairs[:, y]).argmax())
                return ParameterInterval(value, value, _ints(start), _ints(ends[at]), (x, y))
    return ParameterInterval(value, value)


def _row(counts: Ints, at: int) -> Table:
    return _ints(counts[at])


def _ints(counts: Ints) -> Table:
    return tuple(int(count) for count in counts)
