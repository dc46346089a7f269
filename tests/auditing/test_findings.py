"""Budgets, orders and findings: nothing holds without a certified number inside its limit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import semiaudit
from tests.audits import audit_of

SPEC = (
    "semiaudit: 1\ndataspace: {size: 100, attributes: {a: 2, b: 2, c: 2}}\n"
    "invariants: [margin: [a], margin: [b]]\n"
)


def verdicts(folder: Path, mechanism: str, *budgets: str, more: str = "") -> list[dict[str, Any]]:
    lines = "".join(f"  - {{{budget}}}\n" for budget in budgets)
    found = audit_of(folder, SPEC + more + f"mechanism: {mechanism}\nbudgets:\n{lines}")
    budgets_found: list[dict[str, Any]] = found.as_dict()["budgets"]
    assert found.exit_code == (0 if all(b["holds"] for b in budgets_found) else 1)
    return budgets_found


def test_a_budget_holds_at_its_limit_and_not_a_hair_below(tmp_path: Path) -> None:
    found = verdicts(
        tmp_path,
        "{zcdp: {rho: 1/3}}",
        "framework: semi_dp, rho: 3",
        "framework: semi_dp, rho: 2.99999999999999999999",
        "framework: nominal_dp, rho: 1/3",
        "framework: nominal_dp, rho: 0.33333333333333333333",
    )
    assert [b["holds"] for b in found] == [True, False, True, False]


def test_every_measure_can_be_a_budget(tmp_path: Path) -> None:
    # At distance 3: mu 3, delta_3(3) = 0.5667379991, total variation 2 Phi(3/2) - 1 = 0.8663855975.
    found = verdicts(
        tmp_path,
        "{gdp: {mu: 1}}",
        "framework: semi_dp, mu: 3",
        "framework: semi_dp, mu: 2.999",
        "framework: semi_dp, epsilon: 3, delta: 0.566738",
        "framework: semi_dp, epsilon: 3, delta: 0.566737",
        "framework: semi_dp, advantage: 0.866386",
        "framework: semi_dp, advantage: 0.866385",
        "framework: semi_dp, rho: 4.5",
        "framework: semi_dp, epsilon: 100",
        "framework: semi_dp, tpr: 0.91232, fpr: 0.05",
        "framework: semi_dp, tpr: 0.91231, fpr: 0.05",
        "framework: invariant_dp, mu: 4, distance: 4",
        "framework: invariant_dp, mu: 4, distance: 5",
    )
    assert [b["holds"] for b in found] == [
        True, False, True, False, True, False, True, False, True, False, True, False,
    ]  # fmt: skip
    assert found[7]["reason"] == "no epsilon is known for this mechanism"


def test_a_distance_below_a_t_never_holds_in_d_t(tmp_path: Path) -> None:
    found = verdicts(
        tmp_path,
        "{zcdp: {rho: 1}}",
        "framework: semi_dp, rho: 100",
        "framework: invariant_dp, rho: 100, distance: 2",
        "framework: invariant_dp, rho: 100, distance: 3",
        "framework: nominal_dp, rho: 100",
        more="adjacency: {distance: 2}\n",
    )
    assert [b["holds"] for b in found] == [False, False, True, True]


def test_the_literal_reading_is_a_finding_and_uses_its_own_distance(tmp_path: Path) -> None:
    found = audit_of(
        tmp_path, SPEC + "adjacency: {reading: definition_13}\nmechanism: {zcdp: {rho: 1}}\n"
    ).as_dict()
    assert found["semi_adjacency"]["value"] == 2
    assert {"SA001", "SA005"} <= {finding["rule"] for finding in found["findings"]}
    semi = next(g for g in found["guarantees"] if g["framework"] == "semi_dp")
    assert semi["zcdp"]["rho"] == 4
    assert [a["name"] for a in semi["alternatives"]] == ["corollary_18"]
    assert semi["alternatives"][0]["zcdp"]["rho"] == 9


def test_an_open_interval_is_a_finding_and_its_upper_end_is_used(tmp_path: Path) -> None:
    names = [f"a{i}" for i in range(10)]
    text = (
        f"semiaudit: 1\ndataspace: {{attributes: {{{', '.join(f'{n}: 2' for n in names)}}}}}\n"
        f"invariants: [{', '.join(f'margin: [{n}]' for n in names)}]\n"
        f"data: {{margins: {{{', '.join(f'{n}: [15, 35]' for n in names)}}}}}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    found = audit_of(tmp_path, text).as_dict()
    covering = found["semi_adjacency"]["covering"]
    assert covering["lower"] < covering["upper"] == found["semi_adjacency"]["value"]
    assert covering["witness"]["distance"] == covering["lower"]
    assert "SA007" in {finding["rule"] for finding in found["findings"]}
    semi = next(g for g in found["guarantees"] if g["framework"] == "semi_dp")
    assert semi["zcdp"]["rho"] == covering["upper"] ** 2


def test_without_invariants_all_notions_are_equal(tmp_path: Path) -> None:
    found = audit_of(
        tmp_path,
        "semiaudit: 1\ndataspace: {size: 9}\nmechanism: {zcdp: {rho: 1, neighbors: replace_one}}\n",
    ).as_dict()
    assert len(found["ordering"]) == 12
    assert not any(order["strict"] for order in found["ordering"])
    assert found["findings"] == []


def test_what_everyone_shares_is_told(tmp_path: Path) -> None:
    found = audit_of(
        tmp_path,
        "semiaudit: 1\ndataspace: {attributes: {sex: [f, m], a: 2, b: 2}}\n"
        "invariants: [margin: [sex], margin: [a]]\n"
        "data: {margins: {sex: {f: 0, m: 9}, a: [4, 5]}}\nmechanism: {zcdp: {rho: 1}}\n",
    ).as_dict()
    assert found["disclosed"]["constant_attributes"] == [{"attribute": "sex", "level": "m"}]
    messages = {f["rule"]: f["message"] for f in found["findings"]}
    assert "everyone has sex = m" in messages["SA004"]


def test_what_everyone_shares_is_told_where_the_size_is_free(tmp_path: Path) -> None:
    found = audit_of(
        tmp_path,
        "semiaudit: 1\ndataspace: {attributes: {sex: [f, m], a: 2}}\n"
        "invariants: [count: {where: {sex: f}}]\n"
        "data: {counts: [[0, 0], [2, 3]]}\nadjacency: {metric: symmetric_difference}\n"
        "mechanism: {zcdp: {rho: 1}}\n",
    ).as_dict()
    assert found["disclosed"]["constant_attributes"] == [{"attribute": "sex", "level": "m"}]
    assert found["disclosed"]["cell_ranges"] == [
        {"cell": ["f", 0], "low": 0, "high": 0},
        {"cell": ["f", 1], "low": 0, "high": 0},
        {"cell": ["m", 0], "low": 0, "high": None},
        {"cell": ["m", 1], "low": 0, "high": None},
    ]
    messages = {f["rule"]: f["message"] for f in found["findings"]}
    assert "everyone has sex = m" in messages["SA004"]


def test_what_everyone_shares_is_told_of_listed_datasets(tmp_path: Path) -> None:
    found = audit_of(
        tmp_path,
        "semiaudit: 1\ndataspace: {product: {size: 2, values: [0, 1]}}\n"
        "invariants: [statistic: {name: sum, of: value}]\n"
        "data: {dataset: [0, 0]}\nmechanism: {zcdp: {rho: 1}}\n",
    ).as_dict()
    assert found["disclosed"]["constant_attributes"] == [{"attribute": "value", "level": 0}]


@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming", "symmetric_difference"])
@pytest.mark.parametrize(
    "invariants",
    [
        "margin: [a], margin: [b]",
        "margin: [a, b], margin: [b, c], margin: [a, c]",
        "count: {where: {a: 0}}",
        "total",
    ],
)
def test_no_path_tells_of_an_attribute_with_one_level(
    metric: str, invariants: str, tmp_path: Path
) -> None:
    for size in ("size: 4, ", ""):
        if invariants.startswith("count") and not size and metric != "symmetric_difference":
            continue
        found = audit_of(
            tmp_path,
            f"semiaudit: 1\ndataspace: {{{size}attributes: {{a: 2, b: 1, c: 2}}}}\n"
            f"invariants: [{invariants}]\ndata: {{counts: [[[2, 0]], [[0, 2]]]}}\n"
            f"adjacency: {{metric: {metric}}}\nmechanism: {{zcdp: {{rho: 1}}}}\n",
        ).as_dict()
        assert found["disclosed"]["constant_attributes"] == []
        assert "SA004" not in {f["rule"] for f in found["findings"]}


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_public_api_renders_every_format(form: str, tmp_path: Path) -> None:
    found = audit_of(tmp_path, SPEC + "mechanism: {zcdp: {rho: 1}}\n")
    assert found.render(form)
    assert len(semiaudit.audit_many([tmp_path / "spec.yaml"] * 2)) == 2
    with pytest.raises(ValueError, match="no format"):
        found.render("xml")


@pytest.mark.parametrize(
    ("levels", "alike"),
    [
        (["Orl\u00e9ans", "Orle\u0301ans"], True),
        (["a", "\u212b", "b", "\u00c5"], True),  # the sign of the unit, and the letter
        (["\u1e69", "s\u0307\u0323"], True),  # marks in another order
        (["Orl\u00e9ans", "Orleans"], False),
        (["a", "A", "\uff41", "a "], False),
    ],
)
def test_levels_that_differ_in_their_unicode_form_are_a_finding(
    levels: list[str], alike: bool
) -> None:
    spec = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"town": levels}, "size": 9},
        "mechanism": {"zcdp": {"rho": 1, "neighbors": "replace_one"}},
    }
    found = [f for f in semiaudit.audit(spec).as_dict()["findings"] if f["rule"] == "SA039"]
    assert len(found) == alike
    assert all(finding["level"] == "error" for finding in found)
