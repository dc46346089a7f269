"""Curves as arrays of doubles on their safe side, and numbers between two bounds."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from semiaudit.library.arguments import (
    Number,
    Numbers,
    nonnegative,
    number,
    plain,
    several,
    share,
    whole,
)
from semiaudit.library.axes import draw
from semiaudit.library.value import Value
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.figure import Figure, Series
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.tradeoff.polygon import Vertex, lower_hull
from semiaudit.report.notebook import html_curve

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes as MatplotlibAxes
    from numpy.typing import NDArray

    from semiaudit.model.measure import PiecewiseLinear
    from semiaudit.numeric.intervals import Interval

POINTS = 41
"""The number of points of a curve by default."""


@dataclass(frozen=True, eq=False)
class Points(Sequence[tuple[float, float]], Value):
    """Points in order, as two arrays of one length: a data frame of them has a row for each."""

    def _parts_of_value(self) -> tuple[Any, ...]:
        columns = (getattr(self, field.name) for field in fields(self))
        return tuple(tuple(c.tolist()) if hasattr(c, "tolist") else c for c in columns)

    @overload
    def __getitem__(self, at: int) -> tuple[float, float]: ...

    @overload
    def __getitem__(self, at: slice) -> list[tuple[float, float]]: ...

    def __getitem__(self, at: int | slice) -> tuple[float, float] | list[tuple[float, float]]:
        return self._rows[at]

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def _rows(self) -> list[tuple[float, float]]:
        """Named tuples, whose names are those of a data frame's columns."""
        names = [field.name for field in fields(self)[:2]]
        row = namedtuple("Point", names)  # type: ignore[misc]
        columns = [getattr(self, name).tolist() for name in names]
        rows: list[Any] = [row(*point) for point in zip(*columns, strict=True)]
        return rows


@dataclass(frozen=True, eq=False)
class Steps(Points):
    """Points whose numbers hold between them as steps."""

    _labels = ("", "", "")
    _up = False

    def plot(self, *, ax: MatplotlibAxes | None = None) -> MatplotlibAxes:
        """Draw the numbers as steps, which hold at every place, with matplotlib.

        Args:
            ax: the axes to draw on; by default, those of a new figure.

        Raises:
            OutputError: matplotlib is not installed.
        """
        rows = sorted((x, y) for x, y in self if math.isfinite(y))
        corners = [(b[0], a[1]) if self._up else (a[0], b[1]) for a, b in pairwise(rows)]
        steps = [point for pair in zip(rows, corners, strict=False) for point in pair]
        series = Series("", tuple(steps + rows[-1:]), role="leading")
        return draw(Figure("curve", *self._labels, (series,)), ax)

    def _repr_html_(self) -> str:
        title, across, up = self._labels
        return html_curve(title, (across, up), self, up=self._up)


@dataclass(frozen=True, eq=False)
class Curve(Steps):
    """Operating points: no test with one of these type I errors has a smaller type II error.

    Straight lines between the points are not certified: a tradeoff function is convex, so a line
    between two of its points lies above it. The number of a point also holds for every smaller type
    I error, as steps; ``vertices`` can be joined by lines.

    Attributes:
        type_i: an array of shape (n,), ascending, in [0, 1].
        type_ii: an array of shape (n,), descending: certified lower bounds on the type II error at
            each type I error, in Su's form.
    """

    type_i: NDArray[np.float64]
    type_ii: NDArray[np.float64]

    @property
    def vertices(self) -> tuple[Vertex, ...]:
        """Return the largest convex polygon below every tradeoff function with these points.

        Returns:
            Its vertices (type I error, type II error) in exact rationals, from type I error 0 to 1.
            Between two points, the polygon is lower than both the function and the line that joins
            the points. Below the smallest positive type I error, it extends the line from (1, 0)
            through that point, so that delta is at least 1 minus its first type II error.

        Raises:
            ValueError: no tradeoff function has these points, as their sum is above 1.

        Rounding: never above the function. A double is read as itself or as its shortest decimal,
        whichever is lower.
        Source: f is convex, f(0) <= 1, and f(1) = 0; docs/theory/conversions.md, A certified
        polygon from points.
        """
        return self._polygon.vertices

    @property
    def _polygon(self) -> PiecewiseLinear:
        """The tradeoff function of ``vertices``."""
        return _certified_polygon([(_lower(x), _lower(y)) for x, y in self])

    _labels = "Tradeoff function", "type I error", "type II error, at least"


@dataclass(frozen=True, eq=False)
class Profile(Steps):
    """The privacy profile: (epsilon, delta)-DP holds for every pair in it.

    Attributes:
        epsilon: 0 or more, ascending.
        delta: certified upper bounds, descending.
    """

    epsilon: NDArray[np.float64]
    delta: NDArray[np.float64]

    _labels = "Privacy profile", "ε", "δ, at most"
    _up = True


