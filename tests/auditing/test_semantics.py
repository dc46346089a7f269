"""Every kind of secret of the census's hierarchies, against published and independent numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import NormalDist

import pytest

from semiaudit.auditing.run import audit_file, audit_release
from semiaudit.auditing.semantics import best_guess
from semiaudit.model.audit import Audit
from semiaudit.model.measure import GDP, Measure, PureDP
from semiaudit.model.topdown import Semantic
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.loss import Accuracy
from semiaudit.spec.build import load_release
from tests.places import CONFIGS

WIDTH = 1e-6
SPLIT, WHOLE = "one state that State splits", "one state that State does not split"

WITHIN_PL = {
    "Block_Group": 0.102897589869,
    "Tract": 0.886166516388,
    "County": 1.314594663297,
    "State": 1.593353588579,
    "US": 2.491368918346,
}
"""Of the Bureau's own code, Block within each level; from the allocation, added up elsewhere."""

WITHIN_DHC = {
    "Block_Group": "11/1000",
    "Tract_Subset": "441/1000",
    "Tract_Subset_Group": "9149/5000",
    "Prim": "1532/625",
    "County": "15363/5000",
    "State": "17843/5000",
    "US": "48673/10000",
}

EPSILONS = {
    ("pl94_persons", "D", 1, ""): 16.465155,
    ("pl94_persons", "D", 2, ""): 38.368843,
    ("pl94_persons", "D_t", 1, SPLIT): 16.465155,
    ("pl94_persons", "D_t", 2, SPLIT): 38.368843,
    ("pl94_persons", "D_t", 1, WHOLE): 13.125942,
    ("pl94_persons", "D_t", 2, WHOLE): 29.995608,
    ("dhc_persons", "D", 1, ""): 24.456494,
    ("dhc_persons", "D", 2, ""): 59.239000,
    ("dhc_persons", "D_t", 1, WHOLE): 24.456494,
    ("dhc_persons", "D_t", 2, WHOLE): 59.239000,
    ("dhc_units", "D", 1, ""): 32.071985,
    ("dhc_units", "D", 2, ""): 79.999689,
    ("dhc_units", "D_t", 1, ""): 32.071985,
    ("dhc_units", "D_t", 2, ""): 79.999689,
}
"""epsilon at delta 1e-10 by two independent methods, to all digits: of the worst pair of D, and
inside D_t of a record, or two that are alike, that changes whole within a fixed unit."""

RHO = {
    "pl94_persons": Fraction(542, 339) ** 2,
    "dhc_persons": Fraction(24811, 5000),
    "dhc_units": Fraction(15401, 2000),
}


@cache
def audited(name: str) -> Audit:
    """The audit of a config, made once: no test changes it.

    Without type II errors, which no test looks at, and with guesses where one does.
    """
    release = load_release(CONFIGS / f"census2020_{name}.yaml")
    priors = release.options.priors if name == "pl94_persons" else ()
    options = replace(release.options, type_i=(), priors=priors)
    return audit_release(replace(release, options=options), time_limit=900)


def found(name: str, secret: str, universe: str, distance: int = 1, where: str = "") -> Semantic:
    """The one semantic of that name, universe, distance and place."""
    key = secret, universe, distance, where
    (one,) = [
        s for s in audited(name).semantics if (s.name, s.universe, s.distance, s.where) == key
    ]
    return one


OPAQUE = """
semiaudit: 1
dataspace: {unit: home, size: 100, attributes: {block: 2, kind: 4}}
mechanism:
  topdown:
    spine: [{level: all}, {level: block, attribute: block}]
    recodes: {family: {of: kind}}
    queries: {total: [], family: family}
    allocation: [[level, query, rho], [all, family, 1/2], [block, total, 1/4]]
report: {deltas: [1e-6]}
"""
"""A recode whose groups are not known."""


def rho(semantic: Semantic) -> Fraction:
    assert semantic.zcdp is not None
    assert semantic.zcdp.side == "exact"
    assert isinstance(semantic.zcdp.value, Fraction)
    return semantic.zcdp.value


