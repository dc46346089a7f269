"""One release without some of its invariants: what each of them costs."""

from __future__ import annotations

from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Causes, joined
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow
from semiaudit.model.semi_adjacency import Disclosed, SemiAdjacency

VariantKind = Literal["all", "without", "only", "none"]


@dataclass(frozen=True, slots=True)
class Variant:
    """The release with a part of its invariants.

    Attributes:
        kind: with all of them, without one, with one only, or with none.
        which: the place of that one in the spec, from 0; None with all and with none.
        kept: the places of the invariants that are published, in their order.
        semi_adjacency, disclosed, row: what the audit found; of a(t) that of all that is kept, and
            row is the effective guarantee (semi_dp). None if the audit was refused.
        refused: why there is no audit, or no effective guarantee; empty if there is one, or the
            invariants disclose the whole dataset.
        incomplete_because: why some numbers are less narrow than was asked for; empty if
            none is.
    """

    kind: VariantKind
    which: int | None
    kept: tuple[int, ...]
    semi_adjacency: SemiAdjacency | None
    disclosed: Disclosed | None
    row: GuaranteeRow | None
    refused: str
    incomplete_because: Causes

    @property
    def complete(self) -> bool:
        """Whether every number is as narrow as was asked for."""
        return not self.incomplete_because


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A proven rise or fall of a(t) when more is published (E7).

    Attributes:
        fewer, more: places in the list of variants; the second publishes what the first does, and
            more.
        rises: whether a(t) rises with what is published besides; else it falls.
    """

    fewer: int
    more: int
    rises: bool


@dataclass(frozen=True, slots=True)
class Ablated:
    """A release, and all variants of its invariants.

    Attributes:
        invariants: everything that is published exactly, in words.
        budgets: how many budgets the spec has; none of them is judged.
        placeholder: its place, if the spec describes no release yet.
        curves: of the effective guarantees, each called by the place of its variant; empty unless
            they are to be drawn.
    """

    path: str
    title: str
    sha256: str
    invariants: tuple[str, ...]
    variants: tuple[Variant, ...]
    changes: tuple[ParameterChange, ...]
    budgets: int = 0
    example: bool = False
    placeholder: str = ""
    curves: tuple[GuaranteeCurve, ...] = ()

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """The effective guarantee of each variant has a curve, by the variant's place."""
        return [(str(i), v.row) for i, v in enumerate(self.variants) if v.row is not None]

    @property
    def complete(self) -> bool:
        """Whether every variant is complete."""
        return not self.incomplete_because

    @property
    def incomplete_because(self) -> Causes:
        """The causes of all variants."""
        return joined(*(variant.incomplete_because for variant in self.variants))
