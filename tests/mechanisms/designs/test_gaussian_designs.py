"""Gaussian designs against the moments of normal variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts
from semiaudit.mechanisms.designs.gaussian_designs import algorithm_1, extended, naive, projected
from semiaudit.model.design import Target
from semiaudit.model.measure import GDP
from tests.mechanisms.designs.known_moves import facts

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
    """Two records move the answer by 2 sqrt(2), and mu is 2: sigma is sqrt(2) either way."""
    draft = design(facts(), TARGET)
    sigma = math.sqrt(2)
    assert draft.value >= 0
    assert draft.value**2 >= 2
    assert float(draft.value) == pytest.approx(sigma, rel=1e-9)
    assert (draft.rank, draft.sharp, dict(draft.more).get("support")) == (rank, sharp, support)
    mean = math.sqrt(2) * math.gamma((rank + 1) / 2) / math.gamma(rank / 2)
    assert draft.length.value == pytest.approx(sigma * mean, rel=1e-9)
    assert draft.total.value == pytest.approx(2 * rank, rel=1e-9)
    share = 1 if support is None else 2 / 3  # the diagonal of the projector
    assert draft.deviation.value == pytest.approx(sigma * math.sqrt(share), rel=1e-9)
