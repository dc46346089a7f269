"""Noise for a sensitivity space that is too large to be listed.

Tables whose null space is not carried through the general elimination.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.sampling import lattice as lattices
from semiaudit.mechanisms.sampling import support_lattices as large_tables
from semiaudit.mechanisms.sampling.lattice import Lattice, null_lattice
from semiaudit.mechanisms.sampling.linear_noise import SphericalGaussian
from semiaudit.mechanisms.sampling.margin_lattice import MarginLattice
from semiaudit.mechanisms.sampling.norm_balls import NormBallNoise
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Drawing, OnGrid
from semiaudit.mechanisms.sampling.support_lattices import (
    Projected,
    large_null_lattice,
)
from semiaudit.model.mechanism import Gaussian, Noise
from semiaudit.model.query import MarginsQuery, width
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.clocks import Ticks
from tests.oracles.subspace_noise import null, projector


def _rows_of(sizes: list[int], margins: list[list[int]]) -> list[dict[int, int]]:
    """A row for every number of every margin, over the cells in their order."""
    cells = list(product(*map(range, sizes)))
    return [
        {at: 1 for at, cell in enumerate(cells) if all(cell[p] == k for p, k in levels)}
        for margin in margins
        for chosen in product(*(range(sizes[place]) for place in margin))
        for levels in [list(zip(margin, chosen, strict=True))]
    ]


def test_the_basis_of_margins_spans_their_whole_vectors() -> None:
    rng = random.Random(0)
    for _ in range(60):
        sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
        margins = [
            rng.sample(range(len(sizes)), rng.randint(0, len(sizes)))
            for _ in range(rng.randint(1, 3))
        ]
        found = MarginLattice(sizes, margins)
        rows = _rows_of(sizes, margins)
        matrix = np.array([[row.get(c, 0) for c in range(prod(sizes))] for row in rows])
        assert not (matrix @ found.dense.T).any()
        assert found.rank == prod(sizes) - np.linalg.matrix_rank(matrix)
        assert max((abs(k) for row in found.rows for k in row.values()), default=1) <= found.longest
        projector = np.eye(prod(sizes)) - np.linalg.pinv(matrix) @ matrix
        wide = np.random.default_rng(len(rows)).standard_normal((2, prod(sizes)))
        assert np.allclose(found.vectors(found.projected(wide)), wide @ projector, atol=1e-12)
        weights = np.arange(2.0 * found.rank).reshape(2, found.rank)
        assert (found.vectors(weights) == weights @ found.dense).all()
        # The identity in the free cells: whole vectors have whole weights.
        if found.rank:
            assert (found.dense[:, list(found.free)] == np.eye(found.rank)).all()
            truth = null_lattice(rows, prod(sizes))
            assert all(truth.weights(row) is not None for row in found.dense.tolist())
            assert all(found.weights(row) is not None for row in truth.dense.tolist())


def test_a_projection_needs_no_matrix_of_the_size_of_the_subspace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = np.random.default_rng(1).standard_normal((5, 24))
    rows, found = _rows_of([2, 3, 4], [[0, 1], [1, 2]]), []
    for most in (100_000, 0):
        monkeypatch.setattr(lattices, "_DENSE", most)
        lattice = null_lattice(rows, 24)
        assert lattice.is_large == (most == 0)
        # The same variables, by both ways.
        normal = SphericalGaussian(lattice, 2.0).draw(4, np.random.default_rng(2))
        found.append(np.vstack([lattice.projected(wide), normal]))
    assert np.allclose(found[0], found[1], atol=1e-12)
    matrix = np.array([[row.get(c, 0) for c in range(24)] for row in rows])
    projector = np.eye(24) - np.linalg.pinv(matrix) @ matrix
    assert np.allclose(lattice.vectors(found[1][:5]), wide @ projector, atol=1e-12)


@pytest.mark.parametrize("told", ["", "{margin: [a]}", "{margin: [a, b]}, {margin: [b, c]}"])
def test_a_million_cells_need_no_matrix_of_the_cells(tmp_path: Path, told: str) -> None:
    support = ", support: null_space" if told else ""
    path = tmp_path / "large.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 100, b: 100, c: 100}}\n"
        f"invariants: [{told}]\nmechanism: {{gaussian: {{sigma: 3, query: table{support}}}}}\n"
    )
    spaces = SensitivitySpaces(load_release(path))
    (part,) = [spaces.stated.mechanism]
    assert isinstance(part, Gaussian)
    table = kind_of(part).sampler(part)(spaces, None).draw(1, Randomness(1)).reshape([100] * 3)
    if told:
        assert not table.sum(axis=(1, 2)).any()
        assert table.sum(axis=2).any() == ("b" not in told)
    # The mean square of 10^6 cells of rank r: 9 r / 10^6 with a relative error of (2 / r)^.5.
    rank = {"": 0, "{margin: [a]}": 100}.get(told, 2 * 9_900 + 100)
    assert (table**2).mean() == pytest.approx(9 * (1 - rank / 1e6), rel=4 * 2e-6**0.5)


def _campus(folder: Path, *more: str) -> SensitivitySpaces:
    told = ["{margin: [building, hour]}", "{margin: [building, group]}", *more]
    path = folder / "campus.yaml"
    path.write_text(
        "semiaudit: 1\n"
        "dataspace: {attributes: {group: 14, hour: 24, building: 20}}\n"
        f"invariants: [{', '.join(told)}]\n"
        "mechanism: {gaussian: {sigma: 1, query: table, support: null_space}}\n"
    )
    return SensitivitySpaces(load_release(path))


def _support(spaces: SensitivitySpaces) -> Lattice:
    (part,) = [spaces.stated.mechanism]
    assert isinstance(part, Gaussian)
    assert part.query is not None
    assert width(part.query, spaces.table) == 6_720
    return large_null_lattice(part, part.query, spaces)


def test_row_109_a_table_of_6720_cells_keeps_its_740_constraints(tmp_path: Path) -> None:
    lattice = _support(_campus(tmp_path))
    assert lattice.rank == 5_980
    noise = OnGrid(lattice, SphericalGaussian(lattice, 1.0), 1.0, "projected")
    drawn = noise.draw(30, Randomness(1))
    tables = drawn.reshape(-1, 14, 24, 20)
    assert not tables.sum(axis=1).any()
    assert not tables.sum(axis=2).any()
    # The mean square of 30 tables of rank 5,980: 299/336 with a relative error of (2/179,400)^.5.
    assert (drawn**2).mean() == pytest.approx(299 / 336, rel=4 * (2 / 179_400) ** 0.5)
    # Section 5.2 reports the deviation of a repetition: .941, between .928 and .956 (E18).
    assert all(0.915 < table.std() < 0.972 for table in drawn)


def test_other_rows_than_margins_are_eliminated_and_hold_exactly(tmp_path: Path) -> None:
    told = "{count: {where: {group: 0, hour: [0, 1, 2]}}}"
    lattice = _support(_campus(tmp_path, told))
    assert lattice.rank == 5_979
    noise = OnGrid(
        lattice, Projected(NormBallNoise("l1", 6_720), lattice), 1.0, "projected", factor=1.0
    )
    tables = noise.draw(3, Randomness(1)).reshape(-1, 14, 24, 20)
    assert not tables.sum(axis=1).any()
    assert not tables.sum(axis=2).any()
    assert not tables[:, 0, :3].sum(axis=(1, 2)).any()
    # Laplace variables of scale 1 have the variance 2.
    assert (tables**2).mean() == pytest.approx(2 * 5_979 / 6_720, rel=0.1)


def test_what_is_too_large_is_refused_with_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaces = _campus(tmp_path)
    monkeypatch.setattr(large_tables, "MAX_COVERED", 7)
    with pytest.raises(RefusedError, match=r"contain up to 8 sets of attributes.* limited to 7"):
        _support(spaces)
    monkeypatch.undo()
    monkeypatch.setattr(large_tables, "MAX_ELIMINATED", 6_719)
    with pytest.raises(RefusedError, match=r"not margins alone, and the table has 6720 cells"):
        _support(_campus(tmp_path, "{count: {where: {group: 0}}}"))
    query = MarginsQuery((("group",), ("hour",)))
    part = spaces.stated.mechanism
    assert isinstance(part, Gaussian)
    with pytest.raises(
        RefusedError,
        match="for a query other than the table, the limit is the work for 20000 cells",
    ):
        large_null_lattice(part, query, spaces)


def test_the_list_of_free_cells_ends_when_the_time_is_up() -> None:
    """Of 10 attributes, 1,022 sets are in no margin: each with its only other levels is free."""
    with deadline.running(500, Ticks(1.0)), pytest.raises(OutOfTimeError):
        len(MarginLattice([2] * 10, [[0]]).rows)
    with deadline.running(1_100, Ticks(1.0)):
        assert len(MarginLattice([2] * 10, [[0]]).rows) == 1_022


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