@pytest.mark.parametrize("name", RHO)
def test_rho_is_that_of_the_allocation_exactly_and_two_who_move_together_cost_four_times(
    name: str,
) -> None:
    rows = {str(row.guarantee.framework): row for row in audited(name).rows}
    wanted = {"nominal_dp": 1, "group_privacy": 4, "semi_dp": 4}
    for framework, factor in wanted.items():
        told = rows[framework].numbers.zcdp
        assert told is not None
        assert told.value == factor * RHO[name]
        assert told.side == "exact"
    semi = rows["semi_dp"].numbers.approx_dp[0]
    group = rows["group_privacy"].numbers.approx_dp[0]
    assert (semi.epsilon, semi.epsilon_lower) == (group.epsilon, group.epsilon_lower)


def test_the_three_and_the_housing_units_make_the_published_15_29() -> None:
    assert round(float(sum(RHO.values()) + Fraction(7, 100)), 2) == 15.29


@pytest.mark.parametrize(("level", "expected"), WITHIN_PL.items())
def test_block_within_a_level_of_the_redistricting_data(level: str, expected: float) -> None:
    one = found("pl94_persons", f"geography:Block within {level}", "D")
    assert float(rho(one)) == pytest.approx(expected, abs=6e-13)


@pytest.mark.parametrize(("level", "expected"), WITHIN_DHC.items())
def test_block_within_a_level_of_the_dhc_is_an_exact_fraction(level: str, expected: str) -> None:
    one = found("dhc_persons", f"geography:Block within {level}", "D")
    assert rho(one) == Fraction(expected)


@pytest.mark.parametrize(("key", "expected"), EPSILONS.items(), ids=lambda key: str(key))
def test_epsilon_is_that_of_two_independent_methods(
    key: tuple[str, str, int, str], expected: float
) -> None:
    name, universe, distance, where = key
    fixed = "block" if name == "dhc_units" else "state"
    secret = f"across_{fixed}s" if universe == "D" else f"within_{fixed}"
    (point,) = found(name, secret, universe, distance, where).approx_dp
    assert point.conversion == "loss_distribution"
    assert point.epsilon_lower is not None
    low, high = float(point.epsilon_lower), float(point.epsilon)
    assert low - 5e-7 <= expected <= high + 5e-7
    assert high - low < WIDTH * high


def test_whether_the_factor_4_is_attained_depends_on_the_geography() -> None:
    total = Fraction(1440, 4099) * Fraction(3773, 4097)
    split = found("pl94_persons", "within_state", "D_t", 2, SPLIT)
    whole = found("pl94_persons", "within_state", "D_t", 2, WHOLE)
    assert split.factor == 4
    assert whole.factor == 4 * (1 - total)
    for where in (SPLIT, WHOLE):
        assert found("dhc_persons", "within_state", "D_t", 2, where).factor == 4
    assert found("dhc_units", "within_block", "D_t", 2).factor == 4


def test_a_move_that_is_compensated_costs_two_below_and_four_at_the_nation() -> None:
    # Row 62: a state-level histogram 2, the nation's 4; a pure exchange of states 2 and 0.
    nation, state = (Fraction(share, 4099) for share in (104, 1440))
    total = state * Fraction(3773, 4097)
    both = found("pl94_persons", "across_states", "D_t", 2, f"{WHOLE}; {WHOLE}")
    assert both.factor == 4 * nation + 2 * (1 - nation - total)
    mixed = found("pl94_persons", "across_states", "D_t", 2, f"{SPLIT}; {WHOLE}")
    assert mixed.factor == both.factor + total
    split = found("pl94_persons", "across_states", "D_t", 2, f"{SPLIT}; {SPLIT}")
    assert split.factor == both.factor + 2 * total


def test_an_exchange_of_places_moves_no_total_and_nothing_at_the_nation() -> None:
    # The shares of the total and of the whole level, added up from the file.
    lines = (CONFIGS / "data" / "census2020_pl94_us_persons_allocation.csv").read_text().split()
    rows = [line.split(",") for line in lines[1:]]
    told = sum(Fraction(a) * Fraction(b) for g, q, a, b in rows if g != "US" and q != "total")
    assert found("pl94_persons", "exchange", "D_t", 2).factor == 2 * told


def test_inside_d_t_nobody_crosses_a_state_alone() -> None:
    for name, secret in (("pl94_persons", "across_states"), ("dhc_units", "across_blocks")):
        one = found(name, secret, "D_t", 1)
        assert (one.zcdp, one.approx_dp, one.factor) == (None, (), None)


