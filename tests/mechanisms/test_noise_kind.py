"""What all kinds of noise on a query have in common."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit import Spec
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.noise import KINDS
from semiaudit.mechanisms.noise_kind import asked_query
from semiaudit.model.measure import GDP
from semiaudit.model.mechanism import Gaussian, Laplace
from semiaudit.model.query import TableQuery
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def test_noise_with_shifts_has_no_query_to_be_sampled_for() -> None:
    assert asked_query(Laplace(scale=Fraction(1), query=TableQuery())) == TableQuery()
    with pytest.raises(RefusedError, match="add its query"):
        asked_query(Laplace(scale=Fraction(1), shifts=(Fraction(1),)))


def test_the_rho_of_bare_shifts_is_that_of_one_step() -> None:
    """|(3, -4)|^2 / (2 sigma^2) = 25 / 8."""
    noise = Gaussian(Fraction(4), shifts=(Fraction(3), Fraction(-4)))
    assert KINDS[Gaussian].specified_rho(noise) == Fraction(25, 8)
    assert KINDS[Gaussian].specified_rho(Gaussian(Fraction(4), query=TableQuery())) is None


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_loss_per_unit_of_projected_noise_grows_as_the_square_of_the_distance(
    distance: int,
) -> None:
    """In a table of 2 x 2 under its margins, a record's change has the projection
    (1, -1, -1, 1) / 2, of length 1, and sigma^2 is 4; the plain change has the squared length 2."""
    text = """\
semiaudit: 1
dataspace: {size: 40, attributes: {a: 2, b: 2}}
invariants: [{margin: [a]}, {margin: [b]}]
data: {counts: [[11, 9], [8, 12]]}
mechanism: {gaussian: {sigma: 2, query: table, support: null_space}}
"""
    release = Spec.from_text(text)._release
    assert isinstance(release.mechanism, Gaussian)
    spaces = SensitivitySpaces(release, Limits())
    measures = KINDS[Gaussian].by_units(release.mechanism, distance, spaces)
    squares = [one.mu_squared for one in measures if isinstance(one, GDP)]
    assert squares == [Fraction(distance**2, 4)]
