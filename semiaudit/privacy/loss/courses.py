"""Places of a curve in runs that one tilt each serves: estimates, on which no bound rests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.direction import Direction
from semiaudit.privacy.loss.laws.spectrum import Integers
from semiaudit.privacy.loss.normal_estimate import NormalEstimate
from semiaudit.privacy.loss.sources.loss_source import Floats

_NODES = 5
"""Places for which a tilt is looked for; those between get one between."""

_MOST_COMPARED = 256
"""The most places that are compared with each other, of more every second, third, ... one."""

_SHALLOWER = (0.85, 0.7, 0.55, 0.4, 0.25)
"""Parts of the depth that are tried once the number of runs is known."""


@dataclass(frozen=True, slots=True)
class Course:
    """The tilts of one direction along a curve, all estimated: no bound depends on them.

    Attributes:
        tilts: for each place. moments: ln E exp(tilt L). losses: what the tilt centers.
        spreads: the standard deviation at that tilt.
    """

    direction: Direction
    tilts: Floats
    moments: Floats
    losses: Floats
    spreads: Floats

    @property
    def estimate(self) -> NormalEstimate:
        """The tilted losses as normal laws, with what the tilts center as thresholds."""
        return NormalEstimate(self.tilts, self.moments, self.losses, self.spreads, self.losses)

    def depths(self, places: Integers, centres: Integers | int) -> Floats:
        """Nats by which the tilts of centers weigh places less than their own tilts do."""
        own = self.moments[places] - self.tilts[places] * self.losses[places]
        here = self.moments[centres] - self.tilts[centres] * self.losses[places]
        return np.maximum(here - own, 0.0)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighboring places, and the one whose tilts serve all of them."""

    places: Integers
    centre: int
    depth: float


def course_of(direction: Direction, keys: Floats, tilt_of: Callable[[int], float]) -> Course:
    """The tilts along a curve: looked for at some places, and between them interpolated."""
    nodes = sorted({round(place) for place in np.linspace(0, len(keys) - 1, _NODES)})
    known_tilts = [tilt_of(node) for node in nodes]
    cumulants = [direction.cumulants(tilt) for tilt in known_tilts]
    tilts = np.interp(keys, keys[nodes], known_tilts)
    means = np.interp(keys, keys[nodes], [mean for _, mean, _ in cumulants])
    spreads = np.interp(keys, keys[nodes], [math.sqrt(variance) for *_, variance in cumulants])
    last = np.searchsorted(nodes, np.arange(len(keys)), side="right") - 1
    begin = np.array(nodes)[last]
    # The mean is the derivative of the logarithm of the moment.
    moved = (tilts - tilts[begin]) * (means + means[begin]) / 2
    moments = np.array([moment for moment, _, _ in cumulants])[last] + moved
    return Course(direction, tilts, moments, means, spreads)


def runs_of(courses: Sequence[Course], places: Integers, deepest: float) -> list[Run]:
    """The places in as few runs as the depth allows, each no deeper than that number needs.

    Of very many places some stand for their neighbors, so that time and memory grow with the number
    of places, not with its square.
    """
    stride = -(-len(places) // _MOST_COMPARED)
    some = places[::stride]
    depths = _depths(courses, some[:, None], some)
    cuts = _greedy(depths, deepest)
    for share in _SHALLOWER:
        shallower = _greedy(depths, share * deepest)
        if len(shallower) > len(cuts):
            break
        cuts = shallower
    runs = []
    for first, end, centre in cuts:
        own = places[first * stride : end * stride]
        depth = float(_depths(courses, own, some[centre]).max())
        runs.append(Run(own, int(some[centre]), depth))
    return runs


def leaning(courses: Sequence[Course], run: Run, deepest: float) -> Run:
    """The run with its center halfway to the largest tilt, if that reaches all places too.

    Sampled noise is listed coarsely where the tilted law has hardly any mass. Places with larger
    tilts feel that, those with smaller ones do not.
    """
    steepest = int(run.places[np.argmax(courses[0].tilts[run.places])])
    centre = (run.centre + steepest) // 2
    depth = float(_depths(courses, run.places, centre).max())
    return Run(run.places, centre, depth) if depth <= deepest else run


def _greedy(depths: Floats, deepest: float) -> list[tuple[int, int, int]]:
    """Runs from the first place on, each as long as some center reaches: first, end, and center."""
    runs: list[tuple[int, int, int]] = []
    first, number = 0, len(depths)
    while first < number:
        # Of each center the first place that it does not reach.
        within = depths[first:] <= deepest
        ends = np.where(within.all(axis=0), number - first, np.argmin(within, axis=0))
        end = first + max(int(ends[first:].max()), 1)
        worst = depths[first:end, first:end].max(axis=0)
        runs.append((first, end, first + int(np.argmin(worst))))
        first = end
    return runs


def _depths(courses: Sequence[Course], places: Integers, centres: Integers | int) -> Floats:
    depths: Floats = np.max([course.depths(places, centres) for course in courses], axis=0)
    return depths
