"""Whole audits of noise on queries: rows 33, 40, 62 and 63 and E15, from the spec to the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.audits import rows

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


def test_budgets_are_held_against_the_better_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    text = TWO_BY_TWO + "mechanism: {gaussian: {sigma: 1, query: table}}\nbudgets:\n"
    path.write_text(text + "  - {framework: semi_dp, mu: 2}\n")
    assert main(["analyze", str(path)]) == 0
    path.write_text(text + "  - {framework: semi_dp, mu: 1.999999999999}\n")
    assert main(["analyze", str(path)]) == 1
    assert "a(t) steps of distance 1" in capsys.readouterr().out
