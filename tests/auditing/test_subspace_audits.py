"""Whole audits of noise that keeps the invariants: rows 17, 36, 38 and 40, E2, E5 and E9."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semiaudit import audit
from semiaudit.cli import main
from tests.audits import report, rows
from tests.municipalities import nested
from tests.oracles import subspace_densities as oracle
from tests.oracles.subspace_noise import Matrix, SmallCase, lattice_renyi
from tests.samples import sampled
from tests.universe.sensitivity.test_spellings import drawn

AT_3 = "adjacency: {distance: 3}\n"
CLUSTERS = (
    "semiaudit: 1\ndataspace:\n  size: 2\n  attributes: {cell: 4}\n"
    "invariants: [{linear: [[0, 1, 2, 0], [1, 1, 1, 1]]}]\n"
    "data: {counts: [0, 2, 0, 0]}\n"
)


def centred(levels: int) -> np.ndarray:
    return np.eye(levels) - np.ones((levels, levels)) / levels


def fractions(levels: int) -> list[list[Fraction]]:
    return [[Fraction(i == j) - Fraction(1, levels) for j in range(levels)] for i in range(levels)]


def covariance(levels: int, variance: Fraction, folder: Path) -> str:
    """Algorithm 1's: the variance times the projector on tables without margins."""
    p = fractions(levels)
    cells = list(product(range(levels), repeat=2))
    lines = [
        ",".join(str(variance * p[i][k] * p[j][m]) for k, m in cells) for i, j in cells
    ]  # fmt: skip
    (folder / "covariance.csv").write_text("\n".join(lines) + "\n")
    return "covariance.csv"


def test_row_36_algorithm_1_meets_its_mu(tmp_path: Path) -> None:
    # 2x2: Delta_2 = 2, so sigma = 2 is mu = 1, said in three ways.
    name = covariance(2, Fraction(4), tmp_path)
    for mechanism in (
        "{gaussian: {sigma: 2, support: sensitivity_space, query: table}}",
        "{gaussian: {sigma: 2, support: null_space, query: table}}",
        f"{{gaussian: {{covariance: {name}, query: table}}}}",
    ):
        found = rows(tmp_path, TWO_BY_TWO + f"mechanism: {mechanism}\n")
        assert found["semi_dp"]["gdp"] == {"mu": 1, "regret": 0}
        # Row 17: a step projected on null(C) has the squared length 1 - 1/4 - ... = 1 here.
        steps = [np.eye(4)[i] - np.eye(4)[j] for i in range(4) for j in range(i)]
        kept = np.kron(centred(2), centred(2))
        longest = max(float(u @ kept @ u) for u in steps) ** 0.5 / 2
        for notion in ("subspace_dp", "invariant_dp"):
            assert found[notion]["gdp"]["mu"] == pytest.approx(longest)
        assert found["nominal_dp"]["refused"]
        assert "keeps the invariants" in found["nominal_dp"]["note"]


def test_rows_36_and_40_the_printed_sensitivity_under_noises_three_by_three_tables(
    tmp_path: Path,
) -> None:
    # E2: Algorithm 1 with the printed Delta_2 = 2 at distance 3 is sqrt(6)/2 times too loud.
    name = covariance(3, Fraction(4), tmp_path)
    for mechanism in (
        "{gaussian: {sigma: 2, support: sensitivity_space, query: table}}",
        f"{{gaussian: {{covariance: {name}, query: table}}}}",
    ):
        found = rows(tmp_path, THREE_BY_THREE + AT_3 + f"mechanism: {mechanism}\n")
        assert found["semi_dp"]["gdp"]["mu"] == pytest.approx(6**0.5 / 2)


def test_row_38_the_hull_of_d_t_loses_its_epsilon(tmp_path: Path) -> None:
    hull = "mechanism: {k_norm: {epsilon: 1, norm: {hull: D_t}, query: table}}\n"
    two, three = rows(tmp_path, TWO_BY_TWO + hull), rows(tmp_path, THREE_BY_THREE + AT_3 + hull)
    for found in (two, three):
        assert found["semi_dp"]["pure_dp"]["epsilon"] == 1
        assert found["nominal_dp"]["refused"]
        assert found["group_privacy"]["refused"]
    # 2x2: the noise is Laplace(1) times one table, which is a basis of one row.
    basis = "mechanism: {laplace: {scale: 1, basis: [[1, -1, -1, 1]], query: table}}\n"
    assert rows(tmp_path, TWO_BY_TWO + basis)["semi_dp"]["approx_dp"] == two["semi_dp"]["approx_dp"]


