"""The strata of a swapping: the size of the largest one in which something can change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from math import prod

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.swapping.stratum_loss import decisive_sizes, sizes_up_to
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.randomizers import Names, Swapping
from semiaudit.universe.system.components import levels_of


@dataclass(frozen=True, slots=True)
class Strata:
    """The known properties of the strata.

    Attributes:
        largest: an upper bound on the records of the largest stratum in which something can change;
            0 if nothing can change in any. None if there is no bound.
        all_differ: whether D_t (or some D_t, if t is unknown) has a dataset in which no two records
            of that stratum agree in the exchanged attributes, or in all others.
        single: whether the spec, and not t, says that no stratum has two records. Then the values
            that swapping keeps show every record completely.
        known: the sizes of all strata in which something can change; None if only the largest is
            known.
    """

    largest: int | None
    all_differ: bool
    single: bool = False
    known: tuple[int, ...] | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return sizes of which one has the largest loss.

        Empty if nothing can change or be proven.
        """
        if self.known is not None:
            return decisive_sizes(self.known)
        return sizes_up_to(self.largest or 0)


@dataclass(frozen=True, slots=True)
class _Stratum:
    """A stratum of t.

    Attributes:
        records: the number of records. swapped, rest: the numbers of combinations of values that
            occur.
    """

    records: int
    swapped: int
    rest: int

    @property
    def changes(self) -> bool:
        """Return whether two of its records can differ in exchanged and in other attributes."""
        return self.swapped > 1 and self.rest > 1

    @property
    def all_differ(self) -> bool:
        return self.swapped == self.rest == self.records


def strata_of(part: Swapping, release: Release) -> Strata:
    """Return the strata of a swapping, from t if it is known, else from the sizes in the spec.

    Raises:
        RefusedError: the sizes that the spec gives contradict t.
    """
    space = release.dataspace
    bound = max(part.strata, default=part.largest_stratum)
    if not isinstance(space, TableSpace) or not space.attributes:
        return _single() if bound == 1 else Strata(bound, False, known=part.strata or None)
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
        check_sizes(part, [stratum.records for stratum in counted])
        changing = [stratum for stratum in counted if stratum.changes]
        largest = max((stratum.records for stratum in changing), default=0)
        differ = any(s.all_differ for s in changing if s.records == largest)
        sizes = tuple(stratum.records for stratum in changing)
        return Strata(largest, alone and differ, known=sizes)
    most = space.size if bound is None else bound
    if most is not None and most < 2:
        return _single()
    differ = alone and most is not None and min(values) >= most
    return Strata(most, differ, known=part.strata or None)


def _single() -> Strata:
    return Strata(0, False, single=True)


def _nothing_else(part: Swapping, release: Release, names: Sequence[str]) -> bool:
    margins = [{*margin} for margin in part.kept(names)]
    return all(
        isinstance(c, SameSize)
        or (isinstance(c, SameMargin) and any({*c.attributes} <= margin for margin in margins))
        for c in constraints_of(release.invariants)
    )


def _counted(part: Swapping, release: Release, space: TableSpace) -> tuple[_Stratum, ...] | None:
    published = release.published
    if not isinstance(published, PublishedCounts):
        return None
    return _counted_once(published, space, frozenset(part.stratify_by), frozenset(part.swap))


@lru_cache(maxsize=8)
def _counted_once(
    published: PublishedCounts, space: TableSpace, by: frozenset[str], swap: frozenset[str]
) -> tuple[_Stratum, ...] | None:
    order = [attribute.name for attribute in space.attributes]
    unused = {name for name in order if name not in by | swap}
    counted = []
    for group in (swap, unused):
        telling = next(
            (m for m in published.margins if by | group <= space.determined_by(m[0])), None
        )
        if telling is None:
            return None
        counted.append(_by_stratum(space, *telling, by, group))
    swapped, others = counted
    return tuple(
        _Stratum(sum(counts.values()), len(counts), len(others[stratum]))
        for stratum, counts in swapped.items()
    )


def _by_stratum(
    space: TableSpace, names: Names, counts: Sequence[int], by: Set[str], group: Set[str]
) -> dict[int, Counter[int]]:
    """For every stratum with a record, return the counts of the values of some attributes.

    Strata and values are indices among the combinations of their own attributes' levels.

    Args:
        names, counts: a margin, row-major, its attributes in the order of the spec.
        by: the attributes that define the strata. group: those of the values.
    """
    tallies: dict[int, Counter[int]] = {}
    known = {attribute.name: attribute for attribute in space.attributes}
    sizes = [known[name].size for name in names]
    determined = sorted(space.determined_by(names) & (by | group))
    for cell, count in enumerate(counts):
        if not count:
            continue
        levels = dict(zip(names, levels_of(cell, sizes), strict=True))
        stratum = value = 0
        for name in determined:
            size, level = known[name].size, _level(name, levels, known)
            if name in by:
                stratum = stratum * size + level
            if name in group:
                value = value * size + level
        tallies.setdefault(stratum, Counter())[value] += count
    return tallies


def _level(name: str, levels: Mapping[str, int], known: Mapping[str, Attribute]) -> int:
    if name in levels:
        return levels[name]
    inner = next(
        a for a in known.values() if a.within == name and _determine(a.name, levels, known)
    )
    return inner.parents[_level(inner.name, levels, known)]


def _determine(name: str, levels: Mapping[str, int], known: Mapping[str, Attribute]) -> bool:
    inner = [a.name for a in known.values() if a.within == name]
    return name in levels or any(_determine(inner_name, levels, known) for inner_name in inner)


def check_sizes(part: Swapping, counted: Sequence[int]) -> None:
    """Check the sizes of strata in the spec against those of t.

    Args:
        counted: the records of every stratum that has one.

    Raises:
        RefusedError: the sizes differ.
    """
    sizes = sorted(counted)
    most = part.largest_stratum
    if part.strata and sorted(part.strata) != sizes:
        what = f"the sizes in strata differ from those of the data, which have {len(sizes)} strata"
    elif most is not None and max(sizes, default=0) > most:
        what = f"largest_stratum is {most}, but the data have a larger stratum"
    else:
        return
    mark = part.mark
    remedy = "correct the size or the data, or remove the size"
    raise RefusedError(Refusal(what, remedy, "mechanism.swapping", mark.line, mark.column))
