from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling import noise_samplers
from semiaudit.mechanisms.sampling.lattice import null_lattice
from semiaudit.mechanisms.sampling.linear_noise import Image, SphericalGaussian, root_of
from semiaudit.mechanisms.sampling.norm_balls import NormBallNoise
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import OnGrid, Still, check_exact, step_of
from semiaudit.model.mechanism import CorrelatedGaussian
from tests.mechanisms.sampling.agents import central, share
from tests.oracles.sampling import LEVEL, gamma_law, ks_p, margin_rows, normal_law

SKEWED = [{0: 2, 1: 3, 2: 5}]


def _gaussian(rows: list[dict[int, int]], width: int, sigma: float) -> OnGrid:
    lattice = null_lattice(rows, width)
    return OnGrid(lattice, SphericalGaussian(lattice, sigma), sigma, "Algorithm 1")


def test_invariants_hold_exactly_in_ten_thousand_draws() -> None:
    drawn = _gaussian(margin_rows(4, 5), 20, 1.7).draw(10_000, Randomness(1)).reshape(-1, 4, 5)
    assert not drawn.sum(axis=1).any()
    assert not drawn.sum(axis=2).any()
    skewed = _gaussian(SKEWED, 3, 0.3).draw(10_000, Randomness(1))
    assert not (skewed @ [2, 3, 5]).any()


@pytest.mark.parametrize("rows", [SKEWED, margin_rows(3, 3)], ids=["skewed", "margins"])
def test_algorithm_1_has_the_projector_as_its_covariance(rows: list[dict[int, int]]) -> None:
    width = 1 + max(place for row in rows for place in row)
    matrix = np.array([[row.get(place, 0) for place in range(width)] for row in rows], dtype=float)
    projector = np.eye(width) - np.linalg.pinv(matrix) @ matrix
    drawn = _gaussian(rows, width, 2.0).draw(20_000, Randomness(2))
    error = 4 * 4 * (2 / len(drawn)) ** 0.5
    assert np.abs(np.cov(drawn.T) - 4 * projector).max() < error
    assert np.abs(drawn.mean(axis=0)).max() < 4 * 2 / len(drawn) ** 0.5  # unbiased
    scaled = drawn[:, 0] / (2 * projector[0, 0] ** 0.5)
    assert ks_p(scaled, normal_law) > LEVEL


def test_laplace_noise_is_projected_and_not_conditioned() -> None:
    lattice = null_lattice([{0: 1, 1: 1}], 2)
    image = Image(lattice, np.eye(2), laplace=True)
    drawn = lattice.vectors(image.draw(40_000, np.random.default_rng(3)))
    assert drawn[:, 0].var() == pytest.approx(1.0, rel=0.06)  # conditioning would give 1/2


@pytest.mark.parametrize(
    ("norm", "delta", "length"), [("l1", 6, 15.04), ("l2", 3 * 2**0.5, 16.971), ("linf", 3, 16.83)]
)
def test_naive_norms_have_the_lengths_of_figure_3(norm: str, delta: float, length: float) -> None:
    ball = {
        "l1": NormBallNoise("l1", 4),
        "l2": NormBallNoise("l2", 4),
        "linf": NormBallNoise("linf", 4),
    }[norm]
    drawn = ball.draw(40_000, np.random.default_rng(4))
    order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
    norms = np.linalg.norm(drawn, ord=order, axis=1)
    assert ks_p(norms, gamma_law(4)) > LEVEL
    assert ks_p(norms, gamma_law(5)) < LEVEL
    lengths = delta * np.linalg.norm(drawn, axis=1)
    slack = 4 * lengths.std() / len(drawn) ** 0.5 + 0.005
    assert lengths.mean() == pytest.approx(length, abs=slack)