@pytest.mark.parametrize("square", ["1/2", "1"])
def test_erratum_5_the_rho_of_lattice_noise_is_that_of_its_points(
    square: str, tmp_path: Path
) -> None:
    mechanism = (
        f"{{discrete_gaussian: {{sigma_squared: {square}, support: null_space, query: table}}}}"
    )
    found = rows(tmp_path, TWO_BY_TWO + f"mechanism: {mechanism}\n")
    rho = found["semi_dp"]["zcdp"]["rho"]
    assert rho == 4 / (2 * Fraction(square))
    assert found["semi_dp"]["gdp"] is None
    assert found["subspace_dp"]["refused"]
    margins = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    box = np.array(list(product(range(-9, 10), repeat=4)))
    points = box[~np.any(box @ margins.T, axis=1)].astype(float)
    assert len(points) == 19
    move, variance = np.array([1.0, -1, -1, 1]), float(Fraction(square))
    for order in (1.01, 1.5, 2, 2.5, 3):
        divergence = lattice_renyi(points, move, variance, order)
        assert divergence <= order * rho + 1e-9
        if order in (2, 3):
            assert divergence == pytest.approx(order * rho)


def test_lattices_of_more_than_one_dimension(tmp_path: Path) -> None:
    spec = (
        "semiaudit: 1\ndataspace: {size: 4, attributes: {a: 3}}\ninvariants: [total]\n"
        "mechanism: {discrete_gaussian: {sigma_squared: 1/2, support: null_space, query: table}}\n"
    )
    rho = rows(tmp_path, spec)["semi_dp"]["zcdp"]["rho"]
    assert rho == 2
    box = np.array(list(product(range(-8, 9), repeat=3)))
    points = box[box.sum(axis=1) == 0].astype(float)
    for order in (1.01, 1.7, 2, 3):
        divergence = lattice_renyi(points, np.array([1.0, -1, 0]), 0.5, order)
        assert divergence <= order * rho + 1e-9
        assert (divergence > order * rho - 1e-9) == (order in (2, 3))


