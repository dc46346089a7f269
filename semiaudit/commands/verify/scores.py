"""Outputs as matrices, scores of outputs, and the search for exact statistics that differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from semiaudit.commands.verify.model import Run
from semiaudit.commands.verify.pair import NoisyCoordinate
from semiaudit.frozen import dataclass

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Score = Callable[[Floats], Floats]

MOST_CORRELATED = 300
"""Learned scores of more numbers ignore correlations."""

RIDGE = 1e-3
EXACT = 1e-7
"""Numbers that vary by less than this share of their size count as exact."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of runs, in the order of their index.

    Attributes:
        names: of the numbers.
        values: runs x numbers; NaN if a run has no such number.
        failed: the runs without an output.
    """

    names: tuple[str, ...]
    values: Floats
    on_x: Flags
    failed: Flags

    def part(self, chosen: slice) -> Outputs:
        """Return some of the runs."""
        on_x, failed = self.on_x[chosen], self.failed[chosen]
        return Outputs(self.names, self.values[chosen], on_x, failed)

    def with_less_noise(self, factor: float) -> Outputs:
        """Return the outputs with each deviation from the mean of its dataset divided."""
        values = self.values.copy()
        for label in (self.on_x & ~self.failed, ~self.on_x & ~self.failed):
            if label.any():
                with np.errstate(invalid="ignore"):
                    mean = _means(values[label])
                values[label] = mean + (values[label] - mean) / factor
        return Outputs(self.names, values, self.on_x, self.failed)


def outputs_of(runs: Sequence[Run], first: int) -> Outputs:
    """Return the outputs as a matrix; its columns are the numbers of the first part."""
    names = tuple(dict.fromkeys(n for run in runs[:first] for n in run.outcome.values))
    places = {name: at for at, name in enumerate(names)}
    values = np.full((len(runs), len(names)), np.nan)
    for row, run in enumerate(runs):
        for name, number in run.outcome.values.items():
            if (at := places.get(name)) is not None:
                values[row, at] = number
    on_x = np.array([run.on_x for run in runs], dtype=bool)
    failed = np.array([run.outcome.kind != "ok" for run in runs], dtype=bool)
    return Outputs(names, values, on_x, failed)


def base_of(name: str) -> str:
    """Return the labels of a number's row, without its column."""
    return name.rpartition(": ")[0] or name


def likelihood_ratio(
    names: Sequence[str], coordinates: Sequence[NoisyCoordinate]
) -> tuple[Score | None, str]:
    """Return the log-likelihood ratio of X and Y; None, with the missing number, if there is none.

    For Gaussian noise, also in a subspace that contains the shift, it is linear in the output.
    """
    columns: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        columns.setdefault(base_of(name), []).append(at)
    found: list[tuple[NoisyCoordinate, int]] = []
    unnamed = not any(c.name in columns or _numbered(c) in columns for c in coordinates)
    for c in coordinates:
        if c.on_x == c.on_y:
            continue
        named = columns.get(_numbered(c)) or (columns.get(c.name, []) if c.alone else [])
        if not named and unnamed and c.alone and len(names) == c.width:
            named = [c.position]
        if len(named) != 1:
            return None, c.name
        found.append((c, named[0]))

    def score(values: Floats) -> Floats:
        total = np.zeros(len(values))
        one: Floats
        for c, at in found:
            z = values[:, at]
            if c.laplace:
                one = (np.abs(z - c.on_y) - np.abs(z - c.on_x)) / c.scale
            else:
                one = (c.on_x - c.on_y) * (z - (c.on_x + c.on_y) / 2) / c.scale
            total += np.nan_to_num(one)
        return total

    return score, ""


def _numbered(c: NoisyCoordinate) -> str:
    return f"part={c.part}, run={c.run}, {c.name}".rstrip(", ")


def learned(first: Outputs) -> Score:
    """Return Fisher's linear discriminant of the first part, with a ridge: frozen from then on.

    Its features are the numbers, their largest and their least one, and which are missing.
    """
    seen = first.part(slice(None)).values[~first.failed]
    fill = _means(seen)
    gaps = np.isnan(seen).any(axis=0)

    def features(values: Floats) -> Floats:
        missing = np.isnan(values)
        whole = np.where(missing, fill, values)
        ends = [whole.max(axis=1, initial=-np.inf), whole.min(axis=1, initial=np.inf)]
        return np.hstack([whole, missing[:, gaps] * 1.0, np.nan_to_num(np.column_stack(ends))])

    x = features(seen)
    center = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
    spread = x.std(axis=0) if len(x) else np.ones(x.shape[1])
    spread = np.where(spread > 0, spread, 1)
    scaled, labels = (x - center) / spread, first.on_x[~first.failed]
    if not labels.any() or labels.all():
        return lambda values: np.zeros(len(values))
    means = [scaled[labels == which].mean(axis=0) for which in (True, False)]
    inner = np.where(labels[:, None], scaled - means[0], scaled - means[1])
    apart = means[0] - means[1]
    if x.shape[1] <= MOST_CORRELATED:
        covariance = inner.T @ inner / len(inner) + RIDGE * np.eye(x.shape[1])
        weights = np.linalg.solve(covariance, apart)
    else:
        weights = apart / ((inner**2).mean(axis=0) + RIDGE)

    def score(values: Floats) -> Floats:
        result: Floats = ((features(values) - center) / spread) @ weights
        return result

    return score


