"""Noise in null([C; 1']), where the size is known and the invariants do not tell it."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path

import numpy as np

from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.library.report import audit
from semiaudit.model.data_source import CONFINED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.measure import GDP
from semiaudit.model.results.design import Design
from tests.oracles import designs as densities
from tests.oracles import subspace_noise as oracle
from tests.samples import repeated
from tests.universe.sensitivity.test_spellings import drawn

THREE_LEVELS = """
semiaudit: 1
dataspace: {size: 6, attributes: {a: [A, B, C]}}
invariants: [{count: {where: {a: A}}}]
data: {counts: [2, 2, 2]}
"""


def designed(
    path: Path, framework: FrameworkName = "semi_dp"
) -> tuple[dict[str, Design], int | None]:
    """The designs by name, and the distance of the pairs."""
    question = CalibrationQuestion(
        str(path), GDP(Fraction(1)), framework, ("sized_gaussian", "extended_gaussian")
    )
    found = calibrate(question, 100, 1e-6, CONFINED).calibration
    return {design.name: design for design in found.designs}, found.distance


def test_the_known_size_leaves_one_dimension_less(tmp_path: Path) -> None:
    path = tmp_path / "three.yaml"
    path.write_text(THREE_LEVELS + "design: {query: table}\n", encoding="utf-8")
    found, distance = designed(path)
    assert distance == 2
    # only B and C can change, by (0, 2, -2): sigma^2 = 8, in one direction and in two
    assert (found["sized_gaussian"].rank, found["extended_gaussian"].rank) == (1, 2)
    sized, extended = (
        found[name].total_variance for name in ("sized_gaussian", "extended_gaussian")
    )
    assert sized is not None
    assert extended is not None
    assert math.isclose(sized.value, 8, rel_tol=1e-6)
    assert math.isclose(extended.value, 16, rel_tol=1e-6)
    # the longest projected step is that of B -> C, with the squared length 2: mu^2 = 2 / 8
    (note,) = found["sized_gaussian"].notes
    assert "with the known size as a row of C" in note
    assert "μ 0.5" in note
    assert found["sized_gaussian"].sampling == "floating_point"


def test_subspace_dp_on_the_null_space_of_c_is_refused(tmp_path: Path) -> None:
    """P_N of A -> B is (0, -1, 0), which the noise along (0, 1, -1) does not cover."""
    path = tmp_path / "three.yaml"
    path.write_text(THREE_LEVELS + "design: {query: table}\n", encoding="utf-8")
    section = designed(path)[0]["sized_gaussian"].mechanism
    assert section is not None
    stated = tmp_path / "stated.yaml"
    stated.write_text(f"{THREE_LEVELS}mechanism: {section}\n", encoding="utf-8")
    report = audit(stated)
    assert report.subspace_dp.refused
    assert not report.semi_dp.refused
    assert not designed(path, "subspace_dp")[0]["sized_gaussian"].meets


@repeated(fast=12, slow=600)
def test_noise_with_the_known_size_meets_its_target_for_random_releases(
    times: int, tmp_path: Path
) -> None:
    rng, seen = random.Random("sized"), 0
    while seen < times:
        release = drawn(rng)
        if "  size:" not in release.text or len(release.case.tables) < 2:
            continue
        case, path = release.case, tmp_path / "sized.yaml"
        path.write_text(f"{release.text}design: {{query: {release.query}}}\n", encoding="utf-8")
        found, distance = designed(path)
        design = found["sized_gaussian"]
        if not design.meets or distance is None:
            continue
        seen += 1
        assert design.mechanism is not None
        covariance = densities.matrix_of(design.mechanism["gaussian"]["covariance"])
        cells = list(case.cells)
        kept = np.vstack([case.told[:, cells], np.ones((1, len(cells)))])
        sized = oracle.projector(oracle.null(kept) @ case.asked[:, cells].T)
        variance = covariance.max() / sized.max()
        assert np.allclose(covariance, variance * sized, atol=1e-9 * variance)
        pairs = case.changes(distance)
        if len(pairs):
            loss = oracle.mu_squared(pairs, covariance)
            assert loss <= 1 + 2e-6
            assert not design.tight or loss >= 1 - 1e-5
        steps = case.steps() @ sized
        mu = max((float(np.linalg.norm(step)) for step in steps), default=0.0) / variance**0.5
        claims = [float(note.split("μ ")[1].split(";")[0]) for note in design.notes if "μ " in note]
        assert claims == [] or mu * (1 - 1e-9) <= claims[0] <= mu * (1 + 1e-5) + 2e-6
