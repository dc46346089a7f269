"""Designs for random workloads, held to all pairs of tables of small D_t.

The whole campaign: python -m pytest -m slow tests/commands/calibrate/test_random_workloads.py
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.model.data_source import CONFINED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import AnyDesign, Cost, Design, Target
from tests.oracles import designs as densities
from tests.oracles import subspace_noise as oracle
from tests.oracles.subspace_noise import Matrix, SmallCase
from tests.samples import sampled
from tests.universe.sensitivity.test_spellings import drawn

NUMBER = 60
MOST_TABLES = 40
ROUGH = 2e-6

TARGETS: list[Target] = [
    PureDP(Fraction(3, 2)),
    ZCDP(Fraction(1, 2)),
    GDP(Fraction(1)),
    ApproxDP(Fraction(1), Fraction(1, 10**4)),
]


def pairs_of(case: SmallCase, framework: FrameworkName, distance: int) -> Matrix:
    """What is told apart: inside D_t up to a distance, per unit of it, or a record's projection."""
    match framework:
        case "semi_dp":
            return case.changes(distance)
        case "invariant_dp":
            return case.per_unit()
        case "subspace_dp":
            return case.steps() @ case.kept
        case _:
            return case.steps()


def changed(case: SmallCase) -> npt.NDArray[np.bool_]:
    """Which coordinates some possible record changes: noise is on these alone."""
    return np.asarray(case.asked[:, list(case.cells)].any(axis=1))


def covariance_of(inner: dict[str, Any], case: SmallCase, distance: int) -> Matrix:
    """Of a Gaussian section."""
    if "covariance" in inner:
        return densities.matrix_of(inner["covariance"])
    where = {
        None: np.diag(changed(case).astype(float)),
        "null_space": case.kept,
        "sensitivity_space": oracle.projector(case.changes(distance)),
    }
    return float(Fraction(inner["sigma"])) ** 2 * where[inner.get("support")]


def check_gaussian(
    inner: dict[str, Any],
    case: SmallCase,
    pairs: Matrix,
    projects: bool,
    distance: int,
    target: Target,
) -> float:
    """The loss over the target."""
    covariance = covariance_of(inner, case, distance)
    if projects:
        covariance = case.kept @ covariance @ case.kept
    mu = math.sqrt(oracle.mu_squared(pairs, covariance))
    match target:
        case GDP():
            return mu / math.sqrt(target.mu_squared)
        case ZCDP():
            return mu * mu / 2 / float(target.rho)
        case ApproxDP():
            return densities.gaussian_delta(mu, float(target.epsilon)) / float(target.delta)
        case PureDP():
            return math.inf if mu else 0.0


def pure_epsilon(section: dict[str, Any], case: SmallCase, pairs: Matrix, distance: int) -> float:
    """The pure epsilon of Laplace or K-norm noise between pairs, by its density."""
    ((kind, inner),) = section.items()
    if kind == "laplace":
        scale = float(Fraction(inner["scale"]))
        if "basis" in inner:
            truth = oracle.weights(pairs, densities.matrix_of(inner["basis"]))
            assert truth is not None
            return max((float(np.abs(w).sum()) / scale for w in truth), default=0.0)
        linear = case.kept if inner.get("support") else np.eye(len(case.asked))
        return densities.l1_loss(scale, linear, pairs)
    epsilon, norm = float(Fraction(inner["epsilon"])), inner["norm"]
    if norm == {"hull": "D_t"}:
        corners = case.changes(distance)
        return epsilon * max((oracle.gauge(corners, u) for u in pairs), default=0.0)
    order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
    longest = max(float(np.linalg.norm(u, ord=order)) for u in case.steps())
    return (
        epsilon * max((float(np.linalg.norm(u, ord=order)) for u in pairs), default=0.0) / longest
    )


@pytest.mark.parametrize("seed", sampled(range(NUMBER), (3,)))
def test_designs_for_random_workloads_meet_their_targets(seed: int, tmp_path: Path) -> None:
    rng = random.Random(f"workloads-{seed}")
    while True:
        release = drawn(rng)
        if 2 <= len(release.case.tables) <= MOST_TABLES and release.query != "table":
            break
    case, path = release.case, tmp_path / "workload.yaml"
    path.write_text(f"{release.text}design: {{query: {release.query}}}\n", encoding="utf-8")
    target = rng.choice(TARGETS)
    framework: FrameworkName = rng.choice(
        ["semi_dp", "semi_dp", "subspace_dp", "invariant_dp", "nominal_dp"]
    )
    asked = CalibrationQuestion(str(path), target, framework)
    found = calibrate(asked, 100, 1e-6, CONFINED)
    semi = calibrate(
        CalibrationQuestion(str(path), target, names=("algorithm_1",)), 60, 1e-6, CONFINED
    )
    distance = semi.distance or 0
    pairs = pairs_of(case, framework, distance)
    for design in found.designs:
        if not design.meets:
            assert design.refused
            assert design.mechanism is None
            continue
        section = design.mechanism
        assert section is not None
        ((kind, inner),) = section.items()
        if not np.any(pairs):
            continue
        if kind == "gaussian":
            projects = framework == "subspace_dp"
            found_over = check_gaussian(inner, case, pairs, projects, distance, target)
            assert found_over <= 1 + (1e-3 if isinstance(target, ApproxDP) else ROUGH), design
            if design.tight and not isinstance(target, ApproxDP) and framework == "semi_dp":
                assert found_over >= 1 - 1e-5, design
        elif kind == "discrete_gaussian":
            rho = oracle_rho(pairs, inner)
            if isinstance(target, ZCDP):
                assert rho <= float(target.rho) * (1 + ROUGH), design
        elif isinstance(target, PureDP):
            epsilon = pure_epsilon(section, case, pairs, distance)
            assert epsilon <= float(target.epsilon) * (1 + ROUGH), design


def oracle_rho(pairs: Matrix, inner: dict[str, Any]) -> float:
    """Of discrete Gaussian noise on a lattice that holds the pairs' changes."""
    return max(float(u @ u) for u in pairs) / (2 * float(Fraction(inner["sigma_squared"])))


# D_t is enumerated, the noise's loss is found from its density between all pairs, and its errors
# from 100,000 samples of its definition (tests.oracles), all without the program. The whole
# campaign: python -m pytest -m slow tests/commands/calibrate/test_random_workloads.py

SPECS = 2_000
FAST = (2, 5, 11)
SAMPLES = 100_000

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
            noise = generator.laplace(0, scale, (SAMPLES, width)) * changed(case)
            return noise @ case.kept if inner.get("support") else noise
        case "k_norm":
            epsilon = float(Fraction(inner["epsilon"]))
            if inner["norm"] == {"hull": "D_t"}:
                return densities.hull_noise(case.changes(distance), SAMPLES, generator) / epsilon
            noise = np.zeros((SAMPLES, width))
            steps = case.steps()[:, changed(case)]
            ball = densities.ball_noise(inner["norm"], steps, SAMPLES, generator)
            noise[:, changed(case)] = ball / epsilon
            return noise
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


@pytest.mark.parametrize("seed", sampled(range(SPECS), FAST))
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
    found = calibrate(CalibrationQuestion(str(path), target), 300, 1e-6, CONFINED)
    distance = found.distance
    assert found.complete
    assert distance is not None
    moves = bool(np.any(case.changes(distance)))
    for design in found.designs:
        assert design.meets or design.refused
        if design.meets and moves:
            check_design(design, case, distance, target, generator)
