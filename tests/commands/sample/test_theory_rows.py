"""Rows of theory.md from the command line: 14, 15, 34, 39, 41, 90, 93 and 101 to 103."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semiaudit import Finite, NullSpace, lipschitz
from semiaudit.cli import main
from tests.commands.sample.drawn import drawn, laplace_law, numbers
from tests.oracles.sampling import LEVEL, Floats, chi_square_p, gamma_law, ks_p
from tests.places import ROOT

Printed = Callable[..., dict[str, Any]]

ONE_MARGIN = (
    "semiaudit: 1\ndataspace: {size: 6, attributes: {a: 2, b: 2}}\n"
    "invariants: [{margin: [a]}]\nadjacency: {distance: 1}\n"
)
CORNERS = "{matrix: [[1, 0, 0, 0], [0, 0, 1, 0]]}"
"""Inside D_t at distance 1 it moves by e1 or e2, up or down."""
DIAGONALS = "{matrix: [[1, 0, 1, 0], [1, 0, 0, 1]]}"
"""It moves by e1 + e2 or e1 - e2, up or down."""
TOTAL = "semiaudit: 1\ndataspace: {{size: 9, attributes: {{a: {cells}}}}}\ninvariants: [total]\n"


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    """What a command prints of a spec, as JSON."""
    path = tmp_path / "spec.yaml"

    def run(text: str, *words: str) -> dict[str, Any]:
        path.write_text(text, encoding="utf-8")
        place = 2 if words[0] == "mechanism" else 1
        before, after = words[:place], words[place:]
        main([*before, str(path), *after, "--format", "json"])
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return run


def lengths(printed: Printed, query: str) -> dict[str, float]:
    names = [word for at in (2, 4, 5, 6) for word in ("--design", f"algorithm_{at}")]
    asked = ("mechanism", "calibrate", "--target", "epsilon=1", *names)
    found = printed(f"{ONE_MARGIN}design: {{query: {query}}}\n", *asked)
    return {design["name"]: design["expected_l2"] for design in found["designs"]}


def test_row_14_the_smaller_ball_is_the_shorter_noise(printed: Printed) -> None:
    """Definition 8: with Delta = 1 the l1 ball lies in the l2 ball, and that in the cube.

    For moves of length sqrt(2) the cube lies in the l2 ball that is sqrt(2) times as large. Mean
    lengths are those of Gamma variables times the mean length of a point of the ball's surface,
    and for the cube of a point inside it.
    """
    found = lengths(printed, CORNERS)
    side = (1 + math.asinh(1) / math.sqrt(2)) / 2  # of points on a side of the l1 ball
    cube = (math.sqrt(2) + math.asinh(1)) / 3  # of points in [-1, 1]^2
    assert found["algorithm_4"] == pytest.approx(2 * side, rel=1e-6)
    assert found["algorithm_5"] == pytest.approx(2, rel=1e-6)
    assert found["algorithm_6"] == pytest.approx(3 * cube, rel=1e-6)
    found = lengths(printed, DIAGONALS)
    assert found["algorithm_5"] == pytest.approx(2 * math.sqrt(2), rel=1e-6)
    assert found["algorithm_6"] == pytest.approx(3 * cube, rel=1e-6)
    assert found["algorithm_6"] < found["algorithm_5"] < found["algorithm_4"]


def test_row_15_the_hull_of_the_corners_is_independent_laplace_noise(
    printed: Printed, tmp_path: Path
) -> None:
    for query, same in ((CORNERS, "algorithm_4"), (DIAGONALS, "algorithm_6")):
        designs = lengths(printed, query)
        assert min(designs.values()) == designs[same]
        assert designs["algorithm_2"] == pytest.approx(designs[same], rel=1e-5)
    hull = f"mechanism: {{k_norm: {{epsilon: 1, norm: {{hull: D_t}}, query: {CORNERS}}}}}\n"
    found = drawn(tmp_path, ONE_MARGIN + hull, 1_000)
    for column in found.T:
        assert ks_p(column, laplace_law) > LEVEL
    assert ks_p(np.abs(found).sum(axis=1), gamma_law(2)) > LEVEL
    # Independent signs and sizes: a quarter of the draws lies in each quadrant.
    signs = [tuple(row) for row in (found > 0).tolist()]
    quadrants = {(x, y): 1.0 for x in (False, True) for y in (False, True)}
    assert chi_square_p(signs, quadrants) > LEVEL


@pytest.mark.parametrize(
    ("sizes", "distance", "l1", "l2_squared", "linf"),
    [
        ((2, 2), 2, 4, 4, 1),
        ((2, 2), 3, 4, 4, 1),
        ((2, 4), 3, 4, 4, 1),
        ((3, 3), 2, 4, 4, 1),
        ((3, 3), 3, 6, 6, 1),  # hexagons: "regardless of r and c" holds at distance 2 only
    ],
)
def test_row_41_the_sensitivities_of_example_7(
    sizes: tuple[int, int], distance: int, l1: int, l2_squared: int, linf: int, printed: Printed
) -> None:
    rows, columns = sizes
    spec = (
        f"semiaudit: 1\ndataspace: {{size: 24, attributes: {{a: {rows}, b: {columns}}}}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}]\n"
        f"adjacency: {{distance: {distance}}}\nmechanism: "
    )

    def semi_dp(part: str) -> Any:
        found = printed(f"{spec}{part}\n", "analyze")["guarantees"]
        return next(row for row in found if row["framework"] == "semi_dp")

    assert semi_dp("{laplace: {scale: 1, query: table}}")["pure_dp"]["epsilon"] == l1
    found = semi_dp("{gaussian: {sigma: 1, query: table}}")["gdp"]["mu"]
    assert found == pytest.approx(math.sqrt(l2_squared), rel=1e-9)
    # Delta of l-infinity is 1 in D, so that this is the ratio of both.
    assert semi_dp("{k_norm: {epsilon: 1, norm: linf, query: table}}")["pure_dp"]["epsilon"] == linf


def elements(printed: Printed, sizes: tuple[int, int], distance: int) -> dict[str, Any]:
    """What the report says of S inside D_t, of the table under both margins."""
    spec = (
        f"semiaudit: 1\ndataspace: {{size: 84, attributes: {{a: {sizes[0]}, b: {sizes[1]}}}}}\n"
        f"invariants: [{{margin: [a]}}, {{margin: [b]}}]\nadjacency: {{distance: {distance}}}\n"
        "mechanism: {gaussian: {sigma: 1, query: table}}\n"
    )
    found: dict[str, Any] = printed(spec, "analyze")["sensitivity"]
    return found


@pytest.mark.parametrize(("sizes", "rank"), [((2, 2), 1), ((3, 3), 4), ((3, 4), 6), ((7, 6), 30)])
def test_row_34_what_margins_leave_free(
    sizes: tuple[int, int], rank: int, printed: Printed
) -> None:
    """Proposition 25: t = L phi takes (r - 1)(c - 1) of the directions only."""
    assert elements(printed, sizes, 2)["rank"] == rank


def test_row_39_two_records_that_trade_columns(printed: Printed) -> None:
    """Figure 1: of 7x6 counts (2, 2) and (5, 5) gain one, (2, 5) and (5, 2) lose one.

    All elements at distance 2 are of that form: two rows and two columns, and either sign.
    """
    found = elements(printed, (7, 6), 2)
    assert found["elements"] == 2 * math.comb(7, 2) * math.comb(6, 2) + 1
    assert (found["l1"], found["l2"], found["linf"]) == (4, 2, 1)


def test_row_90_what_an_invariant_tells_apart_has_no_epsilon(printed: Printed) -> None:
    """Example 2.3: C = (1, 0, 1, 0); x = (1, 2, 4) has C x = 1, and x' = (4, 2, 4) has 0."""
    first, second = (1, 2, 4), (4, 2, 4)
    sums = [sum(value in (1, 3) for value in data) for data in (first, second)]
    assert sums == [1, 0]
    same = Finite([first, second], [["1/2", "1/2"], ["1/2", "1/2"]])
    assert lipschitz(same)[0].upper.value == 0
    (told,) = lipschitz(same, published=sums)
    assert math.isinf(told.lower.value)
    # Noise in the null space of C, as an audit sees it; Example 2.4: steps inside it keep their
    # length, and e_1 - e_2 there has (1/2)^2 + (1/2)^2 + 1 of the 2.
    spec = (
        "semiaudit: 1\ndataspace: {size: 3, attributes: {v: 4}}\n"
        "invariants: [{linear: [[1, 0, 1, 0]]}]\n"
        "mechanism: {gaussian: {sigma: 1, support: null_space, query: table}}\n"
    )
    found = {row["framework"]: row for row in printed(spec, "analyze")["guarantees"]}
    for notion in ("nominal_dp", "group_privacy"):
        assert found[notion]["refused"]
        assert found[notion]["gdp"] is None
        assert "keeps the invariants" in found[notion]["note"]
    assert found["subspace_dp"]["gdp"]["mu"] == pytest.approx(math.sqrt(2))
    space = NullSpace([[1, 0, 1, 0]])
    half = Fraction(1, 2)
    assert space.project([1, -1, 0, 0]) == tuple(Fraction(v) for v in (half, -1, -half, 0))
    assert space.project([0, 1, 0, -1]) == tuple(map(Fraction, (0, 1, 0, -1)))


