"""Tests of a claim on the outputs of runs: events are chosen on the first part, and then frozen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from semiaudit.commands.verify.model import (
    Claim,
    Histogram,
    PremiseFinding,
    Run,
    TestResult,
)
from semiaudit.commands.verify.power import Question
from semiaudit.commands.verify.scores import (
    ExactDifference,
    Flags,
    Floats,
    Outputs,
    Score,
    base_of,
    exact_difference,
    with_failures,
)
from semiaudit.frozen import dataclass
from semiaudit.privacy.empirical.counts import Counts, epsilon_bound, mu_bound, rho_bound
from semiaudit.privacy.empirical.e_process import first_crossing, joint_log_wealth

THRESHOLDS = 80
"""The most thresholds among which the first part chooses."""

CONTROLS = (1.5, 2.0)
BINS = 40

Event = tuple[float, bool]
"""A threshold, and whether the event is a score above it; otherwise below it."""


def counts_of(happened: Flags, on_x: Flags, *, coins: bool) -> Counts:
    """Count an event under both datasets."""
    hits = int((happened & on_x).sum()), int((happened & ~on_x).sum())
    return Counts(hits, (int(on_x.sum()), int((~on_x).sum())), coins)


def happens(event: Event, scores: Floats) -> Flags:
    """Return the runs in which an event happens."""
    threshold, above = event
    return np.asarray(scores > threshold if above else scores < threshold)


def best_event(
    scores: Floats, on_x: Flags, bound: Callable[[Counts], float], judged: int, *, above: bool
) -> Event:
    """Return the event whose bound on the judged runs is expected to be the largest.

    The counts of the first part are scaled to the number of judged runs; half a hit on X is taken
    away, and one on Y added, so that a tail without hits promises nothing.
    """
    finite = np.unique(scores[np.isfinite(scores)])
    if not finite.size:
        return 0.0, above
    at = np.unique(np.linspace(0, len(finite) - 1, THRESHOLDS).astype(int))
    middles = (finite[at][1:] + finite[at][:-1]) / 2 if len(at) > 1 else finite
    factor, best, most = judged / len(scores), (float(np.median(middles)), above), -math.inf
    numerator = on_x if above else ~on_x
    for threshold in middles:
        happened = happens((float(threshold), above), scores)
        counts = counts_of(happened, numerator, coins=True)
        (hits, others), (runs, other_runs) = counts.hits, counts.runs
        sizes = int(runs * factor), int(other_runs * factor)
        scaled = (
            min(int(max(hits - 0.5, 0) * factor), sizes[0]),
            min(math.ceil((others + 1) * factor), sizes[1]),
        )
        value = bound(Counts(scaled, sizes))
        if value > most:
            best, most = (float(threshold), above), value
    return best


@dataclass(frozen=True, slots=True)
class Plan:
    """The tests of a claim, before any judged run: each with its share of alpha.

    Attributes:
        questions: (order, question) pairs.
    """

    questions: tuple[tuple[str, Question], ...]

    @property
    def alone(self) -> list[Question]:
        """Return each question once, whatever its order."""
        return list(dict.fromkeys(question for _, question in self.questions))


def plan_of(claim: Claim, alpha: float, *, coins: bool, inside: bool = True) -> Plan:
    """Return the tests of a claim. Alpha is split over them, both orders, and the exact test."""
    tests: list[tuple[str, str, float, float]] = []
    if inside:
        if claim.mu is not None:
            tests.append(("both", "mu", claim.mu, 0.0))
        for order in ("X, Y", "Y, X"):
            if claim.epsilon is not None:
                tests.append((order, "epsilon", claim.epsilon, 0.0))
            tests += [(order, "epsilon", epsilon, delta) for epsilon, delta in claim.points]
            if claim.rho is not None:
                tests.append((order, "rho", claim.rho, 0.0))
            if coins and curve_of(claim):
                tests.append((order, "e_process", 0.0, 0.0))
    share = alpha / (len(tests) + 1)
    questions = []
    for order, kind, number, delta in tests:
        points = curve_of(claim) if kind == "e_process" else ()
        questions.append((order, Question(kind, number, share, delta, coins, points)))  # type: ignore[arg-type]
    return Plan(tuple(questions))


def curve_of(claim: Claim) -> tuple[tuple[float, float], ...]:
    """Return the points of the claimed curve, delta 0 first."""
    pure = () if claim.epsilon is None else ((claim.epsilon, 0.0),)
    return (*pure, *claim.points)


class Frozen:
    """The score, the events, and the exact statistic that the first part chose."""

    def __init__(self, first: Outputs, score: Score, plan: Plan, judged: int) -> None:
        self.plan, self.scores = plan, with_failures(score, first)
        scores = self.scores(first)
        self.events = [
            self._events(scores, first.on_x, order, question, judged)
            for order, question in plan.questions
        ]
        self.exact: ExactDifference | None = exact_difference(first)

    @staticmethod
    def _events(
        scores: Floats, on_x: Flags, order: str, question: Question, judged: int
    ) -> list[Event]:
        above, alpha = order != "Y, X", question.alpha
        bounds: list[Callable[[Counts], float]]
        match question.kind:
            case "mu":
                bounds = [lambda c: mu_bound(c, alpha)]
            case "rho":
                bounds = [lambda c: rho_bound(c, alpha)]
            case _:
                deltas = [d for _, d in question.points] or [question.delta]
                bounds = [lambda c, d=d: epsilon_bound(c, d, alpha) for d in deltas]  # type: ignore[misc]
        return [best_event(scores, on_x, bound, judged, above=above) for bound in bounds]

    def results(self, judged: Outputs) -> list[TestResult]:
        """Return the result of each test on the judged runs, in the order of their index."""
        scores = self.scores(judged)
        return [
            _result(order, question, [happens(event, scores) for event in events], judged.on_x)
            for (order, question), events in zip(self.plan.questions, self.events, strict=True)
        ]

    def crossed(self, judged: Outputs) -> int | None:
        """Return after how many judged runs an e-process refutes the claim: looked at early."""
        found = [r.at_run for r in self.results(judged) if r.kind == "e_process" and r.rejects]
        return min((run for run in found if run is not None), default=None)


def _result(order: str, question: Question, events: list[Flags], on_x: Flags) -> TestResult:
    upright = order != "Y, X"
    counts = counts_of(events[0], on_x, coins=question.coins)
    counts = counts if upright else counts.swapped
    delta, at_run = question.delta, None
    match question.kind:
        case "mu":
            bound = mu_bound(counts, question.alpha)
        case "rho":
            bound = rho_bound(counts, question.alpha)
        case "e_process":
            logs = joint_log_wealth(on_x if upright else ~on_x, events, question.points)
            at_run = first_crossing(logs, question.alpha)
            bound = float(logs.max(initial=0.0))
        case _:
            bound = epsilon_bound(counts, delta, question.alpha)
    is_curve = question.kind == "e_process"
    return TestResult(
        question.kind,
        order,
        None if is_curve else question.claim,
        bound,
        at_run is not None if is_curve else bound > question.claim,
        delta if question.kind == "epsilon" else None,
        at_run,
        counts.hits,
        counts.runs,
    )


def exact_result(frozen: Frozen, judged: Outputs, claim: Claim, alpha: float) -> TestResult | None:
    """Test the claim by the exact statistic of the first part, at its share of alpha."""
    points = curve_of(claim)
    if frozen.exact is None or not points:
        return None
    epsilon, delta = points[-1]
    counts = counts_of(frozen.exact.is_x(judged), judged.on_x, coins=False)
    bound = epsilon_bound(counts, delta, alpha)
    rejects = bound > epsilon
    return TestResult(
        "exact", "X, Y", epsilon, bound, rejects, delta, None, counts.hits, counts.runs
    )


def is_separated(frozen: Frozen, judged: Outputs) -> bool:
    """Return whether the exact statistic is that of the dataset in every judged run."""
    found = frozen.exact
    return found is not None and bool((found.is_x(judged) == judged.on_x)[~judged.failed].all())


Published = Mapping[str, float]
"""The published counts by the name of their number, such as ``state=1``."""


def published_findings(
    runs: Sequence[Run], published: Published, noisy: frozenset[str], columns: Outputs
) -> list[PremiseFinding]:
    """Compare each number of the output whose labels are those of a published count with T."""
    by_base: dict[str, list[int]] = {}
    for at, name in enumerate(columns.names):
        by_base.setdefault(base_of(name), []).append(at)
    seen = columns.values[~columns.failed]
    findings = []
    for name, count in published.items():
        places = [] if name in noisy else by_base.get(name, [])
        if not places or not len(seen):
            continue
        wrong = [at for at in places if not np.array_equal(seen[:, at], np.full(len(seen), count))]
        if len(wrong) < len(places):
            continue
        other = next(v for v in seen[:, wrong[0]] if v != count)
        message = f"is {other:.6g} in the output, but the spec publishes {count:g} exactly"
        findings.append(PremiseFinding(columns.names[wrong[0]], message, proven=True))
    return findings


def sum_findings(
    outputs: Outputs, sums: Mapping[str, tuple[float, Sequence[str]]], *, must: bool
) -> list[PremiseFinding]:
    """Compare sums of cells of a table in the output with the published counts.

    Args:
        sums: for each published count its value, and the names of its cells.
        must: the noise keeps the invariants, so every sum must be exact; otherwise, only a sum that
            does not vary is compared.
    """
    by_base: dict[str, list[int]] = {}
    for at, name in enumerate(outputs.names):
        by_base.setdefault(base_of(name), []).append(at)
    seen, findings = outputs.values[~outputs.failed], []
    for name, (count, cells) in sums.items():
        places = [by_base.get(cell, []) for cell in cells]
        if len(seen) < 2 or any(len(place) != 1 for place in places):
            continue
        found = seen[:, [place[0] for place in places]].sum(axis=1)
        slack = 1e-6 * max(1.0, float(np.abs(seen).max(initial=0)))
        is_exact = float(np.ptp(found)) <= slack
        if not (is_exact or must) or np.abs(found - count).max() <= slack:
            continue
        value = f"{found[np.abs(found - count).argmax()]:.6g}"
        message = f"sums to {value} in the output, but the spec publishes {count:g} exactly"
        findings.append(PremiseFinding(name or "all cells", message, proven=True))
    return findings


def histogram_of(scores: Floats, on_x: Flags) -> Histogram | None:
    """Return the scores of both datasets in bins; None if they are all equal or none is finite."""
    finite = np.isfinite(scores)
    if not finite.any() or np.ptp(scores[finite]) == 0:
        return None
    counts, edges = np.histogram(scores[finite], bins=BINS)
    with_x, _ = np.histogram(scores[finite & on_x], bins=edges)
    return Histogram(
        tuple(map(float, edges)),
        tuple(map(int, with_x)),
        tuple(map(int, counts - with_x)),
    )
