"""The kinds of invariants, which are published exactly.

Each kind defines its words (``str``), its key (reports and baselines compare it; it never changes),
its constraint on tables (None if it is not a count, and only enumeration can analyze it), and its
value on any dataset. The value is computed from the records and not from the constraint, so that
values check the conclusions of the analysis. A value of None excludes a dataset. Each invariant has
its place in the spec.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, get_args

from semiaudit.errors import NOWHERE, Mark, Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Condition, Dataset, Dataspace, TableSpace, condition_key
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    is_margin,
)
from semiaudit.model.invariants.records import Records

if TYPE_CHECKING:
    from semiaudit.model.randomizers import Swapping

__all__ = [
    "KINDS",
    "Count",
    "Invariant",
    "KeptCounts",
    "Keys",
    "Linear",
    "Margin",
    "Partition",
    "PublicBound",
    "Statistic",
    "Total",
    "constraints_of",
    "fix_the_size",
    "known",
    "margin_of",
    "with_rows",
]


@dataclass(frozen=True, slots=True)
class Count:
    """The number of records that satisfy a condition: attribute -> the levels it allows."""

    where: Condition
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"count where {condition_key(self.where)}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The constraint on a table."""
        return SameSums((((1, self.where),),), self.mark)

    def value(self, records: Records) -> Hashable:
        """The count, as the only sum."""
        return (records.number(self.where),)


@dataclass(frozen=True, slots=True)
class Keys:
    """The combinations of levels that occur."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"keys [{', '.join(self.attributes)}]"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The constraint on a table."""
        return SameSupport(self.attributes, self.mark)

    def value(self, records: Records) -> Hashable:
        """Every combination that occurs."""
        return frozenset(records.counts(self.attributes))


@dataclass(frozen=True, slots=True)
class Linear:
    """Integer rows over the cells of the table, row-major in the order of the attributes."""

    name: str
    rows: tuple[tuple[int, ...], ...]
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"linear {self.name}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The constraint on a table."""
        return SameCellSums(self.rows, self.mark)

    def value(self, records: Records) -> Hashable:
        """The rows' sums.

        Raises:
            RefusedError: the dataspace is explicit, and has no cells.
        """
        sums = tuple(records.weighted(row) for row in self.rows)
        if None in sums:
            what = f"{self} refers to the cells of a table, but the dataspace is explicit"
            mark = self.mark
            raise RefusedError(
                Refusal(what, "use count or partition", "invariants", mark.line, mark.column)
            )
        return sums


@dataclass(frozen=True, slots=True)
class Margin:
    """The counts of every combination of levels of some attributes.

    Attributes:
        where: only records that satisfy this condition are counted; () if all are.
        counted: with ``where``, the condition of each count; no record satisfies two of them.
    """

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE
    where: Condition = ()
    counted: tuple[Condition, ...] = ()

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        where = f" where {condition_key(self.where)}" if self.where else ""
        return f"margin [{', '.join(self.attributes)}]{where}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The constraint on a table."""
        if self.where:
            return SameSums(tuple(((1, one),) for one in self.counted), self.mark)
        return SameMargin(self.attributes, self.mark)

    def value(self, records: Records) -> Hashable:
        """Every combination that occurs, with its count; with ``where``, the counts in order."""
        if self.where:
            return tuple(map(records.number, self.counted))
        return frozenset(records.counts(self.attributes).items())


