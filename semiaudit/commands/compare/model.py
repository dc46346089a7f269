"""Releases side by side: what each states, and how their guarantees are ordered."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Statement
from semiaudit.model.bound import Causes, joined
from semiaudit.model.frameworks import LEADING, FrameworkName
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow
from semiaudit.model.semi_adjacency import SemiAdjacency

Standing = Literal["equal", "stronger", "weaker", "none"]
"""How the first guarantee stands to the second (Definition 20), as both are stated."""

Obstacle = Literal[
    "refused",
    "domain",
    "unit",
    "metric",
    "universe",
    "pairs",
    "crossing",
    "bounds",
    "time",
]
"""Why two guarantees are not ordered.

``refused``: one is not stated. ``domain``, ``unit``, ``metric``, ``universe``: they are about
different things, or are not known to be about the same. ``pairs``: the one covers fewer pairs and
promises more on them. ``crossing``: each tradeoff function is the lower one somewhere. ``bounds``:
nothing proves that one follows from the other, as at least one is known only by bounds.
``time``: the time limit was reached before they were compared.
"""


@dataclass(frozen=True, slots=True)
class ComparedRelease:
    """One of the releases.

    Attributes:
        name: A, B, ... in the order in which they were named.
        from_report: read from a JSON report, and not audited now.
        unit: the privacy unit, such as person.
        invariants: the keys of everything that is published exactly.
        semi_adjacency: what is known of the a(t) of all of it.
        rows: the notions that the release was audited by, in the order of the report.
        example: the spec is one that ships with the program.
        placeholder: its place, if the spec describes no release yet.
    """

    name: str
    path: str
    title: str
    sha256: str
    from_report: bool
    statement: Statement
    unit: str
    invariants: tuple[str, ...]
    semi_adjacency: SemiAdjacency
    rows: tuple[GuaranteeRow, ...]
    incomplete_because: Causes
    example: bool = False
    placeholder: str = ""

    @property
    def complete(self) -> bool:
        """Whether every number is as narrow as was asked for."""
        return not self.incomplete_because


@dataclass(frozen=True, slots=True)
class Standings:
    """How the guarantees of one notion stand to each other in two releases.

    Attributes:
        first, second: the names of the releases.
        order: of the first against the second; ``none`` where there is none, or none is proven.
        strict: of ``stronger`` and ``weaker``: True where they are known to differ, None if
            nothing shows that they do.
        obstacles: why they are not ordered; empty if they are.
        explanation: the same in a sentence.
        first_lower_at: a type I error at which the first promises less than the second.
        second_lower_at: one at which the second promises less.
        weaker_is_a_bound: numbers of the weaker one are only upper bounds, so that the release
            itself may protect more than it is stated to.
        smaller_bounds: the release whose upper bounds are all smaller or equal, if no order is
            proven; empty if there is none.
    """

    framework: FrameworkName
    first: str
    second: str
    order: Standing
    explanation: str
    strict: bool | None = None
    obstacles: tuple[Obstacle, ...] = ()
    first_lower_at: Fraction | None = None
    second_lower_at: Fraction | None = None
    weaker_is_a_bound: bool = False
    smaller_bounds: str = ""


ExperimentOrder = Literal[
    "equal", "tells_more", "tells_less", "incomparable", "other_datasets", "undecided"
]
"""How the first of two finite mechanisms stands to the second in Blackwell's order.

``other_datasets``: they are not on the same datasets, so that there is nothing to compare.
``undecided``: too large, or the time limit was reached.
"""


@dataclass(frozen=True, slots=True)
class Processing:
    """A kernel that turns one mechanism into another, or what shows that there is none.

    Attributes:
        source, target: the names of the releases.
        universe: the number of the universe, from 0. datasets: those in it, in words.
        kernel: for each outcome of the source the law of the target's; None if there is none.
        reward: for each dataset what each answer is paid, such that the target's outcomes earn
            more in all than any answers to the source's; None if there is a kernel.
    """

    source: str
    target: str
    universe: int
    datasets: tuple[str, ...]
    kernel: tuple[tuple[Fraction, ...], ...] | None
    reward: tuple[tuple[Fraction, ...], ...] | None


@dataclass(frozen=True, slots=True)
class Experiments:
    """Blackwell's order of two finite mechanisms.

    Attributes:
        explanation: the order in a sentence, or why there is none.
        processings: of the first into the second and back, in every universe.
    """

    first: str
    second: str
    order: ExperimentOrder
    explanation: str
    processings: tuple[Processing, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two releases or more, and the standings of every pair of them in every notion.

    Attributes:
        experiments: of every two releases whose mechanisms are finite and of listed datasets.
        curves: of the effective guarantee of each release; empty unless they are to be drawn.
    """

    releases: tuple[ComparedRelease, ...]
    standings: tuple[Standings, ...]
    experiments: tuple[Experiments, ...] = ()
    curves: tuple[GuaranteeCurve, ...] = ()

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """The effective guarantee of each release has a curve, by the name of the release."""
        return [
            (release.name, row)
            for release in self.releases
            for row in release.rows
            if row.guarantee.framework == LEADING
        ]

    @property
    def complete(self) -> bool:
        """Whether every release is complete."""
        return not self.incomplete_because

    @property
    def incomplete_because(self) -> Causes:
        """The causes of all releases."""
        return joined(*(release.incomplete_because for release in self.releases))
