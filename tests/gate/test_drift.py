"""Drift between numbers that are written down: which one is weaker, at what, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.errors import Mark
from semiaudit.gate.baseline import drifts, earlier_of, with_points
from semiaudit.gate.drift import Drift
from semiaudit.model.audit import Audit, Budget, BudgetMeasure
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, GuaranteeLine, Numbers
from semiaudit.model.policy import Earlier, EarlierBudget
from semiaudit.version import __version__
from tests.gate.specs import HOLDS, audited

SMALL, MIDDLE, LARGE = Fraction(1, 10**7), Fraction(1, 10**6), Fraction(1, 10**5)
TWENTIETH = Fraction(1, 20)
What = tuple[str, Fraction | None, float | None]
"""The measure of a drift, at what, and what it is now."""


def upper(value: float | str) -> Bound:
    infinite = isinstance(value, float) and math.isinf(value)
    return Bound(math.inf if infinite else Fraction(str(value)), "upper", "m", "s")


def numbers(
    *,
    rho: float | None = None,
    mu: float | None = None,
    fitted: bool = False,
    pure: float | None = None,
    advantage: float | None = None,
    epsilons: Sequence[tuple[Fraction, float, str]] = (),
    tpr: Sequence[tuple[Fraction, float]] = (),
) -> Numbers:
    def known(value: float | None) -> Bound | None:
        return None if value is None else upper(value)

    return replace(
        NO_NUMBERS,
        zcdp=known(rho),
        gdp=known(mu),
        gdp_regret=None if mu is None else upper(0.1 if fitted else 0),
        pure_dp=known(pure),
        advantage=known(advantage),
        approx_dp=tuple(ApproxPoint(delta, upper(value), by) for delta, value, by in epsilons),
        tpr_at_fpr=tuple((type_i, upper(value)) for type_i, value in tpr),
    )


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Two one-way margins: a(t) is 3."""
    return audited(tmp_path_factory.mktemp("drift"), HOLDS)


def earlier(
    audit: Audit,
    *lines: GuaranteeLine,
    budgets: Sequence[EarlierBudget] = (),
    covering: int | None = 3,
    metric: str = "hamming",
    reading: str = "covering",
) -> Earlier:
    invariants = tuple(map(str, audit.release.invariants))
    path = audit.release.path
    return Earlier(path, metric, reading, covering, lines, tuple(budgets), invariants)


def with_row(
    audit: Audit,
    now: Numbers,
    *,
    framework: FrameworkName = "semi_dp",
    distance: int | None = 3,
    refused: str = "",
) -> Audit:
    row = next(row for row in audit.rows if row.guarantee.framework == framework)
    guarantee = replace(row.guarantee, distance=distance, refused=refused)
    return replace(audit, rows=(replace(row, guarantee=guarantee, numbers=now),))


def found(
    audit: Audit, then: Numbers, now: Numbers, framework: FrameworkName = "semi_dp"
) -> list[Drift]:
    line = GuaranteeLine(framework, "", 3, then)
    seen = drifts(with_row(audit, now, framework=framework), earlier(audit, line))
    assert {drift.framework for drift in seen} <= {framework}
    assert {drift.finding.mark for drift in seen} <= {audit.release.adjacency.mark}
    assert {(d.finding.rule, d.finding.level) for d in seen} <= {("SA027", "error")}
    return seen


def weakened(seen: Sequence[Drift]) -> list[What]:
    return [(drift.measure, drift.at, drift.now) for drift in seen]


THEN = numbers(
    rho=1,
    mu=2,
    pure=3,
    advantage=0.5,
    epsilons=[(MIDDLE, 4, "bs16")],
    tpr=[(TWENTIETH, 0.25)],
)


