"""Places of a curve in runs that one tilt each serves: estimates, on which no bound rests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.direction import Direction
from semiaudit.privacy.loss.laws.spectrum import Integers
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

    def depths(self, places: Integers | int, centres: Integers | int) -> Floats:
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


def runs_of(courses: Sequence[Course], places: Integers, deepest: float) -> list[Run]:
    """The places in as few runs as the depth allows, each no deeper than that number needs."""
    runs = _greedy(courses, places, deepest)
    for share in _SHALLOWER:
        shallower = _greedy(courses, places, share * deepest)
        if len(shallower) > len(runs):
            break
        runs = shallower
    return runs


def leaning(courses: Sequence[Course], run: Run, place: int, deepest: float) -> Run:
    """The run with its center halfway to a place, if that center reaches all places too."""
    centre = (run.centre + place) // 2
    depth = float(_depths(courses, run.places, centre).max())
    return Run(run.places, centre, depth) if depth <= deepest else run


def _greedy(courses: Sequence[Course], places: Integers, deepest: float) -> list[Run]:
    """Runs from the first place on, each as long as some center reaches.

    A depth rises with the distance from its center. So the furthest center that reaches the first
    place reaches further than any other, and the ends of a run are its deepest places: time and
    memory grow with the number of places, not with its square.
    """
    runs: list[Run] = []
    left = places
    while len(left):
        furthest = _reached(_depths(courses, left[0], left) <= deepest) - 1
        beyond = left[furthest:]
        own = left[: furthest + _reached(_depths(courses, beyond, left[furthest]) <= deepest)]
        worst = np.maximum(_depths(courses, own[0], own), _depths(courses, own[-1], own))
        centre = int(own[np.argmin(worst)])
        runs.append(Run(own, centre, float(_depths(courses, own, centre).max())))
        left = left[len(own) :]
    return runs


def _depths(courses: Sequence[Course], places: Integers | int, centres: Integers | int) -> Floats:
    """The largest depth of any direction."""
    return np.max([course.depths(places, centres) for course in courses], axis=0)


def _reached(within: NDArray[np.bool_]) -> int:
    """The length of the first run of places within reach: a center reaches itself."""
    return max(len(within) if within.all() else int(np.argmin(within)), 1)