def test_row_93_composition_adds_up_and_joint_invariants_shrink_d_t(printed: Printed) -> None:
    """Proposition 2.9 with 0.5 and 0.7; a(t) of both margins is 3, of each alone 2 (E33)."""
    space = "semiaudit: 1\ndataspace: {size: 100, attributes: {age: 3, zip: 4, income: 2}}\n"
    both = (
        "releases:\n  - {invariants: [{margin: [age]}], mechanism: {pure_dp: {epsilon: 0.5}}}\n"
        "  - {invariants: [{margin: [zip]}], mechanism: {pure_dp: {epsilon: 0.7}}}\n"
    )
    found = printed(space + both, "analyze")
    epsilons = {row["framework"]: row["pure_dp"]["epsilon"] for row in found["guarantees"]}
    assert epsilons["nominal_dp"] == epsilons["subspace_dp"] == pytest.approx(1.2)
    assert found["semi_adjacency"]["value"] == 3
    assert epsilons["semi_dp"] == pytest.approx(3.6)
    (warning,) = [told for told in found["findings"] if told["rule"] == "SA012"]
    assert "all their invariants together" in warning["message"]
    parts = 0.0
    for margin, epsilon in (("age", 0.5), ("zip", 0.7)):
        alone = (
            f"invariants: [{{margin: [{margin}]}}]\nmechanism: {{pure_dp: {{epsilon: {epsilon}}}}}"
        )
        told = printed(space + alone, "analyze")
        assert told["semi_adjacency"]["value"] == 2
        parts += next(
            row["pure_dp"]["epsilon"] for row in told["guarantees"] if row["framework"] == "semi_dp"
        )
    assert parts == pytest.approx(2.4)  # what adding the two would promise, and 3.6 is not


