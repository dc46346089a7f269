"""One budget against one number and one interval for a(t), all of them written down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from semiaudit.errors import Mark, RefusedError
from semiaudit.gate.budgets import judge
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import Audit, Budget, BudgetMeasure, BudgetResult
from semiaudit.model.bound import Bound, Side
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, GuaranteeRow, Numbers
from semiaudit.model.semi_adjacency import Universe
from tests.gate.specs import HOLDS, audited

HAMMING = Adjacency("hamming")
SMALL, LARGE = Fraction(1, 10**7), Fraction(1, 10**6)


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audited(tmp_path_factory.mktemp("judge"), HOLDS)


EVERYWHERE: tuple[FrameworkName, ...] = ("nominal_dp", "group_privacy", "subspace_dp")
"""Guarantees over all of D."""


def bound(value: float | Fraction, side: Side = "upper") -> Bound:
    if isinstance(value, float) and math.isinf(value):
        return Bound(value, side, "m", "s")
    return Bound(Fraction(str(value)), side, "m", "s")


def rows_of(
    audit: Audit,
    numbers: Numbers,
    *,
    refused: Sequence[str] = (),
    at_distance: tuple[int, Numbers] | None = None,
) -> list[GuaranteeRow]:
    """All five rows with the same numbers; some refused."""
    return [
        replace(
            row,
            guarantee=replace(
                row.guarantee, refused="why" if row.guarantee.framework in refused else ""
            ),
            numbers=numbers,
            alternatives=((f"distance_{at_distance[0]}", at_distance[1]),) if at_distance else (),
        )
        for row in audit.rows
    ]


def universe_of(
    audit: Audit,
    lower: int,
    upper: int | None,
    *,
    trivial: bool = False,
    printed: tuple[int, int] | None = None,
    public: bool = False,
) -> Universe:
    """A universe whose covering a(t) lies in an interval, and the other reading in one of its own.

    Args:
        trivial: nothing but the size of the datasets bounds a(t).
        printed: the interval of definition_13, which is the reading in force then.
    """
    semi = audit.universe.semi_adjacency
    covering = replace(semi.covering, lower=lower, upper=upper, trivial=trivial)
    first, last = printed or (90, 99)
    return replace(
        audit.universe,
        semi_adjacency=replace(
            semi,
            covering=covering,
            definition_13=replace(semi.definition_13, lower=first, upper=last, trivial=False),
            reading="covering" if printed is None else "definition_13",
        ),
        disclosed=replace(audit.universe.disclosed, table_is_public=public),
    )


def rho(limit: float, framework: FrameworkName = "semi_dp", distance: int | None = None) -> Budget:
    return Budget(framework, "rho", Fraction(str(limit)), None, distance)


def a_t(limit: int) -> Budget:
    return Budget("semi_dp", "a_t", Fraction(limit))


ONE = replace(NO_NUMBERS, zcdp=bound(1))


@pytest.mark.parametrize(
    ("interval", "trivial", "limit", "rule", "actual", "words"),
    [
        ((3, 3), False, 3, "", (3, "exact"), ""),
        ((3, 3), False, 4, "", (3, "exact"), ""),
        ((3, 3), False, 2, "SA013", (3, "exact"), "above its limit"),
        ((3, 5), False, 5, "", (5, "upper"), ""),
        ((3, 5), False, 4, "SA014", (5, "upper"), "is between 3 and 5, and the limit is"),
        ((3, 5), False, 3, "SA014", (5, "upper"), "is between 3 and 5, and the limit is"),
        ((3, 5), False, 2, "SA013", (5, "upper"), "above its limit"),
        # Nothing is proven from above: only that the limit is exceeded may be known.
        ((3, None), False, 9, "SA014", None, "no proven finite"),
        ((3, None), False, 3, "SA014", None, "at least 3"),
        ((3, None), False, 2, "SA013", None, "at least 3"),
        ((3, 61), True, 1000, "SA014", None, "not established"),
        ((3, 61), True, 3, "SA014", None, "at least 3"),
        ((3, 61), True, 2, "SA013", None, "at least 3"),
        ((3, 3), True, 3, "", (3, "exact"), ""),
        ((0, 0), False, 9, "SA017", (0, "exact"), "a(t) is 0: nothing is protected"),
        ((0, 1), False, 1, "", (1, "upper"), ""),
    ],
)
@pytest.mark.parametrize("printed", [None, (1, 1)])
def test_a_cap_on_a_of_t_is_on_the_covering_upper_bound(
    interval: tuple[int, int | None],
    trivial: bool,
    limit: int,
    rule: str,
    actual: tuple[int, str] | None,
    words: str,
    printed: tuple[int, int] | None,
    audit: Audit,
) -> None:
    universe = universe_of(audit, *interval, trivial=trivial, printed=printed)
    found = judge(a_t(limit), rows_of(audit, ONE), universe, HAMMING)
    assert (found.rule, found.holds) == (rule, not rule)
    assert words in found.reason
    known = found.actual and (found.actual.value, found.actual.side)
    assert known == actual


def inside(
    audit: Audit,
    universe: Universe,
    budget: Budget,
    adjacency: Adjacency = HAMMING,
    *,
    tables_differ: bool | None = True,
) -> BudgetResult:
    rows = rows_of(audit, ONE, at_distance=(budget.distance or 1, ONE))
    return judge(budget, rows, universe, adjacency, tables_differ=tables_differ)


def test_a_statement_inside_d_t_is_empty_where_a_of_t_is_0(audit: Audit) -> None:
    still = universe_of(audit, 0, 0)
    found = inside(audit, still, rho(5))
    assert (found.rule, found.holds) == ("SA017", False)
    assert found.reason == "a(t) is 0: nothing is protected"
    assert found.actual == bound(1)
    # A statement about all of D says something all the same.
    for framework in EVERYWHERE:
        assert inside(audit, still, rho(5, framework)).holds
    assert inside(audit, universe_of(audit, 0, 1), rho(5)).holds


def test_a_statement_inside_d_t_is_empty_where_no_other_table_is_near(audit: Audit) -> None:
    universe = universe_of(audit, 3, 3)
    public = inside(audit, universe_of(audit, 3, 3, public=True), rho(5))
    assert (public.rule, public.holds) == ("SA018", False)
    assert "disclose the whole table" in public.reason
    for differ, words in ((False, "no two different tables"), (None, "it is not known whether")):
        found = inside(audit, universe, rho(5), tables_differ=differ)
        assert (found.rule, found.holds) == ("SA018", False)
        assert words in found.reason
        for framework in EVERYWHERE:
            assert inside(audit, universe, rho(5, framework), tables_differ=differ).holds
    assert inside(audit, universe, rho(5)).holds


@pytest.mark.parametrize(
    ("interval", "trivial", "distance", "expected"),
    [
        ((5, 6), False, 4, "distance 4 is below covering a(t)"),
        ((5, 6), False, 5, "distance 5 is below covering a(t)"),
        ((5, 6), False, 6, ""),
        ((5, 6), False, 7, ""),
        (
            (5, None),
            False,
            1000,
            "distance 1000 is below covering a(t), which is not established",
        ),
        ((5, 61), True, 60, "distance 60 is below covering a(t), which is not established"),
        ((5, 61), True, 61, ""),
    ],
)
def test_a_distance_must_reach_the_covering_upper_bound(
    interval: tuple[int, int | None], trivial: bool, distance: int, expected: str, audit: Audit
) -> None:
    universe = universe_of(audit, *interval, trivial=trivial)
    near, far = replace(HAMMING, distance=1), replace(HAMMING, distance=distance)
    for budget, adjacency in (
        (rho(5, "invariant_dp", distance), HAMMING),
        (rho(5, "invariant_dp", distance), near),
        (rho(5), far),
    ):
        found = inside(audit, universe, budget, adjacency)
        assert (found.rule, found.reason) == ("SA019" if expected else "", expected)
    assert inside(audit, universe, rho(5, "group_privacy"), far).holds


@pytest.mark.parametrize(
    ("framework", "universe", "rule"),
    [
        ("semi_dp", (0, 0), "SA017"),
        ("invariant_dp", (0, 0), "SA017"),
        ("nominal_dp", (0, 0), "SA021"),
        ("group_privacy", (0, 0), "SA021"),
        ("semi_dp", (0, 3), "SA021"),
        ("semi_dp", (3, None), "SA021"),
    ],
)
def test_a_budget_on_a_refused_guarantee_does_not_hold(
    framework: FrameworkName, universe: tuple[int, int | None], rule: str, audit: Audit
) -> None:
    rows = rows_of(audit, ONE, refused=[framework])
    found = judge(rho(5, framework), rows, universe_of(audit, *universe, printed=(0, 0)), HAMMING)
    assert (found.rule, found.holds, found.actual, found.reason) == (rule, False, None, "why")


def test_a_row_that_no_framework_has_is_refused_where_it_is_written(audit: Audit) -> None:
    budget = replace(rho(5), mark=Mark(7, 3))
    known = [row for row in audit.rows if row.guarantee.framework != "semi_dp"]
    with pytest.raises(RefusedError) as caught:
        judge(budget, known, audit.universe, HAMMING)
    (refusal,) = caught.value.refusals
    assert "no guarantee of the name semi_dp" in refusal.message
    assert refusal.remedy == "name one of nominal_dp, group_privacy, subspace_dp, invariant_dp"
    assert (refusal.path, refusal.line, refusal.column) == ("budgets", 7, 3)


@pytest.mark.parametrize("refused", [True, False])
@pytest.mark.parametrize(
    ("lower", "limit", "rule"),
    [(0.25, 0.5, "SA014"), (0.5, 0.5, "SA014"), (0.75, 0.5, ""), (None, 0.5, "")],
)
def test_a_number_at_the_lower_bound_of_a_of_t_tells_why_a_budget_does_not_hold(
    lower: float | None, limit: float, rule: str, refused: bool, audit: Audit
) -> None:
    # Above its limit, or refused, at the upper bound of a(t); at the lower one it would hold.
    framework: FrameworkName = "semi_dp"
    rows = rows_of(audit, ONE, refused=[framework] if refused else [])
    number = NO_NUMBERS if lower is None else replace(NO_NUMBERS, zcdp=bound(lower))
    nearer = rows_of(audit, number)
    otherwise = rows_of(audit, replace(NO_NUMBERS, zcdp=bound(0)))
    others = [row for row in otherwise if row.guarantee.framework != framework]
    own = [row for row in nearer if row.guarantee.framework == framework]
    open_universe = universe_of(audit, 3, 5, printed=(2, 4))
    known = [*others, *own]
    budget = rho(limit, framework)
    found = judge(budget, rows, open_universe, HAMMING, at_lower=known, tables_differ=True)
    assert not found.holds
    assert found.rule == (rule or ("SA021" if refused else "SA013"))
    if rule:
        assert "(a(t) is between 2 and 4)" in found.reason
    # Rows that are refused there too, or of others only, decide nothing.
    unknown = rows_of(audit, number, refused=[framework])
    for at_lower in (unknown, others, []):
        other = judge(budget, rows, open_universe, HAMMING, at_lower=at_lower, tables_differ=True)
        assert other.rule == ("SA021" if refused else "SA013")


def test_an_a_of_t_without_a_value_is_shown_as_unknown(audit: Audit) -> None:
    universe = universe_of(audit, 3, None)
    rows, nearer = rows_of(audit, ONE, refused=["semi_dp"]), rows_of(audit, ONE)
    found = judge(rho(5), rows, universe, HAMMING, at_lower=nearer)
    assert "(a(t) is at least 3)" in found.reason


def points(*found: tuple[Fraction, float, float | None]) -> Numbers:
    return replace(
        NO_NUMBERS,
        pure_dp=bound(9),
        approx_dp=tuple(
            ApproxPoint(delta, bound(upper), "m", None if low is None else bound(low, "lower"))
            for delta, upper, low in found
        ),
    )


@pytest.mark.parametrize(
    ("known", "limit", "rule"),
    [
        ([(LARGE, 4, 3)], 4, ""),
        ([(LARGE, 4, 3)], 3.5, "SA014"),
        ([(LARGE, 4, 3)], 3, "SA014"),
        ([(LARGE, 4, 3)], 2.5, "SA013"),
        ([(LARGE, 4, None)], 3.5, "SA013"),
        # The tightest of several conversions counts, and any lower bound may leave it open.
        ([(LARGE, 5, None), (LARGE, 4, 3)], 4, ""),
        ([(LARGE, 4, 3.25), (LARGE, 5, 3)], 3.125, "SA014"),
        # At another delta nothing is said.
        ([(LARGE, 4, 3.75), (SMALL, 6, 3)], 3.5, "SA013"),
        ([(SMALL, 3, 1)], 3.5, "SA020"),
    ],
)
def test_an_epsilon_between_its_ends_is_not_decided(
    known: list[tuple[Fraction, float, float | None]], limit: float, rule: str, audit: Audit
) -> None:
    budget = Budget("semi_dp", "epsilon", Fraction(str(limit)), LARGE)
    universe = universe_of(audit, 3, 3)
    found = judge(budget, rows_of(audit, points(*known)), universe, HAMMING, tables_differ=True)
    assert (found.rule, found.holds) == (rule, not rule)
    pure = replace(budget, at=Fraction(0))
    found = judge(pure, rows_of(audit, points(*known)), universe, HAMMING, tables_differ=True)
    assert (found.rule, found.actual) == ("SA013", bound(9))
    refused = rows_of(audit, points(*known), refused=["semi_dp"])
    found = judge(budget, refused, universe, HAMMING)
    assert found.rule == "SA021"


def test_the_ends_of_an_epsilon_say_nothing_of_a_power(audit: Audit) -> None:
    # The false positive rate is the delta of an epsilon that lies between 3 and 4.
    at_both = replace(points((LARGE, 4, 3)), tpr_at_fpr=((LARGE, bound(5)),))
    budget = Budget("semi_dp", "tpr", Fraction(7, 2), LARGE)
    universe = universe_of(audit, 3, 3)
    found = judge(budget, rows_of(audit, at_both), universe, HAMMING, tables_differ=True)
    assert found.rule == "SA013"


EVERY = replace(
    NO_NUMBERS,
    zcdp=bound(1),
    gdp=bound(2),
    gdp_regret=bound(0.25),
    advantage=bound(3),
    pure_dp=bound(4),
    approx_dp=(ApproxPoint(LARGE, bound(5), "m"), ApproxPoint(SMALL, bound(6), "m")),
    tpr_at_fpr=((Fraction(0), bound(7)), (Fraction(1, 20), bound(8)), (Fraction(1), bound(9))),
)


@pytest.mark.parametrize("distance", [None, 4])
@pytest.mark.parametrize(
    ("measure", "at", "number"),
    [
        ("rho", None, 1),
        ("mu", None, 2),
        ("advantage", None, 3),
        ("epsilon", None, 4),
        ("epsilon", Fraction(0), 4),
        ("epsilon", LARGE, 5),
        ("epsilon", SMALL, 6),
        ("tpr", None, 7),
        ("tpr", Fraction(0), 7),
        ("tpr", Fraction(1, 20), 8),
        ("tpr", Fraction(1), 9),
        ("tpr", Fraction(1, 10), None),
        ("epsilon", Fraction(1, 10), None),
    ],
)
def test_each_measure_is_held_to_its_own_number(
    measure: BudgetMeasure,
    at: Fraction | None,
    number: int | None,
    distance: int | None,
    audit: Audit,
) -> None:
    """A limit of exactly the number holds, and one that is less by any amount does not."""
    elsewhere = replace(NO_NUMBERS, zcdp=bound(0))
    rows = rows_of(audit, EVERY) if distance is None else []
    rows = rows or rows_of(audit, elsewhere, at_distance=(4, EVERY))
    universe = universe_of(audit, 3, 3)
    for limit, holds in ((Fraction(number or 99), True), (Fraction(number or 99) - SMALL, False)):
        budget = Budget("invariant_dp", measure, limit, at, distance)
        found = judge(budget, rows, universe, HAMMING, tables_differ=True)
        if number is None:
            assert (found.rule, found.holds, found.actual) == ("SA020", False, None)
            assert found.reason == f"no {measure} is known for this mechanism"
        else:
            assert (found.rule, found.holds) == ("" if holds else "SA013", holds)
            assert found.actual == bound(number)
