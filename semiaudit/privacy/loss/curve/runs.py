"""Places of a curve in runs that one tilt each serves: estimates, on which no bound rests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.direction import Direction
from semiaudit.privacy.loss.sources.loss_source import Floats

_NODES = 5
"""Places for which a tilt is looked for; those between get one between."""

_SHALLOWER = (0.85, 0.7, 0.55, 0.4, 0.25)
"""Parts of the depth that are tried once the number of runs is known."""


@dataclass(frozen=True, slots=True)
class Course:
    """The tilts of one direction along a curve, all estimated: no bound depends on them.

    Attributes:
        tilts: for each place. moments: ln E exp(tilt L). losses: what the tilt centers.
    """

    direction: Direction
    tilts: Floats
    moments: Floats
    losses: Floats

    @property
    def depths(self) -> Floats:
        """Nats by which the tilt of each place (columns) weighs others (rows) less than their own
        tilts do."""
        own = self.moments - self.tilts * self.losses
        return np.maximum(self.moments - np.outer(self.losses, self.tilts) - own[:, None], 0.0)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighboring places, and the one whose tilts serve all of them."""

    places: Sequence[int]
    centre: int
    depth: float


def course_of(direction: Direction, keys: Floats, tilt_of: Callable[[int], float]) -> Course:
    """The tilts along a curve: looked for at some places, and between them interpolated."""
    nodes = sorted({round(place) for place in np.linspace(0, len(keys) - 1, _NODES)})
    known = [tilt_of(node) for node in nodes]
    cumulants = [direction.cumulants(tilt) for tilt in known]
    tilts = np.interp(keys, keys[nodes], known)
    means = np.interp(keys, keys[nodes], [mean for _, mean, _ in cumulants])
    last = np.searchsorted(nodes, np.arange(len(keys)), side="right") - 1
    begin = np.array(nodes)[last]
    # The mean is the derivative of the logarithm of the moment.
    moved = (tilts - tilts[begin]) * (means + means[begin]) / 2
    moments = np.array([moment for moment, _, _ in cumulants])[last] + moved
    return Course(direction, tilts, moments, means)


def runs_of(depths: Floats, deepest: float) -> list[Run]:
    """The places in as few runs as the depth allows, each no deeper than that number needs."""
    runs = _greedy(depths, deepest)
    for share in _SHALLOWER:
        shallower = _greedy(depths, share * deepest)
        if len(shallower) > len(runs):
            break
        runs = shallower
    return runs


def _greedy(depths: Floats, deepest: float) -> list[Run]:
    """Runs from the first place on, each as long as some center reaches."""
    runs: list[Run] = []
    first, number = 0, len(depths)
    while first < number:
        # Of each center the first place that it does not reach.
        within = depths[first:] <= deepest
        ends = np.where(within.all(axis=0), number - first, np.argmin(within, axis=0))
        end = first + max(int(ends[first:].max()), 1)
        worst = depths[first:end, first:end].max(axis=0)
        centre = int(np.argmin(worst))
        runs.append(Run(range(first, end), first + centre, float(worst[centre])))
        first = end
    return runs
