"""Outputs as matrices, scores of outputs, and the search for exact statistics that differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from semiaudit.commands.verify.model import CodeRun
from semiaudit.commands.verify.outputs import base_of
from semiaudit.commands.verify.pair import NoisyCoordinate
from semiaudit.errors import SemiauditError
from semiaudit.frozen import dataclass

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Score = Callable[[Floats], Floats]
"""A number for each row of a matrix of outputs."""

MOST_CORRELATED = 300
"""Learned scores of more numbers ignore correlations."""

RIDGE = 1e-3
REPEATED = 0.1
"""By how much more often X must repeat one output, as a share of its runs, for a test of it."""

EXACT = 1e-7
"""Numbers that vary by less than this share of their size count as exact."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of runs, in the order of their index.

    Attributes:
        values: runs x names; NaN if a run has no such number.
        failed: the runs without an output.
    """

    names: tuple[str, ...]
    values: Floats
    on_x: Flags
    failed: Flags

    def part(self, chosen: slice) -> Outputs:
        """Return some of the runs."""
        return Outputs(self.names, self.values[chosen], self.on_x[chosen], self.failed[chosen])

    def side(self, *, on_x: bool) -> Floats:
        """Return the outputs of one dataset, without failures."""
        found: Floats = self.values[(self.on_x == on_x) & ~self.failed]
        return found

    def with_less_noise(self, factor: float) -> Outputs:
        """Return the outputs with each deviation from the mean of its dataset divided.

        Whole numbers get uniform noise of width 1 first: otherwise, their grid would show the mean.
        """
        seen = self.values[~self.failed]
        whole = (np.isnan(seen) | (seen % 1 == 0)).all(axis=0) & (np.nanstd(seen, axis=0) > 0.5)
        dither = np.random.default_rng(0).uniform(-0.5, 0.5, self.values.shape)
        values = self.values + dither * whole
        for on_x in (True, False):
            rows = self.on_x == on_x
            mean = _means(values[rows & ~self.failed])
            values[rows] = mean + (values[rows] - mean) / factor
        return replace(self, values=values)

    @property
    def columns(self) -> dict[str, list[int]]:
        """Return the columns of each row of the output, by its labels."""
        found: dict[str, list[int]] = {}
        for at, name in enumerate(self.names):
            found.setdefault(base_of(name), []).append(at)
        return found


def outputs_of(runs: Sequence[CodeRun], first: int) -> Outputs:
    """Return the outputs as a matrix; its columns are the numbers of the first part."""
    names = tuple(dict.fromkeys(n for run in runs[:first] for n in run.outcome.values))
    values = [[run.outcome.values.get(name, np.nan) for name in names] for run in runs]
    return Outputs(
        names,
        np.array(values, dtype=float).reshape(len(runs), len(names)),
        np.array([run.on_x for run in runs], dtype=bool),
        np.array([run.outcome.kind != "ok" for run in runs], dtype=bool),
    )


def likelihood_ratio(
    outputs: Outputs, coordinates: Sequence[NoisyCoordinate]
) -> tuple[Score | None, str]:
    """Return the log-likelihood ratio of X and Y; None, with the missing number, if there is none.

    For Gaussian noise, also in a subspace that contains the shift, it is linear in the output.
    """
    columns, found = outputs.columns, []
    numbered = {c: f"part={c.part}, run={c.run}, {c.name}".rstrip(", ") for c in coordinates}
    unnamed = not any(c.name in columns or numbered[c] in columns for c in coordinates)
    for c in coordinates:
        if c.on_x == c.on_y:
            continue
        named = columns.get(numbered[c]) or (columns.get(c.name, []) if c.alone else [])
        if not named and unnamed and c.alone and len(outputs.names) == c.width:
            named = [c.position]  # numbers without labels, in the order of the query
        if len(named) != 1:
            return None, c.name
        found.append((c, named[0]))

    def score(values: Floats) -> Floats:
        total = np.zeros(len(values))
        for c, at in found:
            z, middle = values[:, at], (c.on_x + c.on_y) / 2
            gaussian = (c.on_x - c.on_y) * (z - middle)
            one = np.abs(z - c.on_y) - np.abs(z - c.on_x) if c.laplace else gaussian
            total += np.nan_to_num(one / c.scale)
        return total

    return score, ""


def learned(first: Outputs) -> Score:
    """Return Fisher's linear discriminant of the first part, with a ridge: frozen from then on.

    Its features are the numbers, their largest and their least one, and which are missing.
    """
    seen = first.values[~first.failed]
    fill, gaps = _means(seen), np.isnan(seen).any(axis=0)

    def features(values: Floats) -> Floats:
        missing = np.isnan(values)
        whole = np.where(missing, fill, values)
        ends = [whole.max(axis=1, initial=-np.inf), whole.min(axis=1, initial=np.inf)]
        return np.hstack([whole, missing[:, gaps] * 1.0, np.nan_to_num(np.column_stack(ends))])

    x, labels = features(seen), first.on_x[~first.failed]
    if not labels.any() or labels.all():
        return lambda values: np.zeros(len(values))
    center, spread = x.mean(axis=0), x.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    scaled = (x - center) / spread
    on_x, on_y = (scaled[labels == which].mean(axis=0) for which in (True, False))
    inner = scaled - np.where(labels[:, None], on_x, on_y)
    if x.shape[1] <= MOST_CORRELATED:
        covariance = inner.T @ inner / len(inner) + RIDGE * np.eye(x.shape[1])
        weights = np.linalg.solve(covariance, on_x - on_y)
    else:
        weights = (on_x - on_y) / ((inner**2).mean(axis=0) + RIDGE)

    def score(values: Floats) -> Floats:
        found: Floats = ((features(values) - center) / spread) @ weights
        return found

    return score


def custom(function: Callable[[Mapping[str, float]], float], names: Sequence[str]) -> Score:
    """Return the caller's own score of the numbers of an output, by their names."""

    def score(values: Floats) -> Floats:
        rows = [
            {n: float(v) for n, v in zip(names, row, strict=True) if not np.isnan(v)}
            for row in values
        ]
        try:
            return np.array([float(function(row)) for row in rows])
        except Exception as error:  # noqa: BLE001 - the function is the caller's
            what = f"--score: the function fails ({error!r}); correct it"
            raise SemiauditError(what) from None

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
        own = score(outputs.values[~outputs.failed])
        result[~outputs.failed] = np.where(np.isnan(own), at, own)
        return result

    return scores


