"""The result of an ablation: one release with different parts of its invariants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import CanBeIncomplete, Causes, joined
from semiaudit.model.guarantee import NO_NUMBERS, GuaranteeCurve, GuaranteeRow, Numbers
from semiaudit.model.semi_adjacency import Disclosed, SemiAdjacency

VariantKind = Literal["all", "without_group", "without", "only", "none"]


def name_of(place: int) -> str:
    """Return the short name of the invariant at an index, from 0."""
    return f"I{place + 1}"


def by_reason(reasons: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return each reason once, after the names that have it, from pairs of a name and a reason."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        names.setdefault(reason, []).append(name)
    return tuple((", ".join(same), reason) for reason, same in names.items() if reason)


@dataclass(frozen=True, slots=True)
class Variant(CanBeIncomplete):
    """The release with a part of its invariants.

    Attributes:
        kind: whether it has all of them, all but a group, all but one, only one, or none.
        which: the index of that one in the spec, from 0; None for all and for none.
        kept: the indices of the published invariants, in order.
        semi_adjacency, disclosed, row: the results of the audit: a(t) of all kept invariants, the
            disclosures, and the effective guarantee (semi_dp). None if the audit was refused.
        refused: why there is no audit, or no effective guarantee; empty if there is one, or the
            invariants disclose the whole dataset.
        incomplete_because: why some numbers are wider than requested; empty if none is.
        group: the name of the group that it leaves out; empty for other kinds.
    """

    kind: VariantKind
    which: int | None
    kept: tuple[int, ...]
    semi_adjacency: SemiAdjacency | None
    disclosed: Disclosed | None
    row: GuaranteeRow | None
    refused: str
    incomplete_because: Causes
    group: str = ""

    @property
    def name(self) -> str:
        """Return what the variant publishes, in a word or two."""
        which = self.group if self.which is None else name_of(self.which)
        if self.kind in ("without", "without_group"):
            return f"all but {which}"
        return f"{which} only" if self.kind == "only" else self.kind

    @property
    def numbers(self) -> Numbers:
        """Return the numbers of the effective guarantee; ``NO_NUMBERS`` if there is none."""
        row = self.row
        return NO_NUMBERS if row is None or row.guarantee.refused else row.numbers


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A proven increase or decrease of a(t) when more is published (E7).

    Attributes:
        fewer, more: two variants; the second publishes one more invariant than the first.
        rises: whether a(t) increases with the additional invariants; otherwise it decreases.
    """

    fewer: Variant
    more: Variant
    rises: bool


@dataclass(frozen=True, slots=True)
class Ablated(CanBeIncomplete):
    """A release, and all variants of its invariants.

    Attributes:
        invariants: descriptions of everything that is published exactly.
        budgets: the number of budgets of the spec; they are not checked.
        placeholder: the place of the placeholder, if the spec describes no release yet.
        curves: curves of the effective guarantees, each named by the index of its variant; empty
            unless they are needed for drawings.
    """

    path: str
    title: str
    sha256: str
    invariants: tuple[str, ...]
    variants: tuple[Variant, ...]
    changes: tuple[ParameterChange, ...]
    budgets: int = 0
    placeholder: str = ""
    curves: tuple[GuaranteeCurve, ...] = ()

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """Return the rows of effective guarantees with curves, each with its variant's index."""
        return [(str(i), v.row) for i, v in enumerate(self.variants) if v.row is not None]

    @property
    def incomplete_because(self) -> Causes:
        """Return the causes of all variants."""
        return joined(*(variant.incomplete_because for variant in self.variants))
