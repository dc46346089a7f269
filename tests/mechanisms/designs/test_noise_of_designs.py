"""Designs of each kind of noise against the moments of their densities, and rho on lattices."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.designs import sampled_directions
from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts, Subspace
from semiaudit.mechanisms.designs.gaussian_designs import (
    algorithm_1,
    discrete_gaussian,
    extended,
    integer_lattice,
    naive,
    projected,
    sized,
)
from semiaudit.mechanisms.designs.intensity import NoDesignError
from semiaudit.mechanisms.designs.k_norm import (
    algorithm_2,
    algorithm_5,
    algorithm_6,
    naive_l2,
    naive_linf,
)
from semiaudit.mechanisms.designs.laplace_designs import _mean_of_projection
from semiaudit.mechanisms.designs.sampled_directions import sampled_moments
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfPoints
from semiaudit.mechanisms.sampling.lattice import null_lattice
from semiaudit.mechanisms.sampling.sampling_methods import Walked
from semiaudit.model.measure import GDP, ZCDP, PureDP
from semiaudit.model.results.design import Target
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from tests.clocks import Ticks
from tests.mechanisms.designs.known_moves import DIFFERENCES, NOTHING, NULL, facts

TARGET = GDP(Fraction(4))  # mu = 2


@pytest.mark.parametrize(
    ("design", "rank", "support", "sharp"),
    [
        (naive, 3, None, False),
        (projected, 2, "null_space", False),
        (algorithm_1, 2, "sensitivity_space", True),
        (extended, 2, "null_space", True),
    ],
)
def test_noise_on_each_coordinate_of_its_space_has_the_moments_of_normal_variables(
    design: Callable[[Facts, Target], DesignDraft], rank: int, support: str | None, sharp: bool
) -> None:
    """Three records move the answer by 3 sqrt(2), and mu is 2: sigma^2 is 18 / 4 either way."""
    draft = design(facts(), TARGET)
    sigma = math.sqrt(4.5)
    assert draft.value >= 0
    assert draft.value**2 >= 4.5
    assert float(draft.value) == pytest.approx(sigma, rel=1e-9)
    assert (draft.rank, draft.sharp, dict(draft.more).get("support")) == (rank, sharp, support)
    mean = math.sqrt(2) * math.gamma((rank + 1) / 2) / math.gamma(rank / 2)
    assert draft.length.value == pytest.approx(sigma * mean, rel=1e-9)
    assert draft.total.value == pytest.approx(4.5 * rank, rel=1e-9)
    share = 1 if support is None else 2 / 3  # the diagonal of the projector
    assert draft.deviation.value == pytest.approx(sigma * math.sqrt(share), rel=1e-9)


def test_noise_for_a_known_size_lives_in_a_smaller_space() -> None:
    """With the size as a row, (1, -1, 0) alone is left; its projector has 1/2 on its diagonal."""
    one = Fraction(1)
    space = AnswerNullSpace(3, (0, 1, 2), ({0: one, 1: one, 2: one}, {2: one}))
    draft = sized(facts(sized=space, sized_step=lambda: Fraction(2)), TARGET)
    assert (draft.rank, draft.parameter, draft.value) == (1, "", Fraction(9, 2))
    assert draft.rows()[0] == (Fraction(9, 4), Fraction(-9, 4), Fraction(0))
    assert draft.length.value == pytest.approx(math.sqrt(4.5 * 2 / math.pi), rel=1e-9)
    assert draft.deviation.value == pytest.approx(math.sqrt(4.5 / 2), rel=1e-9)
    assert draft.total.value == pytest.approx(4.5, rel=1e-9)
    assert "μ 0.666667" in draft.all_notes()[-1]  # sqrt(2 / 4.5)


def test_a_size_that_is_unknown_or_leaves_nothing_has_no_design() -> None:
    with pytest.raises(NoDesignError, match="the size is not known"):
        sized(facts(), TARGET)
    nothing = AnswerNullSpace(3, (0,), ({0: Fraction(1)},))
    with pytest.raises(NoDesignError, match="no noise is left to add"):
        sized(facts(sized=nothing), TARGET)


def test_noise_in_the_span_of_the_moves_is_not_in_all_of_the_null_space() -> None:
    """Moves along (1, -1, 0) alone: a rank of 1, and a projector with 1/2 on its diagonal."""
    line = facts(span=Subspace(((1, -1, 0),)))
    inside, around = algorithm_1(line, TARGET), extended(line, TARGET)
    assert (inside.rank, around.rank) == (1, 2)
    assert inside.total.value == pytest.approx(4.5, rel=1e-9)
    assert inside.deviation.value == pytest.approx(math.sqrt(4.5 / 2), rel=1e-9)
    assert around.deviation.value == pytest.approx(math.sqrt(4.5 * 2 / 3), rel=1e-9)


def test_a_sampled_mean_says_how_far_it_may_be_off() -> None:
    cost = _mean_of_projection(NULL, 2.0)
    noise = np.random.default_rng(99).laplace(scale=2.0, size=(400_000, 3))
    projected = noise - noise.mean(axis=1, keepdims=True)
    lengths = np.sqrt((projected**2).sum(axis=1))
    assert cost.side == "estimate"
    assert 1e-4 * cost.value < cost.error < 1e-2 * cost.value
    off = (cost.error**2 + lengths.var() / len(lengths)) ** 0.5
    assert abs(cost.value - lengths.mean()) < 5 * off


RHO = ZCDP(Fraction(1, 2))  # three records move the answer by sqrt(18), so that sigma^2 is 18


def test_noise_on_whole_numbers_costs_no_more_than_gaussian_noise() -> None:
    draft = discrete_gaussian(facts(), RHO)
    assert draft.value == 18
    assert (draft.rank, draft.more) == (3, ())
    assert draft.length.value == pytest.approx(math.sqrt(18 * 3))
    assert draft.deviation.value == pytest.approx(math.sqrt(18))
    assert draft.total.value == 54


def test_noise_on_a_lattice_has_the_rank_of_its_space() -> None:
    draft = integer_lattice(facts(), RHO)
    assert draft.value == 18
    assert (draft.rank, draft.more) == (2, (("support", "null_space"),))
    assert draft.length.value == pytest.approx(6)
    assert draft.deviation.value == pytest.approx(math.sqrt(18 * 2 / 3))
    assert draft.total.value == 36


def test_a_target_that_zcdp_does_not_reach_is_refused_first() -> None:
    with pytest.raises(NoDesignError, match="known to be zCDP"):
        integer_lattice(facts(null=None), PureDP(Fraction(1)))
    with pytest.raises(NoDesignError, match="no null space"):
        integer_lattice(facts(null=None), RHO)


# The density exp(-|v|_2 / s) on R^d has a length of Gamma(d): its mean is d s, its mean square is d
# (d + 1) s^2. That of exp(-|v|_inf / s) is a uniform point of the cube times Gamma(d + 1), so that
# a coordinate has the variance (d + 1) (d + 2) s^2 / 3.

EPSILON = PureDP(Fraction(1, 2))
Design = Callable[[Facts, Target], DesignDraft]


@pytest.mark.parametrize(("design", "sharp"), [(naive_l2, False), (algorithm_5, True)])
def test_noise_of_the_l2_ball_has_the_moments_of_its_density(design: Design, sharp: bool) -> None:
    draft = design(facts(), EPSILON)
    scale = 3 * math.sqrt(2) / 0.5  # three records, at sqrt(2) each
    assert (draft.kind, draft.more, draft.sharp) == ("k_norm", (("norm", "l2"),), sharp)
    assert float(draft.value) == pytest.approx(1 / 6, rel=1e-9)
    assert draft.value <= Fraction(1, 6)
    assert draft.wanted == Fraction(1, 2)
    assert draft.length.value == pytest.approx(3 * scale, rel=1e-9)
    assert draft.deviation.value == pytest.approx(math.sqrt(4) * scale, rel=1e-9)
    assert draft.total.value == pytest.approx(12 * scale**2, rel=1e-9)


@pytest.mark.parametrize(("design", "sharp"), [(naive_linf, False), (algorithm_6, True)])
def test_noise_of_the_cube_has_the_moments_of_its_density(design: Design, sharp: bool) -> None:
    draft = design(facts(), EPSILON)
    scale = 3 / 0.5
    assert (draft.more, draft.sharp) == ((("norm", "linf"),), sharp)
    assert float(draft.value) == pytest.approx(1 / 6, rel=1e-9)
    assert draft.value <= Fraction(1, 6)
    # The mean distance of a uniform point of the cube [-1, 1]^3 from its center is 0.960591956455.
    assert draft.length.value == pytest.approx(4 * scale * 0.960591956455, rel=1e-9)
    assert draft.deviation.value == pytest.approx(scale * math.sqrt(20 / 3), rel=1e-9)
    assert draft.total.value == pytest.approx(20 * scale**2, rel=1e-9)


def test_a_hull_that_is_not_sampled_costs_no_more_than_the_ball_around_it() -> None:
    draft = algorithm_2(facts(vectors=None), EPSILON)
    scale = 3 * math.sqrt(2) / 0.5
    share = math.sqrt(2 / 3)  # of the projector on the answers whose sum is 0
    assert {draft.length.side, draft.deviation.side, draft.total.side} == {"upper"}
    assert (draft.rank, draft.value) == (DIFFERENCES.rank, Fraction(1, 2))
    assert draft.length.value == pytest.approx(2 * scale, rel=1e-9)
    assert draft.deviation.value == pytest.approx(share * math.sqrt(3) * scale, rel=1e-9)
    assert draft.total.value == pytest.approx(6 * scale**2, rel=1e-9)


def test_the_hexagon_costs_less_than_the_ball_around_it() -> None:
    """The hull of 3 (e_i - e_j) is a regular hexagon whose corners are L = 3 sqrt(2) away.

    In polar coordinates its mean length is L (1/3 + ln(3) / 4), and its mean square 5 L^2 / 12; the
    noise is a point of it times Gamma(3).
    """
    draft = algorithm_2(facts(), EPSILON)
    corner = 3 * math.sqrt(2) / 0.5
    assert draft.length.side == "exact"
    assert draft.length.value == pytest.approx(3 * corner * (1 / 3 + math.log(3) / 4), rel=1e-7)
    assert draft.total.value == pytest.approx(3 * 4 * 5 / 12 * corner**2, rel=1e-9)
    assert draft.deviation.value == pytest.approx(math.sqrt(5 * corner**2 / 3), rel=1e-9)


@pytest.mark.parametrize("design", [algorithm_2, algorithm_5, algorithm_6, naive_l2, naive_linf])
def test_a_query_that_does_not_move_needs_no_noise(design: Design) -> None:
    with pytest.raises(NoDesignError, match="does not move"):
        design(facts(unit=NOTHING, moved=NOTHING), EPSILON)


@pytest.mark.parametrize("design", [algorithm_5, algorithm_6])
def test_a_query_that_does_not_move_in_d_needs_no_noise(design: Design) -> None:
    with pytest.raises(NoDesignError, match="no noise"):
        design(facts(unit=NOTHING), EPSILON)


# The hull of +-e_1, ..., +-e_d has the l1 norm: its noise is d independent Laplace variables, of
# variance 2 each.


def walk(rank: int, epsilon: float) -> Walked:
    axes = np.eye(rank, dtype=np.int64)
    return Walked(
        null_lattice([], rank), GaugeOfPoints(np.vstack([axes, -axes])), epsilon, "directions"
    )


def test_noise_of_the_l1_ball_is_that_of_independent_laplace_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampled_directions, "MOST", 150)
    epsilon = 0.25
    moments = sampled_moments(walk(2, epsilon))
    # |x| = r (|cos a| + |sin a|)^-1 along the angle a, with r of Gamma(2).
    length, _ = quad(lambda a: 2 * (np.cos(a) + np.sin(a)) ** -3, 0, np.pi / 2)
    expected = length / epsilon, 2**0.5 / epsilon, 4 / epsilon**2
    for cost, value in zip(
        (moments.length, moments.deviation, moments.total), expected, strict=True
    ):
        assert cost.side == "estimate"
        assert abs(cost.value - value) < 4 * cost.error
        assert cost.error < 0.1 * value


def test_directions_end_at_their_number_and_at_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Norms of a long thin ball spread widely, so that the mean is never close."""
    monkeypatch.setattr(sampled_directions, "MOST", 41)
    asked = []

    def thin(_: GaugeOfPoints, direction: np.ndarray) -> float:
        asked.append(direction)
        return float(1e-3 + abs(direction[0]))

    monkeypatch.setattr(GaugeOfPoints, "of", thin)
    sampled_moments(walk(2, 1.0))
    assert len(asked) == 40
    with deadline.running(20.5, Ticks(1.0)), pytest.raises(OutOfTimeError):
        sampled_moments(walk(2, 1.0))
    assert len(asked) == 60
