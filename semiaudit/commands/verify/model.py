"""The result of a verification: runs of code on a pair of datasets, and tests of the claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import CanBeIncomplete, Causes
from semiaudit.model.semi_adjacency import Cell

TableCounts = tuple[tuple[Cell, int], ...]
"""Sparse counts of a dataset, by cell."""

VerdictWord = Literal["violated", "consistent", "undecided", "not run"]
RunKind = Literal["ok", "crashed", "timed out", "no output", "unreadable output"]
ClaimTestKind = Literal["epsilon", "mu", "rho", "e_process", "exact", "one_run"]

FACTORS = (1.5, 2.0, 3.0)
"""By how much a claim may be wrong in the statements of power, and noise is smaller in controls."""


@dataclass(frozen=True, slots=True)
class VerifiedPair:
    """Two datasets, as sparse counts, at a distance.

    Attributes:
        inside: whether both have the published T.
        attains: whether the known noise loses on them what the audit certifies; for a declared
            measure, whether they have the distance of the audit; None if this is not known.
    """

    start: TableCounts
    end: TableCounts
    distance: int
    source: str
    inside: bool = True
    attains: bool | None = None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What one run did: its numbers by their names, or why it has none."""

    kind: RunKind
    values: Mapping[str, float]
    message: str = ""


@dataclass(frozen=True, slots=True)
class CodeRun:
    """One run, in the order of its index; ``on_x`` is its label."""

    on_x: bool
    outcome: RunOutcome


@dataclass(frozen=True, slots=True)
class PairClaim:
    """The certified numbers for the distance of the pair; None for a measure without one.

    Attributes:
        points: (epsilon, delta), ascending by delta; delta is 0 in the first one if epsilon is
            finite there.
    """

    mu: float | None = None
    rho: float | None = None
    points: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """One test of a part of the claim.

    Attributes:
        order: ``X, Y``, ``Y, X``, or ``both``.
        claim: the claimed number; None for a curve.
        bound: a lower confidence bound; for an e-process the largest ln M; for one run the p-value.
        rejects: whether the test refutes the claim, at its share of alpha.
        at_run: of an e-process, the judged run after which it rejected.
        hits, runs: of the event, under the datasets of the order; of one run, (right guesses, 0)
            and (moves, guesses).
        detectable: the smallest factor by which the claim may be wrong to be detected by so many
            runs with a probability of 90%; None if no factor up to 16 is.
        needed: the judged runs that detect a claim that is wrong by each of ``FACTORS``.
        controls: whether it rejects these runs with smaller noise.
    """

    kind: ClaimTestKind
    order: str
    claim: float | None
    bound: float
    rejects: bool
    delta: float | None = None
    at_run: int | None = None
    hits: tuple[int, int] = (0, 0)
    runs: tuple[int, int] = (0, 0)
    detectable: float | None = None
    needed: tuple[int | None, ...] = ()
    controls: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class PremiseFinding:
    """An exact number of the output that is not T of the spec; ``proven``: it refutes the spec."""

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
        code: the files of the code, as seen from the folder of the spec, with their SHA-256.
        what: the command, the function, or the files of samples.
        runs: how many runs there are on X and on Y; ``first`` of them chose the events.
        failures: (kind, number of runs on X, on Y, the first message).
        coins: whether a fair coin chose the dataset of each run.
        moves: of one run; None for many.
    """

    path: str
    title: str
    sha256: str
    code: tuple[tuple[str, str], ...]
    what: str
    pair: VerifiedPair
    claim: PairClaim
    confidence: float
    runs: tuple[int, int]
    failures: tuple[tuple[RunKind, int, int, str], ...]
    first: int = 0
    coins: bool = True
    placeholder: str = ""
    verdict: VerdictWord = "not run"
    score: str = "none"
    tests: tuple[ClaimTest, ...] = ()
    findings: tuple[PremiseFinding, ...] = ()
    histogram: Histogram | None = None
    moves: int | None = None
    notes: tuple[str, ...] = ()
    incomplete_because: Causes = ()