def test_the_grid_is_fine_holds_whole_numbers_and_refuses_what_it_cannot_hold() -> None:
    assert step_of(1.0) == 2.0**-20
    assert step_of(1e9) == 1.0
    check_exact(np.array([[2.0**30, 0.5]]), 2.0**-20)
    with pytest.raises(RefusedError, match="53 bits"):
        check_exact(np.array([[2.0**33, 0.5]]), 2.0**-20)


def test_agents_with_one_seed_publish_what_one_curator_would() -> None:
    answers = [7, 0, 3, 12, 5, 9]
    published = central(_gaussian(margin_rows(2, 3), 6, 2.0), 9, answers)
    shares = [share(_gaussian(margin_rows(2, 3), 6, 2.0), 9, at, k) for at, k in enumerate(answers)]
    assert np.array(shares).tobytes() == published.tobytes()
    table, exact = published.reshape(2, 3), np.array(answers).reshape(2, 3)
    assert (table.sum(axis=0) == exact.sum(axis=0)).all()
    assert (table.sum(axis=1) == exact.sum(axis=1)).all()


@pytest.mark.parametrize(
    "covariance",
    [
        [[10**18, 0], [0, 1]],
        [[10**16, 10**8], [10**8, 2]],
        [[4, -2, 2], [-2, 1, -1], [2, -1, Fraction(5, 3)]],
    ],
)
def test_the_root_of_a_covariance_loses_no_direction(
    covariance: list[list[int | Fraction]],
) -> None:
    # Eigenvalues in floating point leave out what is 10^-16 of the largest one: its coordinate
    # would be published without noise, and its audit says that it has some.
    root = root_of([[Fraction(x) for x in row] for row in covariance])
    exact = [[Fraction(float(x)) for x in row] for row in root]
    for i, row in enumerate(covariance):
        for j, value in enumerate(row):
            found = sum((one[i] * one[j] for one in exact), Fraction(0))
            assert abs(found - Fraction(value)) <= abs(Fraction(value)) * Fraction(1, 10**15)


@pytest.mark.parametrize(
    "row", [[10**9, 10**9 - 1, 3, 7], [1000003, 999983, 1299709, 15485863]], ids=["long", "short"]
)
def test_noise_under_large_coefficients_has_the_projector_as_its_covariance(row: list[int]) -> None:
    # In a basis that is not reduced its noise was not a number, or none at all in directions that
    # the audit counts on.
    unit = np.array(row, dtype=float) / np.linalg.norm(np.array(row, dtype=float))
    projector = np.eye(4) - np.outer(unit, unit)
    drawn = _gaussian([dict(enumerate(row))], 4, 1.0).draw(20_000, Randomness(6))
    for vector in drawn[:50]:
        exact = sum(Fraction(float(x)) * k for x, k in zip(vector, row, strict=True))
        assert exact == 0
    error = 4 * (2 / len(drawn)) ** 0.5
    assert np.abs(np.cov(drawn.T) - projector).max() < error


def test_a_lattice_whose_vectors_are_too_long_for_doubles_is_refused() -> None:
    row = [10**12 + 39, 10**12 + 61, 10**12 + 63, 10**12 + 91]
    lattice = null_lattice([dict(enumerate(row))], len(row))
    with pytest.raises(RefusedError, match="rounding would change the noise"):
        SphericalGaussian(lattice, 1.0)
    with pytest.raises(RefusedError, match="rounding would change the noise"):
        _ = lattice.inverse


def test_the_root_of_a_covariance_takes_whole_numbers_beyond_the_doubles() -> None:
    """The elimination of fractions of 400 digits has whole numbers of 800 digits."""
    third = Fraction(1, 3)
    root = root_of([[Fraction(10**400 + 1, 10**400), -third], [-third, Fraction(2)]])
    assert root.T @ root == pytest.approx(np.array([[1, -1 / 3], [-1 / 3, 2]]))


class _Axes:
    """Stands for a generator: the samples are the axes, so that what is drawn is a matrix."""

    def standard_normal(self, shape: tuple[int, int]) -> NDArray[np.float64]:
        return np.eye(*shape)