UNLISTED = -1
"""The block of all datasets that no block lists."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The universes themselves: blocks of datasets; unlisted datasets form one block more."""

    blocks: tuple[tuple[Dataset, ...], ...]
    mark: Mark = NOWHERE
    _block_of: Mapping[Dataset, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        block_of = {dataset: i for i, block in enumerate(self.blocks) for dataset in block}
        object.__setattr__(self, "_block_of", block_of)

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return "partition"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """Return None: a partition is not a count of a table."""
        return None

    def value(self, records: Records) -> Hashable:
        """The block of the dataset.

        Raises:
            RefusedError: the records are a table's, and no dataset of a block.
        """
        if records.ordered is None:
            what, mark = "partition lists datasets, and this is a table", self.mark
            raise RefusedError(
                Refusal(what, "use an explicit dataspace", "invariants", mark.line, mark.column)
            )
        return self._block_of.get(records.ordered, UNLISTED)


@dataclass(frozen=True, slots=True)
class PublicBound:
    """Public knowledge on a count: ``at_least`` and ``at_most`` may be None."""

    where: Condition
    at_least: int | None
    at_most: int | None
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"bound where {condition_key(self.where)}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The constraint on a table."""
        return Within(self.where, self.at_least or 0, self.at_most, self.mark)

    def value(self, records: Records) -> Hashable:
        """True within the bound; None outside, where no dataset of D_t is."""
        number = records.number(self.where)
        low = self.at_least is not None and number < self.at_least
        high = self.at_most is not None and number > self.at_most
        return None if low or high else True


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of an attribute that need not be a count: min, max, sum, median, range."""

    name: str
    of: str
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"statistic {self.name} of {self.of}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """Return None: a statistic is not a count of a table."""
        return None

    def value(self, records: Records) -> Hashable:
        """The statistic; of no records it is the empty text.

        Raises:
            RefusedError: a value is a word, or the records are a table's.
        """
        values = records.ordered
        numbers = sorted(value for value in values or () if isinstance(value, Fraction))
        if values is None or len(numbers) != len(values):
            mark = self.mark
            why = f"{self} needs numbers, and a value is a word"
            raise RefusedError(
                Refusal(why, "use count or margin", "invariants", mark.line, mark.column)
            )
        if not numbers:
            return ""
        middle = len(numbers) // 2
        statistics = {
            "min": numbers[0],
            "max": numbers[-1],
            "sum": sum(numbers, Fraction(0)),
            "mean": sum(numbers, Fraction(0)) / len(numbers),
            "range": numbers[-1] - numbers[0],
            "median": (numbers[middle] + numbers[-middle - 1]) / 2,
        }
        return statistics[self.name]


@dataclass(frozen=True, slots=True)
class Total:
    """The number of records."""

    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return "total"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The constraint on a table."""
        return SameSize(self.mark)

    def value(self, records: Records) -> Hashable:
        """The number of records."""
        return records.size


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The counts of each stratum by what is exchanged, and of each by everything else.

    No spec states it, and no attribute tells the strata.
    """

    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return "the counts that swapping keeps"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """The number of records, and that no record changes alone: there are no attributes."""
        return SameSize(self.mark, by_unlisted=True)

    def value(self, records: Records) -> Hashable:
        """The number of records, the only count of a table without attributes."""
        return records.size


def induced(
    space: Dataspace, swappings: Sequence[Swapping], stated: Sequence[Invariant]
) -> tuple[Invariant, ...]:
    """The counts that swapping leaves as they are, so that its output shows them exactly.

    Args:
        space: of the release.
        swappings: all that its mechanism does.
        stated: the spec's own invariants.

    Returns:
        The margins that ``kept_margins`` names, and where strata are known by their sizes only what
        stands for them; each with the place of the swapping.
    """
    invariants: list[Invariant] = []
    for part in swappings:
        so_far = [*stated, *invariants]
        invariants += [Margin(names, part.mark) for names in kept_margins(space, part, so_far)]
        if part.by_sizes and not is_kept_by_sizes([*stated, *invariants]):
            invariants.append(KeptCounts(part.mark))
    return tuple(invariants)


def kept_margins(
    space: Dataspace, part: Swapping, invariants: Sequence[Invariant]
) -> tuple[tuple[str, ...], ...]:
    """The margins that swapping keeps and that lie within no margin among the invariants.

    A margin by county tells that by the states in which the counties lie.
    """
    if not isinstance(space, TableSpace):
        return ()
    constraints = [invariant.constraint for invariant in invariants]
    margins = [space.determined_by(c.attributes) for c in constraints if isinstance(c, SameMargin)]
    swapped = part.kept(attribute.name for attribute in space.attributes)
    return tuple(names for names in swapped if not any({*names} <= margin for margin in margins))


def is_kept_by_sizes(invariants: Sequence[Invariant]) -> bool:
    """Return whether the counts are invariant that no attribute determines."""
    constraints = [invariant.constraint for invariant in invariants]
    return any(isinstance(c, SameSize) and c.by_unlisted for c in constraints)


Invariant = (
    Total | Margin | Count | Keys | PublicBound | Linear | Statistic | Partition | KeptCounts
)

KINDS: tuple[type[Invariant], ...] = get_args(Invariant)


def known(invariants: Sequence[Invariant]) -> tuple[Invariant, ...]:
    """The invariants, all of kinds that this version knows.

    Raises:
        RefusedError: with the place of every other object.
    """
    refused = [
        _refusal(
            index,
            f"{type(invariant).__name__} is not a kind of invariant that is known",
            f"use one of {', '.join(kind.__name__ for kind in KINDS)}",
            getattr(invariant, "mark", NOWHERE),
        )
        for index, invariant in enumerate(invariants)
        if type(invariant) not in KINDS
    ]
    if refused:
        raise RefusedError(*refused)
    return tuple(invariants)


def constraints_of(invariants: Sequence[Invariant]) -> tuple[Constraint, ...]:
    """The constraint of every invariant of a table, in their order.

    Raises:
        RefusedError: with the place of every invariant that is no count of a table.
    """
    constraints, refused = [], []
    for index, invariant in enumerate(known(invariants)):
        constraint = invariant.constraint
        if constraint is not None:
            constraints.append(constraint)
            continue
        what = f"{invariant} is not a count of a table"
        remedy = "use count or linear, or an explicit dataspace"
        refused.append(_refusal(index, what, remedy, invariant.mark))
    if refused:
        raise RefusedError(*refused)
    return tuple(constraints)


def fix_the_size(invariants: Sequence[Invariant]) -> bool:
    """Return whether a published margin, or the total, fixes the number of records.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    constraints = (invariant.constraint for invariant in known(invariants))
    return any(c is not None and is_margin(c) for c in constraints)


def margin_of(attributes: Sequence[str], mark: Mark) -> Invariant:
    """The margin of some attributes; of none it is the number of records."""
    return Margin(tuple(attributes), mark) if attributes else Total(mark)


def with_rows(invariant: Invariant, rows: Sequence[int] | None) -> Invariant:
    """An invariant with some of its rows; as it is if none are named."""
    if rows is None:
        return invariant
    match invariant:
        case Linear():
            return replace(invariant, rows=tuple(invariant.rows[row] for row in rows))
        case Margin():
            return replace(invariant, counted=tuple(invariant.counted[row] for row in rows))
        case _:
            raise TypeError(f"{invariant} has one row or none")


def _refusal(index: int, what: str, remedy: str, mark: Mark) -> Refusal:
    return Refusal(what, remedy, f"invariants[{index}]", mark.line, mark.column)
