"""The strata of a swapping: how large the largest one is in which something can change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.published import PublishedCounts
from semiaudit.model.swapping import Names, Swapping
from semiaudit.universe.system.components import levels_of


@dataclass(frozen=True, slots=True)
class Strata:
    """What is known of the strata.

    Attributes:
        largest: the records of the largest stratum in which something can change, or more; 0 where
            nothing can change in any. None where no end of it is known.
        all_differ: D_t has a dataset, or some D_t has one where t is not known, of which that
            stratum has no two records that agree in what is exchanged, or in all the rest.
    """

    largest: int | None
    all_differ: bool


@dataclass(frozen=True, slots=True)
class _Stratum:
    """One stratum of t.

    Attributes:
        records: how many. swapped, rest: how many combinations of values occur.
    """

    records: int
    swapped: int
    rest: int

    @property
    def changes(self) -> bool:
        """Whether two of its records can differ in what is exchanged, and in the rest."""
        return self.swapped > 1 and self.rest > 1

    @property
    def all_differ(self) -> bool:
        return self.swapped == self.rest == self.records


def strata_of(part: Swapping, release: Release) -> Strata:
    """The strata of a swapping, from t where it is known, else from what the spec says of sizes.

    Raises:
        RefusedError: the sizes that the spec gives contradict t.
    """
    space = release.dataspace
    told = max(part.strata, default=part.largest_stratum)
    if not isinstance(space, TableSpace) or not space.attributes:
        return Strata(told if told is None or told > 1 else 0, False)
    names = [attribute.name for attribute in space.attributes]
    values = [
        prod(space.attributes[space.position(name)].size for name in group)
        for group in (part.swap, part.rest(names))
    ]
    if min(values) < 2:
        return Strata(0, False)
    alone = space.product_cells and _nothing_else(part, release, names)
    counted = _counted(part, release, space)
    if counted is not None:
        _check_sizes(part, counted)
        changing = [stratum for stratum in counted if stratum.changes]
        largest = max((stratum.records for stratum in changing), default=0)
        differ = any(s.all_differ for s in changing if s.records == largest)
        return Strata(largest, alone and differ)
    most = space.size if told is None else told
    if most is not None and most < 2:
        return Strata(0, False)
    return Strata(most, alone and most is not None and min(values) >= most)


def _nothing_else(part: Swapping, release: Release, names: Sequence[str]) -> bool:
    """Whether the invariants tell nothing but what swapping keeps."""
    kept = [{*margin} for margin in part.kept(names)]
    return all(
        isinstance(c, SameSize)
        or (isinstance(c, SameMargin) and any({*c.attributes} <= margin for margin in kept))
        for c in constraints_of(release.invariants)
    )


def _counted(part: Swapping, release: Release, space: TableSpace) -> tuple[_Stratum, ...] | None:
    """The strata that t tells; None where it tells none."""
    published = release.published
    if not isinstance(published, PublishedCounts):
        return None
    return _counted_once(published, space, frozenset(part.stratify_by), frozenset(part.swap))


@lru_cache(maxsize=8)
def _counted_once(
    published: PublishedCounts, space: TableSpace, by: frozenset[str], swap: frozenset[str]
) -> tuple[_Stratum, ...] | None:
    order = [attribute.name for attribute in space.attributes]
    rest = {name for name in order if name not in by | swap}
    found = []
    for group in (swap, rest):
        telling = next((m for m in published.margins if by | group <= {*m[0]}), None)
        if telling is None:
            return None
        found.append(_by_stratum(space, *telling, by, group))
    swapped, others = found
    return tuple(
        _Stratum(sum(counts.values()), len(counts), len(others[stratum]))
        for stratum, counts in swapped.items()
    )


def _by_stratum(
    space: TableSpace, names: Names, counts: Sequence[int], by: Set[str], group: Set[str]
) -> dict[int, Counter[int]]:
    """For every stratum that has a record, the counts of the values of some attributes.

    Both are told by their places among the combinations of their own attributes' levels.

    Args:
        names, counts: a margin, row-major, its attributes in the order of the spec.
        by: the attributes that tell the strata. group: those of the values.
    """
    found: dict[int, Counter[int]] = {}
    sizes = [space.attributes[space.position(name)].size for name in names]
    for cell, count in enumerate(counts):
        if not count:
            continue
        stratum = value = 0
        for name, level, size in zip(names, levels_of(cell, sizes), sizes, strict=True):
            if name in by:
                stratum = stratum * size + level
            if name in group:
                value = value * size + level
        found.setdefault(stratum, Counter())[value] += count
    return found


def _check_sizes(part: Swapping, counted: Sequence[_Stratum]) -> None:
    """Sizes that the spec gives beside t must agree with it."""
    sizes = sorted(stratum.records for stratum in counted)
    most = part.largest_stratum
    if part.strata and sorted(part.strata) != sizes:
        what = f"strata are not those of the data, which have {len(sizes)}"
    elif most is not None and max(sizes, default=0) > most:
        what = f"largest_stratum is {most}, and the data have a larger one"
    else:
        return
    mark = part.mark
    remedy = "correct the size or the data, or leave the size out"
    raise RefusedError(Refusal(what, remedy, "mechanism.swapping", mark.line, mark.column))
