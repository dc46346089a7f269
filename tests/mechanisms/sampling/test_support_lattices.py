"""Noise for a sensitivity space that is too large to be listed."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Drawing
from semiaudit.model.mechanism import Noise
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles.subspace_noise import null, projector

SIZES = (4, 4, 2, 3)
"""Of the attributes a, b, c, d; the margins of a, of b and of (c, d) are published."""

SPEC = """
semiaudit: 1
dataspace:
  attributes: {{a: 4, b: 4, c: 2, d: 3}}
invariants: [{{margin: [a]}}, {{margin: [b]}}, {{margin: [c, d]}}]
data: {{counts: {counts}}}
mechanism: {mechanism}
"""
DISTANCE = 4
LONGEST = 4.0
"""Four records that move to other cells of (a, b, c), two apiece: (2, 2, -2, -2)."""


def set_up(folder: Path, mechanism: str, distance: int | None = DISTANCE) -> Drawing:
    counts = np.arange(96).reshape(SIZES) % 7 + 20
    path = folder / "four.yaml"
    text = SPEC.format(counts=counts.tolist(), mechanism=mechanism)
    path.write_text(text, encoding="utf-8")
    release = load_release(str(path))
    part = release.mechanism
    assert isinstance(part, Noise)
    made = replace(part, made_for=distance)
    return kind_of(made).sampler(made)(SensitivitySpaces(release), None)


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """The rows of the invariants, and those of the query (a, b, c), over the 96 cells."""
    cells = list(product(*map(range, SIZES)))

    def margin(places: tuple[int, ...]) -> list[list[int]]:
        levels = product(*(range(SIZES[place]) for place in places))
        return [[int(tuple(c[p] for p in places) == one) for c in cells] for one in levels]

    told = margin((0,)) + margin((1,)) + margin((2, 3))
    return np.array(told, float), np.array(margin((0, 1, 2)), float)


def test_gaussian_noise_for_a_space_that_is_not_listed_lies_in_one_that_holds_it(
    tmp_path: Path,
) -> None:
    query = "{margins: [[a, b, c]]}"
    drawing = set_up(
        tmp_path, f"{{gaussian: {{sigma: 4, query: {query}, support: sensitivity_space}}}}"
    )
    noise = drawing.draw(4_000, Randomness(1))
    told, asked = matrices()
    holds = projector(null(told) @ asked.T)
    assert np.trace(holds) == pytest.approx(24)
    assert np.abs(noise @ holds - noise).max() < 1e-4
    assert np.abs(np.cov(noise.T) - 16 * holds).max() < 16 * 0.09
    assert "because the support is not listed" in drawing.method


def test_without_a_distance_noise_lies_in_the_space_of_all_changes_that_keep_the_invariants(
    tmp_path: Path,
) -> None:
    mechanism = "{gaussian: {sigma: 4, query: {margins: [[a, c]]}, support: sensitivity_space}}"
    drawing = set_up(tmp_path, mechanism, None)
    noise = drawing.draw(200, Randomness(1))
    told, _ = matrices()
    cells = list(product(*map(range, SIZES)))
    asked = np.array(
        [[float((c[0], c[2]) == one) for c in cells] for one in product(range(4), range(2))]
    )
    holds = projector(null(told) @ asked.T)
    assert np.abs(noise @ holds - noise).max() < 1e-4
    assert np.linalg.matrix_rank(noise, tol=1e-2) == round(np.trace(holds))
    assert "a space that contains the support, because the support is not listed" in drawing.method
    # At distance 2, the changes of the eight counts are listed.
    assert "projected on the support" in set_up(tmp_path, mechanism, 2).method


def test_the_norm_of_a_hull_that_is_not_listed_is_that_of_a_ball_that_holds_it(
    tmp_path: Path,
) -> None:
    query = "{margins: [[a, b, c]]}"
    drawing = set_up(tmp_path, f"{{k_norm: {{epsilon: 2, query: {query}, norm: {{hull: D_t}}}}}}")
    noise = drawing.draw(4_000, Randomness(1))
    told, asked = matrices()
    holds = projector(null(told) @ asked.T)
    assert np.abs(noise @ holds - noise).max() < 1e-4
    # the length of the noise is LONGEST / epsilon times a Gamma(24) variable
    lengths = np.linalg.norm(noise, axis=1) / (LONGEST / 2)
    assert lengths.mean() == pytest.approx(24, abs=5 * (24 / 4_000) ** 0.5)
    assert lengths.var() == pytest.approx(24, rel=0.15)
    assert not drawing.approximate