def test_row_101_the_optimum_is_that_of_the_projected_query(printed: Printed) -> None:
    """Corollary 3.10: the least trace for A under the total is the least trace for Pi_N A."""
    asked = ("mechanism", "calibrate", "--target", "mu=1", "--design", "correlated_gaussian")
    text = TOTAL.format(cells=4)
    plain = [[int(i == j) for j in range(4)] for i in range(4)]
    projected = [[4 * (i == j) - 1 for j in range(4)] for i in range(4)]  # 4 (I - J/4)
    cost = []
    for rows in (plain, projected):
        found = printed(f"{text}design: {{query: {{matrix: {rows}}}}}\n", *asked)
        (design,) = found["designs"]
        assert (design["rank"], design["tight"]) == (3, True)
        cost.append(design["expected_l2"])
    assert cost[1] / 4 == pytest.approx(cost[0], rel=1e-4)
    # opt of the identity under the total: the covariance is a multiple of the projector, and the
    # steps have length sqrt(2): sqrt(2) times the mean of a chi variable of 3 degrees.
    chi = math.sqrt(2) * math.gamma(2) / math.gamma(1.5)
    assert cost[0] == pytest.approx(math.sqrt(2) * chi, rel=1e-4)


def test_row_102_correlated_noise_on_prefix_sums(printed: Printed) -> None:
    """Theorem 3.11 with n = 12: the total is exact, the audit passes, and it costs less."""
    rows = [[int(column <= row) for column in range(12)] for row in range(12)]
    words = ("--design", "extended_gaussian", "--design", "correlated_gaussian")
    text = f"{TOTAL.format(cells=12)}design: {{query: {{matrix: {rows}}}}}\n"
    found = printed(text, "mechanism", "calibrate", "--target", "mu=1", *words)
    extended, correlated = sorted(found["designs"], key=lambda d: d["name"], reverse=True)
    covariance = np.array(
        [[float(Fraction(value)) for value in row]
         for row in correlated["mechanism"]["gaussian"]["covariance"]]
    )  # fmt: skip
    assert not covariance[-1].any()
    assert not covariance[:, -1].any()
    steps = [rows_of_step(i, j, 12) for i in range(12) for j in range(12) if i != j]
    inner = np.linalg.inv(covariance[:-1, :-1])
    assert math.sqrt(max(v @ inner @ v for v in steps)) == pytest.approx(1, rel=1e-6)
    assert extended["scale"] == pytest.approx(math.sqrt(11), rel=1e-6)
    assert np.trace(covariance) < 11 * 11 / 1.5


def rows_of_step(start: int, end: int, cells: int) -> Floats:
    """By how much the prefix sums but the last change where a record moves."""
    moved = np.zeros(cells)
    moved[start], moved[end] = -1, 1
    return np.cumsum(moved)[:-1]


def test_row_103_the_k_norm_mechanism_of_a_query_inside_the_null_space(
    printed: Printed, tmp_path: Path
) -> None:
    """Run on Pi_N A and lifted, epsilon is what is asked for, and the total is exact."""
    rows = [[int(column <= row) for column in range(4)] for row in range(4)]
    part = f"{{k_norm: {{epsilon: 1, norm: {{hull: D_t}}, query: {{matrix: {rows}}}}}}}"
    text = f"{TOTAL.format(cells=4)}mechanism: {part}\n"
    found = {row["framework"]: row for row in printed(text, "analyze")["guarantees"]}
    assert found["semi_dp"]["pure_dp"]["epsilon"] == 1
    assert found["nominal_dp"]["refused"]
    noise = drawn(tmp_path, text, 1_000)
    assert not noise[:, -1].any()
    # A step takes 1 from a cell and adds it to another one: the hull of these has as its norm the
    # sum of the positive changes.
    changes = np.diff(noise, axis=1, prepend=0)
    assert ks_p(np.maximum(changes, 0).sum(axis=1), gamma_law(3)) > LEVEL


# Seeds are fixed; laws and moments come from the densities.

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
