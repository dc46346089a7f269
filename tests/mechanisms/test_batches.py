"""Noise on batches of a fixed size and on shuffled batches: bounds, relations, and refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from semiaudit import Spec, SubsampledGaussian, audit
from semiaudit.errors import SpecError
from semiaudit.model.loss import FixedSizeGaussianLoss, PrivacyLoss
from semiaudit.privacy import loss
from semiaudit.privacy.loss.pairs.fixed_size_gaussian import FixedSizeGaussianSource

SHUFFLED = "sampling: shuffle, steps_per_epoch: {}, epochs: {}"
LITTLE_NOISE = f"noise_multiplier: .5, {SHUFFLED.format(10**4, 1)}"
MORE_NOISE = f"noise_multiplier: .8, {SHUFFLED.format(1000, 1)}"
FIXED = "sampling: fixed_size, sampling_rate: 256/60000, steps: 3515"


def audited(folder: Path, keys: str, metric: str, delta: str) -> dict[str, Any]:
    (folder / "s.yaml").write_text(
        f"semiaudit: 1\ndataspace: {{unit: record}}\nadjacency: {{metric: {metric}}}\n"
        f"mechanism: {{subsampled_gaussian: {{{keys}}}}}\nreport: {{deltas: [{delta}]}}\n"
    )
    return audit(folder / "s.yaml").as_dict()


@pytest.mark.parametrize(
    ("keys", "zeroed", "delta", "low", "high", "poisson"),
    [
        (f"noise_multiplier: 1.3, {FIXED}", False, "1e-5", (4.354, 4.357), (5.085, 5.09), 0.864589),
        (LITTLE_NOISE, True, "1e-6", 10.9948, 10.9972, 1.9548),
        (LITTLE_NOISE, False, "1e-6", 17.1466, 26.3570, 1.9548),
        (MORE_NOISE, True, "1e-6", 6.0446, 6.3121, 0.4689),
        (MORE_NOISE, False, "1e-6", 7.5436, 14.4508, 0.4689),
    ],
)
def test_the_published_bounds_of_batches(
    tmp_path: Path, keys: str, zeroed: bool, delta: str, low: Any, high: Any, poisson: float
) -> None:
    """Lebeda et al. 2024 and Chua et al. 2024; Poisson sampling by another accountant."""
    metric = "symmetric_difference" if zeroed else "hamming"
    found = audited(tmp_path, keys + (", neighbors: zero_out" if zeroed else ""), metric, delta)
    (point, *_) = found["guarantees"][0]["approx_dp"]
    for number, expected in ((point["epsilon_lower"], low), (point["epsilon"], high)):
        if isinstance(expected, tuple):
            assert expected[0] <= number <= expected[1]
        else:
            assert number == pytest.approx(expected, abs=5.1e-5)
    (text,) = [f["message"] for f in found["findings"] if f["rule"] == "SA040"]
    relation = "zero-out" if zeroed else "replace-one"
    assert f"({relation})" in text
    assert ("zero-out" in found["statement"]["standard"]) == zeroed
    shown = float(text.split("report ε = ")[1].split(" ")[0])
    assert shown == pytest.approx(poisson, rel=5e-3)
    assert f"[{point['epsilon_lower']:.3f}"[:5] in text


def test_epochs_are_steps_of_one_batch_each(tmp_path: Path) -> None:
    """mu = 2 sqrt(3) / .8 for a replaced record, half of it for an empty one; two are twice one."""
    keys = f"noise_multiplier: 0.8, {SHUFFLED.format(50, 3)}"
    for distance in (1, 2):
        one = SubsampledGaussian(0.8, sampling="shuffle", steps_per_epoch=50, epochs=3)
        mu = one.guarantee(distance).mu
        assert mu is not None
        assert float(mu.value) == pytest.approx(distance * 2 * math.sqrt(3) / 0.8, rel=1e-9)
    found = audited(tmp_path, keys + ", neighbors: zero_out", "symmetric_difference", "1e-6")
    assert found["guarantees"][0]["gdp"]["mu"] == pytest.approx(math.sqrt(3) / 0.8, rel=1e-9)


def test_two_steps_of_a_fixed_size_are_two_of_the_convex_function() -> None:
    """C_p(G_mu) by its definition on a grid of thresholds, and its loss added up for two steps."""
    p, mu = 0.1, 2 / 1.5
    z = np.linspace(mu / 2, 9 + mu, 1500)
    null = ndtr(-z[:-1]) - ndtr(-z[1:])
    other = (1 - p) * null + p * (ndtr(mu - z[:-1]) - ndtr(mu - z[1:]))
    gains = np.log(other / null)
    flat = 1 - other.sum() - null.sum()
    losses, mass = np.concatenate((gains, -gains, [0])), np.concatenate((other, null, [flat]))
    both = losses[:, None] + losses[None, :]
    pair = PrivacyLoss(((FixedSizeGaussianLoss(Fraction(9, 4), Fraction(1, 10)), 2),))
    for epsilon in (0.0, 0.2, 1.0, 2.5):
        gained = np.maximum(0, -np.expm1(epsilon - both))
        delta = float(mass @ gained @ mass)
        found = loss.delta_at(pair, Fraction(epsilon))
        assert found is not None
        assert delta * (1 - 1e-4) <= found.upper
        assert found.lower <= delta * (1 + 1e-4) + 1e-9


@pytest.mark.parametrize(("sigma", "rate"), [(1.3, 0.004), (0.6, 0.5), (30, 0.99), (5, 1e-9)])
def test_the_listed_losses_of_a_fixed_size_have_all_mass_of_both_laws(
    sigma: float, rate: float
) -> None:
    source = FixedSizeGaussianSource(Fraction(sigma) ** 2 / 4, Fraction(rate))
    atoms = source.atoms(0.01, 0.0)
    masses, losses = np.exp(atoms.log_mass), atoms.positions * 0.01
    assert masses.sum() == pytest.approx(1, abs=1e-13)
    assert (masses * np.exp(-losses)).sum() == pytest.approx(1, abs=1e-13)
    below, above = atoms.between()
    assert (below <= atoms.positions + 1e-9).all()
    assert (atoms.positions <= above + 1e-9).all()


@pytest.mark.parametrize(
    ("keys", "metric", "problem"),
    [
        (FIXED, "symmetric_difference", "proven for replace-one"),
        (SHUFFLED.format(10, 1), "symmetric_difference", "add neighbors: zero_out"),
        (SHUFFLED.format(10, 1) + ", neighbors: zero_out", "hamming", "use replace_one"),
        (FIXED + ", neighbors: add_remove", "hamming", "use replace_one"),
        ("sampling: shuffle, sampling_rate: 0.1, steps: 10", "hamming", "steps_per_epoch"),
        ("sampling: fixed_size, steps_per_epoch: 10, epochs: 1", "hamming", "sampling_rate"),
        ("sampling: uniform, sampling_rate: 0.1, steps: 1", "hamming", "shuffle"),
    ],
)
def test_batches_of_another_relation_or_with_other_keys_are_refused(
    tmp_path: Path, keys: str, metric: str, problem: str
) -> None:
    with pytest.raises(SpecError, match=problem):
        audited(tmp_path, f"noise_multiplier: 1, {keys}", metric, "1e-6")


def test_histories_of_opacus_name_their_batches() -> None:
    """A rate of 1/235 may be that of 234.4 batches: the share of a batch is at most 1/234."""
    history = {"history": [[1.3, 1 / 235, 3515]], "mechanism": "rdp"}
    nominal = audit(Spec.from_opacus(history, sampling="fixed_size")).nominal_dp
    assert 5.08 < float(nominal.epsilon("1e-5")) < 5.1
    whole = {"history": [[0.8, 0.001, 1000]], "mechanism": "rdp"}
    shuffled = audit(Spec.from_opacus(whole, sampling="shuffle")).nominal_dp
    assert float(shuffled.epsilon("1e-6")) == pytest.approx(14.4508, abs=1e-4)
