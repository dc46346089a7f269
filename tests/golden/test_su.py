"""Su's review by public names: divergences, Blackwell's order, mixtures, and the last iterate."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from semiaudit import ApproxTradeoff, FiniteTradeoff, GaussianTradeoff, LastIterate, MixtureTradeoff

HALF = Fraction(1, 2)
G_1, F_1 = GaussianTradeoff(1), ApproxTradeoff(1)
PAIR = FiniteTradeoff(["1/2", "1/2"], ["1/4", "3/4"])
LEFT, RIGHT = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))


def response(odds: int) -> FiniteTradeoff:
    """Randomized response that reports the truth with these odds."""
    keep = Fraction(odds, odds + 1)
    return FiniteTradeoff([1 - keep, keep], [keep, 1 - keep])


def test_row_65_the_vertices_of_a_finite_pair() -> None:
    assert PAIR.vertices == (LEFT, (HALF, Fraction(1, 4)), RIGHT)
    assert G_1.vertices is None


def test_row_67_divergences_are_functions_of_the_tradeoff_function() -> None:
    assert f"{float(G_1.advantage):.8f}" == "0.38292492"
    assert (G_1.renyi_divergence(2).value, G_1.renyi_divergence(4).value) == (1, 2)
    assert (G_1.epsilon(0).value, F_1.epsilon(0).value) == (math.inf, 1)
    assert float(F_1.advantage) == pytest.approx(math.tanh(0.5), abs=1e-15)
    # P against Q, and Q against P (E39)
    assert float(PAIR.renyi_divergence(2)) == pytest.approx(math.log(4 / 3), abs=1e-15)
    assert float(PAIR.inverse().renyi_divergence(2)) == pytest.approx(math.log(5 / 4), abs=1e-15)
    assert PAIR.renyi_divergence(2).side == "upper"
    assert G_1.renyi_divergence(1).value == HALF


def test_row_68_duality() -> None:
    assert f"{float(G_1.delta(1)):.8f}" == "0.12693674"
    assert f"{float(GaussianTradeoff('0.5').delta('0.3')):.8f}" == "0.09635282"
    # where the root does not exist (E41)
    assert ApproxTradeoff(1, "0.01").epsilon("0.005").value == math.inf
    assert G_1.epsilon("1/2").value == 0


def test_row_69_blackwell_s_order_and_the_kernel_that_proves_it() -> None:
    strong, weak = response(9), response(2)
    # By hand: flip with probability h, where 0.9 (1 - h) + 0.1 h = 2/3.
    flip = Fraction(7, 24)
    assert strong.kernel_to(weak) == ((1 - flip, flip), (flip, 1 - flip))
    assert weak.kernel_to(strong) is None
    assert (weak.order(strong), strong.order(weak)) == ("stronger", "weaker")
    assert G_1.order(F_1) == "incomparable"
    assert G_1.order(ApproxTradeoff(1, "0.12693674")) == "stronger"


def test_row_70_the_inverse_and_the_symmetrized_function() -> None:
    assert PAIR.inverse().vertices == (LEFT, (Fraction(1, 4), HALF), RIGHT)
    corner = Fraction(2, 5)
    assert PAIR.symmetrised().vertices == (LEFT, (corner, corner), RIGHT)
    assert PAIR.order(PAIR.symmetrised()) == "weaker"


def test_row_71_the_weakest_function_of_a_pair_lies_below_and_touches() -> None:
    weakest = ApproxTradeoff(1, "0.126936738")
    touching = Fraction(668_072, 10**7)  # Phi(-3/2), where G_1 has the slope -e
    places = [touching, *(Fraction(i, 200) for i in range(1, 200))]
    gaps = [float(G_1(at)) - float(weakest(at)) for at in places]
    assert 0 <= min(gaps) == gaps[0] < 1e-8


def test_row_80_the_last_iterate_stays_bounded_and_the_composition_does_not() -> None:
    table = LastIterate("2/3", 40, "0.9999")
    mus = [table.mu(10**k).estimate for k in (0, 3, 5, 7)]
    rhos = [table.rho(10**k).estimate for k in (1, 3, 5, 7)]
    assert mus[0] == table.composition_mu(1).estimate == pytest.approx(2 / 3, rel=1e-15)
    assert all(a < b for a, b in pairwise(mus[:3]))
    assert mus[3] == mus[2]
    assert rhos[3] == rhos[2] > rhos[1] > rhos[0]
    assert table.composition_mu(10**7).estimate > 100 * mus[3]


def test_row_81_the_errors_of_a_mixture() -> None:
    mixture = MixtureTradeoff([(HALF, G_1), (HALF, GaussianTradeoff(2))])
    for ratio, type_i, type_ii in ((1, 0.233596, 0.233596), (HALF, 0.416659, 0.102732)):
        found = mixture.errors_at(ratio)
        assert [float(error) for error in found] == pytest.approx([type_i, type_ii], abs=5.1e-7)
        assert [error.side for error in found] == ["lower", "lower"]
        # Both polygons enclose the point of that test.
        assert float(mixture(found[0].value)) <= type_ii + 1e-6
        assert float(mixture.from_above(found[0].value)) >= type_ii - 1e-6
    mean = (0.1269367375 + 0.5098616601) / 2
    assert float(mixture.delta(1)) == pytest.approx(mean, abs=1e-10)


def test_every_test_of_published_numbers_here_imports_the_public_package_only() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                parts = (node.module or "").split(".")
                assert parts[0] != "semiaudit" or len(parts) == 1, path
            if isinstance(node, ast.Import):
                assert not any(one.name.startswith("semiaudit.") for one in node.names), path
