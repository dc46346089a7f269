"""Witnesses: the record that changes between two tables, and the check of a witness.

Both only count, without any solver; the check does not use classes of cells either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import assert_never

from semiaudit.model.adjacency import Metric, has_places, per_record, table_distance
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    attributes_of,
)
from semiaudit.model.invariants.records import TableRecords
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.universe.system.components import levels_of

InvariantOf = Callable[[Counter[Cell]], object]

ABSENT = -1
"""The value instead of a class if no record leaves, or none enters."""


def changed_classes(
    start: Sequence[int], end: Sequence[int], wanted: tuple[int, int]
) -> tuple[int, int]:
    """Return a class that loses records from one table to the other, and one that gains some.

    Args:
        start, end: the counts of X and Y, by class.
        wanted: the classes x and y of a definition of a(t); each is preferred if it changes
            accordingly.

    Returns:
        ``ABSENT`` if no class loses, or none gains. Otherwise the wanted class, or the first class
        whose count changes most.
    """
    change = [after - before for before, after in zip(start, end, strict=True)]
    x, y = wanted
    changed = (
        x if x >= 0 and change[x] < 0 else min(range(len(change)), key=change.__getitem__),
        y if y >= 0 and change[y] > 0 else max(range(len(change)), key=change.__getitem__),
    )
    return (
        changed[0] if change[changed[0]] < 0 else ABSENT,
        changed[1] if change[changed[1]] > 0 else ABSENT,
    )


class WitnessError(AssertionError):
    """A witness that does not prove its claim: an internal error of the program."""


def check_witness(
    witness: Witness,
    invariant_of: InvariantOf,
    published: object = None,
    *,
    metric: Metric = "hamming",
) -> None:
    """Check that a witness is a pair of datasets of one universe at the claimed distance.

    Args:
        witness: sparse counts of both datasets and the record that changes.
        invariant_of: the invariants as a function of the counts; its value is None for a table
            outside of D_t.
        published: their published value, or None if none is given.

    Raises:
        WitnessError: a count is not positive, a record is missing, the invariants differ from each
            other or from the published value, the distance is wrong, or, if the order of records is
            ignored, the datasets do not lose and gain the named records.

    Under hamming, the distance is [x != y] + (1/2) |(h_X - e_x) - (h_Y - e_y)|_1, that of the
    closest orders of the records with x and y at the same place; otherwise it is |h_X - h_Y|_1 or
    half of it.
    """
    start, end = Counter(dict(witness.start)), Counter(dict(witness.end))
    if any(number < 1 for number in (*start.values(), *end.values())):
        raise WitnessError("a count of a witness is below 1")
    before, after = witness.record_from, witness.record_to
    if (before is not None and not start[before]) or (after is not None and not end[after]):
        raise WitnessError("the changed record is not in the witness's datasets")
    values = invariant_of(start), invariant_of(end)
    if values[0] is None or values[0] != values[1]:
        raise WitnessError("the datasets of a witness disagree on the invariants")
    if published is not None and values[0] != published:
        raise WitnessError("the datasets of a witness have other values than were published")
    extra = 0
    if not has_places(metric):
        _check_changed_records(witness, start, end)
    if has_places(metric):
        if before is None or after is None:
            raise WitnessError("no record of a witness changes")
        # The record at the changed place is x in X and y in Y. The other places can be ordered so
        # that equal records meet, and half of the remaining differences is the least number that
        # changes.
        start[before] -= 1
        end[after] -= 1
        extra = before != after
    moved = sum(abs(start[cell] - end[cell]) for cell in start.keys() | end.keys())
    # An odd difference, of which the metric would take half, is that of two sizes: they have no
    # distance.
    if moved * per_record(metric) % 2 or extra + table_distance(metric, moved) != witness.distance:
        raise WitnessError("the datasets of a witness are at another distance")


def _check_changed_records(witness: Witness, start: Counter[Cell], end: Counter[Cell]) -> None:
    """No record leaves only if no count decreases, and none enters only if no count increases."""
    before, after = witness.record_from, witness.record_to
    leaving, entering = start - end, end - start
    if (not leaving if before is None else leaving[before] > 0) and (
        not entering if after is None else entering[after] > 0
    ):
        return
    raise WitnessError("the changed record of a witness does not change")


class PublicValues:
    """The value of every invariant of a release, as a function of sparse counts of cells."""

    def __init__(self, release: Release, space: TableSpace) -> None:
        self.release, self.space = release, space
        self.invariants = known(release.invariants)

    def __call__(self, counts: Counter[Cell]) -> tuple[Hashable, ...] | None:
        """Return the values.

        None for a table with structural zeros or outside the public bounds.
        """
        records = TableRecords(self.space, counts)
        if any(map(records.occurs, self.space.impossible)):
            return None
        if not all(map(self._is_nested, records.cells)):
            return None
        values = tuple(invariant.value(records) for invariant in self.invariants)
        return None if None in values else values

    def published(self) -> tuple[Hashable, ...] | None:
        """Return the published values in the same form, or None if they are not given."""
        published = self.release.published
        if not isinstance(published, PublishedCounts):
            return None
        constraints = constraints_of(self.invariants)
        return tuple(
            self._published(published, index, constraint)
            for index, constraint in enumerate(constraints)
        )

    def _published(
        self, published: PublishedCounts, index: int, constraint: Constraint
    ) -> Hashable:
        names = attributes_of(constraint, self.space)
        match constraint:
            case SameSize():
                return published.size
            case SameMargin():
                flat = dict(published.margins)[names]
                return frozenset((self._labels(names, c), k) for c, k in enumerate(flat) if k)
            case SameSums() | SameCellSums():
                return dict(published.others)[index]
            case SameSupport():
                occurring = dict(published.others)[index]
                return frozenset(self._labels(names, cell) for cell in occurring)
            case Within():
                return True
            case _:
                assert_never(constraint)

    def _labels(self, names: tuple[str, ...], cell: int) -> Cell:
        attributes = [self.space.attributes[self.space.position(name)] for name in names]
        levels = levels_of(cell, [attribute.size for attribute in attributes])
        return tuple(a.label(level) for a, level in zip(attributes, levels, strict=True))

    def _is_nested(self, cell: Cell) -> bool:
        for attribute, level in zip(self.space.attributes, cell, strict=True):
            if attribute.within is not None:
                place = self.space.position(attribute.within)
                parent = self.space.attributes[place]
                index = attribute.index(level)
                if index is None or parent.label(attribute.parents[index]) != cell[place]:
                    return False
        return True


def check_table(release: Release, space: TableSpace, reading: Parameter) -> None:
    """Check a witness against the spec's own words, by counting. Raises WitnessError."""
    if reading.witness is None:
        return
    values = PublicValues(release, space)
    metric = release.adjacency.metric
    check_witness(reading.witness, values, values.published(), metric=metric)
