"""What the points of a curve certify between them, against functions in closed form."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray

from semiaudit import (
    FDP,
    GDP,
    Curve,
    Gaussian,
    GaussianTradeoff,
    Guarantee,
    Laplace,
    Number,
    PiecewiseTradeoff,
)

NORMAL = NormalDist()


def gaussian(type_i: float) -> float:
    return NORMAL.cdf(NORMAL.inv_cdf(1 - type_i) - 1) if 0 < type_i < 1 else 1 - type_i


def laplace(type_i: float) -> float:
    if math.exp(-1) / 2 < type_i < 0.5:
        return math.exp(-1) / (4 * type_i)
    return max(1 - math.e * type_i, (1 - type_i) / math.e)


def curve(points: list[tuple[float, float]]) -> Curve:
    return Curve(np.array([x for x, _ in points]), np.array([y for _, y in points]))


Vertices = tuple[tuple[Fraction, Fraction], ...]


def vertices(*points: tuple[int | str, int | str]) -> Vertices:
    return tuple((Fraction(x), Fraction(y)) for x, y in points)


def joined(points: Vertices, at: float) -> float:
    type_i, type_ii = zip(*points, strict=True)
    return float(np.interp(at, [float(x) for x in type_i], [float(y) for y in type_ii]))


PLACES = [place / 97 for place in range(98)] + [10.0**-k for k in range(3, 12)]


@pytest.mark.parametrize("points", [3, 4, 41])
@pytest.mark.parametrize(
    ("mechanism", "function"), [(Gaussian(1), gaussian), (Laplace(1), laplace)]
)
def test_a_curve_taken_as_a_guarantee_is_nowhere_above_the_function_it_comes_from(
    mechanism: Gaussian | Laplace, function: Callable[[float], float], points: int
) -> None:
    known = mechanism.guarantee().tradeoff(points)
    declared = FDP(known, orders="both").guarantee()
    found = declared.type_ii(PLACES)
    assert all(value <= function(at) + 1e-12 for at, value in zip(PLACES, found, strict=True))
    truth = 2 * NORMAL.cdf(0.5) - 1 if function is gaussian else 1 - math.exp(-0.5)
    assert float(declared.advantage) >= truth
    f = PiecewiseTradeoff(known)
    assert all(float(f(at)) <= function(at) + 1e-12 for at in PLACES[::9])


def test_lines_between_the_points_of_a_curve_promise_too_much() -> None:
    """N(0, 1) against N(1, 1): the type II error at 0.05 is 0.7405, and 0.9159 on the line."""
    points = Gaussian(1).guarantee().tradeoff(3)
    type_i, type_ii = points.type_i, points.type_ii
    assert np.interp(0.05, type_i, type_ii) > 0.91
    found = float(FDP(Curve(type_i, type_ii), orders="both").guarantee().type_ii("0.05"))
    assert found <= gaussian(0.05) < 0.7406


def test_what_one_point_certifies() -> None:
    """Through (1/4, 1/4): above it (0, 1) to (1/4, 1/4) continued, and (1, 0) to it continued."""
    kink = vertices((0, "1/3"), ("1/3", 0), (1, 0))
    assert curve([(0.25, 0.25)]).vertices == kink
    assert curve([(0.0, 1.0), (0.25, 0.25), (1.0, 0.0)]).vertices == kink
    assert curve([(0.25, 0.0)]).vertices == vertices((0, 0), (1, 0))
    assert curve([(0.0, 1.0), (1.0, 0.0)]).vertices == vertices((0, 0), (1, 0))
    assert curve([(0.25, 0.75), (0.5, 0.5)]).vertices == vertices((0, 1), (1, 0))


def test_nothing_higher_is_certified_at_a_vertex() -> None:
    """Two lines (0, 1) to a vertex to (1, 0) are a tradeoff function with all points of the curve.

    So every vertex is reached by some function that has them.
    """
    chance = random.Random(20)
    for _ in range(200):
        pairs = [(chance.uniform(0, 3), chance.uniform(0, 0.3)) for _ in range(3)]
        places = sorted({chance.uniform(0, 1) for _ in range(chance.randint(1, 9))})

        def function(x: float, pairs: list[tuple[float, float]] = pairs) -> float:
            lines = [(1 - d - math.exp(e) * x, math.exp(-e) * (1 - d - x)) for e, d in pairs]
            return max(0.0, *(max(both) for both in lines))

        points = [(x, function(x)) for x in places]
        certified = curve(points).vertices
        for at in [*places, *PLACES]:
            assert joined(certified, at) <= function(at) + 1e-12
        for x, y in certified[1:-1]:
            tightest = ((Fraction(0), Fraction(1)), (x, y), (Fraction(1), Fraction(0)))
            assert all(joined(tightest, at) >= value - 1e-9 for at, value in points)


def test_a_function_that_a_curve_bounds_is_known_from_below_only() -> None:
    f = PiecewiseTradeoff(GaussianTradeoff(1).tradeoff(5))
    assert f.from_above("1/2").value == Fraction(1, 2)
    assert f.order(GaussianTradeoff(2)) == "undecided"
    assert f.vertices is None
    assert repr(f) == "PiecewiseTradeoff(<curve of 5 points>)"


def test_points_that_no_tradeoff_function_has_are_an_error() -> None:
    with pytest.raises(ValueError, match="curve: two errors sum to more than 1"):
        FDP(curve([(0.5, 0.6)]), orders="both")
    with pytest.raises(ValueError, match="curve: "):
        FDP(curve([(0.5, math.nan)]), orders="both")


def test_a_list_of_points_is_a_declaration_of_the_lines_between_them() -> None:
    pure: list[tuple[Number, Number]] = [(0, 1), ("1/4", "1/4"), (1, 0)]
    assert float(FDP(pure, orders="both").guarantee().epsilon(0)) == pytest.approx(
        math.log(3), rel=1e-12
    )


NUMBERS: dict[str, Callable[[Guarantee, list[float]], NDArray[np.float64]]] = {
    "delta": lambda guarantee, places: guarantee.delta([9 * place for place in places]),
    "epsilon": lambda guarantee, places: guarantee.epsilon([place**9 for place in places]),
    "type_ii": lambda guarantee, places: guarantee.type_ii(places),
    "tpr": lambda guarantee, places: guarantee.tpr(places),
    "profile": lambda guarantee, places: guarantee.profile([9 * place for place in places]).delta,
    "tradeoff": lambda guarantee, places: guarantee.tradeoff(places).type_ii,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_many_points_in_any_order_have_the_numbers_of_the_calls_of_their_parts(name: str) -> None:
    """The truth is within a millionth of each number, on one side of it, in whatever call."""
    ask, guarantee = NUMBERS[name], (Gaussian(5) * 20 + Laplace(3) * 20).guarantee()
    places = [place / 121 for place in range(1, 121, 3)]
    whole = ask(guarantee, places)
    order = list(range(40))
    random.Random(7).shuffle(order)
    shuffled = ask(guarantee, [places[at] for at in order])
    if name in ("profile", "tradeoff"):
        # Sorted by the call itself.
        assert np.array_equal(shuffled, whole)
        parts = np.concatenate([ask(guarantee, places[k : k + 10]) for k in range(0, 40, 10)])
    else:
        assert np.array_equal(shuffled, whole[order])
        parts = np.empty(40)
        for own in (order[:12], order[12:15], order[15:]):
            parts[own] = ask(guarantee, [places[at] for at in own])
    size = np.ones(40) if name in ("type_ii", "tradeoff") else np.maximum(whole, parts)
    assert (np.abs(whole - parts) <= 1.001e-6 * size).all()


def test_the_points_of_a_curve_are_a_guarantee_for_the_same_datasets() -> None:
    origin = GDP(1).guarantee(distance=3)
    found = origin.tradeoff(200).guarantee()
    assert (found.universe, found.metric, found.distance) == ("D", "hamming", 3)
    for epsilon in (0, 1, 2.5):
        true = NORMAL.cdf(1.5 - epsilon / 3) - math.exp(epsilon) * NORMAL.cdf(-1.5 - epsilon / 3)
        assert true <= float(found.delta(epsilon)) <= true + 0.06
    assert float(found.type_ii("0.1025")) < NORMAL.cdf(-NORMAL.inv_cdf(0.1025) - 3)
    # Lines between the points are not certified: the pairs are those of the polygon below them.
    few = GDP(1).guarantee().tradeoff(5).guarantee()
    assert float(few.delta(1)) > 1.5 * 0.1269


@pytest.mark.parametrize("drawn", [GaussianTradeoff(1), GDP(1).guarantee()])
def test_plots_are_nowhere_above_the_function(drawn: GaussianTradeoff | Guarantee) -> None:
    axes = Figure().subplots()
    assert drawn.plot(ax=axes) is axes
    (line,) = axes.lines
    xs, ys = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    for at in np.linspace(0.0005, 0.9995, 500):
        assert np.interp(at, xs, ys) <= gaussian(at) + 1e-12
    assert len(drawn.tradeoff(5).plot().lines) == 1


def test_a_plot_of_a_profile_is_nowhere_below_it() -> None:
    (line,) = GaussianTradeoff(1).profile([1, 0, 3, 2]).plot().lines
    xs, ys = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    for at in np.linspace(0.001, 2.999, 100):
        assert np.interp(at, xs, ys) >= NORMAL.cdf(0.5 - at) - math.exp(at) * NORMAL.cdf(-0.5 - at)
