"""Designs of noise: each meets its target by an independent path, and is tight where theory says.

The oracle knows the densities and goes through all pairs of small tables; it reads nothing of a
design but its section.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.commands.calibrate.written import demand_one
from semiaudit.errors import SpecError
from semiaudit.library.report import audit
from semiaudit.model.data_source import CONFINED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import DESIGN_NAMES, Calibration, Design, DesignName, Target
from tests.oracles import designs as densities
from tests.oracles import designs as oracle
from tests.oracles import subspace_noise as pairs_oracle
from tests.samples import repeated, sampled
from tests.universe.sensitivity.test_spellings import drawn

Table = tuple[tuple[int, ...], ...]

GDP_1, PURE_1, ZCDP_HALF = GDP(Fraction(1)), PureDP(Fraction(1)), ZCDP(Fraction(1, 2))
APPROX_1 = ApproxDP(Fraction(1), Fraction(1, 10**5))
TARGETS: dict[str, Target] = {
    "gdp": GDP_1,
    "pure_dp": PURE_1,
    "zcdp": ZCDP_HALF,
    "approx_dp": APPROX_1,
}

TABLES: dict[str, tuple[Table, int]] = {
    "2x2": (((2, 1), (1, 1)), 3),
    "2x3": (((1, 1, 0), (1, 0, 1)), 3),
    "3x3": (((1, 1, 0), (0, 1, 1), (1, 0, 1)), 3),
}
"""Tables with the a(t) of their one-way margins."""

FAST = (1, 2, 9)
"""Places of 2x2 and 3x3 under pure_dp and of 2x2 under zcdp among the tables and targets."""

SHARP: dict[str, tuple[DesignName, ...]] = {
    "gdp": ("algorithm_1", "extended_gaussian", "correlated_gaussian", "algorithm_2"),
    "pure_dp": ("algorithm_2", "algorithm_4", "algorithm_5", "algorithm_6"),
    "zcdp": (
        "algorithm_1",
        "extended_gaussian",
        "correlated_gaussian",
        "discrete_gaussian",
        "integer_lattice",
    ),
    "approx_dp": ("algorithm_1", "extended_gaussian", "correlated_gaussian"),
}
"""What is tight in the measure of the target."""


def spec_text(table: Table, extra: str = "design: {query: table}") -> str:
    rows, columns = len(table), len(table[0])
    counts = [list(row) for row in table]
    return (
        "semiaudit: 1\n"
        f"dataspace: {{attributes: {{a: {rows}, b: {columns}}}}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}]\n"
        f"data: {{counts: {counts}}}\n"
        f"{extra}\n"
    )


GAUSSIAN: tuple[DesignName, ...] = (
    "naive_gaussian",
    "algorithm_1",
    "extended_gaussian",
    "correlated_gaussian",
)
"""What takes little time under gdp, where the mu of other noise has to be fitted."""


@cache
def calibrated(
    folder: Path, table: str, target: str, names: tuple[DesignName, ...] = ()
) -> Calibration:
    path = folder / f"{table}.yaml"
    path.write_text(spec_text(TABLES[table][0]), encoding="utf-8")
    asked = CalibrationQuestion(str(path), TARGETS[target], names=names)
    return calibrate(asked, 120, 1e-6, CONFINED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("designs")


def shown(found: Calibration, name: DesignName) -> Design:
    return next(design for design in found.designs if design.name == name)


def mu_of(section: dict[str, Any], moves: oracle.Floats, null: oracle.Floats) -> float:
    """mu of a Gaussian section, from its covariance."""
    inner = section["gaussian"]
    if "covariance" in inner:
        return oracle.gaussian_mu(oracle.matrix_of(inner["covariance"]), moves)
    cells = moves.shape[1]
    where = {None: np.eye(cells), "null_space": null, "sensitivity_space": oracle.projector(moves)}
    return oracle.gaussian_mu(float(inner["sigma"]) ** 2 * where[inner.get("support")], moves)


def epsilon_of(section: dict[str, Any], moves: oracle.Floats, null: oracle.Floats) -> float:
    """The pure epsilon of a Laplace or K-norm section, from its density."""
    ((kind, inner),) = section.items()
    cells = moves.shape[1]
    if kind == "laplace":
        linear = np.eye(cells)
        if "basis" in inner:
            linear = oracle.matrix_of(inner["basis"]).T
        elif inner.get("support") == "null_space":
            linear = null
        return oracle.l1_loss(float(inner["scale"]), linear, moves)
    if inner["norm"] == {"hull": "D_t"}:
        return oracle.gauge_loss(float(inner["epsilon"]), moves, moves)
    norm = {"l2": 2, "linf": np.inf}[inner["norm"]]
    return oracle.ball_loss(float(inner["epsilon"]), norm, oracle.steps(cells), moves)


def null_of(table: Table) -> oracle.Floats:
    """The projector on the tables whose one-way margins are 0: (I - J/r) kron (I - J/c)."""
    return np.asarray(
        np.kron(*(np.eye(size) - np.ones((size, size)) / size for size in np.shape(table)))
    )


def shifts_of(section: dict[str, Any], moves: oracle.Floats) -> set[tuple[float, ...]]:
    """By how many scales each independent Laplace variable moves; empty for other noise."""
    inner = section.get("laplace", {})
    if not inner or "support" in inner:
        return set()
    linear = oracle.matrix_of(inner["basis"]).T if "basis" in inner else np.eye(moves.shape[1])
    return oracle.laplace_shifts(float(inner["scale"]), linear, moves)


def product_met(shifts: set[tuple[float, ...]], target: Target) -> float:
    """What independent Laplace noise guarantees at the target's own place, over the target."""
    match target:
        case PureDP():
            return max(map(sum, shifts)) / float(target.epsilon)
        case ZCDP():
            return oracle.product_rho(shifts) / float(target.rho)
        case ApproxDP():
            return oracle.product_delta(shifts, float(target.epsilon)) / float(target.delta)
        case GDP():
            mu = math.sqrt(target.mu_squared)
            places = (0.0, 0.5, 1.0, 2.0)
            return max(
                oracle.product_delta(shifts, at) / oracle.gaussian_delta(mu, at) for at in places
            )


