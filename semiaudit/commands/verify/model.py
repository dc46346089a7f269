"""The result of a verification: runs of code on a pair of datasets, and tests of the claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

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
        attains: whether the known noise loses on them what the audit certifies; for a declared
            measure, whether they have the distance of the audit; None if this is not known.
    """

    start: TableCounts
    end: TableCounts
    distance: Annotated[int, "the distance of the two datasets"]
    source: Annotated[str, "how the pair was chosen"]
    inside: Annotated[bool, "whether both have the published invariants"] = True
    attains: Annotated[
        bool | None, "whether the pair has the audited loss; null if this is not known"
    ] = None


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
        points: ascending by delta; delta is 0 in the first one if epsilon is finite there.
    """

    mu: Annotated[float | None, "of GDP"] = None
    rho: Annotated[float | None, "of zCDP"] = None
    points: Annotated[
        tuple[tuple[Annotated[float, "a number"], float], ...], "(epsilon, delta) pairs"
    ] = ()


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """One test of a part of the claim.

    Attributes:
        bound: for an e-process the largest ln M; for one run the p-value.
        rejects: at its share of alpha.
        hits, runs: of the event, under the datasets of the order; of one run, (right guesses, 0)
            and (moves, guesses).
        needed, controls: for each of ``FACTORS``.
    """

    kind: Annotated[
        ClaimTestKind,
        "the tested number: epsilon, mu, or rho; a curve by an e-process; epsilon by an exact "
        "number of the output; or the p-value of one run",
    ]
    order: Annotated[str, "X, Y; Y, X; or both"]
    claim: Annotated[float | None, "the claimed number; null for a curve"]
    bound: Annotated[float, "lower confidence bound; of a curve the largest ln M; the p-value"]
    rejects: Annotated[bool, "whether the test refutes the claim"]
    delta: Annotated[float | None, "the delta of an epsilon; null for other numbers"] = None
    at_run: Annotated[int | None, "the judged run after which an e-process refuted it"] = None
    hits: Annotated[
        tuple[int, int], "judged runs with the event, by the order; or right guesses, and 0"
    ] = (0, 0)
    runs: Annotated[tuple[int, int], "judged runs, by the order; or moves and guesses"] = (0, 0)
    detectable: Annotated[
        float | None,
        "the smallest factor by which the claim may be wrong that so many runs detect with a "
        "probability of 90%; null if it is above 16",
    ] = None
    needed: Annotated[tuple[int | None, ...], "judged runs that detect 1.5, 2, and 3 times"] = ()
    controls: Annotated[tuple[bool, ...], "whether noise / 1.5, / 2, and / 3 are refuted"] = ()


@dataclass(frozen=True, slots=True)
class PremiseFinding:
    """An exact number of the output that is not T of the spec."""

    cell: Annotated[str, "the number of the output"]
    message: Annotated[str, "what is wrong with it"]
    proven: Annotated[bool, "whether it refutes the spec"]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often each dataset has a score between two neighboring edges."""

    edges: tuple[float, ...]
    on_x: tuple[int, ...]
    on_y: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of the code."""

    path: Annotated[str, "the file, from the folder of the spec"]
    sha256: Annotated[str, "the hash of its bytes"]


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Runs without an output, of one kind."""

    kind: Annotated[RunKind, "what happened"]
    on_x: Annotated[int, "runs on X"]
    on_y: Annotated[int, "runs on Y"]
    message: Annotated[str, "the first message"]


@dataclass(frozen=True, slots=True)
class Verified(CanBeIncomplete):
    """A verification of code against a spec."""

    path: str
    title: str
    sha256: str
    code: Annotated[tuple[CodeFile, ...], "the known files of the code"]
    what: Annotated[str, "the command, the function, or the files of samples"]
    pair: Annotated[VerifiedPair, "the datasets X and Y"]
    claim: Annotated[PairClaim, "the certified numbers for the distance of the pair"]
    confidence: Annotated[float, "the confidence of all tests together"]
    runs: Annotated[tuple[int, int], "the runs on X and on Y"]
    failures: Annotated[tuple[RunFailure, ...], "runs without an output, which are outcomes too"]
    first: Annotated[int, "how many runs chose the events, and are not judged"] = 0
    coins: Annotated[bool, "whether a fair coin chose the dataset of each run"] = True
    placeholder: str = ""
    verdict: Annotated[
        VerdictWord,
        "violated: a test or a finding refutes the spec; consistent: none does, and a claim "
        "that is wrong by a factor of 3, and these runs with a third of the noise, would have "
        "been detected; this is not a proof",
    ] = "not run"
    score: Annotated[str, "how outputs are turned into a number"] = "none"
    tests: Annotated[tuple[ClaimTest, ...], "every test of the claim"] = ()
    findings: Annotated[
        tuple[PremiseFinding, ...], "exact numbers of the output that are not T of the spec"
    ] = ()
    histogram: Histogram | None = None
    moves: Annotated[int | None, "the moves of one run; null for many runs"] = None
    notes: Annotated[tuple[str, ...], "further remarks"] = ()
    incomplete_because: Causes = ()