@pytest.mark.parametrize(
    "rows",
    [
        [{0: 1, 2: 1, 3: 1}, {1: 1, 3: 1}],  # A'A has eigenvalues below 1
        [{0: 1, 2: 1, 3: 1, 4: 2}, {1: 1, 3: 1, 4: -1}],
        SKEWED,
    ],
)
def test_the_weights_of_spherical_noise_have_the_inverse_of_the_gram_matrix(
    rows: list[dict[int, int]],
) -> None:
    """With the basis B as rows, the noise w B has the covariance of the projector if w has that of
    (B B')^-1."""
    width = 1 + max(place for row in rows for place in row)
    lattice = null_lattice(rows, width)
    axes: Any = _Axes()
    drawn = SphericalGaussian(lattice, 3.0).draw(lattice.rank, axes)
    basis = lattice.dense.astype(float)
    assert drawn.T @ drawn == pytest.approx(9 * np.linalg.inv(basis @ basis.T), abs=1e-12)


F = Fraction


@pytest.mark.parametrize(
    ("basis", "scale"),
    [(((1, 0), (0, Fraction(1, 4))), 0.5), (((8, 0), (-3, 5)), 2.0), (((0, 0), (0, -1)), 2.0)],
)
def test_a_grid_has_the_scale_of_the_smallest_coefficient_or_that_of_the_noise(
    basis: tuple[tuple[Fraction, ...], ...], scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noise_samplers, "width", lambda *_: 2)
    part: Any = SimpleNamespace(basis=basis, scale=Fraction(2))
    spaces: Any = SimpleNamespace(table=None)
    query: Any = None
    found = noise_samplers.basis_laplace(part, query, spaces)
    assert isinstance(found, OnGrid)
    assert (found.scale, found.factor) == (scale, 2.0)


@pytest.mark.parametrize(("rows", "rank"), [([], 2), ([{0: 1}], 1), ([{0: 1}, {1: 1}], 0)])
def test_laplace_noise_on_a_support_of_rank_0_is_still(
    rows: list[dict[int, int]], rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lattice = null_lattice(rows, 2)
    monkeypatch.setattr(noise_samplers, "width", lambda *_: 2)
    monkeypatch.setattr(noise_samplers, "support_of", lambda *_: lattice)
    monkeypatch.setattr(noise_samplers, "method_of", lambda *_: "variables")
    part: Any = SimpleNamespace(scale=Fraction(2))
    spaces: Any = SimpleNamespace(
        table=None, subspaces=SimpleNamespace(active=lambda query: (0, 1))
    )
    query: Any = None
    found = noise_samplers.laplace(part, query, spaces)
    assert lattice.rank == rank
    assert isinstance(found, OnGrid if rank else Still)


def test_correlated_noise_has_its_covariance_and_keeps_what_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(noise_samplers, "width", lambda *_: 3)
    spaces: Any = SimpleNamespace(table=None)
    query: Any = None
    covariance = ((F(2), F(-1), F(-1)), (F(-1), F(2), F(-1)), (F(-1), F(-1), F(2)))
    found = noise_samplers.correlated_gaussian(CorrelatedGaussian(covariance), query, spaces)
    number = 20_000
    drawn = found.draw(number, Randomness(5))
    assert (drawn.sum(axis=1) == 0).all()
    # The variance of a product of two of the coordinates is at most 2 times 2^2.
    off = np.abs(drawn.T @ drawn / number - np.array(covariance, dtype=float))
    assert off.max() < 5 * (8 / number) ** 0.5
    none = CorrelatedGaussian(((F(0),) * 3,) * 3)
    assert isinstance(noise_samplers.correlated_gaussian(none, query, spaces), Still)


def test_noise_is_added_to_the_answers() -> None:
    answers = [5, -2, 0]
    assert list(Still(3).outputs(answers, 2, Randomness(1))) == [answers, answers]
    assert list(Still(3).outputs(None, 1, Randomness(1))) == [[0, 0, 0]]
