"""What all kinds of noise on a query have in common."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.noise import KINDS
from semiaudit.mechanisms.noise_kind import asked_query
from semiaudit.model.mechanism import Gaussian, Laplace
from semiaudit.model.query import TableQuery


def test_noise_with_shifts_has_no_query_to_be_sampled_for() -> None:
    assert asked_query(Laplace(scale=Fraction(1), query=TableQuery())) == TableQuery()
    with pytest.raises(RefusedError, match="add its query"):
        asked_query(Laplace(scale=Fraction(1), shifts=(Fraction(1),)))


def test_the_rho_of_bare_shifts_is_that_of_one_step() -> None:
    """|(3, -4)|^2 / (2 sigma^2) = 25 / 8."""
    noise = Gaussian(Fraction(4), shifts=(Fraction(3), Fraction(-4)))
    assert KINDS[Gaussian].specified_rho(noise) == Fraction(25, 8)
    assert KINDS[Gaussian].specified_rho(Gaussian(Fraction(4), query=TableQuery())) is None