def met_by(design: Design, target: Target, table: str) -> float:
    """What a design guarantees at the target's own place, over the target."""
    counts, distance = TABLES[table]
    moves, null, section = oracle.moves(counts, distance), null_of(counts), design.mechanism
    assert section is not None
    if "gaussian" in section:
        mu = mu_of(section, moves, null)
        match target:
            case GDP():
                return mu / math.sqrt(target.mu_squared)
            case ZCDP():
                return mu * mu / 2 / float(target.rho)
            case ApproxDP():
                return oracle.gaussian_delta(mu, float(target.epsilon)) / float(target.delta)
            case PureDP():
                return math.inf
    if "discrete_gaussian" in section:
        sigma_squared = float(section["discrete_gaussian"]["sigma_squared"])
        rho = max(float(v @ v) for v in moves) / (2 * sigma_squared)
        assert isinstance(target, ZCDP | ApproxDP)
        return rho / float(target.rho) if isinstance(target, ZCDP) else 0.0
    shifts = shifts_of(section, moves)
    if shifts:
        return product_met(shifts, target)
    epsilon = epsilon_of(section, moves, null)
    match target:
        case PureDP():
            return epsilon / float(target.epsilon)
        case ZCDP():
            return oracle.laplace_rho(epsilon) / float(target.rho)
        case ApproxDP():
            worst = oracle.laplace_delta(epsilon, float(target.epsilon))
            return worst / float(target.delta) if worst > 1e-12 else 0.0
        case GDP():
            mu = math.sqrt(target.mu_squared)
            return oracle.laplace_delta(epsilon, 0) / oracle.gaussian_delta(mu, 0)


@pytest.mark.parametrize(("table", "target"), sampled(product(TABLES, TARGETS), FAST))
def test_every_design_meets_its_target_by_its_density(
    folder: Path, table: str, target: str
) -> None:
    found = calibrated(folder, table, target)
    assert [design.name for design in found.designs] == list(DESIGN_NAMES)
    assert found.distance == TABLES[table][1]
    rough = 1e-3 if target == "approx_dp" else 2e-6
    for design in found.designs:
        if not design.meets:
            assert design.refused
            assert design.mechanism is None
            continue
        assert design.refused == ""
        assert met_by(design, TARGETS[target], table) <= 1 + rough, design.name