@pytest.mark.parametrize(
    ("now", "weaker"),
    [
        (THEN, []),
        (numbers(rho=2), [("rho", None, 2.0), ("mu", None, None), ("epsilon", Fraction(0), None)]),
        (replace(THEN, zcdp=upper(1.5)), [("rho", None, 1.5)]),
        (replace(THEN, zcdp=upper(0.5)), []),
        (replace(THEN, zcdp=None), [("rho", None, None)]),
        (replace(THEN, zcdp=upper(math.inf)), [("rho", None, math.inf)]),
        (replace(THEN, gdp=upper(2.5)), [("mu", None, 2.5)]),
        (replace(THEN, gdp=None), [("mu", None, None)]),
        (replace(THEN, pure_dp=upper(3.5)), [("epsilon", Fraction(0), 3.5)]),
        (replace(THEN, advantage=upper(0.75)), [("advantage", None, 0.75)]),
        (replace(THEN, advantage=None), [("advantage", None, None)]),
    ],
)
def test_each_number_that_rose_or_vanished_is_weaker_by_itself(
    now: Numbers, weaker: list[What], audit: Audit
) -> None:
    assert weakened(found(audit, THEN, now)) == weaker


@pytest.mark.parametrize("framework", ["nominal_dp", "group_privacy", "semi_dp", "invariant_dp"])
def test_every_framework_is_compared_with_its_own_line(
    framework: FrameworkName, audit: Audit
) -> None:
    seen = found(audit, THEN, replace(THEN, zcdp=upper(2)), framework)
    assert weakened(seen) == [("rho", None, 2.0)]


@pytest.mark.parametrize(
    ("points", "weaker"),
    [
        ([(MIDDLE, 4, "bs16")], []),
        ([(MIDDLE, 5, "bs16")], [("epsilon", MIDDLE, 5.0)]),
        # At a smaller delta epsilon is no smaller, so that it holds at this one as well.
        ([(SMALL, 4, "bs16")], []),
        ([(SMALL, 5, "bs16"), (MIDDLE, 4.5, "bs16")], [("epsilon", MIDDLE, 4.5)]),
        ([(LARGE, 1, "bs16")], [("epsilon", MIDDLE, None)]),
        ([], [("epsilon", MIDDLE, None)]),
    ],
)
def test_an_epsilon_is_compared_at_its_delta_or_a_smaller_one(
    points: list[tuple[Fraction, float, str]], weaker: list[What], audit: Audit
) -> None:
    then = numbers(rho=1, epsilons=[(MIDDLE, 4, "bs16")])
    seen = found(audit, then, numbers(rho=1, epsilons=points))
    assert weakened(seen) == weaker
    assert not any("(by " in drift.finding.message for drift in seen)


def test_another_conversion_is_named_with_the_one_that_it_was(audit: Audit) -> None:
    then = numbers(rho=1, epsilons=[(MIDDLE, 4, "bs16")])
    (drift,) = found(audit, then, numbers(rho=1, epsilons=[(MIDDLE, 5, "cks20")]))
    assert drift.finding.message == (
        "ε of Semi-DP (effective) at δ = 1e-6 4 → 5 "
        "(by Canonne, Kamath, Steinke 2020, before by Bun, Steinke 2016)"
    )


@pytest.mark.parametrize(
    ("points", "weaker"),
    [
        ([(TWENTIETH, 0.25)], []),
        ([(TWENTIETH, 0.3)], [("tpr", TWENTIETH, 0.3)]),
        # A test with a larger false positive rate has no smaller power.
        ([(2 * TWENTIETH, 0.25)], []),
        ([(2 * TWENTIETH, 0.3), (TWENTIETH, 0.28)], [("tpr", TWENTIETH, 0.28)]),
        ([(TWENTIETH / 2, 0.1)], [("tpr", TWENTIETH, None)]),
        ([], [("tpr", TWENTIETH, None)]),
    ],
)
def test_a_power_is_compared_at_its_false_positive_rate_or_a_larger_one(
    points: list[tuple[Fraction, float]], weaker: list[What], audit: Audit
) -> None:
    then = numbers(rho=1, tpr=[(TWENTIETH, 0.25)])
    assert weakened(found(audit, then, numbers(rho=1, tpr=points))) == weaker