def custom(function: Callable[[Mapping[str, float]], float], names: Sequence[str]) -> Score:
    """Return the caller's own score of the numbers of an output, by their names."""

    def score(values: Floats) -> Floats:
        rows = (
            {n: float(v) for n, v in zip(names, row, strict=True) if not np.isnan(v)}
            for row in values
        )
        return np.array([float(function(row)) for row in rows])

    return score


def with_failures(score: Score, first: Outputs) -> Callable[[Outputs], Floats]:
    """Return a score of runs in which a failure is an outcome, too.

    Failures are beyond all outputs, on the side of the dataset that failed more often in the first
    part; if neither did, they have the score of a typical run.
    """
    on_x, on_y = ((first.failed & label).sum() for label in (first.on_x, ~first.on_x))
    own = score(first.values[~first.failed])
    at = float(np.median(own)) if len(own) else 0.0
    if on_x != on_y:
        at = np.inf if on_x > on_y else -np.inf

    def scores(outputs: Outputs) -> Floats:
        result = np.full(len(outputs.values), at)
        result[~outputs.failed] = score(outputs.values[~outputs.failed])
        found: Floats = np.nan_to_num(result, nan=at, posinf=np.inf, neginf=-np.inf)
        return found

    return scores


@dataclass(frozen=True, slots=True)
class ExactDifference:
    """A statistic that is exact in the first part, and differs between X and Y.

    Attributes:
        cell: the number of the output that shows it best.
        text: its two values, or what has a record only under one dataset.
        weights: of a linear statistic of the numbers; empty for a presence.
        middle: a number between its two values.
    """

    cell: str
    text: str
    weights: Floats
    place: int
    middle: float
    above_on_x: bool

    def is_x(self, outputs: Outputs) -> Flags:
        """Return the runs whose statistic is on the side of X; failures are on neither."""
        if not self.weights.size:
            present = ~np.isnan(outputs.values[:, self.place])
            side = present if self.above_on_x else ~present
        else:
            above = np.nan_to_num(outputs.values) @ self.weights > self.middle
            side = above if self.above_on_x else ~above
        return np.asarray(side & ~outputs.failed)


def exact_difference(first: Outputs) -> ExactDifference | None:
    """Search the first part for an exact statistic that differs: a row, a cell, or a sum."""
    on_x, on_y = (first.values[label & ~first.failed] for label in (first.on_x, ~first.on_x))
    if len(on_x) < 2 or len(on_y) < 2 or not first.names:
        return None
    there, other = (_present(part) for part in (on_x, on_y))
    for at in range(len(first.names)):
        always = bool(there[:, at].all()), bool(other[:, at].all())
        never = not there[:, at].any(), not other[:, at].any()
        if (always[0] and never[1]) or (always[1] and never[0]):
            on_which = always[0]
            text = f"is only in outputs for {'X' if on_which else 'Y'}"
            return ExactDifference(first.names[at], text, np.zeros(0), at, 0.0, on_which)
    whole = there.all(0) & other.all(0)
    x, y = on_x[:, whole], on_y[:, whole]
    means = x.mean(0), y.mean(0)
    size = np.maximum(1, np.maximum(np.abs(x).max(0, initial=0), np.abs(y).max(0, initial=0)))
    inner = np.vstack([x - means[0], y - means[1]]) / size
    apart = (means[0] - means[1]) / size
    if len(inner) >= inner.shape[1] + 8:
        # the part of the difference that no run's deviation has: exact sums and exact cells
        _, lengths, axes = np.linalg.svd(inner, full_matrices=False)
        varied = axes[lengths > EXACT * max(1.0, float(lengths.max(initial=0)))]
        apart = apart - varied.T @ (varied @ apart)
    else:
        apart = np.where(np.abs(inner).max(0) < EXACT, apart, 0)
    apart = np.where(np.abs(apart) > EXACT, apart, 0)
    if not apart.any():
        return None
    weights = np.zeros(len(first.names))
    weights[whole] = apart / size
    places = np.flatnonzero(whole)
    shown = int(places[np.abs(apart).argmax()])
    values = [
        float(np.nan_to_num(part) @ weights @ np.ones(len(part)) / len(part))
        for part in (on_x, on_y)
    ]
    seen = [f"{float(np.nanmean(part[:, shown])):.6g}" for part in (on_x, on_y)]
    several = int((np.abs(apart) > EXACT).sum())
    text = f"is exactly {seen[0]} for X and {seen[1]} for Y"
    if several > 1 and np.nanstd(on_x[:, shown]) > EXACT:
        text = f"is part of a sum of {several} numbers that is exact and differs between X and Y"
    return ExactDifference(
        first.names[shown], text, weights, shown, sum(values) / 2, values[0] > values[1]
    )


def _present(values: Floats) -> Flags:
    there: Flags = ~np.isnan(values)
    return there


def _means(values: Floats) -> Floats:
    present = _present(values)
    number = np.maximum(present.sum(axis=0), 1)
    return np.asarray(np.where(present, values, 0).sum(axis=0) / number)
