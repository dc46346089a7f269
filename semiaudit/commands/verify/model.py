"""The result of a verification: runs of code on a pair of datasets, and tests of the claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import CanBeIncomplete, Causes
from semiaudit.model.semi_adjacency import Cell

TableCounts = tuple[tuple[Cell, int], ...]
"""Sparse counts of a dataset, by cell."""

VerdictWord = Literal["violated", "consistent", "undecided", "not run"]
RunKind = Literal["ok", "crashed", "timed out", "no output", "unreadable output"]
TestKind = Literal["epsilon", "mu", "rho", "e_process", "exact", "one_run"]

FACTORS = (1.5, 2.0, 3.0)
"""By how much a claim may be wrong in the statements of power."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two datasets, as sparse counts.

    Attributes:
        distance: under the metric of the spec, of their closest orders.
        source: how the pair was chosen.
        inside: both have the published invariants.
    """

    start: TableCounts
    end: TableCounts
    distance: int
    source: str
    inside: bool = True

    def with_inside(self, *, inside: bool) -> Pair:
        """Return the pair with the result of the check of its invariants."""
        return replace(self, inside=inside)


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What one run did: its numbers by their names, or why it has none."""

    kind: RunKind
    values: Mapping[str, float]
    message: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run, in the order of its index; ``on_x`` is its label."""

    on_x: bool
    outcome: RunOutcome


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim for the distance of the pair: upper bounds; None for a measure without one.

    Attributes:
        points: (epsilon, delta), with delta above 0.
    """

    epsilon: float | None
    mu: float | None
    rho: float | None
    points: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test of a part of the claim.

    Attributes:
        order: ``X, Y``, ``Y, X``, or ``both``.
        claim: the claimed number; None for a curve.
        bound: a lower confidence bound; for an e-process the largest ln M; for one run the p-value.
        rejects: whether the test refutes the claim, at its share of alpha.
        at_run: of an e-process, the judged run after which it rejected.
        detectable: the smallest factor by which the claim may be wrong to be detected by so many
            runs with a probability of 90 %; None if no factor up to 16 is.
        needed: the judged runs that detect a claim that is wrong by each of ``FACTORS``.
        controls: whether it rejects these runs with noise that is 1.5 and 2 times smaller.
    """

    kind: TestKind
    order: str
    claim: float | None
    bound: float
    rejects: bool
    delta: float | None = None
    at_run: int | None = None
    hits: tuple[int, int] | None = None
    runs: tuple[int, int] | None = None
    detectable: float | None = None
    needed: tuple[int | None, ...] = ()
    controls: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class PremiseFinding:
    """An exact statistic of the output that is not T of the spec.

    Attributes:
        cell: its name in the output.
        message: what is wrong.
        proven: whether it refutes the spec by itself.
    """

    cell: str
    message: str
    proven: bool


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often each dataset has a score between two neighboring edges."""

    edges: tuple[float, ...]
    on_x: tuple[int, ...]
    on_y: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verified(CanBeIncomplete):
    """A verification of code against a spec.

    Attributes:
        spec_sha256, code_sha256: of the spec's file, and of the code that ran; the second is empty
            if no file of it is known.
        what: the command, the function, or the files of samples.
        score: how outputs are turned into a number.
        runs: how many runs were judged or used to choose the events, by label.
        first: how many of them, the first ones, chose the events.
        failures: (kind, number of runs on X, on Y, the first message).
        coins: whether a fair coin chose the dataset of each run.
    """

    path: str
    title: str
    sha256: str
    spec_sha256: str
    code_sha256: str
    what: str
    pair: Pair
    claim: Claim
    confidence: float
    verdict: VerdictWord
    score: str
    runs: tuple[int, int]
    first: int
    tests: tuple[TestResult, ...]
    findings: tuple[PremiseFinding, ...]
    failures: tuple[tuple[RunKind, int, int, str], ...]
    histogram: Histogram | None = None
    coins: bool = True
    moves: int | None = None
    guesses: int | None = None
    right: int | None = None
    notes: tuple[str, ...] = ()
    incomplete_because: Causes = ()
    placeholder: str = ""
