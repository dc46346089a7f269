"""Which single measure implies another one, and the best of two bundles."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, ApproxZCDP, PiecewiseLinear, PureDP
from semiaudit.privacy.ordering.implication import implies, is_perfect, strongest
from semiaudit.privacy.tradeoff.polygon import IDENTITY, lower_hull, pointwise_max, type_ii_at

ONE, HALF, TENTH, FIFTH = Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 5)


def test_zcdp_implies_what_sets_no_less_aside_and_allows_no_less() -> None:
    assert implies(ApproxZCDP(ONE, TENTH), ApproxZCDP(ONE, FIFTH))
    assert not implies(ApproxZCDP(ONE, FIFTH), ApproxZCDP(ONE, TENTH))
    assert not implies(ApproxZCDP(2 * ONE, TENTH), ApproxZCDP(ONE, FIFTH))
    assert implies(ZCDP(ONE), ApproxZCDP(ONE, TENTH))
    assert not implies(ApproxZCDP(ONE, TENTH), ZCDP(ONE))


def test_what_loses_nothing_implies_everything_and_follows_from_itself_alone() -> None:
    nothing = PureDP(Fraction(0))
    for weak in (PureDP(ONE), ZCDP(ONE), GDP(ONE), ApproxDP(ONE, TENTH), nothing):
        assert implies(nothing, weak)
        assert implies(weak, nothing) == (weak == nothing)
    assert implies(GDP(Fraction(0)), ZCDP(ONE))


def test_gaussian_dp_implies_a_polygon_whose_lines_its_function_does_not_cross() -> None:
    zero = Fraction(0)
    low = PiecewiseLinear(((zero, Fraction(3, 4)), (TENTH, HALF), (HALF, zero), (ONE, zero)))
    # G_0.1(0.1) is 0.88, and G_5(0.1) is below 0.001.
    assert implies(GDP(Fraction(1, 100)), low)
    assert not implies(GDP(Fraction(25)), low)


TWO = Fraction(2)
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