def test_what_follows_from_a_weaker_number_is_listed_with_it(audit: Audit) -> None:
    now = numbers(
        rho=1.5,
        mu=2,
        pure=3,
        advantage=0.75,
        epsilons=[(MIDDLE, 5, "bs16")],
        tpr=[(TWENTIETH, 0.5)],
    )
    (drift,) = found(audit, THEN, now)
    assert drift.now == 1.5
    assert drift.finding.message == (
        "ρ of Semi-DP (effective) 1 → 1.5; with it advantage 0.5 → 0.75; ε at δ = 1e-6 4 → 5; TPR "
        "at FPR 5% 0.25 → 0.5"
    )
    both = found(audit, THEN, replace(now, gdp=upper(2.5)))
    assert weakened(both) == [("rho", None, 1.5), ("mu", None, 2.5)]
    assert both[0].finding == drift.finding
    gone = found(audit, THEN, replace(now, gdp=None, gdp_regret=None))
    assert weakened(gone) == [("rho", None, 1.5), ("mu", None, None)]
    assert gone[0].finding == drift.finding
    assert both[1].finding.message == "μ of Semi-DP (effective) 2 → 2.5"


def test_a_mu_that_was_only_fitted_follows_from_the_others(audit: Audit) -> None:
    then = numbers(rho=1, mu=2)
    fitted = numbers(rho=1, mu=2.5, fitted=True)
    # An earlier report does not say whether its mu was fitted.
    for before in (then, numbers(rho=1, mu=2, fitted=True), replace(then, gdp_regret=None)):
        assert weakened(found(audit, before, fitted)) == [("mu", None, 2.5)]
    (drift,) = found(audit, then, replace(fitted, zcdp=upper(1.5)))
    assert (drift.measure, drift.now) == ("rho", 1.5)
    assert drift.finding.message.endswith("with it μ 2 → 2.5")
    own = numbers(rho=1.5, mu=2.5)
    assert weakened(found(audit, then, own)) == [("rho", None, 1.5), ("mu", None, 2.5)]


def test_numbers_are_rounded_apart_and_without_a_size_where_there_is_none(
    audit: Audit,
) -> None:
    then = numbers(rho=0.1234567)
    (drift,) = found(audit, then, numbers(rho=0.1234568))
    name = "ρ of Semi-DP (effective)"
    assert f"{name} 0.123456 → 0.123457" in drift.finding.message
    (drift,) = found(audit, then, numbers(rho=math.inf))
    assert drift.finding.message.endswith(f"{name} 0.123456 → inf")


@pytest.mark.parametrize(
    ("distance", "then", "covering", "weaker"),
    [
        (3, 3, 3, False),
        (2, 3, 3, True),
        (3, 2, 4, False),
        (3, None, 3, False),
        # a(t) itself became smaller: no pair beyond it has to be covered.
        (2, 3, 2, False),
        (1, 3, 2, True),
        (2, 3, None, True),
    ],
)
def test_a_smaller_distance_covers_fewer_pairs(
    distance: int, then: int | None, covering: int | None, weaker: bool, audit: Audit
) -> None:
    semi = audit.universe.semi_adjacency
    found_a = replace(semi.covering, lower=0, upper=covering, trivial=False)
    other = replace(semi.definition_13, lower=0, upper=7, trivial=False)
    changed = replace(
        with_row(audit, THEN, distance=distance),
        universe=replace(
            audit.universe,
            semi_adjacency=replace(
                semi, covering=found_a, definition_13=other, reading="definition_13"
            ),
        ),
    )
    before = earlier(audit, GuaranteeLine("semi_dp", "", then, THEN), covering=None)
    expected: list[What] = [("distance", None, None)] if weaker else []
    assert weakened(drifts(changed, before)) == expected
    per_unit = with_row(audit, THEN, framework="invariant_dp", distance=1)
    assert not drifts(per_unit, earlier(audit, GuaranteeLine("invariant_dp", "", 3, THEN)))


def test_a_guarantee_that_is_gone_is_weaker_and_has_no_numbers(audit: Audit) -> None:
    line = GuaranteeLine("semi_dp", "", 3, THEN)
    refused = with_row(audit, numbers(rho=9), refused="no finite a(t) is proven")
    missing = replace(audit, rows=())
    for changed in (refused, missing):
        (drift,) = drifts(changed, earlier(audit, line))
        assert (drift.framework, drift.measure, drift.at, drift.now) == (
            "semi_dp",
            "guarantee",
            None,
            None,
        )