def test_attributes_are_those_of_the_queries_that_tell_them_apart() -> None:
    lines = (CONFIGS / "data" / "census2020_dhc_us_persons_allocation.csv").read_text().split("\n")
    rows = [line.split(",") for line in lines[1:] if line]
    looks = ("hispanic", "detailed")
    told = sum(Fraction(r) for _, _, query, r in rows if any(name in query for name in looks))
    assert rho(found("dhc_persons", "attribute:hispanic", "D")) == told
    assert rho(found("dhc_persons", "attribute:hispanic", "D_t")) == told


def test_an_attribute_of_two_histograms_is_told_with_both_and_with_each() -> None:
    lines = (CONFIGS / "data" / "census2020_dhc_us_units_allocation.csv").read_text().split("\n")
    rows = [line.split(",") for line in lines[1:] if line]
    unit = sum(Fraction(r) for _, histogram, _, r in rows if histogram == "unit")
    assert rho(found("dhc_units", "attribute:tenvacgq", "D")) == RHO["dhc_units"]
    assert rho(found("dhc_units", "attribute:tenvacgq (unit)", "D")) == unit
    main = found("dhc_units", "attribute:tenvacgq (main)", "D")
    assert rho(main) == RHO["dhc_units"] - unit


def test_a_recode_that_says_what_it_tells_apart_gives_an_exact_number() -> None:
    # Every query of households looks at their type, but two (hisp * hhtenshort_2lev, with race and
    # without); the types can differ in all four recodes at once.
    lines = (CONFIGS / "data" / "census2020_dhc_us_units_allocation.csv").read_text().split("\n")
    rows = [line.split(",") for line in lines[1:] if line]
    blind = ("hisp * hhtenshort_2lev", "hisp * hhtenshort_2lev * race", "tenvacgq")
    told = sum(Fraction(r) for _, _, query, r in rows if query not in blind)
    one = found("dhc_units", "attribute:hhtype", "D")
    assert rho(one) == told == Fraction("5.957")
    assert all(point.epsilon_lower is not None for point in one.approx_dp)


def test_a_recode_that_does_not_say_what_it_tells_apart_gives_an_upper_bound(
    tmp_path: Path,
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(OPAQUE, "utf-8")
    one = next(one for one in audit_file(spec).semantics if one.name == "attribute:kind")
    assert one.zcdp is not None
    assert (one.zcdp.side, one.zcdp.value) == ("upper", Fraction(1, 2))
    assert all(point.epsilon_lower is None for point in one.approx_dp)


def row(measure: Measure) -> CertifiedRow:
    return CertifiedRow((measure,), (), (), (), Accuracy(1e-9))


@pytest.mark.parametrize("mu", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("prior", [Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)])
def test_the_best_guess_between_two_gaussians_is_right_as_often_as_the_bayes_rule(
    mu: float, prior: Fraction
) -> None:
    # The rule guesses the shifted one above the point where both densities, times their priors,
    # are equal.
    law, p = NormalDist(), float(prior)
    point = mu / 2 + math.log((1 - p) / p) / mu
    truth = (1 - p) * law.cdf(point) + p * (1 - law.cdf(point - mu))
    found = best_guess(row(GDP(Fraction(mu) ** 2)), prior, Accuracy(1e-9))
    assert found.side == "upper"
    assert truth - 1e-12 <= float(found) <= truth + 1e-9


def test_a_secret_that_moves_nothing_is_guessed_as_well_as_without_the_release() -> None:
    for prior in (Fraction(1, 2), Fraction(1, 10)):
        told = best_guess(row(PureDP(Fraction(0))), prior, Accuracy())
        assert 0 <= told.sharpest - (1 - prior) < Fraction(1, 2**50)


def test_the_odds_of_the_truth_grow_by_no_more_than_the_tail_of_the_loss_says() -> None:
    # Lemma 40's epsilon of the redistricting data's rho at 1e-10, by mpmath.
    for name, distance, where in (("D", 1, ""), ("D", 2, "")):
        one = found("pl94_persons", "across_states", name, distance, where)
        square = distance * distance * float(RHO["pl94_persons"])
        ((delta, bound),) = one.posterior_odds
        assert delta == Fraction(1, 10**10)
        assert float(bound) == pytest.approx(
            square + 2 * math.sqrt(square * math.log(10**10)), rel=1e-12
        )
        assert dict(one.best_guess)[Fraction(1, 2)].value > Fraction(1, 2)