@dataclass(frozen=True, slots=True)
class ExactDifference:
    """A statistic that is exact in the first part, and differs between X and Y.

    Attributes:
        cell, text: the number of the output that shows it best, and how.
        is_x: the runs whose statistic is on the side of X; failures are on neither.
    """

    cell: str
    text: str
    is_x: Callable[[Outputs], Flags]


def exact_difference(first: Outputs) -> ExactDifference | None:
    """Search the first part for an exact statistic that differs: a row, a cell, or a sum."""
    on_x, on_y = first.side(on_x=True), first.side(on_x=False)
    if min(len(on_x), len(on_y)) < 2:
        return None
    there, other = np.isnan(on_x).mean(axis=0), np.isnan(on_y).mean(axis=0)
    for at in np.flatnonzero(np.abs(there - other) == 1).tolist():
        missing = bool(there[at])
        text = f"is only in outputs for {'Y' if missing else 'X'}"

        def is_there(outputs: Outputs, at: int = at, missing: bool = missing) -> Flags:
            return np.asarray((np.isnan(outputs.values[:, at]) == missing) & ~outputs.failed)

        return ExactDifference(first.names[at], text, is_there)
    places = np.flatnonzero(there + other == 0)
    x, y = on_x[:, places], on_y[:, places]
    size = 1 + np.abs(np.vstack([x, y])).max(axis=0, initial=0)
    means = x.mean(axis=0), y.mean(axis=0)
    inner, apart = np.vstack([x - means[0], y - means[1]]) / size, (means[0] - means[1]) / size
    if len(inner) >= inner.shape[1] + 8:
        # the part of the difference that no run's deviation has: exact sums and exact cells
        _, lengths, axes = np.linalg.svd(inner, full_matrices=False)
        varied = axes[lengths > EXACT]
        apart = apart - varied.T @ (varied @ apart)
    else:
        apart = np.where(np.abs(inner).max(axis=0) < EXACT, apart, 0)
    apart = np.where(np.abs(apart) > EXACT, apart, 0)
    if not apart.any():
        return _repeated(first, places)
    weights = apart / size
    middle, at = float((means[0] + means[1]) @ weights / 2), int(np.abs(apart).argmax())
    text = f"is exactly {means[0][at]:.6g} for X and {means[1][at]:.6g} for Y"
    if np.abs(inner[:, at]).max() > EXACT:
        text = f"is part of a sum of {(apart != 0).sum()} numbers that is exact and differs"

    def is_x(outputs: Outputs) -> Flags:
        above = np.nan_to_num(outputs.values[:, places]) @ weights > middle
        return np.asarray(above & ~outputs.failed)

    return ExactDifference(first.names[places[at]], text, is_x)


def _repeated(first: Outputs, places: npt.NDArray[np.int64]) -> ExactDifference | None:
    """Return the output that X repeats most, if Y does not: two runs with the same noise."""
    on_x, on_y = (first.side(on_x=side)[:, places] for side in (True, False))
    outputs, counts = np.unique(on_x, axis=0, return_counts=True)
    shown, often = outputs[counts.argmax()], int(counts.max())
    also = int((on_y == shown).all(axis=1).sum())
    if often / len(on_x) - also / len(on_y) < REPEATED:
        return None
    text = f"and all other numbers are the same in {often} of {len(on_x)} first runs on X"

    def is_x(outputs: Outputs) -> Flags:
        return np.asarray((outputs.values[:, places] == shown).all(axis=1) & ~outputs.failed)

    return ExactDifference(first.names[places[0]], text, is_x)


def _means(values: Floats) -> Floats:
    there = ~np.isnan(values)
    total: Floats = np.where(there, values, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return total
