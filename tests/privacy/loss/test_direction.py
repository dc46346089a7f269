"""The mass at an infinite loss of a product: two doubles with the exact rational between them."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from semiaudit.model.loss import FiniteLoss, GaussianLoss, LaplaceLoss, Loss, PrivacyLoss
from semiaudit.privacy.loss.direction import direction_of
from semiaudit.privacy.loss.normal_form import normal_form

ZERO = Fraction(0)


def disclosing(first: Fraction, second: Fraction) -> FiniteLoss:
    """What P alone has, what Q alone has, and the rest of both."""
    return FiniteLoss((first, ZERO, 1 - first), (ZERO, second, 1 - second))


def infinite(parts: list[tuple[FiniteLoss, int]], side: int) -> tuple[float, float]:
    known: list[tuple[Loss, int]] = [*parts, (GaussianLoss(Fraction(1, 4)), 1)]
    return direction_of(normal_form(PrivacyLoss(tuple(known))), side).infinite


def test_the_infinite_mass_of_a_product_lies_between_its_ends() -> None:
    chance = random.Random(8)
    for _ in range(300):
        parts = []
        for _ in range(chance.randint(1, 3)):
            whole = chance.choice((7, 100, 10**6, 10**12))
            masses = (Fraction(chance.randint(0, whole // 3), whole) for _ in range(2))
            parts.append((disclosing(*masses), chance.choice((1, 2, 3, 50))))
        for side, outcome in ((0, 0), (1, 1)):
            kept = Fraction(1)
            for pair, repeat in parts:
                own = (pair.first[0], pair.second[1])[outcome]
                kept *= (1 - own) ** repeat
            low, high = infinite(parts, side)
            assert Fraction(low) <= 1 - kept <= Fraction(high), parts
            assert high - low <= 1e-13 * high + 1e-320


@pytest.mark.parametrize("exponent", [300, 320, 330, 400])
def test_an_infinite_mass_below_all_doubles_is_not_taken_for_0(exponent: int) -> None:
    mass = Fraction(1, 10**exponent)
    low, high = infinite([(disclosing(mass, ZERO), 1)], 0)
    assert Fraction(low) <= mass <= Fraction(high)
    assert math.isfinite(high)


@pytest.mark.parametrize(
    ("step", "anchored"), [(0.3, 2 / 7), (2.0, 2.0), (2.5, 3 / 2), (3.0, 3.0), (5.0, 5.0)]
)
def test_a_grid_has_the_atoms_of_the_commonest_pair_that_is_no_finer(
    step: float, anchored: float
) -> None:
    # Atoms of Laplace pairs at -1 and 1, three times, and at -3/2 and 3/2.
    pairs = ((LaplaceLoss(Fraction(1)), 3), (LaplaceLoss(Fraction(3, 2)), 1))
    found = direction_of(normal_form(PrivacyLoss(pairs)), 0).anchored(step)
    assert found == pytest.approx(anchored, rel=1e-12)
    assert found <= step


def test_a_loss_without_atoms_is_put_on_any_grid() -> None:
    normal = PrivacyLoss(((GaussianLoss(Fraction(1, 4)), 2), (GaussianLoss(Fraction(1)), 1)))
    assert direction_of(normal_form(normal), 0).anchored(0.3) == 0.3