@pytest.mark.parametrize(
    ("covering", "metric", "reading", "weaker"),
    [
        (3, "hamming", "covering", []),
        (4, "hamming", "covering", []),
        (None, "hamming", "covering", []),
        (2, "hamming", "covering", [("a_t", None, 3.0)]),
        (2, "multiset_hamming", "covering", [("metric", None, None)]),
        (3, "hamming", "definition_13", []),
    ],
)
def test_a_of_t_is_compared_under_one_metric(
    covering: int | None, metric: str, reading: str, weaker: list[What], audit: Audit
) -> None:
    before = earlier(audit, covering=covering, metric=metric, reading=reading)
    seen = drifts(audit, before)
    assert weakened(seen) == weaker
    assert {drift.framework for drift in seen} <= {"semi_dp"}


@pytest.mark.parametrize(
    ("covering", "trivial", "weaker"),
    [
        ((3, 5), False, []),
        ((3, 6), False, [("a_t", None, 6.0)]),
        ((3, None), False, [("a_t", None, None)]),
        ((3, 4), True, [("a_t", None, None)]),
        ((4, 4), True, []),
    ],
)
@pytest.mark.parametrize("printed", [(1, 1), (9, 9)])
def test_a_of_t_is_covering_whatever_reading_is_in_force(
    covering: tuple[int, int | None],
    trivial: bool,
    weaker: list[What],
    printed: tuple[int, int],
    audit: Audit,
) -> None:
    semi = audit.universe.semi_adjacency
    low, high = covering
    changed = replace(
        semi,
        reading="definition_13",
        covering=replace(semi.covering, lower=low, upper=high, trivial=trivial),
        definition_13=replace(semi.definition_13, lower=printed[0], upper=printed[1]),
    )
    now = replace(audit, universe=replace(audit.universe, semi_adjacency=changed))
    seen = drifts(now, earlier(audit, covering=5))
    assert weakened(seen) == weaker
    words = "is not established" if trivial else "no proven finite"
    gone = [drift.finding.message for drift in seen if drift.now is None]
    assert all(words in message and "5" in message for message in gone)


@pytest.mark.parametrize(
    ("now", "then", "weaker"),
    [
        ("covering", "covering", False),
        ("definition_13", "covering", True),
        ("definition_13", "definition_13", False),
        ("covering", "definition_13", False),
    ],
)
def test_only_the_reading_that_promises_less_is_weaker(
    now: str, then: str, weaker: bool, tmp_path: Path
) -> None:
    text = HOLDS.replace("mechanism", f"adjacency: {{reading: {now}}}\nmechanism")
    seen = drifts(changed := audited(tmp_path, text), earlier(changed, reading=then))
    assert weakened(seen) == ([("reading", None, None)] if weaker else [])


def test_no_earlier_report_and_no_new_invariant_are_no_drift(audit: Audit) -> None:
    assert drifts(audit, None) == []
    assert drifts(audit, earlier(audit)) == []
    less = replace(earlier(audit), invariants=earlier(audit).invariants[:1])
    (drift,) = drifts(audit, less)
    assert (drift.framework, drift.measure, drift.now) == ("semi_dp", "invariants", None)
    assert drift.finding.mark == audit.release.invariants[1].mark


def limit(
    value: float,
    *,
    framework: FrameworkName = "semi_dp",
    at: Fraction | None = None,
    distance: int | None = None,
    line: int = 0,
) -> Budget:
    measure: BudgetMeasure = "epsilon" if at is not None else "rho"
    return Budget(framework, measure, Fraction(str(value)), at, distance, Mark(line, 1))


