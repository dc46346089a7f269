"""Gao, Gong and Yu in functions: rows 88 to 99 and 105, against numpy."""

from __future__ import annotations

import random
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from semiaudit import Bound, NullSpace
from tests.oracles.subspace_noise import Matrix, mu_squared, null, projector

TOTAL = NullSpace([[1, 1, 1, 1]])
HISTOGRAM = [[1, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1], [0, 1, -1, 0], [0, 1, 0, -1]]
UNIT = np.eye(4, dtype=int).tolist()


def floats(rows: Iterable[Iterable[int | Fraction]]) -> Matrix:
    return np.array([[float(value) for value in row] for row in rows])


def whole(rng: random.Random, rows: int, columns: int) -> list[list[int]]:
    return [[rng.randint(-3, 3) for _ in range(columns)] for _ in range(rows)]


def squared(rows: list[list[int]]) -> list[list[int]]:
    """A covariance matrix."""
    return [[sum(row[i] * row[j] for row in rows) for j in range(len(rows[0]))]
            for i in range(len(rows[0]))]  # fmt: skip


def square(mu: Bound) -> Fraction:
    """The square of an exact mu, or of one that is the root of a rational."""
    return Fraction(mu.value) ** 2 if mu.squared is None else mu.squared


def test_rows_17_and_89_the_projector_of_a_total() -> None:
    # I - J/4, of rank 3, where the literal reading of Definition 10 has rank 1 (E21).
    expected = tuple(tuple(Fraction(i == j) - Fraction(1, 4) for j in range(4)) for i in range(4))
    assert TOTAL.projector() == expected
    assert TOTAL.dimension == 3
    found = TOTAL.mu(HISTOGRAM, UNIT)
    assert found is not None
    assert found.squared == 2
    assert repr(found) == "1.414214 (upper, covariance)"
    thrice = [[9 * value for value in row] for row in UNIT]
    assert repr(TOTAL.mu([[2, -1, -1, 0], [3, 0, -3, 0]], thrice)) == "1.414214 (upper, covariance)"
    assert repr(TOTAL.mu([[1, 1, -1, -1]], UNIT)) == "2 (exact, covariance)"


def test_row_88_rows_that_depend_on_others_add_nothing() -> None:
    # Section 5.2: 24 + 14 margins of one building have one total, so that 37 of them are left.
    rows = [[int(hour == h) for h in range(24) for _ in range(14)] for hour in range(24)]
    rows += [[int(group == g) for _ in range(24) for g in range(14)] for group in range(14)]
    assert NullSpace(rows).dimension == 24 * 14 - 37