@pytest.mark.parametrize(("table", "target"), sampled(product(TABLES, TARGETS), FAST))
def test_designs_are_tight_where_theory_says_so(folder: Path, table: str, target: str) -> None:
    found = calibrated(folder, table, target)
    for name in SHARP[target]:
        design = shown(found, name)
        assert design.tight, name
        assert design.met is not None
        limit = {"gdp": 1.0, "pure_dp": 1.0, "zcdp": 0.5, "approx_dp": 1.0}[target]
        assert float(design.met) == pytest.approx(limit, rel=1e-6)
        if target in ("gdp", "pure_dp") and (target, name) != ("gdp", "algorithm_2"):
            assert met_by(design, TARGETS[target], table) == pytest.approx(1, abs=2e-6), name
    for design in found.designs:
        if design.meets and not design.name.startswith(("naive", "projected")):
            assert design.tight, design.name


def test_independent_laplace_noise_is_as_short_as_its_product_allows(folder: Path) -> None:
    """Six variables move by 1: one variable that moves by 6 would need 2.5 times the noise."""
    found = calibrated(folder, "3x3", "gdp", ("algorithm_4",))
    design = shown(found, "algorithm_4")
    assert design.scale is not None
    one_variable = -2 * math.log(2 * NormalDist().cdf(-0.5))
    assert 6 / one_variable / float(design.scale) == pytest.approx(2.65, abs=0.05)
    assert met_by(design, GDP_1, "3x3") == pytest.approx(1, abs=0.05)


def test_the_printed_recipes_miss_where_both_features_have_three_levels() -> None:
    """E2: with the printed S_Semi Algorithm 1 really gives 1.2247 mu, and Algorithm 3 2 epsilon."""
    counts, distance = TABLES["3x3"]
    moves = oracle.moves(counts, distance)
    printed = moves[np.abs(moves).sum(axis=1) == 4]
    covariance = 2.0**2 * oracle.projector(moves)
    assert oracle.gaussian_mu(covariance, printed) == pytest.approx(1)
    assert oracle.gaussian_mu(covariance, moves) == pytest.approx(math.sqrt(6) / 2)
    assert oracle.gauge_loss(1.0, printed, printed) == pytest.approx(1)
    assert oracle.gauge_loss(1.0, printed, moves) == pytest.approx(2)


def test_the_designs_for_the_same_table_do_not(folder: Path) -> None:
    algorithm_1 = shown(calibrated(folder, "3x3", "gdp", GAUSSIAN), "algorithm_1")
    assert algorithm_1.scale == Fraction("2.44948974279")  # sqrt(6), not 2
    assert met_by(algorithm_1, GDP_1, "3x3") == pytest.approx(1)
    algorithm_2 = shown(calibrated(folder, "3x3", "pure_dp"), "algorithm_2")
    assert algorithm_2.scale == 1
    assert met_by(algorithm_2, PURE_1, "3x3") == pytest.approx(1)


def test_figures_2_and_3_from_the_designs(folder: Path) -> None:
    """theory.md, rows 36, 47 and 48: k = 2 and 3, mu = 1 and epsilon = 1."""
    figure = {
        ("2x2", "gdp", "algorithm_1"): 1.5958,
        ("2x2", "gdp", "naive_gaussian"): 7.9760,
        ("3x3", "gdp", "algorithm_1"): 4.6050,
        ("3x3", "gdp", "naive_gaussian"): 12.3799,
        ("2x2", "pure_dp", "algorithm_2"): 2.000,
        ("2x2", "pure_dp", "naive_l2"): 16.971,
        ("3x3", "pure_dp", "algorithm_2"): 7.16,
        ("3x3", "pure_dp", "naive_l1"): 23.99,
        ("3x3", "pure_dp", "naive_l2"): 38.18,
        ("3x3", "pure_dp", "naive_linf"): 51.4,
    }
    for (table, target, name), length in figure.items():
        names = GAUSSIAN if target == "gdp" else ()
        found = calibrated(folder, table, target, names)
        design = next(d for d in found.designs if d.name == name)
        assert design.expected_l2 is not None
        assert design.expected_l2.value == pytest.approx(length, rel=1.2e-3), (table, name)


