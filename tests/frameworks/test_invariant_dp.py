"""What invariant-constrained DP says of zCDP as a divergence of its own unit."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.frameworks.invariant_dp import _root
from semiaudit.model.measure import GDP, ZCDP

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