def test_erratum_9_a_support_that_publishes_a_part_of_d_t_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The tables (0, 2, 0, 0), (1, 0, 1, 0) and (0, 0, 1, 1) agree on the sums; the first is 2 away.
    spec = CLUSTERS + "adjacency: {distance: 1}\nmechanism: "
    path = tmp_path / "spec.yaml"
    path.write_text(spec + "{gaussian: {sigma: 1, support: sensitivity_space, query: table}}\n")
    assert main(["analyze", str(path), "--format", "json"]) == 2
    found = {row["framework"]: row for row in json.loads(capsys.readouterr().out)["guarantees"]}
    for name in ("semi_dp", "invariant_dp"):
        assert found[name]["refused"]
        assert "E9" in found[name]["note"]
    null_space = "{gaussian: {sigma: 1, support: null_space, query: table}}\n"
    assert rows(tmp_path, spec + null_space)["semi_dp"]["gdp"]["mu"] == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("mechanism", "why"),
    [
        ("{gaussian: {sigma: 1, support: null_space, query: {margins: [[a]]}}}", "not linear"),
        ("{gaussian: {covariance: [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], "
         "query: table}}", "does not cover"),
        ("{laplace: {scale: 1, basis: [[1, 0, 0, -1]], query: table}}", "does not cover"),
    ],
)  # fmt: skip
def test_noise_that_covers_too_little_is_refused(
    mechanism: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(TWO_BY_TWO + f"mechanism: {mechanism}\n")
    assert main(["analyze", str(path), "--format", "json"]) == 2
    found = {row["framework"]: row for row in json.loads(capsys.readouterr().out)["guarantees"]}
    assert found["semi_dp"]["refused"]
    assert why in found["semi_dp"]["note"]


def test_empty_levels_leave_the_sensitivity_space(tmp_path: Path) -> None:
    # Nobody has a = 2, so that S spans less than null(C), where a step into that level leads.
    spec = (
        "semiaudit: 1\ndataspace: {attributes: {a: 3, b: 2}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}]\ndata: {margins: {a: [2, 2, 0], b: [2, 2]}}\n"
        "mechanism: {gaussian: {sigma: 1, support: SUPPORT, query: table}}\n"
    )
    found = {
        support: report(tmp_path, spec.replace("SUPPORT", support))
        for support in ("sensitivity_space", "null_space")
    }
    guarantees: Any = {
        support: {row["framework"]: row for row in told["guarantees"]}
        for support, told in found.items()
    }
    for told in guarantees.values():
        assert told["semi_dp"]["gdp"]["mu"] == 2
    assert "leaves the support" in guarantees["sensitivity_space"]["subspace_dp"]["note"]
    assert guarantees["null_space"]["subspace_dp"]["gdp"]["mu"] > 0
    assert [found[s]["noise"][0]["rank"] for s in ("sensitivity_space", "null_space")] == [1, 2]


@pytest.mark.parametrize(
    ("counts", "mu", "told"),
    [
        ([[1, 1, 0], [1, 0, 1], [0, 1, 1]], 1.0, "μ is the exact loss per unit of distance"),
        (
            [[50, 1, 40], [1, 30, 61], [70, 1, 1]],
            (4 / 3) ** 0.5,
            "an upper bound on the loss per unit of distance",
        ),
    ],
)
def test_the_loss_per_unit_is_a_supremum_where_d_t_is_listed_and_says_which_it_is(
    counts: list[list[int]], mu: float, told: str, tmp_path: Path
) -> None:
    # Four cells that change at distance 2 are 2 long; six at distance 3 only sqrt(6). One record,
    # projected on the null space of both margins, changes by sqrt(4/3).
    spec = (
        "semiaudit: 1\ndataspace: {unit: person, attributes: {a: 3, b: 3}}\n"
        f"invariants: [{{margin: [a]}}, {{margin: [b]}}]\ndata: {{counts: {counts}}}\n"
        "mechanism: {gaussian: {sigma: 1, query: table, support: null_space}}\n"
    )
    found = rows(tmp_path, spec)["invariant_dp"]
    assert found["gdp"]["mu"] == pytest.approx(mu)
    assert told in found["note"]


def test_a_public_bound_is_no_row_of_c_and_takes_tables_out_of_d_t(tmp_path: Path) -> None:
    # All margins are 2, so that the first cell is 0, 1 or 2, and tables are 2 long for each by
    # which it differs. The null space is that of the margins, with the bound and without.
    spec = (
        "semiaudit: 1\ndataspace: {unit: person, attributes: {a: 2, b: 2}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}BOUND]\ndata: {counts: [[1, 1], [1, 1]]}\n"
        "adjacency: {distance: 4}\n"
        "mechanism: {gaussian: {sigma: 2, query: table, support: null_space}}\n"
    )
    bound = ", {bound: {where: {a: 0, b: 0}, at_least: 1}}"
    plain, bounded = (rows(tmp_path, spec.replace("BOUND", more)) for more in ("", bound))
    assert [found["semi_dp"]["gdp"]["mu"] for found in (plain, bounded)] == [2, 1]
    assert [found["subspace_dp"]["gdp"]["mu"] for found in (plain, bounded)] == [0.5, 0.5]
    assert [found["invariant_dp"]["gdp"]["mu"] for found in (plain, bounded)] == [0.5, 0.5]
    assert bounded["nominal_dp"]["refused"]


def test_the_rows_of_c_are_those_that_are_stated() -> None:
    """With four records a count that is all of one level's tells the other level too; C has its one
    row, by which a record that goes to the other level leaves what the noise covers."""
    found = audit(
        {
            "semiaudit": 1,
            "dataspace": {
                "size": 4,
                "attributes": {"a": 2, "b": 2},
                "impossible": [{"a": 1, "b": 0}],
            },
            "invariants": [{"count": {"where": {"a": 0, "b": 0}}}],
            "data": {"counts": [[0, 0], [0, 4]]},
            "mechanism": {
                "k_norm": {
                    "epsilon": "3/2",
                    "norm": {"hull": "D_t"},
                    "query": {"margins": [["a"], ["b"]]},
                }
            },
        }
    )
    assert found.semi_dp.pure_epsilon is not None
    assert float(found.semi_dp.pure_epsilon) == 1.5
    assert found.subspace_dp.refused


@pytest.mark.parametrize("data", ["", "data: {counts: [[3, 1], [1, 1]]}\n"])
def test_which_levels_occur_is_told_by_their_margin(tmp_path: Path, data: str) -> None:
    """The keys are a function of the margin, so that T stays linear; alone they are not."""
    text = (
        "semiaudit: 1\ndataspace: {size: 6, attributes: {a: 2, b: 2}}\n"
        "invariants: [%s]\n" + data + "mechanism: {gaussian: {sigma: 1, query: table, "
        "support: null_space}}\n"
    )
    plain, both, alone = (
        rows(tmp_path, text % told)
        for told in ("{margin: [a]}", "{margin: [a]}, {keys: [a]}", "{keys: [a]}")
    )
    for name in ("semi_dp", "subspace_dp", "invariant_dp"):
        assert both[name]["gdp"] == plain[name]["gdp"]
        assert both[name]["gdp"]
        assert alone[name]["refused"]
        assert "not linear" in alone[name]["note"]


def test_noise_without_a_null_space_is_refused_where_nothing_moves_at_distance_1(
    tmp_path: Path,
) -> None:
    """Datasets of one size are never 1 apart in symmetric difference; T is not linear in b's
    margin all the same, so that there is nothing for the noise to be projected on."""
    found = rows(
        tmp_path,
        "semiaudit: 1\ndataspace: {size: 3, attributes: {a: 2, b: 2}}\n"
        "invariants: [total, {linear: [[0, 2, 2, 1]]}]\ndata: {counts: [[1, 0], [1, 1]]}\n"
        "adjacency: {metric: symmetric_difference}\n"
        "mechanism: {gaussian: {sigma: 1, query: {margins: [[a], [b]]}, support: null_space}}\n",
    )
    assert found["semi_dp"]["refused"]
    assert "not linear" in found["semi_dp"]["note"]


@pytest.mark.parametrize(
    ("told", "mu"),
    [
        ("{margin: [a]}", 0),
        ("{count: {where: {a: 0}}}, {count: {where: {a: 1}}}, {count: {where: {a: 2}}}", 0),
        ("{linear: [[1, 1, 0], [0, 1, 1], [1, 0, 1], [2, 2, 2]]}", 0),
        # By hand: e_0 - e_2 without its part along e_0 (or e_1) is -e_2, of length 1.
        ("{count: {where: {a: 0}}}, {count: {where: {a: 1}}}", 1),
        ("{count: {where: {a: [1, 2]}}}, {count: {where: {a: [0, 2]}}}", None),
        ("total, {count: {where: {a: 0}}}, {count: {where: {a: 1}}}", 0),
        ("{linear: [[1, 0, 0], [2, 0, 0]]}, {count: {where: {a: 1}}}", 1),
    ],
)
def test_one_d_t_in_seven_spellings_is_projected_as_each_is_stated(
    tmp_path: Path, told: str, mu: float | None
) -> None:
    """Two records on three levels, one dataset of D_t in all of them; sigma is 1."""
    text = (
        "semiaudit: 1\ndataspace: {size: 2, attributes: {a: 3}}\n"
        f"invariants: [{told}]\ndata: {{counts: [1, 1, 0]}}\n"
        "mechanism: {gaussian: {sigma: 1, query: table}}\n"
    )
    found = rows(tmp_path, text)["subspace_dp"]["gdp"]["mu"]
    if mu is None:
        # The rows are (0, 1, 1) and (1, 0, 1), whose null space is the line of (1, 1, -1): of
        # e_0 - e_2 it keeps 2/3 (1, 1, -1).
        mu = 2 / 3**0.5
    assert found == pytest.approx(mu)


TWO_BY_TWO = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\n"
    "invariants: [{margin: [a]}, {margin: [b]}]\n"
    "data: {margins: {a: [2, 2], b: [2, 2]}}\n"
)
THREE_BY_THREE = (
    "semiaudit: 1\ndataspace: {attributes: {a: 3, b: 3}}\n"
    "invariants: [{margin: [a]}, {margin: [b]}]\n"
    "data: {margins: {a: [3, 3, 3], b: [3, 3, 3]}}\n"
)
STATES = (
    "semiaudit: 1\ndataspace: {size: 6, attributes: {state: 2, voting: 2}}\n"
    "invariants: [{margin: [state]}]\ndata: {margins: {state: [3, 3]}}\n"
)