def test_ranks_and_ratios_stand_beside_the_naive_design(folder: Path) -> None:
    found = calibrated(folder, "3x3", "gdp", GAUSSIAN)
    assert found.naive == "naive_gaussian"
    ranks = {design.name: design.rank for design in found.designs if design.meets}
    assert ranks["naive_gaussian"] == 9
    assert ranks["algorithm_1"] == ranks["extended_gaussian"] == ranks["correlated_gaussian"] == 4
    assert shown(found, "algorithm_1").ratio == pytest.approx(4.6050 / 12.3799, rel=1e-4)
    sd = shown(found, "algorithm_1").max_sd
    assert sd is not None
    assert sd.value == pytest.approx(math.sqrt(6) * 2 / 3)  # each cell has 4/9 of the variance


def test_discrete_gaussian_noise_on_all_cells_needs_no_support(folder: Path) -> None:
    """Six cells move by 1, so that rho = 6 / (2 sigma^2), on all nine cells."""
    design = shown(calibrated(folder, "3x3", "zcdp"), "discrete_gaussian")
    assert design.scale == 6  # rho is 1/2
    assert design.rank == 9
    assert design.mechanism == {"discrete_gaussian": {"sigma_squared": "6", "query": "table"}}
    assert design.max_sd is not None
    assert design.max_sd.value == pytest.approx(math.sqrt(6))


def test_discrete_gaussian_noise_meets_an_epsilon_by_its_own_law(folder: Path) -> None:
    """The log-likelihood ratio of six cells that move by 1 is (6 - 2 S) / (2 sigma^2), S the sum
    of six discrete Gaussians."""
    found = calibrated(folder, "3x3", "approx_dp", ("discrete_gaussian",))
    design = shown(found, "discrete_gaussian")
    target = TARGETS["approx_dp"]
    assert isinstance(target, ApproxDP)
    assert design.scale is not None
    assert design.tight
    sigma_squared = float(design.scale)
    reach = int(12 * math.sqrt(sigma_squared))
    masses = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma_squared))
    masses /= masses.sum()
    law = masses
    for _ in range(5):
        law = np.convolve(law, masses)
    sums = np.arange(len(law)) - 6 * reach
    losses = (6 - 2 * sums) / (2 * sigma_squared)
    delta = float((law * np.maximum(0, 1 - np.exp(float(target.epsilon) - losses))).sum())
    assert delta == pytest.approx(float(target.delta), rel=1e-3)
    assert delta <= float(target.delta)


def test_the_correlated_noise_is_no_longer_than_the_extended(folder: Path) -> None:
    for table in TABLES:
        found = calibrated(folder, table, "gdp", GAUSSIAN)
        costs = [shown(found, name).expected_l2 for name in ("correlated_gaussian", "algorithm_1")]
        assert costs[0] is not None
        assert costs[1] is not None
        assert costs[0].value <= costs[1].value * 1.001


def test_what_no_noise_meets_is_said(folder: Path) -> None:
    pure = calibrated(folder, "2x2", "pure_dp")
    assert "unbounded likelihood ratios" in shown(pure, "algorithm_1").refused
    assert "no epsilon at delta 0" in shown(pure, "integer_lattice").refused
    path = folder / "2x2.yaml"
    asked = CalibrationQuestion(str(path), PURE_1, names=("algorithm_1",))
    answer = calibrate(asked, 60, 1e-6, CONFINED)
    with pytest.raises(SpecError, match="not met by algorithm_1: Gaussian noise has unbounded"):
        demand_one(answer)


def test_margins_and_matrices_are_calibrated_too(tmp_path: Path) -> None:
    """The margin of one feature of a 3-way table, and prefix sums, whose total is published."""
    path = tmp_path / "workload.yaml"
    path.write_text(
        "semiaudit: 1\n"
        "dataspace: {size: 20, attributes: {age: 5}}\n"
        "invariants: [total]\n"
        "design: {query: {matrix: "
        f"{[[int(column <= row) for column in range(5)] for row in range(5)]}}}}}\n",
        encoding="utf-8",
    )
    found = calibrate(CalibrationQuestion(str(path), GDP_1, names=GAUSSIAN), 60, 1e-6, CONFINED)
    prefix = np.tril(np.ones((5, 5)))
    moves = oracle.steps(5) @ prefix.T
    null = np.diag([1.0, 1, 1, 1, 0])
    for design in found.designs:
        if design.mechanism is not None and "gaussian" in design.mechanism:
            assert mu_of(design.mechanism, moves, null) <= 1 + 1e-9, design.name
    own = {d.name: d.expected_l2.value for d in found.designs if d.meets and d.expected_l2}
    assert own["correlated_gaussian"] < own["extended_gaussian"] < own["naive_gaussian"]
    margins = tmp_path / "margins.yaml"
    margins.write_text(
        "semiaudit: 1\n"
        "dataspace: {size: 6, attributes: {a: 2, b: 2, c: 2}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}]\n"
        "design: {query: {margins: [[a, b], [b, c]]}}\n",
        encoding="utf-8",
    )
    found = calibrate(CalibrationQuestion(str(margins), GDP_1, names=GAUSSIAN), 60, 1e-6, CONFINED)
    assert shown(found, "algorithm_1").tight
    assert shown(found, "extended_gaussian").meets


