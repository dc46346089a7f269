"""Rows 44 to 46, 104 and 107 to 109 of theory.md, and the laws of noise by matrices, as drawn.

Seeds are fixed; laws and moments come from the densities.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.commands.sample.drawn import drawn, laplace_law, numbers
from tests.oracles.sampling import LEVEL, Floats, chi_square_p, gamma_law, ks_p
from tests.places import ROOT

TABLE = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\n"
    "invariants: [{margin: [a]}, {margin: [b]}]\ndata: {counts: [[7, 5], [3, 8]]}\n"
)
COUNTS = np.array([7.0, 5, 3, 8])
MOVE = np.array([1.0, -1, -1, 1])


@pytest.mark.parametrize(("norm", "ball"), [("l1", 1), ("l2", 2), ("linf", math.inf)])
def test_rows_44_to_46_the_length_of_naive_noise_is_gamma(
    norm: str, ball: float, tmp_path: Path
) -> None:
    """In the norm's own unit ball times Delta / epsilon; with d = 4 the shape is 4 for all three.

    Algorithm 6 as printed takes a radius of shape d + 1: the largest of four uniform numbers
    makes it Gamma(4) (E23).
    """
    part = f"mechanism: {{k_norm: {{epsilon: 2, norm: {norm}, query: table}}}}\n"
    found = (drawn(tmp_path, TABLE + part, 1_000) - COUNTS) * 2
    delta = {"l1": 2, "l2": math.sqrt(2), "linf": 1}[norm]
    radii = np.linalg.norm(found, ord=ball, axis=1) / delta
    assert ks_p(radii, gamma_law(4)) > LEVEL
    assert ks_p(radii, gamma_law(5)) < LEVEL


def lattice_variance(square: float) -> float:
    """Of k times (1, -1, -1, 1) with weights exp(-4 k^2 / (2 sigma^2))."""
    k = np.arange(-60, 61)
    weights = np.exp(-4 * k**2 / (2 * square))
    return float(weights @ k**2 / weights.sum())


def integer_variance(scale: float) -> float:
    """Of discrete Laplace noise."""
    return 2 * math.exp(-1 / scale) / (1 - math.exp(-1 / scale)) ** 2


SUPPORT = "query: table, support: null_space"
UNBIASED: Sequence[tuple[str, float]] = [
    ("{gaussian: {sigma: 2, query: table}}", 4),
    (f"{{gaussian: {{sigma: 2, {SUPPORT}}}}}", 1),
    ("{gaussian: {sigma: 2, query: table, support: sensitivity_space}}", 1),
    ("{gaussian: {covariance: [[3, -3, -3, 3], [-3, 3, 3, -3], [-3, 3, 3, -3], [3, -3, -3, 3]], "
     "query: table}}", 3),
    ("{laplace: {scale: 2, query: table}}", 8),
    (f"{{laplace: {{scale: 2, {SUPPORT}}}}}", 2),
    ("{laplace: {scale: 2, basis: [[1, -1, -1, 1]], query: table}}", 8),
    ("{discrete_gaussian: {sigma_squared: 9, query: table}}", 9),
    (f"{{discrete_gaussian: {{sigma_squared: 9, {SUPPORT}}}}}", lattice_variance(9)),
    ("{discrete_laplace: {scale: 2, query: table}}", integer_variance(2)),
    ("{k_norm: {epsilon: 1, norm: l1, query: table}}", 8),
    ("{k_norm: {epsilon: 1, norm: l2, query: table}}", 4 * 5 * 2 / 4),
    ("{k_norm: {epsilon: 1, norm: linf, query: table}}", 5 * 6 / 3),
    (f"{{k_norm: {{epsilon: 1, norm: l2, {SUPPORT}}}}}", 4 * 5 * 2 / 4 / 4),
    ("{k_norm: {epsilon: 1, norm: {hull: D_t}, query: table}}", 2),
]  # fmt: skip
"""Noise on a 2x2 table with both margins, and the variance of a cell."""


@pytest.mark.parametrize(("part", "variance"), UNBIASED, ids=[part for part, _ in UNBIASED])
def test_row_104_answers_are_unbiased_whatever_the_noise(
    part: str, variance: float, tmp_path: Path
) -> None:
    """Corollary 4.1: within 4 standard errors, which the density gives; so is the variance."""
    number = 1_000
    found = drawn(tmp_path, f"{TABLE}mechanism: {part}\n", number) - COUNTS
    assert np.abs(found.mean(axis=0)).max() <= 4 * math.sqrt(variance / number)
    squares = found**2
    errors = squares.std(axis=0) / math.sqrt(number)
    assert (np.abs(squares.mean(axis=0) - variance) <= 4 * errors).all()


def slope(counts: Floats, errors: Floats) -> tuple[float, float]:
    """Of the regression of errors on counts, with its standard error."""
    centred = counts - counts.mean()
    size = float(centred @ centred)
    found = float(centred @ errors) / size
    rest = errors - errors.mean() - found * centred
    return found, float(np.sqrt(rest @ rest / (len(errors) - 2) / size))


def test_row_107_nearest_tables_lift_small_counts_and_noise_does_not(tmp_path: Path) -> None:
    """Section 1's regressions of errors on counts, which are below 0 where counts cannot be.

    The paper's own 48 need its data; these are of made-up counts, of which many are small.
    """
    counts = np.array([0.0, 1, 0, 2, 30, 1, 0, 45, 1, 2, 0, 60])
    text = (
        "semiaudit: 1\ndataspace: {attributes: {a: 12}}\ninvariants: [total]\n"
        f"data: {{counts: {[int(k) for k in counts]}}}\n"
        "mechanism: {gaussian: {sigma: 3, query: table, support: null_space}}\n"
    )
    many = np.tile(counts, 60)
    plain, error = slope(many, (drawn(tmp_path, text, 60) - counts).ravel())
    assert abs(plain) < 4 * error
    nearest = drawn(tmp_path, text, 60, "--nonnegative-integers", "l2") - counts
    fitted, error = slope(many, nearest.ravel())
    assert fitted < -4 * error
    assert not nearest.sum(axis=1).any()


def test_row_108_the_errors_of_counties_add_up_to_nothing(tmp_path: Path) -> None:
    """Section 5.1 with neighbours that differ in one record: sd 14.6590 in each of 102 counties."""
    text = (ROOT / "configs" / "gao_county_populations.yaml").read_text("utf-8")
    found = drawn(tmp_path, text, 200)
    assert found.shape == (200, 102)
    assert not found.sum(axis=1).any()
    b = 2 / 0.192
    variance, fourth = 2 * b**2 * (1 - 1 / 102), 24 * b**4
    error = math.sqrt((fourth - variance**2) / found.size)
    assert abs((found**2).mean() - variance) <= 4 * error


def test_whole_noise_in_the_sensitivity_space_has_its_law(tmp_path: Path) -> None:
    text = "{discrete_gaussian: {sigma_squared: 9, query: table, support: sensitivity_space}}"
    found = drawn(tmp_path, f"{TABLE}mechanism: {text}\n", 1_000) - COUNTS
    times = found[:, 0].astype(int).tolist()
    assert (found == np.outer(times, MOVE)).all()
    weights = {k: math.exp(-4 * k * k / 18) for k in range(-30, 31)}
    assert chi_square_p(times, weights) > LEVEL


def test_noise_of_a_basis_and_of_a_covariance_has_its_law(tmp_path: Path) -> None:
    """On a 2x3 table: two Laplace variables along two moves, and a covariance that is not even."""
    space = (
        "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2, b: 3}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}]\nmechanism: "
    )
    moves = np.array([[1, -1, 0, -1, 1, 0], [1, 1, -2, -1, -1, 2]])
    basis = f"{{laplace: {{scale: 3/2, basis: {moves.tolist()}, query: table}}}}\n"
    found = drawn(tmp_path, space + basis, 1_000)
    variables = found @ np.linalg.pinv(moves.astype(float)) / 1.5
    assert np.allclose(variables @ moves * 1.5, found)
    for column in variables.T:
        assert ks_p(column, laplace_law) > LEVEL
    assert ks_p(np.abs(variables).sum(axis=1), gamma_law(2)) > LEVEL
    covariance = moves.T @ np.array([[4, 1], [1, 2]]) @ moves
    uneven = f"{{gaussian: {{covariance: {covariance.tolist()}, query: table}}}}\n"
    found = drawn(tmp_path, space + uneven, 1_000)
    # x' Sigma^+ x of a Gaussian of rank 2 is chi-square of 2 degrees: an exponential of mean 2.
    squares = np.einsum("ni,ij,nj->n", found, np.linalg.pinv(covariance.astype(float)), found)
    assert ks_p(squares / 2, gamma_law(1)) > LEVEL
    assert not (found @ (np.repeat(np.eye(2), 3, axis=0))).any()
    first = np.array([1.0, 0, 0, 0, 0, 0])
    spread = float(first @ covariance @ first)
    assert abs((found[:, 0] ** 2).mean() / spread - 1) <= 4 * math.sqrt(2 / 1_000)


def test_row_109_the_connections_of_a_campus_keep_every_person_hour(tmp_path: Path) -> None:
    """6,720 counts, whose 740 sums are exactly 0 in the printed decimals."""
    rows = numbers(tmp_path, (ROOT / "configs/gao_campus_wifi.yaml").read_text("utf-8"))
    sums: dict[tuple[str, ...], Fraction] = {}
    for row in rows:
        for name in ("hour", "group"):
            key = name, row["building"], row[name]
            sums[key] = sums.get(key, Fraction(0)) + Fraction(row["noise"])
    assert (len(rows), len(sums)) == (6_720, 20 * (24 + 14))
    assert not any(sums.values())
    # The mean square of a table has 5,980 degrees of freedom.
    mean = sum(float(row["noise"]) ** 2 for row in rows) / len(rows)
    assert abs(mean / (299 / 336) - 1) <= 4 * math.sqrt(2 / 5_980)


def runs(rows: Iterable[dict[str, str]]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for row in rows:
        found.setdefault(row["part"], set()).add(int(row["run"]))
    return found


def test_repeats_inside_repeats_and_several_releases_are_all_performed(tmp_path: Path) -> None:
    nested = (
        "mechanism: {compose: [{compose: [{gaussian: {sigma: 1, query: table}, repeat: 2}, "
        "{discrete_laplace: {scale: 1, query: table}}], repeat: 3}, "
        "{laplace: {scale: 1, query: {margins: [[a]]}}}]}\n"
    )
    rows = numbers(tmp_path, TABLE + nested)
    assert runs(rows) == {"1": set(range(1, 7)), "2": {1, 2, 3}, "3": {1}}
    assert len(rows) == 4 * 6 + 4 * 3 + 2
    values = {row["answer"] for row in rows if row["part"] == "1"}
    assert len(values) == 24
    several = (
        "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2, b: 2}}\n"
        "releases:\n"
        "  - {invariants: [{margin: [a]}], mechanism: {gaussian: {sigma: 1, "
        "support: null_space, query: table}}}\n"
        "  - {invariants: [{margin: [b]}], mechanism: {laplace: {scale: 1, query: table}}}\n"
    )
    rows = numbers(tmp_path, several)
    assert runs(rows) == {"1": {1}, "2": {1}}
