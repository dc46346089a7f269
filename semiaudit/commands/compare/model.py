"""The result of a comparison: the releases, and the order of their guarantees."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Statement
from semiaudit.model.bound import CanBeIncomplete, Causes, joined
from semiaudit.model.frameworks import LEADING, FrameworkName
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow
from semiaudit.model.results.errors import CountErrors
from semiaudit.model.semi_adjacency import SemiAdjacency

ReleaseName = Annotated[str, "its file or title; A, B, ... if neither are short and distinct"]

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
        from_report: whether it is read from a JSON report, instead of audited.
        invariants: the keys of everything that is published exactly.
        semi_adjacency: a(t) of all of these, as far as known.
        rows: the audited privacy definitions, in the order of the report.
        errors: of its counts; empty for a report.
        placeholder: the place of the placeholder, if the spec describes no release yet.
    """

    name: ReleaseName
    path: str
    title: str
    sha256: str
    from_report: Annotated[bool, "true if the numbers come from a JSON report; nothing was audited"]
    statement: Statement
    unit: Annotated[str, "the privacy unit"]
    invariants: tuple[str, ...]
    semi_adjacency: SemiAdjacency
    rows: tuple[GuaranteeRow, ...]
    incomplete_because: Causes
    errors: Annotated[
        tuple[CountErrors, ...],
        "the errors of the cells, and of each margin that was named; empty if none are known",
    ] = ()
    error_notes: Annotated[tuple[str, ...], "what not to publish of them, and what is hidden"] = ()
    placeholder: str = ""


@dataclass(frozen=True, slots=True)
class Standings:
    """The order of the guarantees of one privacy definition in two releases.

    Attributes:
        smaller_bounds: the release whose upper bounds are all smaller or equal, if no order is
            proven; empty if there is none.
    """

    framework: FrameworkName
    first: ReleaseName
    second: ReleaseName
    order: Annotated[
        Standing,
        "the order of the first guarantee and the second; none: not comparable, or not proven "
        "to be comparable",
    ]
    explanation: Annotated[str, "the order in a sentence"]
    strict: Annotated[
        bool | None,
        "true if the guarantees are proven to differ; null if they are not, or are not ordered",
    ] = None
    obstacles: Annotated[
        tuple[Obstacle, ...],
        "the reasons for a missing order; empty if the guarantees are ordered",
    ] = ()
    first_lower_at: Annotated[
        Fraction | None,
        "a type I error at which the first guarantee is weaker; null if none is known",
    ] = None
    second_lower_at: Annotated[
        Fraction | None,
        "a type I error at which the second guarantee is weaker; null if none is known",
    ] = None
    weaker_is_a_bound: Annotated[
        bool,
        "true if only upper bounds are known for the weaker guarantee, which may protect more",
    ] = False
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
        reward: None if there is a kernel.
    """

    source: ReleaseName
    target: ReleaseName
    universe: Annotated[int, "the number of the universe, from 0"]
    datasets: Annotated[
        tuple[str, ...],
        "the datasets of the universe, in the order of the rows of the reward",
    ]
    kernel: Annotated[
        tuple[tuple[Fraction, ...], ...] | None,
        "the kernel: for each outcome of the source, the probabilities of the outcomes of the "
        "target, as exact rationals; null if there is no kernel",
    ]
    reward: Annotated[
        tuple[tuple[Fraction, ...], ...] | None,
        "the proof that there is no kernel: a payment for each dataset and answer, with which "
        "the outcomes of the target earn more than any answers to the outcomes of the source",
    ]


@dataclass(frozen=True, slots=True)
class Experiments:
    """Blackwell's order of two finite mechanisms.

    Attributes:
        explanation: or why there is none.
    """

    first: ReleaseName
    second: ReleaseName
    order: Annotated[
        ExperimentOrder,
        "the Blackwell order of the two mechanisms; other_datasets: they are not on the same "
        "datasets; undecided: too large, or the time limit was reached",
    ]
    explanation: Annotated[str, "the order of the mechanisms in a sentence"]
    processings: Annotated[
        tuple[Processing, ...],
        "the processings of the first into the second and back, in every universe",
    ]


@dataclass(frozen=True, slots=True)
class SideBySide(CanBeIncomplete):
    """Two or more releases, and the order of every two of them for every privacy definition.

    Attributes:
        curves: curves of the effective guarantee of each release; empty unless they are needed for
            drawings.
    """

    releases: Annotated[
        tuple[ComparedRelease, ...], "the releases, in the order in which they were named"
    ]
    standings: Annotated[
        tuple[Standings, ...], "the order of every two releases in every privacy definition of both"
    ]
    experiments: Annotated[
        tuple[Experiments, ...],
        "the comparisons of every two finite mechanisms with a law for each listed dataset",
    ] = ()
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
