"""Moments of K-norm noise from sampled directions, for a K with too many facets to divide.

Noise of density proportional to exp(-|v|_K) on a space of dimension s is r u with |u|_2 = 1. Given
the direction u, r |u|_K has the distribution Gamma(s). So u has a density proportional to
|u|_K^-s on the sphere, and a moment of the noise is a weighted mean over uniform directions:

    E |v|_2 = s E |u|_K^-(s+1) / E |u|_K^-s,  E v_i^2 = s (s + 1) E u_i^2 |u|_K^-(s+2) / E |u|_K^-s

The directions are those of random frames of orthogonal axes, each with the others independent of
the frames before. So the squares of a coordinate have the right sum in every frame, and the
standard error is known, as it is not for a walk.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Drawing, Walked
from semiaudit.model.results.design import Cost

Floats = npt.NDArray[np.float64]

SAMPLES = 40_000
"""Samples for estimates of the moments of noise."""

NUMBERS, FEWEST = 4_000_000, 400
"""Numbers in all samples, and the fewest samples: the lengths of wide noise vary less."""

MOST = 1_500
"""The most directions: each takes a linear program."""

CLOSE = 0.003
"""The relative standard error of the mean length at which sampling of directions stops."""

FRAMES = 10
"""The fewest frames, for a standard error."""


@dataclass(frozen=True, slots=True)
class NoiseMoments:
    """Moments of noise.

    Attributes:
        length: the mean Euclidean length.
        deviation: the largest standard deviation of a coordinate.
        total: the expected squared length.
    """

    length: Cost
    deviation: Cost
    total: Cost


def sampled_moments(drawing: Drawing) -> NoiseMoments:
    """Return estimates of the moments of noise, from samples; of a walk, from directions."""
    if isinstance(drawing, Walked):
        return moments_from_directions(drawing)
    width = drawing.draw(1, Randomness(0)).shape[1]
    noise = drawing.draw(max(min(SAMPLES, NUMBERS // width), FEWEST), Randomness(0))
    squares = noise**2
    ones = np.ones(len(noise))
    return _moments(ones, np.sqrt(squares.sum(axis=1)), squares)


def moments_from_directions(walk: Walked) -> NoiseMoments:
    """Estimate the moments of K-norm noise, from the norms of random directions."""
    generator = np.random.default_rng(0)
    dense = walk.lattice.dense.astype(float)
    basis = np.linalg.qr(dense.T)[0].T
    coordinates = basis @ walk.lattice.inverse.T
    rank = len(basis)
    axes, norms = np.zeros((0, rank, rank)), np.zeros((0, rank))
    while True:
        frame = np.linalg.qr(generator.standard_normal((rank, rank)))[0]
        gauges = []
        for direction in frame.T:
            deadline.check()
            gauges.append(walk.gauge.of(direction @ coordinates))
        axes, norms = np.concatenate([axes, frame.T[None]]), np.vstack([norms, gauges])
        # of the weights |u|_K^-s, only their ratios count
        weights = np.exp(-rank * np.log(norms / norms.min()))
        length = _mean(weights, rank / norms)
        close = length.error <= CLOSE * length.value and len(norms) >= FRAMES
        if close or norms.size + rank > MOST:
            break
    squares = rank * (rank + 1) * ((axes @ basis) / norms[..., None]) ** 2
    size = 1 / walk.epsilon
    moments = _moments(weights, rank / norms, squares)
    return NoiseMoments(
        times(moments.length, size), times(moments.deviation, size), times(moments.total, size**2)
    )


def times(cost: Cost, factor: float) -> Cost:
    """Return a cost times a factor."""
    return Cost(cost.value * factor, cost.side, cost.error * factor)


def _moments(weights: Floats, lengths: Floats, squares: Floats) -> NoiseMoments:
    weighted = np.tensordot(weights, squares, axes=weights.ndim)
    widest = _mean(weights, squares[..., int(weighted.argmax())])
    root = widest.value**0.5
    deviation = Cost(root, "estimate", widest.error / (2 * root))
    return NoiseMoments(_mean(weights, lengths), deviation, _mean(weights, squares.sum(axis=-1)))


def _mean(weights: Floats, values: Floats) -> Cost:
    total = float(weights.sum())
    mean = float((weights * values).sum()) / total
    deviations = weights * (values - mean)
    error = float(np.sqrt((deviations.reshape(len(deviations), -1).sum(axis=1) ** 2).sum())) / total
    return Cost(mean, "estimate", error)