def test_row_36_gaussian_noise_on_a_two_by_two_table(tmp_path: Path) -> None:
    # All margins n/2, so a(t) = 2: S_Semi has Delta_2 = 2 against sqrt 2 in D.
    found = rows(tmp_path, TWO_BY_TWO + "mechanism: {gaussian: {sigma: 1, query: table}}\n")
    assert found["nominal_dp"]["gdp"]["mu"] == pytest.approx(2**0.5)
    assert found["semi_dp"]["gdp"]["mu"] == 2
    assert found["group_privacy"]["gdp"]["mu"] == pytest.approx(8**0.5)
    (other,) = [a for a in found["semi_dp"]["alternatives"] if a["name"] == "proposition_15"]
    assert other["gdp"]["mu"] == pytest.approx(8**0.5)
    assert {p["conversion"] for p in found["semi_dp"]["approx_dp"]} >= {"gaussian_exact", "cks20"}


def test_row_63_three_by_three_tables_at_distance_3(tmp_path: Path) -> None:
    mechanism = "adjacency: {distance: 3}\nmechanism: {gaussian: {sigma: 1, query: table}}\n"
    found = rows(tmp_path, THREE_BY_THREE + mechanism)
    assert found["nominal_dp"]["zcdp"]["rho"] == 1
    assert found["semi_dp"]["zcdp"]["rho"] == 3
    assert found["invariant_dp"]["zcdp"]["rho"] == 1