def test_row_35_a_projected_unit_vector_grows_in_l1() -> None:
    # E8: projecting shortens no l1 norm for certain. 3x3 margins: from 1 to 16/9.
    rows = [[int(at // 3 == level) for at in range(9)] for level in range(3)]
    rows += [[int(at % 3 == level) for at in range(9)] for level in range(3)]
    found = NullSpace(rows).project([1, *[0] * 8])
    assert sum(map(abs, found)) == Fraction(16, 9)
    assert sum(value * value for value in found) == Fraction(4, 9)


def test_row_35_how_often_projected_laplace_noise_grows() -> None:
    # E8: never in l2; in l1 in 8.4 % of the draws on a 3x3 table, in l-infinity in 1.0 %.
    rows = [[int(at // 3 == level) for at in range(9)] for level in range(3)]
    rows += [[int(at % 3 == level) for at in range(9)] for level in range(3)]
    drawn = np.random.default_rng(35).laplace(size=(40_000, 9))
    projected = drawn @ floats(NullSpace(rows).projector())
    shares = [
        float(
            (np.linalg.norm(projected, norm, axis=1) > np.linalg.norm(drawn, norm, axis=1)).mean()
        )
        for norm in (1, 2, np.inf)
    ]
    assert shares == pytest.approx([0.084, 0, 0.010], abs=4 * (0.084 / 40_000) ** 0.5)


def test_rows_94_and_95_both_frameworks_keep_the_invariants() -> None:
    rng = random.Random(94)
    for _ in range(100):
        rows = whole(rng, rng.randint(1, 3), 5)
        space = NullSpace(rows)
        (answer, noisy) = whole(rng, 2, 5)
        projected = space.keep(answer, noisy)
        for row in rows:
            assert sum(a * b for a, b in zip(row, projected, strict=True)) == sum(
                a * b for a, b in zip(row, answer, strict=True)
            )
        # What projecting makes is what extending makes of the projected output (Theorem 3.3).
        assert space.extend(answer, space.project(noisy)) == projected
        kept = projector(null(np.array(rows, float)))
        assert np.allclose(kept @ np.array(noisy), floats([space.project(noisy)])[0])
    with pytest.raises(ValueError, match="is not in the null space"):
        TOTAL.extend([1, 0, 0, 0], [1, 0, 0, 0])


def test_rows_91_and_92_a_smaller_subspace_is_told_no_more() -> None:
    rng = random.Random(92)
    for _ in range(100):
        rows = whole(rng, 2, 4)
        large, small = NullSpace(rows[:1]), NullSpace(rows)
        steps, noise = whole(rng, 3, 4), squared(whole(rng, rng.randint(2, 5), 4))
        one, other = small.mu(steps, UNIT), large.mu(steps, UNIT)
        assert one is not None
        assert other is not None
        assert square(one) <= square(other)
        kept = projector(null(np.array(rows, float)))
        truth = mu_squared(np.array(steps) @ kept, kept @ np.array(noise) @ kept)
        found = small.mu(steps, noise)
        assert (found is None) == (truth == float("inf"))
        assert found is None or float(square(found)) == pytest.approx(truth, rel=1e-6, abs=1e-9)
        # Projected noise is induced: it also keeps the invariants. Raw noise need not be.
        assert small.keeps(small.projected(noise))
    assert not TOTAL.keeps(UNIT)


def test_row_105_projecting_is_conditioning_for_spherical_noise() -> None:
    rng = random.Random(105)
    differ = 0
    for _ in range(50):
        rows = whole(rng, 2, 4)
        space = NullSpace(rows)
        spherical = [[3 * value for value in row] for row in UNIT]
        assert space.conditional(spherical) == space.projected(spherical)
        noise = squared(whole(rng, 6, 4))
        if np.linalg.matrix_rank(np.array(noise, float)) < 4:
            continue
        found = space.conditional(noise)
        differ += found != space.projected(noise)
        assert space.keeps(found)
        sigma, c = np.array(noise, float), np.array(rows, float)
        gain = sigma @ c.T @ np.linalg.pinv(c @ sigma @ c.T)
        assert np.allclose(floats(found), sigma - gain @ c @ sigma)
    assert differ > 25


def test_row_105_laplace_noise_projected_and_on_condition() -> None:
    # Two cells, C = (1, 1), scale 1: variance 2 b^2 (1 - 1/2) = 1 projected (row 99); on condition
    # that the noise adds to 0 the density is exp(-2 |x|), of variance 1/2.
    found = NullSpace([[1, 1]]).projected([[2, 0], [0, 2]])
    assert found[0][0] == 1
    line = np.arange(-20, 20, 1e-4)
    density = np.exp(-2 * np.abs(line))
    assert (line**2 * density).sum() / density.sum() == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: NullSpace([]), "there is none"),
        (lambda: NullSpace([[1], [1, 2]]), "different lengths"),
        (lambda: NullSpace([["one"]]), "rows: "),
        (lambda: TOTAL.project([1, 2]), "has 2 entries; give 4"),
        (lambda: TOTAL.projected([[1]]), "not a symmetric matrix of 4 rows"),
        (lambda: NullSpace([[1, 1]]).keeps([[1, 2], [2, 1]]), "not positive semidefinite"),
        (lambda: NullSpace([[1, 1]]).conditional([[1, -1], [-1, 1]]), "no spread"),
    ],
)
def test_what_is_no_matrix_is_told(call: object, why: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=why):
        call()


def test_row_106_agents_with_one_seed_publish_what_one_curator_would() -> None:
    rows = [[int(at // 3 == level) for at in range(6)] for level in range(2)]
    rows += [[int(at % 3 == level) for at in range(6)] for level in range(3)]
    space, answers = NullSpace(rows), [7, 0, 3, 12, 5, 9]
    (noise,) = space.sample(2, seed=9)
    shares = [
        answer + NullSpace(rows).sample(2, seed=9)[0][at] for at, answer in enumerate(answers)
    ]
    assert shares == [answer + one for answer, one in zip(answers, noise, strict=True)]
    for row in rows:
        kept = sum(Fraction(share) for share, used in zip(shares, row, strict=True) if used)
        assert kept == sum(answer for answer, used in zip(answers, row, strict=True) if used)


def test_samples_have_the_covariance_of_projected_noise() -> None:
    found = np.array(TOTAL.sample(3, 20_000, seed=4))
    expected = 9 * floats(TOTAL.projector())
    assert np.cov(found.T) == pytest.approx(expected, abs=5 * 9 * (2 / 20_000) ** 0.5)
    assert TOTAL.sample(3, 0) == []
    with pytest.raises(ValueError, match="sigma: 0 is out of range"):
        TOTAL.sample(0)


def test_a_vector_where_rows_are_asked_for_is_an_error_that_names_the_argument() -> None:
    flat: Any = [1, 1]
    with pytest.raises(TypeError, match=r"\Arows\[0\]: int is not a list; give such as \[\["):
        NullSpace(flat)
    space = NullSpace([[1, 1]])
    with pytest.raises(TypeError, match=r"\Asteps\[0\]: int is not a list"):
        space.mu(flat, [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r"\Asteps: has 3 entries; give 2"):
        space.mu([[1, -1, 0]], [[1, 0], [0, 1]])
