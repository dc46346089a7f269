"""K-norm designs against the moments of their densities.

The density exp(-|v|_2 / s) on R^d has a length of Gamma(d): its mean is d s, its mean square is
d (d + 1) s^2. That of exp(-|v|_inf / s) is a uniform point of the cube times Gamma(d + 1), so that
a coordinate has the variance (d + 1) (d + 2) s^2 / 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts
from semiaudit.mechanisms.designs.intensity import NoDesignError
from semiaudit.mechanisms.designs.k_norm import (
    algorithm_2,
    algorithm_5,
    algorithm_6,
    naive_l2,
    naive_linf,
)
from semiaudit.model.measure import PureDP
from semiaudit.model.results.design import Target
from tests.mechanisms.designs.known_moves import DIFFERENCES, NOTHING, facts

TARGET = PureDP(Fraction(1, 2))
Design = Callable[[Facts, Target], DesignDraft]


@pytest.mark.parametrize(("design", "sharp"), [(naive_l2, False), (algorithm_5, True)])
def test_noise_of_the_l2_ball_has_the_moments_of_its_density(design: Design, sharp: bool) -> None:
    draft = design(facts(), TARGET)
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
    draft = design(facts(), TARGET)
    scale = 3 / 0.5
    assert (draft.more, draft.sharp) == ((("norm", "linf"),), sharp)
    assert float(draft.value) == pytest.approx(1 / 6, rel=1e-9)
    assert draft.value <= Fraction(1, 6)
    # The mean distance of a uniform point of the cube [-1, 1]^3 from its center is 0.960591956455.
    assert draft.length.value == pytest.approx(4 * scale * 0.960591956455, rel=1e-9)
    assert draft.deviation.value == pytest.approx(scale * math.sqrt(20 / 3), rel=1e-9)
    assert draft.total.value == pytest.approx(20 * scale**2, rel=1e-9)


def test_a_hull_that_is_not_sampled_costs_no_more_than_the_ball_around_it() -> None:
    draft = algorithm_2(facts(vectors=None), TARGET)
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
    draft = algorithm_2(facts(), TARGET)
    corner = 3 * math.sqrt(2) / 0.5
    assert draft.length.side == "exact"
    assert draft.length.value == pytest.approx(3 * corner * (1 / 3 + math.log(3) / 4), rel=1e-7)
    assert draft.total.value == pytest.approx(3 * 4 * 5 / 12 * corner**2, rel=1e-9)
    assert draft.deviation.value == pytest.approx(math.sqrt(5 * corner**2 / 3), rel=1e-9)


@pytest.mark.parametrize("design", [algorithm_2, algorithm_5, algorithm_6, naive_l2, naive_linf])
def test_a_query_that_does_not_move_needs_no_noise(design: Design) -> None:
    with pytest.raises(NoDesignError, match="does not move"):
        design(facts(unit=NOTHING, moved=NOTHING), TARGET)


@pytest.mark.parametrize("design", [algorithm_5, algorithm_6])
def test_a_query_that_does_not_move_in_d_needs_no_noise(design: Design) -> None:
    with pytest.raises(NoDesignError, match="no noise"):
        design(facts(unit=NOTHING), TARGET)