def test_row_33_laplace_noise_on_a_two_by_two_table(tmp_path: Path) -> None:
    for kind in ("laplace", "discrete_laplace"):
        found = rows(tmp_path, TWO_BY_TWO + f"mechanism: {{{kind}: {{scale: 1, query: table}}}}\n")
        assert found["nominal_dp"]["pure_dp"]["epsilon"] == 2
        assert found["semi_dp"]["pure_dp"]["epsilon"] == 4


@pytest.mark.parametrize(("norm", "epsilon"), [("hull", 2), ("l1", 2), ("l2", 2**0.5), ("linf", 1)])
def test_k_norm_mechanisms_on_a_two_by_two_table(norm: str, epsilon: float, tmp_path: Path) -> None:
    mechanism = f"mechanism: {{k_norm: {{epsilon: 1, norm: {norm}, query: table}}}}\n"
    found = rows(tmp_path, TWO_BY_TWO + mechanism)
    assert found["nominal_dp"]["pure_dp"]["epsilon"] == 1
    assert found["semi_dp"]["pure_dp"]["epsilon"] == pytest.approx(epsilon)


def test_erratum_15_a_query_that_is_a_function_of_the_invariants(tmp_path: Path) -> None:
    mechanism = "mechanism: {discrete_gaussian: {sigma_squared: 1, query: {margins: [[state]]}}}\n"
    found = rows(tmp_path, STATES + mechanism)
    assert found["nominal_dp"]["zcdp"]["rho"] == 1
    assert found["semi_dp"]["zcdp"]["rho"] == 0
    assert found["semi_dp"]["pure_dp"]["epsilon"] == 0
    assert "E15" in found["semi_dp"]["note"]


def test_row_62_two_people_of_one_state_who_move_together(tmp_path: Path) -> None:
    found = rows(
        tmp_path, STATES + "mechanism: {discrete_gaussian: {sigma_squared: 1, query: table}}\n"
    )
    assert found["semi_dp"]["adjacency"]["distance"] == 2
    assert found["semi_dp"]["zcdp"]["rho"] == 4 * found["nominal_dp"]["zcdp"]["rho"] == 4
    assert found["semi_dp"]["gdp"]["mu"] > 8**0.5
    assert found["semi_dp"]["gdp"]["regret"] > 0


def test_subspace_dp_projects_gaussian_noise(tmp_path: Path) -> None:
    # The kernel of both margins of a 2x2 table is spanned by v = (1, -1, -1, 1), of squared norm 4:
    # e_i - e_j becomes (v_i - v_j) v / 4, of squared norm at most 2^2 / 4 = 1.
    found = rows(tmp_path, TWO_BY_TWO + "mechanism: {gaussian: {sigma: 1, query: table}}\n")
    assert found["subspace_dp"]["gdp"]["mu"] == 1
    margin = "mechanism: {gaussian: {sigma: 1, query: {margins: [[a]]}}}\n"
    refused = rows(tmp_path, TWO_BY_TWO + margin)["subspace_dp"]
    assert refused["refused"]
    assert "not linear in the query" in refused["note"]


