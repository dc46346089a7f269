"""Tests of a claim on the outputs of runs: events are chosen on the first part, and then frozen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from semiaudit.commands.verify.model import ClaimTest, Histogram, PairClaim, PremiseFinding
from semiaudit.commands.verify.power import PlannedTest
from semiaudit.commands.verify.scores import (
    Flags,
    Floats,
    Outputs,
    Score,
    exact_difference,
    with_failures,
)
from semiaudit.privacy.empirical.counts import Counts, epsilon_bound
from semiaudit.privacy.empirical.e_process import first_crossing, joint_log_wealth

THRESHOLDS = 80
"""The most thresholds among which the first part chooses."""

BINS = 40


def counts_of(happened: Flags, on_x: Flags, *, coins: bool) -> Counts:
    """Count an event under both datasets."""
    hits = int((happened & on_x).sum()), int((happened & ~on_x).sum())
    return Counts(hits, (int(on_x.sum()), int((~on_x).sum())), coins)


def best_threshold(
    scores: Floats, on_x: Flags, bound: Callable[[Counts], float], judged: int
) -> float:
    """Return the threshold whose bound on the judged runs is expected to be the largest.

    The counts of the first part are scaled to the number of judged runs; half a hit on X is taken
    away, and one on Y added, so that a tail without hits promises nothing.
    """
    finite = np.unique(scores[np.isfinite(scores)])
    if len(finite) < 2:
        return float(finite[0]) if finite.size else 0.0
    ends = finite[np.unique(np.linspace(0, len(finite) - 1, THRESHOLDS).astype(int))]
    factor, best, most = judged / len(scores), 0.0, -math.inf
    for threshold in (ends[1:] + ends[:-1]) / 2:
        counts = counts_of(scores > threshold, on_x, coins=True)
        sizes = int(counts.runs[0] * factor), int(counts.runs[1] * factor)
        hits = int(max(counts.hits[0] - 0.5, 0) * factor)
        others = min(math.ceil((counts.hits[1] + 1) * factor), sizes[1])
        value = bound(Counts((min(hits, sizes[0]), others), sizes))
        if value > most:
            best, most = float(threshold), value
    return best


class Frozen:
    """The score, the events, and the exact statistic that the first part chose."""

    def __init__(
        self, first: Outputs, score: Score, tests: Sequence[PlannedTest], judged: int
    ) -> None:
        self.tests, self.scores = tests, with_failures(score, first)
        self.exact = exact_difference(first)
        self._thresholds = []
        for test in tests:
            sign, on_x = self._seen(test, first)
            points = test.points or ((0.0, test.delta),)
            bounds = [replace(test, delta=delta).bound for _, delta in points]
            self._thresholds.append([best_threshold(sign, on_x, b, judged) for b in bounds])

    def _seen(self, test: PlannedTest, outputs: Outputs) -> tuple[Floats, Flags]:
        """Return the scores and labels as seen in the order of a test: X first, large for X."""
        scores, on_x = self.scores(outputs), outputs.on_x
        return (-scores, ~on_x) if test.order == "Y, X" else (scores, on_x)

    def results(self, judged: Outputs) -> list[ClaimTest]:
        """Return the result of each test on the judged runs, in the order of their index."""
        results = []
        for test, thresholds in zip(self.tests, self._thresholds, strict=True):
            scores, on_x = self._seen(test, judged)
            events = [np.asarray(scores > threshold) for threshold in thresholds]
            counts, at_run = counts_of(events[0], on_x, coins=test.coins), None
            if test.points:
                logs = joint_log_wealth(on_x, events, test.points)
                at_run, bound = first_crossing(logs, test.alpha), float(logs.max(initial=0.0))
            else:
                bound = test.bound(counts)
            rejects = at_run is not None or (test.claim is not None and bound > test.claim)
            delta = test.delta if test.kind == "epsilon" else None
            seen = delta, at_run, counts.hits, counts.runs
            results.append(ClaimTest(test.kind, test.order, test.claim, bound, rejects, *seen))
        return results

    def crossed(self, judged: Outputs) -> bool:
        """Return whether an e-process refutes the claim: the only result that is seen early."""
        return any(result.at_run is not None for result in self.results(judged))

    def exact_result(self, judged: Outputs, claim: PairClaim, alpha: float) -> ClaimTest | None:
        """Test the claim by the exact statistic of the first part, at its share of alpha."""
        if self.exact is None or not claim.points:
            return None
        epsilon, delta = claim.points[-1]
        counts = counts_of(self.exact.is_x(judged), judged.on_x, coins=False)
        bound = epsilon_bound(counts, delta, alpha)
        seen = delta, None, counts.hits, counts.runs
        return ClaimTest("exact", "X, Y", epsilon, bound, bound > epsilon, *seen)

    def separates(self, judged: Outputs) -> bool:
        """Return whether the exact statistic is that of the dataset in every judged run."""
        if self.exact is None or judged.failed.all():
            return False
        return bool((self.exact.is_x(judged) == judged.on_x)[~judged.failed].all())


def published_findings(
    outputs: Outputs,
    published: Mapping[str, tuple[int, Sequence[str]]],
    noisy: frozenset[str] | None,
    *,
    must: bool,
) -> list[PremiseFinding]:
    """Compare numbers and sums of cells of the output with T.

    Args:
        published: for the name of each published count its value, and the names of its cells.
        noisy: the names that are noisy numbers too, which may differ from T; None if it is not
            known which are, so that a number that varies may be one.
        must: the noise keeps the invariants, so every sum must be exact; otherwise, only a sum that
            does not vary is compared.
    """
    columns, seen, findings = outputs.columns, outputs.values[~outputs.failed], []
    slack = 1e-6 * (1 + float(np.nan_to_num(np.abs(seen)).max(initial=0)))
    for name, (count, cells) in published.items():
        own = columns.get(name or "total", [])
        if noisy is None:
            own = [at for at in own if np.ptp(seen[:, at]) == 0]
        elif name in noisy:
            own = []
        wrong = [at for at in own if not (seen[:, at] == count).all()]
        if wrong and len(wrong) == len(own):
            other = next(value for value in seen[:, wrong[0]] if value != count)
            text = f"is {other:.6g} in the output, but the spec publishes {count} exactly"
            findings.append(PremiseFinding(outputs.names[wrong[0]], text, proven=True))
        places = [columns.get(cell, []) for cell in cells]
        if len(seen) < 2 or any(len(place) != 1 for place in places):
            continue
        off = seen[:, [place[0] for place in places]].sum(axis=1) - count
        if (must or np.ptp(off) <= slack) and not np.abs(off).max() <= slack:
            value = f"{count + off[np.abs(off).argmax()]:.6g}"
            text = f"sums to {value} in the output, but the spec publishes {count} exactly"
            findings.append(PremiseFinding(name or "all cells", text, proven=True))
    return findings


def histogram_of(scores: Floats, on_x: Flags) -> Histogram | None:
    """Return the scores of both datasets in bins; None if they are all equal or none is finite."""
    finite = np.isfinite(scores)
    if not finite.any() or np.ptp(scores[finite]) == 0:
        return None
    edges = np.histogram_bin_edges(scores[finite], BINS)
    sides = [np.histogram(scores[finite & side], edges)[0].tolist() for side in (on_x, ~on_x)]
    return Histogram(tuple(edges.tolist()), tuple(sides[0]), tuple(sides[1]))