@pytest.mark.parametrize(
    "framework", ["subspace_dp", "nominal_dp", "group_privacy", "invariant_dp"]
)
def test_other_frameworks_take_the_designs_that_have_a_number_there(
    folder: Path, framework: Any
) -> None:
    path = folder / "3x3.yaml"
    path.write_text(spec_text(TABLES["3x3"][0]), encoding="utf-8")
    asked = CalibrationQuestion(str(path), GDP_1, framework, ("naive_gaussian", "algorithm_1"))
    found = calibrate(asked, 60, 1e-6, CONFINED)
    naive = shown(found, "naive_gaussian")
    assert naive.meets
    steps = oracle.steps(9)
    sigma = float(naive.scale or 0)
    mu = max(math.sqrt(v @ v) for v in steps) / sigma
    assert mu * (3 if framework == "group_privacy" else 1) == pytest.approx(1)
    algorithm_1 = shown(found, "algorithm_1")
    if framework in ("nominal_dp", "group_privacy"):
        assert not algorithm_1.meets
        assert algorithm_1.refused
    elif framework == "invariant_dp":
        # the longest change over its distance, over all pairs of the six records' tables
        counts = TABLES["3x3"][0]
        units = (math.sqrt(v @ v) / k for k in range(2, 7) for v in oracle.moves(counts, k))
        assert max(units) / float(algorithm_1.scale or 0) == pytest.approx(1)
    else:
        # the projection of e_i - e_j on the null space of the margins, whose largest is 4/3
        null = null_of(TABLES["3x3"][0])
        mu = max(math.sqrt(v @ null @ v) for v in steps) / float(algorithm_1.scale or 0)
        assert mu <= 1 + 1e-9


def histogram(folder: Path, rows: str, invariants: str, cells: int = 4) -> Path:
    path = folder / "histogram.yaml"
    path.write_text(
        "semiaudit: 1\n"
        f"dataspace: {{size: 9, attributes: {{a: {cells}}}}}\n"
        f"invariants: [{invariants}]\n"
        f"design: {{query: {rows}}}\n",
        encoding="utf-8",
    )
    return path


def squared_error(path: Path, target: Target, *names: DesignName) -> list[float]:
    """The mean squared errors of designs under subspace DP: rank times a variance along it."""
    asked = CalibrationQuestion(str(path), target, "subspace_dp", names)
    found = calibrate(asked, 60, 1e-6, CONFINED)
    errors = []
    for name in names:
        design = shown(found, name)
        assert design.meets
        assert design.scale is not None
        assert design.rank is not None
        factor = 2 if "laplace" in name else 1
        errors.append(design.rank * factor * float(design.scale) ** 2)
    return errors


def test_rows_97_to_100_of_subspace_dp(tmp_path: Path) -> None:
    """Gao, Gong and Yu, Corollaries 3.5 to 3.9; theory.md has the numbers."""
    total = histogram(tmp_path, "table", "total")
    both: tuple[DesignName, DesignName] = ("projected_gaussian", "extended_gaussian")
    assert squared_error(total, APPROX_1, *both) == pytest.approx([83.5057] * 2, abs=1e-3)
    printed = 83.5057 * (4.537361 / 3.730632) ** 2
    assert printed == pytest.approx(123.5259, abs=1e-2)
    odd = histogram(tmp_path, "table", "{linear: [[1, 0, 1, 0]]}")  # Example 2.4: no gain
    assert squared_error(odd, GDP_1, *both) == pytest.approx([3 * 2.0] * 2)
    steep = histogram(
        tmp_path, "{matrix: [[3, 0, 0], [0, 1, 0], [0, 0, 1]]}", "{linear: [[1, 0, 0]]}", cells=3
    )
    assert squared_error(steep, GDP_1, *both) == pytest.approx([2 * 10.0, 2 * 2.0])
    pair = histogram(tmp_path, "table", "total", cells=2)
    laplace: tuple[DesignName, DesignName] = ("projected_laplace", "extended_laplace")
    assert squared_error(pair, PURE_1, *laplace) == pytest.approx([8, 4])


