"""Discrete Gaussian noise: rho = |v|^2 / (2 sigma^2), on all whole vectors and on a lattice."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from semiaudit.mechanisms.designs.intensity import NoDesignError
from semiaudit.mechanisms.designs.lattice_designs import discrete_gaussian, integer_lattice
from semiaudit.model.measure import ZCDP, PureDP
from tests.mechanisms.designs.known_moves import facts

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