def test_a_matrix_says_the_same_as_the_query_it_spells_out(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1,0,0,0\n0,1,0,0\n0,0,1,0\n0,0,0,1\n")
    queries = ("table", "{matrix: rows.csv}", "{matrix: [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}")
    found = [
        rows(tmp_path, TWO_BY_TWO + f"mechanism: {{gaussian: {{sigma: 2, query: {query}}}}}\n")
        for query in queries
    ]
    assert found[0] == found[1] == found[2]


def test_budgets_are_held_against_the_better_number(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    text = TWO_BY_TWO + "mechanism: {gaussian: {sigma: 1, query: table}}\nbudgets:\n"
    path.write_text(text + "  - {framework: semi_dp, mu: 2}\n")
    assert main(["analyze", str(path)]) == 0
    path.write_text(text + "  - {framework: semi_dp, mu: 1.999999999999}\n")
    assert main(["analyze", str(path)]) == 1


# The whole campaign: python -m pytest -m slow tests/auditing/test_subspace_audits.py

NUMBER = 60
CHUNK = 4
MOST_TABLES = 60
DELTAS = ["0.3", "0.1", "0.01", "1e-4"]
KINDS = ["discrete_gaussian", "laplace", "k_norm"]
NOISE = {
    "discrete_gaussian": "discrete_gaussian: {{sigma_squared: 1/2, support: {support}",
    "laplace": "laplace: {{scale: 2, support: {support}",
    "k_norm": "k_norm: {{epsilon: 3/2, norm: {{hull: D_t}}",
}
ROUGH = {"discrete_gaussian": 1e-6, "laplace": 1e-5, "k_norm": 1e-3}
"""How far a summed delta may lie above the true one: what a sum misses, and the grid of a plane."""


def delta_of(
    kind: str, case: SmallCase, inside: Matrix, support: str, pairs: Matrix, epsilon: float
) -> float | None:
    """The largest delta of the noise over some changes; None where it is not summed."""
    span = inside if support == "sensitivity_space" else case.kept
    if not np.any(span) or (kind == "k_norm" and not len(inside)):
        return None
    if kind == "discrete_gaussian":
        return oracle.lattice_delta(span, 0.5, pairs, epsilon)
    if kind == "laplace":
        return oracle.laplace_delta(span, 2.0, pairs, epsilon)
    return oracle.hull_delta(inside, 1.5, pairs, epsilon)


@pytest.mark.parametrize(("kind", "seed"), sampled(product(KINDS, range(NUMBER)), (0, NUMBER)))
def test_no_epsilon_is_below_what_densities_say(kind: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(f"densities-{kind}-{seed}")
    for _ in range(CHUNK):
        release = drawn(rng)
        while not 2 <= len(release.case.tables) <= MOST_TABLES:
            release = drawn(rng)
        case, support = release.case, rng.choice(["null_space", "sensitivity_space"])
        mechanism = f"{NOISE[kind].format(support=support)}, query: {release.query}}}"
        told = rows(
            tmp_path,
            f"{release.text}mechanism: {{{mechanism}}}\n"
            f"report: {{deltas: [{', '.join(DELTAS)}]}}\n",
        )
        inside = case.changes(told["semi_dp"]["adjacency"]["distance"] or 1)
        compared: dict[str, Matrix] = {
            "semi_dp": inside,
            "invariant_dp": case.changes(1),
            "subspace_dp": case.steps() @ case.kept,
        }
        for name, pairs in compared.items():
            if told[name]["refused"] or not len(pairs):
                continue
            different = np.unique(np.round(pairs, 12), axis=0)
            for delta in map(float, DELTAS):
                # The tightest conversion stands first.
                row = next(row for row in told[name]["approx_dp"] if row["delta"] == delta)
                if not isinstance(row["epsilon"], int | float):
                    continue
                found = delta_of(kind, case, inside, support, different, row["epsilon"])
                if found is not None:
                    assert found <= row["delta"] * (1 + 1e-3) + ROUGH[kind], (name, row)


def test_totals_by_state_are_sums_of_counts_by_municipality(tmp_path: Path) -> None:
    query = "{margins: [[municipality, age, sex, ethnicity]]}"
    mechanism = f"mechanism: {{gaussian: {{sigma: 2, support: null_space, query: {query}}}}}\n"
    # An exchange between two states moves four counts by one, or two by two: 8 / 2^2.
    found = rows(tmp_path, nested(more=mechanism))["semi_dp"]
    assert found["gdp"]["mu"] == pytest.approx(2**0.5, rel=1e-9)
