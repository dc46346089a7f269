"""The result of a comparison: the releases, and the order of their guarantees."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Statement
from semiaudit.model.bound import CanBeIncomplete, Causes, joined
from semiaudit.model.frameworks import LEADING, FrameworkName
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow
from semiaudit.model.results.errors import CountErrors
from semiaudit.model.semi_adjacency import SemiAdjacency

Standing = Literal["equal", "stronger", "weaker", "none"]
"""The order of the first guarantee relative to the second (Definition 20)."""

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

``refused``: one is refused. ``domain``, ``unit``, ``metric``, ``universe``: these differ, or are
not known to be equal. ``pairs``: one covers fewer pairs and guarantees more for them. ``crossing``:
each tradeoff function is lower somewhere. ``bounds``: it is not proven that one follows from the
other, because at least one is known only by bounds. ``time``: the time limit was reached before
they were compared.
"""

ON_COMMON_AXES: frozenset[Obstacle] = frozenset({"crossing", "bounds", "time"})
"""Obstacles of guarantees for the same pairs of datasets, so that one can compare their curves."""


@dataclass(frozen=True, slots=True)
class ComparedRelease(CanBeIncomplete):
    """A release of a comparison.

    Attributes:
        name: its file or title; A, B, ... in the given order if neither names are distinct.
        from_report: whether it is read from a JSON report, instead of audited.
        unit: the privacy unit, such as person.
        invariants: the keys of everything that is published exactly.
        semi_adjacency: a(t) of all of these, as far as known.
        rows: the audited privacy definitions, in the order of the report.
        errors: of its counts; empty for a report, and if none are known.
        error_notes: what is not to be published of them, and what is not shown.
        placeholder: the place of the placeholder, if the spec describes no release yet.
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
    errors: tuple[CountErrors, ...] = ()
    error_notes: tuple[str, ...] = ()
    placeholder: str = ""


@dataclass(frozen=True, slots=True)
class Standings:
    """The order of the guarantees of one privacy definition in two releases.

    Attributes:
        first, second: the names of the releases.
        order: the order of the first relative to the second; ``none`` if there is none, or if none
            is proven.
        strict: for ``stronger`` and ``weaker``: True if they are known to differ, None if unknown.
        obstacles: why they are not ordered; empty if they are.
        explanation: the same in a sentence.
        first_lower_at: a type I error at which the first guarantees less than the second.
        second_lower_at: a type I error at which the second guarantees less.
        weaker_is_a_bound: whether numbers of the weaker one are only upper bounds, so that the
            release itself can protect more.
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
"""The relation of the first of two finite mechanisms to the second in Blackwell's order.

``other_datasets``: they are not on the same datasets, so that there is nothing to compare.
``undecided``: too large, or the time limit was reached.
"""


@dataclass(frozen=True, slots=True)
class Processing:
    """A kernel that turns one mechanism into another, or a proof that there is none.

    Attributes:
        source, target: the names of the releases.
        universe: the index of the universe, from 0. datasets: its datasets, in words.
        kernel: for each outcome of the source, the law of the target's outcome; None if there is
            none.
        reward: for each dataset, the reward of each answer, such that the target's outcomes earn
            more in total than any answers to the source's; None if there is a kernel.
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
        processings: kernels from the first to the second and back, in every universe.
    """

    first: str
    second: str
    order: ExperimentOrder
    explanation: str
    processings: tuple[Processing, ...]


@dataclass(frozen=True, slots=True)
class SideBySide(CanBeIncomplete):
    """Two or more releases, and the order of every two of them for every privacy definition.

    Attributes:
        experiments: for every two releases with finite mechanisms and listed datasets.
        curves: curves of the effective guarantee of each release; empty unless they are needed for
            drawings.
    """

    releases: tuple[ComparedRelease, ...]
    standings: tuple[Standings, ...]
    experiments: tuple[Experiments, ...] = ()
    curves: tuple[GuaranteeCurve, ...] = ()

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """Return the rows of effective guarantees with curves, each with its release's name."""
        return [
            (release.name, row)
            for release in self.releases
            for row in release.rows
            if row.guarantee.framework == LEADING
        ]

    @property
    def incomplete_because(self) -> Causes:
        """Return the causes of all releases."""
        return joined(*(release.incomplete_because for release in self.releases))