class Enclosure(NamedTuple):
    """A number between two certified bounds.

    Attributes:
        lower: the lower bound.
        upper: the upper bound.
    """

    lower: Bound
    upper: Bound


@dataclass(frozen=True, eq=False)
class Enclosures(Points):
    """Several numbers, each between two certified bounds.

    Attributes:
        lower: an array of the lower bounds, rounded down.
        upper: an array of the upper bounds, rounded up.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def _lower(value: float) -> Fraction:
    return min(number(value, "curve"), Fraction(value))


def _certified_polygon(points: Sequence[Vertex]) -> PiecewiseLinear:
    """Return the largest convex lower bound on all tradeoff functions at or above some points.

    To the right of a point, f is on or above the line from (0, 1) through it; to the left, on or
    above the line from (1, 0) through it, because f is convex. Between two points, the least value
    that any f can have is the larger one of both lines; its kinks are where they cross.
    """
    if any(x + y > 1 for x, y in points):
        raise ValueError(
            "curve: two errors sum to more than 1; no tradeoff function is above 1 - a"
        )
    inner = sorted((x, y) for x, y in points if 0 < x < 1)
    falls = list(accumulate(((1 - y) / x for x, y in inner), min))
    from_right = accumulate((y / (1 - x) for x, y in reversed(inner)), max, initial=Fraction(0))
    rises = list(from_right)[::-1]
    kinks = [(Fraction(0), rises[0])]
    for fall, rise in zip(falls, rises[1:], strict=True):
        if fall > rise:  # else both are 1, and the two lines are one
            at = (1 - rise) / (fall - rise)
            kinks.append((at, rise * (1 - at)))
    return lower_hull(kinks)


def enclosure(value: Interval, method: str, source: str) -> Enclosure:
    """Return both bounds of an interval, each rounded outward."""
    return Enclosure(lower(value, method, source), upper(value, method, source))


Numbered = Callable[[Sequence[Fraction]], Sequence[Bound]]
"""A function from several places to certified numbers."""


def asked(
    numbers: Numbered, values: Number | Numbers, read: Callable[[Number], Fraction]
) -> Bound | NDArray[np.float64]:
    """Return the certified number at one value, or an array of doubles on the safe side.

    Args:
        read: reads a value, and refuses one out of range.
    """
    listed = plain(values)
    if not isinstance(listed, list):
        return numbers([read(listed)])[0]
    import numpy as np

    return np.array([float(bound) for bound in numbers(list(map(read, listed)))], dtype=np.float64)


def enclosed(
    lower: Bound | NDArray[np.float64], upper: Bound | NDArray[np.float64]
) -> Enclosure | Enclosures:
    """Return both bounds of one number, or of each of several."""
    if isinstance(lower, Bound) and isinstance(upper, Bound):
        return Enclosure(lower, upper)
    return Enclosures(lower, upper)  # type: ignore[arg-type]


def enclosed_at(
    enclosure_at: Callable[[Number], Enclosure], values: Number | Numbers
) -> Enclosure | Enclosures:
    """Return the enclosed number at a value, or at each of several."""
    listed = plain(values)
    if not isinstance(listed, list):
        return enclosure_at(listed)
    import numpy as np

    rows = [tuple(map(float, enclosure_at(value))) for value in listed]
    low, high = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    return Enclosures(low, high)


def curve_of(type_ii: Numbered, points: int | Numbers) -> Curve:
    """Evaluate a tradeoff function at type I errors.

    Args:
        type_ii: its certified lower bound.
        points: the type I errors, or how many of them, evenly spaced from 0 to 1.

    Rounding: each value is that of the double next to it. The value at a larger type I error holds
    for every smaller one, and replaces it if it is better.
    """
    import numpy as np

    places = _places(points)
    values = [float(bound) for bound in type_ii([Fraction(place) for place in places])]
    for place in reversed(range(len(values) - 1)):
        values[place] = max(values[place], values[place + 1])
    return Curve(np.array(places), np.array(values))


def profile_of(delta: Numbered, epsilons: Numbers) -> Profile:
    """Evaluate a privacy profile at epsilons. A smaller epsilon's delta holds for larger ones."""
    import numpy as np

    plain_epsilons = several(epsilons, "epsilons")
    places = sorted({float_down(nonnegative(value, "epsilons")) for value in plain_epsilons})
    values = [float(bound) for bound in delta([Fraction(place) for place in places])]
    for place in range(1, len(values)):
        values[place] = min(values[place], values[place - 1])
    return Profile(np.array(places), np.array(values))


def _places(points: int | Numbers) -> list[float]:
    if isinstance(points, int):
        last = whole(points, "points", 2) - 1
        return [place / last for place in range(last + 1)]
    return sorted({float_up(share(value, "points")) for value in several(points, "points")})
