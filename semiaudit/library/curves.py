"""Curves as arrays of doubles, every one on its safe side, and numbers between two bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from semiaudit.library.arguments import Numbers, nonnegative, several, share, whole
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.numeric.rationals import float_down, float_up

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from semiaudit.numeric.intervals import Interval

POINTS = 41
"""The number of points of a curve by default."""


class Curve(NamedTuple):
    """Operating points: no test with a type I error has a smaller type II error than stands here.

    Attributes:
        type_i: ascending, in [0, 1].
        type_ii: certified lower bounds, descending; in Su's form.
    """

    type_i: NDArray[np.float64]
    type_ii: NDArray[np.float64]

    def _repr_html_(self) -> str:
        names = ("type I error", "type II error, at least")
        return _drawn("Tradeoff function", names, self, up=False)


class Profile(NamedTuple):
    """The privacy profile: (epsilon, delta) holds for every pair that stands here.

    Attributes:
        epsilon: 0 or more, ascending.
        delta: certified upper bounds, descending.
    """

    epsilon: NDArray[np.float64]
    delta: NDArray[np.float64]

    def _repr_html_(self) -> str:
        return _drawn("Privacy profile", ("ε", "δ, at most"), self, up=True)


class Enclosure(NamedTuple):
    """A number between two certified bounds.

    Attributes:
        lower: from below.
        upper: from above.
    """

    lower: Bound
    upper: Bound


def _drawn(title: str, names: tuple[str, str], curve: Curve | Profile, *, up: bool) -> str:
    """A curve for a notebook."""
    from semiaudit.report.notebook import html_curve

    points = [(float(x), float(y)) for x, y in zip(*curve, strict=True)]
    return html_curve(title, names, points, up=up)


def enclosure(value: Interval, method: str, source: str) -> Enclosure:
    """Both bounds of an interval, each rounded outward."""
    return Enclosure(lower(value, method, source), upper(value, method, source))


Numbered = Callable[[Sequence[Fraction]], Sequence[Bound]]
"""A certified number at each of several places."""


def curve_of(type_ii: Numbered, points: int | Numbers) -> Curve:
    """A tradeoff function at type I errors.

    Args:
        type_ii: its certified lower bound.
        points: the type I errors, or how many of them, evenly spaced from 0 to 1.

    Rounding: each value is that of the double next to it. A larger type I error's value holds for
    every smaller one, and stands for it where it is the better one.
    """
    import numpy as np

    places = _places(points)
    values = [float(bound) for bound in type_ii([Fraction(place) for place in places])]
    for place in reversed(range(len(values) - 1)):
        values[place] = max(values[place], values[place + 1])
    return Curve(np.array(places), np.array(values))


def profile_of(delta: Numbered, epsilons: Numbers) -> Profile:
    """A privacy profile at epsilons. A smaller epsilon's delta holds for larger ones."""
    import numpy as np

    asked = several(epsilons, "epsilons")
    places = sorted({float_down(nonnegative(value, "epsilons")) for value in asked})
    values = [float(bound) for bound in delta([Fraction(place) for place in places])]
    for place in range(1, len(values)):
        values[place] = min(values[place], values[place - 1])
    return Profile(np.array(places), np.array(values))


def _places(points: int | Numbers) -> list[float]:
    if isinstance(points, int):
        last = whole(points, "points", 2) - 1
        return [place / last for place in range(last + 1)]
    return sorted({float_up(share(value, "points")) for value in several(points, "points")})
