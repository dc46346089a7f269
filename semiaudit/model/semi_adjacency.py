"""The semi-adjacent parameter a(t), as an interval with a witness."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.dataspace import Level

Cell = tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Witness:
    """A pair of datasets in D_t, as sparse counts, and the record that changes between them.

    For an explicit dataspace a record is (place, value), so the counts tell ordered datasets
    apart. Levels are named as in the spec. A record that enters or leaves a dataset of free size
    has None on the other side.
    """

    record_from: Cell | None
    record_to: Cell | None
    distance: int
    start: tuple[tuple[Cell, int], ...]
    end: tuple[tuple[Cell, int], ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One reading of a(t): lower <= a(t) <= upper. ``upper`` None: no finite end is proven.

    Attributes:
        trivial: the upper bound rests on nothing but the size of the datasets: n changed records
            turn any dataset into any other.
    """

    lower: int
    upper: int | None
    method: str
    source: str
    witness: Witness | None
    trivial: bool = False

    @property
    def established(self) -> bool:
        """Return whether the upper bound depends on t: by proof, or as both bounds are equal."""
        return self.upper is not None and (not self.trivial or self.lower == self.upper)

    @property
    def value(self) -> int | None:
        """The upper bound where it is established; guarantees use no other."""
        return self.upper if self.established else None


@dataclass(frozen=True, slots=True)
class OwnInvariants:
    """The note that a(t) covers the invariants of the protected unit's records only.

    Attributes:
        records: the unit of those records, such as person.
        others: the units of the other records whose invariants it does not cover.
    """

    records: str
    others: tuple[str, ...]

    @property
    def covered(self) -> str:
        """The invariants that a(t) covers, in words."""
        return f"the invariants of {self.records} records"

    @property
    def not_joint(self) -> str:
        """The invariants that a(t) does not cover, in words."""
        return f"no joint a(t) with the invariants of {' and '.join(self.others)} records is known"


@dataclass(frozen=True, slots=True)
class SemiAdjacency:
    """a(t) by both definitions, with its source, method, and bounds.

    Attributes:
        own: that a(t) is only that of the invariants of the protected unit's records; None if
            it is that of everything that is published exactly.
        theorem_16_bound: p + 1, or None if Theorem 16 does not apply.
        a_min, a_maxmin: Remark 14's alternatives; None if D_t has one dataset or they are
            not computed.
    """

    metric: Metric
    reading: Reading
    covering: Parameter
    definition_13: Parameter
    theorem_16_bound: int | None
    a_min: int | None
    a_maxmin: int | None
    own: OwnInvariants | None = None

    @property
    def joint(self) -> SemiAdjacency:
        """The proven bounds on a(t) of everything that is published exactly.

        There are none if it does not cover the invariants of other records: the joint a(t) may be
        smaller or larger than that of the protected unit's records.
        """
        if self.own is None:
            return self
        unknown = Parameter(0, None, "none", self.own.not_joint, None)
        return replace(
            self,
            covering=unknown,
            definition_13=unknown,
            theorem_16_bound=None,
            a_min=None,
            a_maxmin=None,
        )

    @property
    def chosen(self) -> Parameter:
        """The reading that guarantees use."""
        match self.reading:
            case "covering":
                return self.covering
            case "definition_13":
                return self.definition_13
            case _:
                assert_never(self.reading)

    @property
    def value(self) -> int | None:
        """The established upper bound of the chosen reading: the distance that guarantees use."""
        return self.chosen.value


CellRange = tuple[Cell, int, int | None]
"""A cell, its least count under t and its largest; None if nothing limits the count."""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The facts that the invariants alone reveal; None: not known (no counts were given).

    Attributes:
        table_is_public: every dataset in D_t has the same table.
        constant_attributes: (attribute, level) pairs that t shows to be everyone's, of attributes
            with several levels.
        constant_groups: (who, attribute, level): that all records of a group that occurs, given by
            its levels, have one level of another attribute; without those that hold for everyone.
        ranges: of every cell, where there are few of them.
        forced_cells: how many cells have one possible count under t.
        cells: how many cells there are.
    """

    table_is_public: bool | None = None
    constant_attributes: tuple[tuple[str, Level], ...] | None = None
    forced_cells: int | None = None
    cells: int | None = None
    constant_groups: tuple[tuple[Cell, str, Level], ...] | None = None
    ranges: tuple[CellRange, ...] | None = None


@dataclass(frozen=True, slots=True)
class Universe:
    """The combinatorial properties of D and D_t.

    Attributes:
        restricts: some pair of datasets in D at distance 1 disagrees on the invariants of the
            protected unit's records.
        whole: D_t is all of D.
        metric_is_adjacency_metric: Definition 1 holds on D.
        linear: the invariants are linear in the histogram (as subspace DP needs).
        farthest: no two datasets of D are farther apart; None if no distance that can be
            asked for is too large.
        one_size: all datasets of D_t have one size, however the invariants say so.
    """

    semi_adjacency: SemiAdjacency
    disclosed: Disclosed
    restricts: bool
    whole: bool
    metric_is_adjacency_metric: bool
    linear: bool
    farthest: int | None = None
    one_size: bool = True

    @property
    def neighbors_agree(self) -> bool:
        """Return whether all datasets of D at distance 1 are proven to agree on all invariants."""
        return not self.restricts and self.semi_adjacency.own is None

    def has_pairs_at(self, distance: int) -> bool:
        """Return whether two datasets of D are known to be at exactly this distance."""
        is_within_reach = self.farthest is None or distance <= self.farthest
        return is_within_reach and self.metric_is_adjacency_metric
