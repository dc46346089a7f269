"""2,000 random specs: no design exceeds its target, each is as short as it may be, and the printed
errors are those of sampled noise.

D_t is enumerated, the noise's loss is found from its density between all pairs, and its errors from
100,000 samples of its definition (tests.oracles), all without the program. The whole campaign:
python -m pytest -m slow tests/commands/calibrate/test_campaign.py
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.model.data_source import CONFINED
from semiaudit.model.measure import GDP, ZCDP, PureDP
from semiaudit.model.results.design import AnyDesign, Cost, Design, Target
from tests.commands.calibrate.test_random_workloads import (
    TARGETS,
    check_gaussian,
    covariance_of,
    oracle_rho,
    pure_epsilon,
)
from tests.oracles import designs as densities
from tests.oracles.subspace_noise import Matrix, SmallCase
from tests.samples import sampled
from tests.universe.sensitivity.test_spellings import drawn

NUMBER = 2_000
FAST = (2, 5, 11)
MOST_TABLES = 40
SAMPLES = 100_000
ROUGH = 2e-6

AS_THEY_ARE: tuple[AnyDesign, ...] = (
    "naive_gaussian",
    "projected_gaussian",
    "naive_l1",
    "naive_l2",
    "naive_linf",
    "projected_laplace",
)
"""Designs whose scale is that of their source; all others are scaled until they are tight."""


def noise_of(
    section: Mapping[str, Any], case: SmallCase, distance: int, generator: np.random.Generator
) -> Matrix | None:
    """Samples of a section's noise; None for noise on the integers."""
    ((kind, inner),) = section.items()
    width = len(case.asked)
    match kind:
        case "gaussian":
            covariance = covariance_of(inner, case, distance)
            sizes, axes = np.linalg.eigh(covariance)
            root = axes * np.sqrt(np.maximum(sizes, 0))
            return np.asarray(generator.standard_normal((SAMPLES, width)) @ root.T)
        case "laplace":
            scale = float(Fraction(inner["scale"]))
            if "basis" in inner:
                basis = densities.matrix_of(inner["basis"])
                return np.asarray(generator.laplace(0, scale, (SAMPLES, len(basis))) @ basis)
            noise = generator.laplace(0, scale, (SAMPLES, width))
            return noise @ case.kept if inner.get("support") else noise
        case "k_norm":
            epsilon = float(Fraction(inner["epsilon"]))
            if inner["norm"] == {"hull": "D_t"}:
                return densities.hull_noise(case.changes(distance), SAMPLES, generator) / epsilon
            return densities.ball_noise(inner["norm"], case.steps(), SAMPLES, generator) / epsilon
        case _:
            return None


def loss_over_target(
    section: dict[str, Any], case: SmallCase, distance: int, target: Target
) -> float | None:
    """The loss of a section between all pairs, over the target; None where no oracle tells it."""
    ((kind, inner),) = section.items()
    pairs = case.changes(distance)
    if kind == "gaussian":
        return check_gaussian(inner, case, pairs, False, distance, target)
    if kind == "discrete_gaussian" and isinstance(target, ZCDP):
        return oracle_rho(pairs, inner) / float(target.rho)
    if isinstance(target, PureDP):
        return pure_epsilon(section, case, pairs, distance) / float(target.epsilon)
    return None


def check_error(cost: Cost | None, squares_or_lengths: Matrix, *, root: bool = False) -> None:
    """A printed error against the mean of samples: within 1 %, or above it if it is a bound."""
    assert cost is not None
    mean = float(squares_or_lengths.mean())
    noise = 5 * float(squares_or_lengths.std()) / len(squares_or_lengths) ** 0.5 / mean
    exact = mean**0.5 if root else mean
    assert cost.value >= exact * (1 - 0.01 - noise)
    if cost.side != "upper":
        assert cost.value <= exact * (1 + 0.01 + noise)


def check_design(
    design: Design, case: SmallCase, distance: int, target: Target, generator: np.random.Generator
) -> None:
    """One design of one spec."""
    section = design.mechanism
    assert section is not None
    loss = loss_over_target(section, case, distance, target)
    # the delta of Gaussian noise comes from a grid of densities
    rough = ROUGH if isinstance(target, GDP | ZCDP | PureDP) else 1e-3
    assert loss is None or loss <= 1 + rough, (design.name, loss)
    if design.name not in AS_THEY_ARE:
        assert design.tight, (design.name, design.met)
        if loss is not None and isinstance(target, GDP | ZCDP | PureDP):
            assert loss >= 1 - 1e-5, (design.name, loss)
    assert design.sampling != "impossible"
    noise = noise_of(section, case, distance, generator)
    if noise is None:
        return
    squares = noise**2
    check_error(design.expected_l2, np.sqrt(squares.sum(axis=1)))
    check_error(design.total_variance, squares.sum(axis=1))
    check_error(design.max_sd, squares[:, int(squares.mean(axis=0).argmax())], root=True)


@pytest.mark.parametrize("seed", sampled(range(NUMBER), FAST))
def test_designs_of_random_specs_meet_their_targets_and_cost_what_is_printed(
    seed: int, tmp_path: Path
) -> None:
    rng, generator = random.Random(f"designs-{seed}"), np.random.default_rng(seed)
    while True:
        release = drawn(rng)
        case = release.case
        if 2 <= len(case.tables) <= MOST_TABLES and np.any(case.changes(case.records)):
            break
    path = tmp_path / "random.yaml"
    path.write_text(f"{release.text}design: {{query: {release.query}}}\n", encoding="utf-8")
    target = rng.choice(TARGETS)
    found = calibrate(CalibrationQuestion(str(path), target), 300, 1e-6, CONFINED).calibration
    distance = found.distance
    assert found.complete
    assert distance is not None
    moves = bool(np.any(case.changes(distance)))
    for design in found.designs:
        assert design.meets or design.refused
        if design.meets and moves:
            check_design(design, case, distance, target, generator)