def test_row_99_the_deviation_of_a_cell_under_the_total(tmp_path: Path) -> None:
    path = histogram(tmp_path, "table", "total", cells=5)
    asked = CalibrationQuestion(str(path), PURE_1, "subspace_dp", ("projected_laplace",))
    design = shown(calibrate(asked, 60, 1e-6, CONFINED), "projected_laplace")
    assert design.max_sd is not None
    assert design.max_sd.value**2 == pytest.approx(2 * 2.0**2 * (1 - 1 / 5))


@pytest.mark.slow
def test_row_102_prefix_sums_of_64_cells(tmp_path: Path) -> None:
    """The correlated noise has less than a tenth of Corollary 3.6's mean squared error."""
    rows = [[int(column <= row) for column in range(64)] for row in range(64)]
    path = histogram(tmp_path, f"{{matrix: {rows}}}", "total", cells=64)
    asked = CalibrationQuestion(
        str(path), GDP_1, names=("extended_gaussian", "correlated_gaussian")
    )
    found = calibrate(asked, 600, 1e-6, CONFINED)
    extended, correlated = found.designs
    assert extended.scale is not None
    assert extended.tight
    assert correlated.tight
    assert correlated.mechanism is not None
    covariance = oracle.matrix_of(correlated.mechanism["gaussian"]["covariance"])
    moves = oracle.steps(64)[::7] @ np.tril(np.ones((64, 64))).T
    assert oracle.gaussian_mu(covariance, moves) <= 1 + 1e-6
    assert np.trace(covariance) < 63 * float(extended.scale) ** 2 / 10


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (spec_text(((1, 0), (0, 0))), "Dₜ has only one dataset"),
        (spec_text(((2, 1), (1, 1)), "mechanism: {zcdp: {rho: 1}}"), "names no query"),
        (
            spec_text(
                ((2, 1), (1, 1)),
                "mechanism: {compose: [{gaussian: {sigma: 1, query: table}}, "
                "{gaussian: {sigma: 1, query: {margins: [[a]]}}}]}",
            ),
            "names 2 queries",
        ),
        (spec_text(((2, 1), (1, 1)), "design: {}"), "query is missing"),
        (
            spec_text(((2, 1), (1, 1)), "design: {query: table}\nmechanism: {gdp: {mu: 1}}"),
            "cannot be combined with mechanism",
        ),
    ],
)
def test_a_spec_that_names_no_query_or_has_no_answer_is_an_error(
    tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=why):
        calibrate(CalibrationQuestion(str(path), GDP_1), 60, 1e-6, CONFINED)


def test_the_query_may_be_that_of_a_mechanism(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    extra = "mechanism: {gaussian: {sigma: 7, query: table}}"
    path.write_text(spec_text(((2, 1), (1, 1)), extra), encoding="utf-8")
    asked = CalibrationQuestion(str(path), GDP_1, names=("algorithm_1",))
    found = calibrate(asked, 60, 1e-6, CONFINED)
    assert shown(found, "algorithm_1").scale == 2
    assert [design.name for design in found.designs] == ["algorithm_1"]
    assert found.naive == "naive_gaussian"


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
    found = calibrate(question, 100, 1e-6, CONFINED)
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


@repeated(fast=6, slow=600)
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
        sized = pairs_oracle.projector(pairs_oracle.null(kept) @ case.asked[:, cells].T)
        variance = covariance.max() / sized.max()
        assert np.allclose(covariance, variance * sized, atol=1e-9 * variance)
        pairs = case.changes(distance)
        if len(pairs):
            loss = pairs_oracle.mu_squared(pairs, covariance)
            assert loss <= 1 + 2e-6
            assert not design.tight or loss >= 1 - 1e-5
        steps = case.steps() @ sized
        mu = max((float(np.linalg.norm(step)) for step in steps), default=0.0) / variance**0.5
        claims = [float(note.split("μ ")[1].split(";")[0]) for note in design.notes if "μ " in note]
        assert claims == [] or mu * (1 - 1e-9) <= claims[0] <= mu * (1 + 1e-5) + 2e-6
