"""The result of a swap: the rows of its files, and its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field as field_of
from typing import TYPE_CHECKING

from semiaudit.commands.sample.rows import Kinds, field, free_name, line
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import known
from semiaudit.model.invariants.constraint import SameMargin, SameSize, Within
from semiaudit.model.randomizers import Names, Swapping, SwapVariant
from semiaudit.model.results.sample import Sample, SampledPart, SampledSwap, UtilityCurve

if TYPE_CHECKING:
    from semiaudit.mechanisms.swapping.cells import Cells

AT_ONCE = 10_000
"""Equal records that are written as one text."""

SEEDED = (
    "anyone who knows the seed can undo much of the swap: use a seed only for tests, and do not "
    "publish the records"
)
CONFIDENTIAL = (
    "publish only the swapped records and the counts that swapping keeps: the numbers of selected "
    "and moved records, and the errors, are computed from the confidential data, and no audit "
    "covers them"
)
NOT_KEPT = (
    "the spec publishes {names} exactly, and swapping does not keep it: the swapped records can "
    "have another value"
)
STILL = (
    "the swap changes nothing: no stratum has two records that differ both in the exchanged "
    "attributes and in the others, so the counts that swapping keeps disclose every record"
)
LEFT_OUT = (
    "columns that are not attributes of the dataspace were not written, because the audit does not "
    "cover them; add an attribute for each column that the release needs"
)


@dataclass(frozen=True)
class Swapped:
    """The result of a swap.

    Attributes:
        sample: its description.
        space: the attributes.
        cells: the swapped table; None if only its utility was requested.
        counts: whether rows are cells with a column of counts, as in the data; otherwise, rows are
            records.
        types: the types of the attribute columns in Parquet, if known from the data.
    """

    sample: Sample
    space: TableSpace
    cells: Cells | None
    counts: bool
    types: Mapping[str, str] = field_of(default_factory=dict)

    @property
    def columns(self) -> Kinds:
        """Return the columns of the rows of ``lines``: the attributes, by name."""
        kinds = {a.name: self.types.get(a.name) or _kind(a) for a in self.space.attributes}
        return kinds | ({free_name("count", kinds): "integer"} if self.counts else {})

    def lines(self) -> Iterator[str]:
        """Yield the swapped records, or the counts of the swapped table, as CSV with a header.

        Rows are sorted by their levels, so no row's position shows where it was.
        """
        yield line(list(self.columns))
        if self.cells is None:
            return
        labels = [[field(str(a.label(k))) for k in range(a.size)] for a in self.space.attributes]
        rows = zip(self.cells.levels.tolist(), self.cells.counts.tolist(), strict=True)
        for levels, count in rows:
            text = ",".join([known[k] for known, k in zip(labels, levels, strict=True)])
            if self.counts:
                yield f"{text},{count}\n"
                continue
            text += "\n"
            for first in range(0, count, AT_ONCE):
                yield text * min(AT_ONCE, count - first)

    def __iter__(self) -> Iterator[str]:
        return self.lines()

    def drawn(self) -> Swapped:
        """Return the lines, which are made again in each iteration."""
        return self

    def summary(self) -> Sample:
        """Return what was done, and how."""
        return self.sample


METHODS: dict[SwapVariant, str] = {
    "derangement": "a uniform derangement of the selected records, by rejection",
    "uniform": "a uniform permutation of the selected records",
}
EXACTNESS = {
    True: "exact: fair bits from the operating system, without rounding",
    False: "exact, except that a seeded generator replaces fair bits",
}


def sample_of(
    release: Release,
    part: Swapping,
    source: Randomness,
    where: str,
    swap: SampledSwap | None,
    utility: UtilityCurve | None,
    rows: int,
    *,
    still: bool,
) -> Sample:
    """Describe a swap.

    Args:
        where: the place of the data, in words.
        rows: the number of rows of the files.
        still: whether no exchange of two records in a stratum would change the data.
    """
    notes = [CONFIDENTIAL]
    if still:
        notes.append(STILL)
    if swap is not None and source.seed is not None:
        notes.append(SEEDED)
    if swap is not None and swap.left_out:
        notes.append(LEFT_OUT)
    # Swapping keeps some margins exactly. Of every other invariant the files can have another value
    # than the published one.
    others = [] if swap is None else _not_kept(release, swap.kept)
    if others:
        notes.append(NOT_KEPT.format(names=" and ".join(others)))
    exactness = EXACTNESS[source.seed is None]
    sampled = SampledPart(
        part.kind, ", ".join(part.swap), 1, rows, True, METHODS[part.variant], exactness
    )
    return Sample(
        release.path,
        release.sha256,
        release.title,
        source.origin,
        source.seed,
        1,
        True,
        where,
        None,
        rows,
        None,
        () if swap is None else (sampled,),
        tuple(notes),
        swap,
        utility,
    )


def _not_kept(release: Release, margins: Sequence[Names]) -> list[str]:
    space = release.dataspace
    implied_by = space.determined_by if isinstance(space, TableSpace) else frozenset[str]
    kept = [implied_by(names) for names in margins]
    return [
        str(invariant)
        for invariant in known(release.invariants)
        if not isinstance(held := invariant.constraint, SameSize | Within)
        and not (isinstance(held, SameMargin) and any({*held.attributes} <= one for one in kept))
    ]


def _kind(attribute: Attribute) -> str:
    levels = attribute.levels
    whole = isinstance(levels, int) or all(isinstance(level, int) for level in levels)
    return "integer" if whole else "text"
