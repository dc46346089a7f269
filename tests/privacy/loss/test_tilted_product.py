"""What a composition leaves out: the tilted weight of all sums with an omitted outcome."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np
import pytest

from semiaudit.model.loss import GaussianLoss, PrivacyLoss, RandomizedResponseLoss
from semiaudit.privacy.loss import tilted_product
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.sources.loss_source import Atoms, Source
from semiaudit.privacy.loss.tilted_product import on_common_lattice, on_grid
from tests.privacy.loss.laws.instances import law


def leaving_out(share: float) -> Tilted:
    """A law whose omitted outcomes have this share of the listed ones' tilted weight, 2."""
    return replace(law(0, [1]), log_total=math.log(2), log_omitted=math.log(2 * share))


@pytest.mark.parametrize(
    ("parts", "weight"),
    [
        ([(0.05, 1)], 0.05),
        ([(0.05, 3)], 0.157625),
        ([(0.05, 3), (0.5, 2)], 1.157625 * 2.25 - 1),
        ([(1e-12, 10**6)], 1e-6 + 5e-13),
    ],
)
def test_sums_with_an_omitted_outcome_weigh_the_product_less_the_listed_ones(
    parts: list[tuple[float, int]], weight: float
) -> None:
    found = tilted_product._omitted([(leaving_out(share), repeat) for share, repeat in parts])
    assert weight <= found <= 1.02 * weight


class Cut:
    """A source that leaves out what loses more than 0, and says how much that is."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __getattr__(self, name: str) -> object:
        return getattr(self.source, name)

    def atoms(self, step: float, tilt: float) -> Atoms:
        whole = self.source.atoms(step, tilt)
        exponent = whole.log_mass + tilt * step * (whole.positions + 1)
        kept = whole.positions <= 0
        lost = math.log(math.fsum(np.exp(exponent[~kept])) + math.exp(whole.log_omitted))
        error = whole.mass_error
        return replace(
            whole,
            positions=whole.positions[kept],
            log_mass=whole.log_mass[kept],
            mass_error=error if isinstance(error, float) else error[kept],
            log_omitted=lost,
            ends=None if whole.ends is None else (whole.ends[0][kept], whole.ends[1][kept]),
        )


@pytest.mark.parametrize("tilt", [0.0, 0.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.5])
def test_what_a_source_leaves_out_is_in_the_upper_bound(epsilon: float, tilt: float) -> None:
    # Two Gaussian pairs of mu = 1 are one of mu = sqrt(2); delta by its closed form.
    whole = direction_of(normal_form(PrivacyLoss(((GaussianLoss(Fraction(1)), 1),))), 0)
    ((source, _),) = whole.parts
    cut = Direction(((cast(Source, Cut(source)), 2),), whole.infinite)
    mu = math.sqrt(2)
    ends = (-epsilon / mu + mu / 2, -epsilon / mu - mu / 2)
    first, second = (math.erfc(-end / math.sqrt(2)) / 2 for end in ends)
    truth = first - math.exp(epsilon) * second
    found = on_grid(cut, tilt, 1 / 64, 1e-6)
    assert found.profile.upper(epsilon) >= truth
    assert found.profile.upper(epsilon) > 1.2 * on_grid(
        replace(whole, parts=((source, 2),)), tilt, 1 / 64, 1e-6
    ).profile.upper(epsilon)


@pytest.mark.parametrize("tilt", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("epsilon", [0.0, 1.5, 3.0])
def test_a_lattice_has_the_delta_of_a_sum_over_the_true_answers_at_every_tilt(
    epsilon: float, tilt: float
) -> None:
    """A tilt only moves the weight: five responses give k true answers with binomial masses."""
    loss = PrivacyLoss(((RandomizedResponseLoss(Fraction(1)), 5),))
    found = on_common_lattice(direction_of(normal_form(loss), 0), tilt)
    keep, growth = 1 / (1 + math.exp(-1)), math.exp(epsilon)
    masses = [keep**k * (1 - keep) ** (5 - k) for k in range(6)]
    pairs = zip(masses, reversed(masses), strict=True)
    truth = math.fsum(math.comb(5, k) * max(p - growth * q, 0) for k, (p, q) in enumerate(pairs))
    assert found.profile.upper(epsilon) == pytest.approx(truth, rel=1e-9)
    assert found.tests(epsilon).delta(epsilon) == pytest.approx(truth, rel=1e-9)
    assert found.tests(epsilon).delta(epsilon) <= found.profile.upper(epsilon)
