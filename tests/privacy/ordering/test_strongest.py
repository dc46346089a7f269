"""The best of two bundles: never above what either of them proves, and never below both."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.privacy.ordering.implication import is_perfect, strongest
from semiaudit.privacy.tradeoff.polygon import IDENTITY, lower_hull, pointwise_max, type_ii_at

ONE, TWO = Fraction(1), Fraction(2)
GRID = [Fraction(i, 48) for i in range(49)]


@st.composite
def polygons(draw: st.DrawFn) -> PiecewiseLinear:
    corners = draw(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=4))
    points = [(Fraction(x, 24), Fraction(min(y, 24 - x), 24)) for x, y in corners]
    return lower_hull([(Fraction(0), Fraction(draw(st.integers(0, 24)), 24)), *points])


@given(polygons(), polygons())
def test_the_larger_of_two_tradeoff_functions_is_one(
    f: PiecewiseLinear, g: PiecewiseLinear
) -> None:
    best = pointwise_max(f, g)
    for x in {*GRID, *(x for x, _ in f.vertices), *(x for x, _ in g.vertices)}:
        assert type_ii_at(best, x) == max(type_ii_at(f, x), type_ii_at(g, x))
    for a, b in zip(best.vertices, best.vertices[1:], strict=False):
        middle = (a[0] + b[0]) / 2
        assert type_ii_at(best, middle) == max(type_ii_at(f, middle), type_ii_at(g, middle))


def test_each_kind_is_kept_at_its_smallest() -> None:
    first = (PureDP(TWO), ZCDP(ONE))
    second = (ZCDP(TWO), GDP(TWO), PureDP(ONE))
    assert strongest(first, second) == (PureDP(ONE), ZCDP(ONE), GDP(TWO))
    assert strongest((), second) == second
    assert strongest((GDP(ONE),), (GDP(TWO),)) == (GDP(ONE),)
    pair = ApproxDP(ONE, Fraction(1, 10))
    assert strongest((pair,), (ApproxDP(TWO, Fraction(0)),)) == (pair,)


def test_a_bundle_is_perfect_where_one_measure_says_so() -> None:
    perfect = (PureDP(0 * ONE), ZCDP(0 * ONE), GDP(0 * ONE), ApproxDP(0 * ONE, 0 * ONE), IDENTITY)
    for measure in perfect:
        assert is_perfect((ZCDP(ONE), measure))
    lossy = PiecewiseLinear(((0 * ONE, ONE), (ONE / 2, ONE / 4), (ONE, 0 * ONE)))
    assert not is_perfect((PureDP(ONE), ZCDP(ONE), GDP(ONE), ApproxDP(0 * ONE, ONE / 2), lossy))
