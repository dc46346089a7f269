"""Sensitivity spaces and K-norm noise as the library has them, against lists and integrals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from semiaudit import KNorm, Number, RefusedError, SensitivitySpace, Spec, SpecError

HEXAGON = (1, -1, 0, 0, 1, -1, -1, 0, 1)


def table(*levels: int, distance: int | None, **options: Any) -> SensitivitySpace:
    """S of a table with all its one-way margins published."""
    names = {f"a{place}": number for place, number in enumerate(levels)}
    invariants = [{"margin": [name]} for name in names]
    spec = {"dataspace": {"size": 500, "attributes": names}, "invariants": invariants}
    return SensitivitySpace({"semiaudit": 1, **spec}, distance=distance, **options)


def histogram(cells: int, distance: int | None = None) -> SensitivitySpace:
    spec = {"semiaudit": 1, "dataspace": {"size": 500, "attributes": {"a": cells}}}
    return SensitivitySpace(spec, universe="D", distance=distance)


def v(i: int, j: int, k: int, m: int, rows: int, columns: int) -> tuple[int, ...]:
    """v_ijkl: +1 at (i, j) and (k, m), -1 at (i, m) and (k, j)."""
    found = np.zeros((rows, columns), dtype=int)
    found[i, j] = found[k, m] = 1
    found[i, m] = found[k, j] = -1
    return tuple(found.reshape(-1).tolist())


def all_v(rows: int, columns: int) -> set[tuple[int, ...]]:
    pairs = itertools.product(
        itertools.permutations(range(rows), 2), itertools.permutations(range(columns), 2)
    )
    return {v(i, j, k, m, rows, columns) for (i, k), (j, m) in pairs}


def test_rows_10_and_11_the_sensitivity_space_of_a_histogram() -> None:
    found = histogram(4)
    units = np.eye(4, dtype=int)
    listed = {tuple((units[i] - units[j]).tolist()) for i in range(4) for j in range(4)}
    assert set(found.vectors or ()) == listed
    assert (found.distance, found.elements) == (1, 13)
    assert (repr(found.l1), repr(found.linf)) == (
        "2 (exact, closed_form)",
        "1 (exact, closed_form)",
    )
    assert float(found.l2) == pytest.approx(math.sqrt(2), abs=1e-15)


def test_rows_33_and_41_a_two_by_two_table() -> None:
    within = table(2, 2, distance=3)
    assert within.vectors == ((-1, 1, 1, -1), (0, 0, 0, 0), (1, -1, -1, 1))
    assert [float(norm) for norm in (within.l1, within.l2, within.linf)] == [4, 2, 1]
    group = table(2, 2, distance=3, universe="D")
    assert [float(norm) for norm in (group.l1, group.linf)] == [6, 3]
    assert float(group.l2) == pytest.approx(3 * math.sqrt(2), abs=1e-14)
    assert group.vectors is None
    assert within.rank == 1
    assert table(2, 2, distance=None).distance == 3


def test_row_39_the_element_of_figure_1() -> None:
    found = table(7, 6, distance=2)
    assert set(found.vectors or ()) == {(0,) * 42, *all_v(7, 6)}
    assert v(1, 1, 4, 4, 7, 6) in (found.vectors or ())


@pytest.mark.parametrize(
    ("levels", "distance", "elements"),
    [((2, 2), 2, 3), ((2, 3), 2, 7), ((3, 3), 2, 19), ((3, 4), 2, 37), ((4, 4), 2, 73),
     ((3, 3), 3, 31), ((3, 4), 3, 85)],
)  # fmt: skip
def test_row_40_sizes_of_sensitivity_spaces(
    levels: tuple[int, int], distance: int, elements: int
) -> None:
    found = table(*levels, distance=distance)
    assert found.elements == elements == len(found.vectors or ())
    assert found.rank == (levels[0] - 1) * (levels[1] - 1)
    if distance == 2:
        assert set(found.vectors or ()) == {(0,) * math.prod(levels), *all_v(*levels)}


def test_row_42_three_attributes() -> None:
    found = table(2, 2, 2, distance=2)
    assert [float(norm) for norm in (found.l1, found.l2, found.linf)] == [4, 2, 1]
    assert found.rank == 4


def test_row_37_the_gauge_of_a_hexagon() -> None:
    moves = table(3, 3, distance=2).vectors
    assert moves is not None
    noise = KNorm(moves, 1)
    assert noise.dimension == 4
    low, high = noise.gauge(HEXAGON)
    assert (repr(low), repr(high)) == ("2 (lower, linear_program)", "2 (upper, linear_program)")
    assert noise.gauge([Fraction(k, 3) for k in HEXAGON]).upper.sharpest == pytest.approx(2 / 3)
    assert [noise.gauge(move).upper.value for move in moves if any(move)] == [1] * (len(moves) - 1)
    assert noise.gauge([1] + [0] * 8).lower.value == math.inf
    assert noise.density([1] + [0] * 8).upper.value == 0
    corrected = table(3, 3, distance=3).vectors
    assert corrected is not None
    assert KNorm(corrected, 1).gauge(HEXAGON).upper.value == 1


def test_row_13_the_normalizing_constant_of_proposition_7() -> None:
    found = KNorm("linf", "10/17", dimension=2)
    low, high = found.normalizing_constant
    assert low.sharpest <= Fraction(8 * 100, 289) <= high.sharpest
    assert f"{float(low):.6f}" == f"{float(high):.6f}" == "2.768166"
    # The integral of exp(-1.7 max(|x|, |y|)) over a grid of midpoints.
    middles = (np.arange(-750, 750) + 0.5) / 50
    x, y = np.meshgrid(middles, middles)
    integral = float(np.exp(-1.7 * np.maximum(abs(x), abs(y))).sum()) / 50**2
    assert integral == pytest.approx(float(high), rel=1e-4)


def test_the_constants_of_round_and_square_balls() -> None:
    for d in (1, 2, 3, 6):
        expected = {
            "l1": 2**d,
            "l2": math.factorial(d) * math.pi ** (d / 2) / math.gamma(d / 2 + 1),
            "linf": math.factorial(d) * 2**d,
        }
        for name, constant in expected.items():
            norm: Any = name
            low, high = KNorm(norm, 3, dimension=d).normalizing_constant
            assert float(low) == pytest.approx(3**d * constant, rel=1e-14)
            assert low.sharpest <= high.sharpest
    # The l1 ball is the hull of the unit vectors, the density that of independent Laplace noise.
    one, other = KNorm("l1", 2, dimension=3), KNorm(np.eye(3, dtype=int).tolist(), 2)
    assert one.normalizing_constant.upper.value == other.normalizing_constant.upper.value == 64
    at: list[Number] = [1, "-1/2", 3]
    density = math.prod(math.exp(-abs(k) / 2) / 4 for k in (1, 0.5, 3))
    for noise in (one, other):
        assert float(noise.density(at).lower) == pytest.approx(density, rel=1e-12)
    assert float(KNorm("l2", 1, dimension=2).gauge([3, 4]).lower) == pytest.approx(5, rel=1e-15)
    assert KNorm("linf", 1, dimension=2).gauge([3, -4]).upper.value == 4


@pytest.mark.parametrize(("levels", "distance"), [((3, 3), 2), ((3, 3), 3), ((2, 2, 2), 2)])
def test_the_volume_of_a_hull_is_that_of_qhull_in_an_orthonormal_basis(
    levels: tuple[int, ...], distance: int
) -> None:
    vectors = table(*levels, distance=distance).vectors
    assert vectors is not None
    noise = KNorm(vectors, "1/2")
    wide = np.array(vectors, dtype=float)
    _, sizes, right = np.linalg.svd(wide, full_matrices=False)
    inside = wide @ right[sizes > 1e-9].T
    d = inside.shape[1]
    expected = math.factorial(d) * ConvexHull(inside).volume / 2**d
    low, high = noise.normalizing_constant
    assert float(low) == pytest.approx(expected, rel=1e-9)
    assert low.sharpest <= high.sharpest


def test_a_query_and_a_spec_as_a_spec_has_them() -> None:
    spec = Spec.from_file("configs/example5_table.yaml")
    found = SensitivitySpace(spec)
    assert found.distance == 3
    names = list(spec.to_mapping()["dataspace"]["attributes"])
    margins = SensitivitySpace(spec, {"margins": [names]})
    assert margins.vectors == found.vectors
    published = SensitivitySpace(spec, {"margins": [names[:1]]})
    assert published.l1.value == 0  # what is published cannot change
    assert published.vectors == ((0, 0),)
    with pytest.raises(SpecError, match="query"):
        SensitivitySpace(spec, "tabel")


def test_arguments_out_of_range_are_errors_with_their_name() -> None:
    wrong: Any = "l3"
    half: Any = [[0.5, 1]]
    with pytest.raises(ValueError, match="scale: 0 is out of range"):
        KNorm("l1", 0, dimension=2)
    with pytest.raises(ValueError, match="ball: there is no l3"):
        KNorm(wrong, 1, dimension=2)
    with pytest.raises(ValueError, match="dimension: give that"):
        KNorm("l1", 1)
    with pytest.raises(ValueError, match="dimension: that of a hull"):
        KNorm([[1]], 1, dimension=1)
    with pytest.raises(ValueError, match="one length that are not all 0"):
        KNorm([[0, 0]], 1)
    with pytest.raises(ValueError, match="one length that are not all 0"):
        KNorm([[1, 0], [1]], 1)
    with pytest.raises(ValueError, match="not a whole number"):
        KNorm(half, 1)
    with pytest.raises(ValueError, match="vector: has 1 entries; give 2"):
        KNorm("l1", 1, dimension=2).gauge([1])
    with pytest.raises(RefusedError, match="K has more than 9 dimensions"):
        _ = KNorm(np.eye(10, dtype=int).tolist(), 1).normalizing_constant
    spec = {
        "semiaudit": 1,
        "dataspace": {"size": 5, "attributes": {"a": 2}},
        "invariants": [{"margin": ["a"]}],
        "adjacency": {"metric": "multiset_hamming"},
    }
    with pytest.raises(RefusedError, match="the invariants reveal"):
        SensitivitySpace(spec)
    with pytest.raises(ValueError, match="universe: there is no E"):
        table(2, 2, distance=1, universe="E")


def test_they_are_shown_with_their_numbers() -> None:
    assert repr(table(2, 2, distance=3)) == (
        "<sensitivity space at distance 3: l1 4 (exact, moves), l2 2 (exact, moves), "
        "linf 1 (exact, moves)>"
    )
    assert repr(KNorm("l1", "1/2", dimension=3)) == "KNorm('l1', '1/2', dimension=3)"
    assert repr(KNorm([[1, 0]], 2)) == "KNorm([[1, 0]], '2')"


def test_a_query_that_is_none_is_named_as_the_argument() -> None:
    spec = {"semiaudit": 1, "dataspace": {"size": 5, "attributes": {"a": 2}}}
    with pytest.raises(SpecError, match=r"\Aquery: tabel is not a query; write table"):
        SensitivitySpace(spec, "tabel")
    with pytest.raises(SpecError, match=r"\Aquery\.margins\[0\]\[0\]: nobody is not an attribute"):
        SensitivitySpace(spec, {"margins": [["nobody"]]})
