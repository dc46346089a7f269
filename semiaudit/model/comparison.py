"""Releases side by side: what each states, and how their guarantees are ordered."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from semiaudit.model.audit import Statement
from semiaudit.model.curves import Curve
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import Row
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

``refused``: one is not stated. ``domain``, ``unit``, ``metric``, ``universe``: they speak of
different things, or are not known to speak of the same. ``pairs``: the one covers fewer pairs and
promises more on them. ``crossing``: each tradeoff function is the lower one somewhere. ``bounds``:
nothing proves that one follows from the other, as at least one is known only by bounds.
``time``: the time limit struck before they were compared.
"""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the releases.

    Attributes:
        name: A, B, ... in the order in which they were named.
        from_report: read from a JSON report, and not audited now.
        unit: the privacy unit, such as person.
        invariants: everything that is published exactly, in words.
        rows: the notions that the release was audited by, in the order of the report.
        example: the spec is one that ships with the program.
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
    rows: tuple[Row, ...]
    complete: bool
    example: bool = False


@dataclass(frozen=True, slots=True)
class Standings:
    """How the guarantees of one notion stand to each other in two releases.

    Attributes:
        first, second: the names of the releases.
        order: of the first against the second; ``none`` where there is none, or none is proven.
        strict: of ``stronger`` and ``weaker``: True where they are known to differ, None where
            nothing shows that they do.
        obstacles: why they are not ordered; empty where they are.
        explanation: the same in a sentence.
        first_lower_at: a type I error at which the first promises less than the second.
        second_lower_at: one at which the second promises less.
        weaker_is_a_bound: numbers of the weaker one are only upper bounds, so that the release
            itself may protect more than it is stated to.
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


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two releases or more, and the standings of every pair of them in every notion.

    Attributes:
        curves: of the effective guarantee of each release; empty unless they are to be drawn.
    """

    releases: tuple[Compared, ...]
    standings: tuple[Standings, ...]
    curves: tuple[Curve, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether no time limit cut anything short in any of them."""
        return all(release.complete for release in self.releases)
