"""Both definitions of a(t) under margins with a junction tree and given counts, at any size.

The upper bound on covering a(t) is that of ``cover_bound``. The lower bound is that of a table in
which no record has the worst y's levels in two of the separated closures (``arrangement``); the
least number of its records that y needs is computed exactly. For two closures, the bounds are
equal: the rules of ``cover_bound`` fail for a y if and only if such a table exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from semiaudit.model.adjacency import Metric, has_places, per_record
from semiaudit.model.semi_adjacency import Parameter, Witness
from semiaudit.universe.distance.cover_bound import levels_of_y, most_covering, most_records
from semiaudit.universe.distance.exchanges import fewest, held, inside_class, witness
from semiaudit.universe.distance.separated_parts import most_parts, separated_pair
from semiaudit.universe.system.arrangement import Run, apart, table_of
from semiaudit.universe.system.decomposed import Decomposed, Levels

COVERING = "Cho and Awan, Definition 13 as read by Example 5; exchanges along a junction tree"
DEFINITION_13 = "Cho and Awan, Definition 13 as printed; exchanges along a junction tree"

MAX_CHOICES = 12
"""The most sets of closures, for each y, that are tried in the search for a table that separates
them. Nearly always, the first one works; each try is a flow through the tree."""


def covering(d: Decomposed, metric: Metric) -> Parameter:
    """Return covering a(t) as an interval; its bounds are equal for two closures."""
    still = _still(d, metric)
    if still is not None:
        return _parameter(*still, COVERING, metric)
    placed = has_places(metric)
    branches = most_covering(d.tree, d.counts, with_x=placed)
    most = most_records(d.tree, d.counts, branches, with_x=placed)
    upper = most + int(placed)
    # If a class has several cells, a dataset can be closer when the order of records is ignored.
    least = 2 if placed or d.several is None else 1
    best: tuple[int, Witness | None] = least, None
    for branch in branches:
        if best[0] >= min(branch.records, most) + int(placed):
            break
        y = levels_of_y(d.tree, branch)
        for chosen in _choices(d, y, branch.apart, placed=placed):
            if best[0] >= len(chosen) + int(placed):
                break
            pair = _apart(d, y, chosen, placed=placed)
            if pair is not None and pair[0] > best[0]:
                best = pair
    if best[0] == least and best[1] is None:
        best = _exchange(d, metric)
    return _parameter(best[0], upper, best[1], COVERING, metric)


def definition_13(d: Decomposed, metric: Metric, covering_end: int) -> Parameter:
    """Return a(t) by Definition 13 as printed: the infimum over both datasets.

    Args:
        covering_end: an upper bound on covering a(t), under the metric.
    """
    still = _still(d, metric)
    if still is not None:
        return _parameter(*still, DEFINITION_13, metric)
    upper, separated = covering_end // per_record(metric), None
    if has_places(metric):
        upper = min(upper, 1 + most_parts(d.tree, d.counts))
        separated = separated_pair(d) if upper > 2 else None
    if separated is None:
        lower, shown = _exchange(d, metric)
    else:
        runs, records, y = separated
        lower, shown = 3, witness(d, runs, records, y, 3)
    return _parameter(lower, upper, shown, DEFINITION_13, metric)


def remark_14(d: Decomposed, metric: Metric) -> tuple[int | None, int | None]:
    """Return a_min and a_maxmin: every table has one or two records that can change."""
    step = per_record(metric)
    if d.several is not None:
        return step, step
    if d.varies if has_places(metric) else d.exchangeable:
        return 2 * step, 2 * step
    return None, None


def _parameter(
    lower: int, upper: int, shown: Witness | None, source: str, metric: Metric
) -> Parameter:
    step = per_record(metric)
    if shown is not None and step > 1:
        shown = Witness(shown.record_from, shown.record_to, step * lower, shown.start, shown.end)
    method = "closed_form" if lower == upper else "set_cover"
    return Parameter(step * lower, step * upper, method, source, shown)


def _still(d: Decomposed, metric: Metric) -> tuple[int, int, Witness | None] | None:
    """Return 1 if records move only inside their classes, or 0 if no record can move."""
    if d.varies if has_places(metric) else d.exchangeable:
        return None
    if d.several is None:
        return 0, 0, None
    return 1, 1, inside_class(d, d.several, 1)


def _exchange(d: Decomposed, metric: Metric) -> tuple[int, Witness | None]:
    """A margin shows one changed record, unless the record only moves inside its class; then, if
    the order of records is ignored, another dataset can be closer.
    """
    if d.exchangeable is not None:
        k, one, other = d.exchangeable
        beyond = d.tree.beyond(k)
        y = {place: (other if place in beyond else one)[place] for place in one}
        if has_places(metric) or d.several is None:
            return 2, witness(d, d.runs, [one, other], y, 2)
    elif has_places(metric):
        one, other = _unlike(d)
        return 2, witness(d, d.runs, [one, other], other, 2)
    return (1, inside_class(d, d.several, 1)) if d.several is not None else (0, None)


def _unlike(d: Decomposed) -> tuple[Levels, Levels]:
    first = d.runs[0][0]
    return first, next(levels for levels, _, _ in d.runs if levels != first)


def _choices(
    d: Decomposed, y: Levels, apart_: Sequence[int], *, placed: bool
) -> Iterator[tuple[int, ...]]:
    room = d.size - int(placed)

    def count(k: int) -> int:
        return d.counts[k][tuple([y[place] for place in d.tree.nodes[k].places])]

    ranked = sorted(apart_, key=lambda k: (count(k), k))
    tried = 0
    for length in range(len(ranked), 0, -1):
        for left_out in range(length, -1, -1) if length < len(ranked) else (length,):
            chosen = tuple(sorted([*ranked[:left_out], *ranked[left_out + 1 : length + 1]]))
            if len(chosen) == length and sum(map(count, chosen)) <= room:
                tried += 1
                yield chosen
            if tried >= MAX_CHOICES:
                return


def _apart(
    d: Decomposed, y: Levels, chosen: Sequence[int], *, placed: bool
) -> tuple[int, Witness | None] | None:
    flow = apart(d.tree, d.counts, y, chosen)
    if flow is None:
        return None
    runs = table_of(d.tree, d.counts, y, chosen, flow)
    some: dict[int, Levels] = {}
    for levels, _, _ in runs:
        some.setdefault(held(d.tree, levels, y), levels)
    wanted = (1 << len(d.tree.nodes)) - 1
    if not placed:
        known = len(chosen), None
        return None if wanted in some else _made(d, runs, y, None, some, wanted) or known
    best: tuple[int, Witness | None] | None = None
    hits = sum(1 << k for k in chosen)
    for mask, record in sorted(some.items(), key=lambda item: item[0].bit_count()):
        if not mask & hits:
            # No record covers two of the chosen closures, and the record that changes covers none.
            known = len(chosen) + 1, None
            pair = _made(d, runs, y, record, some, wanted & ~mask) or known
            if best is None or pair[0] > best[0]:
                best = pair
    return best


def _made(
    d: Decomposed,
    runs: Sequence[Run],
    y: Levels,
    record: Levels | None,
    some: dict[int, Levels],
    wanted: int,
) -> tuple[int, Witness | None] | None:
    """Return the number of records that y needs from a table, and the pair of datasets.

    None if that takes too long. The type of the record that changes is never needed: it has none of
    the required levels.
    """
    masks = fewest(some, wanted)
    if masks is None:
        return None
    records = [some[mask] for mask in masks]
    if record is not None:
        records = [record, *records]
    distance = len(records)
    return distance, witness(d, runs, records, y, distance)
