"""DP subject to invariants: zCDP as a divergence of its own unit, and outputs that show them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.frameworks.invariant_dp import _root
from semiaudit.model.dataspace import ProductSpace
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.invariants import Count
from semiaudit.model.measure import GDP, ZCDP, PureDP
from semiaudit.model.mechanism import Finite
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.universe.instances import release_of

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
