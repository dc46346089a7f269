"""Few deltas have a table each; many stand in one, and none of their numbers is lost."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import ApproxPoint, FrameworkGuarantee, GuaranteeRow, Numbers
from semiaudit.report.blocks.epsilon_tables import FEW, epsilon_grids
from semiaudit.report.blocks.headline import attack_grids
from semiaudit.spec.schema import MOST_RATES
from tests.audits import audit_of

SPEC = """\
semiaudit: 1
dataspace: {size: 9, attributes: {a: 2, b: 2}}
invariants: [margin: [a]]
mechanism: {approx_dp: {epsilon: 1, delta: 1e-6}}
"""


def upper(value: int) -> Bound:
    return Bound(Fraction(value), "upper", "", "")


CKS20, BS16 = "Canonne, Kamath, Steinke 2020", "Bun, Steinke 2016"


def row(framework: FrameworkName, points: dict[tuple[int, str], int]) -> GuaranteeRow:
    """A row with an epsilon at 1/delta by a conversion, and as many operating points as deltas."""
    found = tuple(
        ApproxPoint(Fraction(1, delta), upper(epsilon), conversion)
        for (delta, conversion), epsilon in points.items()
    )
    deltas = list(dict.fromkeys(point.delta for point in found))
    powers = tuple((delta, upper(place)) for place, delta in enumerate(deltas))
    guarantee = FrameworkGuarantee(framework, "D", "hamming", 1, (), False, "")
    numbers = Numbers(None, None, None, found, (), upper(1), powers, "gaussian_exact")
    return GuaranteeRow(guarantee, numbers)


def rows(deltas: int) -> list[GuaranteeRow]:
    places = range(2, deltas + 2)
    semi = {(d, name): d * k for d in places for k, name in ((10, "cks20"), (20, "bs16"))}
    return [row("nominal_dp", {(d, "pure"): d for d in places}), row("semi_dp", semi),
            row("subspace_dp", {})]  # fmt: skip


def test_few_deltas_have_a_table_each_with_a_row_a_guarantee() -> None:
    grids = epsilon_grids(rows(FEW))
    assert len(grids) == FEW
    for place, grid in enumerate(grids, start=2):
        assert grid.columns == ("privacy definition", "pure DP", CKS20, BS16)
        assert grid.rows == (
            ("Advertised DP", str(place), "-", "-"),
            ("Semi-DP (effective)", "-", str(10 * place), str(20 * place)),
            ("Subspace DP", "-", "-", "-"),
        )


def test_many_deltas_stand_in_two_tables_whatever_their_number() -> None:
    leading, tightest = epsilon_grids(rows(MOST_RATES))
    assert leading.columns == ("δ", CKS20, BS16)
    assert [line[1:] for line in leading.rows] == [
        (str(10 * d), str(20 * d)) for d in range(2, MOST_RATES + 2)
    ]
    assert tightest.columns == ("δ", "Advertised DP", "Semi-DP (effective)")
    assert [line[1:] for line in tightest.rows] == [
        (str(d), str(10 * d)) for d in range(2, MOST_RATES + 2)
    ]
    assert all(leading.numeric)
    assert all(tightest.numeric)


def test_many_type_i_errors_are_rows_and_few_are_columns() -> None:
    (few,) = attack_grids(rows(FEW)[:2], caveats=True)
    assert len(few.columns) == FEW + 2
    advantage, powers = attack_grids(rows(FEW + 1)[:2], caveats=True)
    assert advantage.columns == ("privacy definition", "advantage")
    assert powers.columns == ("FPR", "Advertised DP", "Semi-DP (effective)")
    assert [line[1] for line in powers.rows] == [str(place) for place in range(FEW + 1)]
    assert attack_grids([], caveats=True) == []


def test_a_refused_semi_dp_leaves_the_other_guarantees_their_table() -> None:
    (only,) = epsilon_grids(rows(FEW + 1)[:1])
    assert only.columns == ("δ", "Advertised DP")


@pytest.mark.parametrize("width", [80, 120])
def test_two_hundred_deltas_and_alphas_are_read_and_fit_the_screen(
    width: int, tmp_path: Path
) -> None:
    places = [f"{place}/{MOST_RATES + 1}" for place in range(1, MOST_RATES + 1)]
    rates = ", ".join(places)
    text = f"{SPEC}report: {{deltas: [{rates}], alphas: [{rates}]}}\n"
    found = audit_of(tmp_path, text)
    assert len({p["delta"] for p in found.as_dict()["guarantees"][2]["approx_dp"]}) == MOST_RATES
    lines = found.render("text", width=width).splitlines()
    assert len(lines) < 4 * MOST_RATES
    grid = lines[lines.index("ε by privacy definition at 200 values of δ") :]
    assert all(len(line) <= width for line in grid[: MOST_RATES + 3])
