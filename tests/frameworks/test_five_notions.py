"""Noise on a query under the five notions, with sensitivities of rows 33, 40, 62, 63 and E15."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from semiaudit.errors import Mark, RefusedError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.frameworks.invariant_dp import _root, at_distance
from semiaudit.mechanisms.kind import KnownLoss, not_attained
from semiaudit.mechanisms.noise import NoiseKind
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.dataspace import ProductSpace
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.invariants import Count
from semiaudit.model.loss import ApproxLoss, ConcentratedLoss, PrivacyLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import (
    Composition,
    Declared,
    DiscreteGaussian,
    Finite,
    Gaussian,
    KNorm,
    Laplace,
    Mechanism,
    Norm,
)
from semiaudit.model.query import Sensitivity
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.tradeoff.polygon import type_ii_at
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.fakes import (
    HEXAGONS,
    MARGIN,
    NOISES,
    STILL,
    TABLE,
    TWO_BY_TWO,
    NoSpaces,
    ToldSpaces,
    context,
    sensitivity,
)
from tests.universe.instances import release_of

ONE = Fraction(1)
GAUSSIAN = Gaussian(ONE, query=TABLE)
DISCRETE = DiscreteGaussian(ONE, query=TABLE)
LAPLACE = Laplace(ONE, query=TABLE)
ON_MARGIN = Gaussian(ONE, query=MARGIN)


def stated(
    name: FrameworkName,
    mechanism: Mechanism,
    spaces: ToldSpaces | NoSpaces,
    distance: int = 2,
    *,
    steps: bool = True,
) -> FrameworkGuarantee:
    return FRAMEWORKS[name](context(mechanism, spaces, distance, steps=steps))


def mu(measures: tuple[Measure, ...]) -> float:
    (found,) = [m.mu_squared for m in measures if isinstance(m, GDP)]
    return math.sqrt(found)


def rho(measures: tuple[Measure, ...]) -> Fraction:
    (found,) = [m.rho for m in measures if isinstance(m, ZCDP)]
    return found


def epsilon(measures: tuple[Measure, ...]) -> Fraction:
    (found,) = [m.epsilon for m in measures if isinstance(m, PureDP)]
    return found


def polygon(measures: tuple[Measure, ...]) -> PiecewiseLinear:
    (found,) = [m for m in measures if isinstance(m, PiecewiseLinear)]
    return found


def composed(*parts: Mechanism) -> Composition:
    return Composition(tuple((part, 1) for part in parts))


@pytest.mark.parametrize(
    ("within", "distance", "factor"),
    [(TWO_BY_TWO, 2, math.sqrt(2)), (HEXAGONS, 3, math.sqrt(3))],
    ids=["A_2", "A_3"],
)
def test_row_63_gaussian_noise_on_a_histogram_loses_less_than_proposition_15_says(
    within: dict[int, Sensitivity], distance: int, factor: float
) -> None:
    spaces = ToldSpaces(within)
    nominal = stated("nominal_dp", GAUSSIAN, spaces)
    semi = stated("semi_dp", GAUSSIAN, spaces, distance)
    assert mu(nominal.measures) == pytest.approx(math.sqrt(2))
    assert mu(semi.measures) == pytest.approx(factor * math.sqrt(2))
    assert rho(semi.measures) / rho(nominal.measures) == distance
    (other,) = semi.alternatives
    assert other.name == "proposition_15"
    assert mu(other.measures) == pytest.approx(distance * math.sqrt(2))
    group = stated("group_privacy", GAUSSIAN, spaces, distance)
    assert mu(group.measures) == pytest.approx(distance * math.sqrt(2))


def test_row_62_two_people_who_move_together_cost_all_of_4_rho() -> None:
    together = ToldSpaces({2: sensitivity(2, 4, 8, 2, 2)})
    semi = stated("semi_dp", DISCRETE, together)
    assert rho(semi.measures) == 4 * rho(stated("nominal_dp", DISCRETE, together).measures)
    assert semi.alternatives == ()


def test_erratum_5_a_discrete_gaussian_is_never_measured_as_a_gaussian() -> None:
    for name in FRAMEWORKS:
        measures = stated(name, DISCRETE, ToldSpaces(TWO_BY_TWO, projected=ONE)).measures
        assert [type(measure) for measure in measures] == [PrivacyLoss, ZCDP]
        points = numbers_of(measures, [Fraction("1e-10")], []).approx_dp
        assert [p.conversion for p in points] == ["loss_distribution", "cks20", "bs16"]


@pytest.mark.parametrize("kind", ["laplace", "discrete_laplace"])
def test_laplace_noise_loses_the_l1_norm_over_its_scale(kind: str) -> None:
    noise = NOISES[kind](Fraction(2), query=TABLE)
    spaces = ToldSpaces(TWO_BY_TWO)
    assert epsilon(stated("nominal_dp", noise, spaces).measures) == 1
    semi = stated("semi_dp", noise, spaces)
    assert epsilon(semi.measures) == 2
    # Four coordinates move by half a scale; docs/theory/conversions.md (tanh for one step on
    # integers).
    half = {"laplace": 0.5 + math.exp(-0.5) - 1, "discrete_laplace": 0.5 * math.tanh(0.25)}[kind]
    assert float(rho(semi.measures)) == pytest.approx(4 * half, rel=1e-13)
    # Erratum E17: Proposition 15's f o f lies above f_{2,0}, so the row keeps it.
    assert polygon(semi.measures) == polygon(stated("group_privacy", noise, spaces).measures)
    # By steps the two coordinates of distance 1 cost four times as much; all else is the same.
    (other,) = semi.alternatives
    assert float(rho(other.measures)) == pytest.approx(4 * 2 * half, rel=1e-13)
    assert epsilon(other.measures) == 2


def test_two_tradeoff_functions_that_cross_are_both_used() -> None:
    spaces = ToldSpaces({3: sensitivity(3, 5, 5, 1, 3)})
    semi = stated("semi_dp", LAPLACE, spaces, 3)
    (other,) = semi.alternatives
    direct = PiecewiseLinear(polygon(stated("nominal_dp", LAPLACE, spaces).measures).vertices)
    assert (epsilon(semi.measures), epsilon(other.measures)) == (Fraction(5), Fraction(6))
    best, steps = polygon(semi.measures), polygon(other.measures)
    for i in range(201):
        at = Fraction(i, 200)
        corner = max(1 - Fraction("148.41316") * at, Fraction("0.006737947") * (1 - at))
        expected = max(type_ii_at(steps, at), corner)
        assert float(type_ii_at(best, at)) == pytest.approx(float(expected), abs=1e-6)
        assert type_ii_at(best, at) <= type_ii_at(direct, at)


@pytest.mark.parametrize("kind", ["gaussian", "discrete_gaussian", "laplace", "discrete_laplace"])
def test_erratum_15_what_cannot_move_costs_nothing(kind: str) -> None:
    noise = NOISES[kind](ONE, query=TABLE)
    semi = stated("semi_dp", noise, ToldSpaces(STILL))
    numbers = numbers_of(semi.measures, [Fraction(1, 10**6)], [Fraction(1, 20)])
    assert rho(semi.measures) == epsilon(semi.measures) == 0
    assert numbers.advantage is not None
    assert numbers.advantage.value == 0
    assert {point.epsilon.value for point in numbers.approx_dp} == {0}
    assert any(isinstance(m, GDP) for m in semi.measures) == (kind == "gaussian")
    assert "E15" in semi.note


def test_a_part_that_cannot_move_adds_nothing_to_a_composition() -> None:
    spaces = ToldSpaces(TWO_BY_TWO, STILL)
    both = composed(GAUSSIAN, Laplace(ONE, query=MARGIN))
    assert mu(stated("semi_dp", both, spaces).measures) == 2
    assert [type(m) for m in stated("nominal_dp", both, spaces).measures] == [PrivacyLoss, ZCDP]
    # Two coordinates of Laplace noise move by 1 (docs/theory/conversions.md).
    found = float(rho(stated("nominal_dp", both, spaces).measures))
    assert found == pytest.approx(1 + 2 * math.exp(-1), rel=1e-13)


def test_row_62_half_a_budget_that_cannot_move_halves_the_price() -> None:
    # Table and margin at rho 1/2 each: the margin is invariant, the table loses 4 (1/2) of it.
    parts = composed(
        DiscreteGaussian(Fraction(2), query=TABLE), DiscreteGaussian(Fraction(2), query=MARGIN)
    )
    spaces = ToldSpaces({2: sensitivity(2, 4, 8, 2, 2)}, STILL)
    assert rho(stated("nominal_dp", parts, spaces).measures) == 1
    assert rho(stated("semi_dp", parts, spaces).measures) == 2
    names = {a.name: rho(a.measures) for a in stated("semi_dp", parts, spaces).alternatives}
    assert names == {"proposition_15": 4, "composition_first": 4}


@pytest.mark.parametrize(
    ("norm", "expected"), [("hull", 2), ("l1", 2), ("l2", math.sqrt(2)), ("linf", 1)]
)
def test_a_k_norm_mechanism_loses_its_epsilon_times_the_norm(norm: Norm, expected: float) -> None:
    noise = KNorm(Fraction(3, 10), query=TABLE, norm=norm)
    spaces = ToldSpaces(TWO_BY_TWO)
    assert epsilon(stated("nominal_dp", noise, spaces).measures) == Fraction(3, 10)
    found = epsilon(stated("semi_dp", noise, spaces).measures)
    ratio = found / Fraction(3, 10)
    assert float(ratio) == pytest.approx(expected)
    assert ratio * ratio >= round(expected * expected)
    assert ratio <= Fraction(expected) * (1 + Fraction(1, 10**15))


def test_a_k_norm_mechanism_of_unknown_scale_falls_back_on_steps() -> None:
    # An upper bound of Delta_K below the fraction line would make the loss look smaller.
    norms: tuple[Norm, ...] = ("l1", "l2", "linf")
    for norm in norms:
        noise = KNorm(ONE, query=TABLE, norm=norm)
        spaces = ToldSpaces(TWO_BY_TWO, side="upper")
        assert epsilon(stated("nominal_dp", noise, spaces).measures) == 1
        assert epsilon(stated("semi_dp", noise, spaces).measures) == 2
        assert stated("semi_dp", noise, spaces, steps=False).refused


def test_a_loose_sensitivity_never_makes_the_row_worse_than_proposition_15() -> None:
    loose = ToldSpaces({2: sensitivity(2, 100, 100, 100, 100, "upper")})
    for noise in (GAUSSIAN, DISCRETE, LAPLACE, KNorm(ONE, query=TABLE)):
        semi = stated("semi_dp", noise, loose)
        group = stated("group_privacy", noise, loose)
        assert set(semi.measures) == set(not_attained(group.measures))
        # Two coordinates that each move by 2 cost less than four times what a move by 1 costs.
        below = [float(rho(other.measures)) for other in semi.alternatives]
        assert below == ([pytest.approx(8 * math.exp(-1))] if noise is LAPLACE else [])
        assert all(rho(semi.measures) < rho(other.measures) for other in semi.alternatives)


def test_a_sensitivity_without_a_finite_bound_states_nothing() -> None:
    from semiaudit.model.bound import Bound

    class Endless(ToldSpaces):
        def everywhere(self, query: object, distance: int) -> Sensitivity:
            endless = Bound(math.inf, "upper", "told", "told")
            return Sensitivity(distance, endless, endless, endless, endless, None, None, "told")

        within = everywhere

        def projected_l2_squared(self, query: object) -> None:
            return None

    for noise in (GAUSSIAN, DISCRETE, LAPLACE):
        for name in FRAMEWORKS:
            found = stated(name, noise, Endless())
            assert found.refused
            assert found.measures == ()


def test_without_an_adjacency_metric_noise_on_a_query_is_still_measured_directly() -> None:
    spaces = ToldSpaces(TWO_BY_TWO)
    semi = stated("semi_dp", GAUSSIAN, spaces, steps=False)
    assert (semi.refused, mu(semi.measures), semi.alternatives) == ("", 2, ())
    assert mu(stated("group_privacy", GAUSSIAN, spaces, steps=False).measures) ** 2 == (
        pytest.approx(8)
    )
    assert (
        "Definition 1: some datasets"
        in stated("invariant_dp", GAUSSIAN, spaces, steps=False).refused
    )
    for other in (Gaussian(ONE, shifts=(ONE,)), composed(GAUSSIAN, Declared(GDP(ONE)))):
        assert "Definition 1: some" in stated("semi_dp", other, spaces, steps=False).refused
        assert (
            "Definition 1: some datasets"
            in stated("group_privacy", other, spaces, steps=False).refused
        )


def test_subspace_dp_does_not_cover_the_invariants_unless_all_neighbors_agree_on_them() -> None:
    spaces = ToldSpaces(projected=Fraction(1))
    some = context(GAUSSIAN, spaces)
    agreeing = replace(some, universe=replace(some.universe, restricts=False))
    gaps = [FRAMEWORKS["subspace_dp"](one).not_protected for one in (some, agreeing)]
    assert "does not cover the invariants" in gaps[0]
    assert "what several records reveal together" in gaps[1]
    assert "invariants" not in gaps[1]


def test_subspace_dp_takes_the_projected_sensitivity_of_gaussian_noise_only() -> None:
    spaces = ToldSpaces(TWO_BY_TWO, projected=ONE)
    assert mu(stated("subspace_dp", GAUSSIAN, spaces).measures) == 1
    assert epsilon(stated("subspace_dp", LAPLACE, spaces).measures) == 2
    still = ToldSpaces(TWO_BY_TWO, projected=Fraction(0))
    assert epsilon(stated("subspace_dp", GAUSSIAN, still).measures) == 0
    both = composed(GAUSSIAN, Declared(GDP(Fraction(3))))
    assert mu(stated("subspace_dp", both, spaces).measures) == 2
    crooked = ToldSpaces(TWO_BY_TWO)
    assert "not linear in the query" in stated("subspace_dp", GAUSSIAN, crooked).refused
    shifts = Gaussian(ONE, shifts=(ONE, -ONE))
    assert mu(stated("subspace_dp", shifts, NoSpaces()).measures) ** 2 == pytest.approx(2)


def test_invariant_dp_is_the_nominal_loss_composed_with_itself() -> None:
    found = context(GAUSSIAN, ToldSpaces(TWO_BY_TWO))
    row = FRAMEWORKS["invariant_dp"](found)
    assert mu(row.measures) ** 2 == pytest.approx(2)
    assert "Proposition 15's ρ" in row.note
    further = at_distance(found, 3)
    assert further is not None
    assert mu(further.measures) ** 2 == pytest.approx(18)


def test_corollary_18_goes_by_steps() -> None:
    spaces = ToldSpaces(TWO_BY_TWO)
    semi = FRAMEWORKS["semi_dp"](context(GAUSSIAN, spaces, theorem_16_bound=3))
    found = {a.name: mu(a.measures) ** 2 for a in semi.alternatives}
    assert found == {"proposition_15": pytest.approx(8), "corollary_18": pytest.approx(18)}


def test_other_ways_to_a_number_come_in_the_order_of_the_reference() -> None:
    """docs/spec.md, alternatives: what the query loses by steps is the first of them."""
    parts = composed(DiscreteGaussian(Fraction(2), query=TABLE), DISCRETE)
    semi = FRAMEWORKS["semi_dp"](context(parts, ToldSpaces(TWO_BY_TWO), theorem_16_bound=3))
    names = [other.name for other in semi.alternatives]
    assert names == ["proposition_15", "composition_first", "corollary_18"]


def test_bare_shifts_go_as_far_as_their_steps_in_d_and_in_d_t() -> None:
    shifts = (Fraction(1), Fraction(-2))
    for name in ("semi_dp", "group_privacy"):
        gaussian = Gaussian(Fraction(4), shifts=shifts)
        assert mu(stated(name, gaussian, NoSpaces(), 3).measures) ** 2 == pytest.approx(45 / 4)
        laplace = Laplace(Fraction(4), shifts=shifts)
        assert epsilon(stated(name, laplace, NoSpaces(), 3).measures) == Fraction(9, 4)
        discrete = DiscreteGaussian(Fraction(4), shifts=shifts)
        assert rho(stated(name, discrete, NoSpaces(), 3).measures) == Fraction(45, 8)
    assert stated("semi_dp", gaussian, NoSpaces(), 3).alternatives == ()


def test_parts_of_different_families_meet_in_zcdp_and_multiply_their_pairs() -> None:
    spaces = ToldSpaces(TWO_BY_TWO)
    for other, more in (
        (Declared(ZCDP(ONE)), 4),
        (Declared(PureDP(ONE)), 2 - 2 * math.exp(-1)),  # docs/theory/conversions.md
        (Declared(GDP(ONE)), 2),
        (LAPLACE, 4 * math.exp(-1)),  # row 131, four times
        (DISCRETE, 2),
    ):
        for parts in (composed(GAUSSIAN, other), composed(other, GAUSSIAN)):
            semi = stated("semi_dp", parts, spaces)
            assert float(rho(semi.measures)) == pytest.approx(2 + more, rel=1e-13)
            gaussian = isinstance(other, Declared) and other.kind == "gdp"
            assert any(isinstance(m, PrivacyLoss) for m in semi.measures) != gaussian
    gaussians = composed(GAUSSIAN, Declared(GDP(ONE)))
    assert mu(stated("semi_dp", gaussians, spaces).measures) ** 2 == pytest.approx(8)


def test_two_gaussian_queries_compose_by_the_root_of_the_sum_of_squares() -> None:
    spaces = ToldSpaces(TWO_BY_TWO, TWO_BY_TWO)
    semi = stated("semi_dp", composed(GAUSSIAN, ON_MARGIN, GAUSSIAN), spaces)
    assert mu(semi.measures) ** 2 == pytest.approx(12)


def test_discrete_noise_on_fractions_is_refused_with_its_place() -> None:
    parts = composed(
        Gaussian(ONE, query=TABLE, mark=Mark(4, 7)),
        DiscreteGaussian(ONE, shifts=(Fraction(1, 2),), mark=Mark(7, 7)),
    )
    with pytest.raises(RefusedError) as caught:
        flattened(parts)
    (fractional,) = caught.value.refusals
    assert "a shift is not a whole number" in fractional.message
    assert fractional.line == 7


def test_zcdp_and_a_delta_meet_in_approximate_zcdp() -> None:
    # Bun and Steinke 2016, section 8: delta set aside once for every run;
    # docs/theory/conversions.md: rho.
    approx = Declared(ApproxDP(ONE, Fraction(1, 1000)))
    parts = Composition(((Declared(ZCDP(ONE)), 1), (approx, 2)))
    loss, measure = stated("nominal_dp", parts, NoSpaces()).measures
    assert isinstance(loss, PrivacyLoss)
    assert dict(loss.parts) == {ConcentratedLoss(ONE): 1, ApproxLoss(ONE, Fraction(1, 1000)): 2}
    assert isinstance(measure, ApproxZCDP)
    assert float(measure.rho) == pytest.approx(1 + 2 * 0.46211715726000975, rel=1e-12)
    assert float(measure.delta) == pytest.approx(1 - 0.999**2, rel=1e-12)
    assert measure.rho >= 1 + 2 * Fraction("0.4621171572600097585")
    assert measure.delta >= 1 - Fraction(999, 1000) ** 2
    deltas = [Fraction(1, 100), Fraction(1, 1000)]
    numbers = numbers_of((measure,), deltas, [Fraction(1, 20)])
    left = (deltas[0] - measure.delta) / (1 - measure.delta)
    alone = numbers_of((ZCDP(measure.rho),), [left], [Fraction(1, 20)])
    assert numbers.approx_dp[0].epsilon == alone.approx_dp[0].epsilon
    beyond = [point for point in numbers.approx_dp if point.delta == deltas[1]]
    assert all(point.epsilon.value == math.inf for point in beyond)
    assert numbers.advantage is not None
    assert alone.advantage is not None
    assert numbers.advantage.value > alone.advantage.value
    assert numbers.tradeoff[0][1].value < alone.tradeoff[0][1].value


def test_equal_parts_are_joined_wherever_they_stand() -> None:
    twice = composed(Gaussian(ONE, query=TABLE, mark=Mark(4, 7)), Gaussian(ONE, query=TABLE))
    assert [times for _, times in flattened(twice)] == [2]
    other = composed(GAUSSIAN, Gaussian(Fraction(2), query=TABLE), DISCRETE)
    assert len(flattened(other)) == 3


@pytest.mark.parametrize("name", ["nominal_dp", "group_privacy", "semi_dp", "invariant_dp"])
def test_a_kind_that_proves_no_loss_is_the_reason_and_not_the_query(
    name: FrameworkName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every sensitivity of a histogram is finite, so that a law without measures is to blame."""
    monkeypatch.setattr(NoiseKind, "loss", lambda *_: KnownLoss())
    guarantee = FRAMEWORKS[name](context(GAUSSIAN, ToldSpaces(TWO_BY_TWO)))
    assert guarantee.measures == ()
    assert guarantee.refused.startswith("no privacy loss is proven for gaussian at distance ")
    assert "sensitivity" not in guarantee.refused