@pytest.mark.parametrize(
    ("now", "then", "weaker"),
    [
        ([limit(5)], limit(5), []),
        ([limit(4)], limit(5), []),
        ([limit(6, line=7)], limit(5), [("rho", None, 6.0)]),
        # Of several on one number the tightest one counts.
        ([limit(6), limit(5)], limit(5), []),
        ([limit(7), limit(6, line=7)], limit(5), [("rho", None, 6.0)]),
        ([], limit(5), [("rho", None, None)]),
        ([limit(5, framework="nominal_dp")], limit(5), [("rho", None, None)]),
        ([limit(3, at=MIDDLE)], limit(3, at=MIDDLE), []),
        ([limit(4, at=MIDDLE, line=7)], limit(3, at=MIDDLE), [("epsilon", MIDDLE, 4.0)]),
        ([limit(4, at=SMALL)], limit(3, at=MIDDLE), [("epsilon", MIDDLE, None)]),
        (
            [limit(4, framework="invariant_dp", distance=2)],
            limit(3, framework="invariant_dp", distance=4),
            [("rho", None, None)],
        ),
        (
            [limit(3, framework="invariant_dp", distance=4)],
            limit(3, framework="invariant_dp", distance=4),
            [],
        ),
    ],
)
def test_a_budget_is_compared_with_the_one_on_the_same_number(
    now: list[Budget], then: Budget, weaker: list[What], audit: Audit
) -> None:
    before = EarlierBudget(then.framework, then.measure, then.at, then.distance, float(then.limit))
    changed = replace(audit, release=replace(audit.release, budgets=tuple(now)))
    seen = drifts(changed, earlier(audit, budgets=[before]))
    assert weakened(seen) == weaker
    assert {drift.framework for drift in seen} <= {then.framework}
    gone = [drift for drift in seen if drift.now is None]
    assert all("is gone" in drift.finding.message for drift in gone)
    assert all(drift.finding.mark.line == (0 if drift in gone else 7) for drift in seen)
    if then.at and gone:
        assert "δ = 1e-6" in gone[0].finding.message
    if then.distance:
        assert all("distance 4" in drift.finding.message for drift in seen)


def test_the_last_entry_of_a_path_counts_however_it_is_spelled(audit: Audit) -> None:
    first, second = (replace(earlier(audit), path=path) for path in ("a/./x.yaml", "a/b/../x.yaml"))
    other = replace(first, path="x.yaml")
    assert earlier_of("a/x.yaml", [first, second, other]) is second
    assert earlier_of("b/x.yaml", [first, second]) is None
    assert earlier_of("a/x.yaml", None) is None


def test_a_release_is_asked_for_what_the_earlier_report_has(audit: Audit) -> None:
    release = audit.release
    assert with_points(release, None) is release
    points = [(delta, 1.0, "m") for delta in (Fraction(0), SMALL, LARGE, Fraction(1))]
    rates = [(type_i, 0.5) for type_i in (Fraction(0), TWENTIETH / 2, Fraction(1))]
    line = GuaranteeLine("semi_dp", "", 3, numbers(epsilons=points, tpr=rates))
    found = with_points(release, earlier(audit, line)).options
    assert found.deltas == tuple(sorted({*release.options.deltas, SMALL, LARGE}))
    assert found.type_i == tuple(sorted({*release.options.type_i, TWENTIETH / 2}))


def raised(factor: float, method: str) -> Numbers:
    """What follows from others is larger by a factor."""

    def by(value: float) -> Bound:
        return replace(upper(value * factor), method=method)

    return replace(
        THEN,
        advantage=by(0.5),
        approx_dp=(replace(THEN.approx_dp[0], epsilon=by(4)),),
        tpr_at_fpr=((TWENTIETH, by(0.25)),),
    )


@pytest.mark.parametrize(("factor", "weaker"), [(1 + 1e-14, False), (1 + 1e-10, True)])
def test_a_computed_number_may_end_in_other_digits_in_another_version(
    factor: float, weaker: bool, audit: Audit
) -> None:
    now, measures = raised(factor, "m"), ["advantage", "epsilon", "tpr"]
    assert [what for what, _, _ in weakened(found(audit, THEN, now))] == measures * weaker
    assert weakened(found(audit, THEN, replace(THEN, zcdp=upper(factor)))) == [
        ("rho", None, factor)
    ]


@pytest.mark.parametrize("version", ["", __version__, "0.0.9"])
@pytest.mark.parametrize("method", ["loss_distribution", "approx_dp"])
@pytest.mark.parametrize(("factor", "beyond"), [(1 + 9e-7, False), (1 + 1.1e-6, True)])
def test_composed_losses_are_as_precise_as_their_tolerance_in_another_version(
    version: str, method: str, factor: float, beyond: bool, audit: Audit
) -> None:
    line = GuaranteeLine("semi_dp", "", 3, THEN)
    then = replace(earlier(audit, line), version=version)
    seen = drifts(with_row(audit, raised(factor, method)), then)
    excused = version == "0.0.9" and method == "loss_distribution" and not beyond
    assert [drift.measure for drift in seen] == ["advantage", "epsilon", "tpr"] * (not excused)