HAIR = Fraction(1, 10**20)


def test_the_root_of_rho_is_printed_from_above() -> None:
    """A hair above 1.23456^2, the root is above 1.23456."""
    assert "√ρ = 1.5 for each unit" in _root((ZCDP(Fraction(9, 4)),), None, "")
    for text in ("1.23456", "1.11111", "1.99993", "1.70007"):
        rho = Fraction(text) ** 2 + HAIR
        above = Fraction(text) + Fraction(1, 10**6)
        assert f"√ρ = {float(above):.6f} for each unit" in _root((ZCDP(rho),), None, "")
    assert _root((GDP(Fraction(1)),), 3, "") == ""


def test_at_a_distance_the_root_is_multiplied() -> None:
    told = _root((ZCDP(Fraction(9, 4)),), 3, "Proposition 15")
    assert told.endswith("and 4.5 at distance 3, the root of Proposition 15 (E11)")
    assert "distance" not in _root((ZCDP(Fraction(9, 4)),), 1, "")


def row_of_two_bits(right: Fraction) -> FrameworkGuarantee:
    """Two bits, with the number of ones as an invariant, which every output shows.

    Args:
        right: the probability that the output names the right one of (0, 1) and (1, 0).
    """
    zero, one, wrong = Fraction(0), Fraction(1), 1 - right
    laws = (
        (one, zero, zero, zero),
        (zero, right, wrong, zero),
        (zero, wrong, right, zero),
        (zero, zero, zero, one),
    )
    ones = Count((("value", (1,)),))
    release = release_of(ProductSpace("record", 2, (zero, one)), [ones], None)
    spaces = SensitivitySpaces(release)
    return FRAMEWORKS["invariant_dp"](
        Context(universe_of(release), release.adjacency, Finite((), laws), spaces)
    )


def test_outputs_that_show_the_invariants_have_the_loss_of_a_unit_inside_a_universe() -> None:
    """(0, 1) and (1, 0) are two records apart, and no other two datasets have a sum in common."""
    row = row_of_two_bits(Fraction(3, 4))
    (epsilon,) = [m.epsilon for m in row.measures if isinstance(m, PureDP)]
    assert float(epsilon) == pytest.approx(math.log(3) / 2, rel=1e-12)
    assert "exact loss per unit of distance" in row.note


def test_outputs_that_name_the_dataset_have_no_loss_and_no_query_is_to_blame() -> None:
    row = row_of_two_bits(Fraction(1))
    assert row.measures == ()
    assert row.refused.startswith("no privacy loss is proven for finite at distance 1")
