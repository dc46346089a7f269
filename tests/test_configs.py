"""Every shipped config: its audit, its reference, what it leaves out, and its published numbers."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.library.report import audit_of
from tests.audits import shipped_report
from tests.golden.published import golden
from tests.places import CONFIGS, LENGTHY
from tests.samples import lengthy_cases


@cache
def audited(name: str) -> dict[str, Any]:
    """The report of a config as plain data."""
    return shipped_report(CONFIGS / f"{name}.yaml").as_dict()


def guarantee(report: dict[str, Any], framework: str) -> dict[str, Any]:
    found: dict[str, Any] = next(g for g in report["guarantees"] if g["framework"] == framework)
    return found


def epsilons(report: dict[str, Any], framework: str) -> dict[str, float]:
    return {p["conversion"]: p["epsilon"] for p in guarantee(report, framework)["approx_dp"]}


NAMES = sorted(path.stem for path in CONFIGS.glob("*.yaml"))
AUDITED = LENGTHY & {"census2020_pl94_production", "census2020_pl94_without_aian_areas"}
"""Lengthy ones that tests of their published numbers audit anyway; CI audits the others too."""

EVERY = pytest.mark.parametrize(
    "name",
    [
        *(name for name in NAMES if name not in LENGTHY - AUDITED),
        *lengthy_cases(name for name in NAMES if name in LENGTHY - AUDITED),
    ],
)


@EVERY
def test_every_config_can_be_audited_and_says_where_it_is_from(name: str) -> None:
    report = shipped_report(CONFIGS / f"{name}.yaml")
    assert report.exit_code == 0
    if name != "starter":
        assert audit_of(report).release.references
        assert audit_of(report).release.leaves_out
    assert json.loads(report.render("json")) == report.as_dict()


def test_the_census_is_10_24_where_2_56_was_advertised() -> None:
    # Cho and Awan, section 6.1; the certified cks20 numbers beside it.
    report = audited("census2020_pl94")
    assert report["semi_adjacency"]["value"] == 2
    nominal, semi = guarantee(report, "nominal_dp"), guarantee(report, "semi_dp")
    assert nominal["zcdp"]["rho"] == golden("census_rho")
    assert semi["zcdp"]["rho"] == golden("census_rho_semi")
    assert epsilons(report, "nominal_dp") == {
        "bs16": golden("bs16_of_2.56"),
        "cks20": golden("cks20_of_2.56"),
    }
    assert epsilons(report, "semi_dp") == {
        "bs16": golden("bs16_of_10.24"),
        "cks20": golden("cks20_of_10.24"),
    }
    assert [p["conversion"] for p in semi["approx_dp"]] == ["cks20", "bs16"]
    assert all(g["gdp"] is None and g["pure_dp"] is None for g in report["guarantees"])


def test_the_production_allocation_is_sharper_than_its_rho_and_claims_its_lower_ends() -> None:
    # rho = (542/339)^2, published as 2.56, is checked against the 65 parts by total_rho. The ends
    # of epsilon are checked by plain convolution in tests/auditing/test_loss_audits.py.
    report = audited("census2020_pl94_production")
    nominal, group = guarantee(report, "nominal_dp"), guarantee(report, "group_privacy")
    semi = guarantee(report, "semi_dp")
    assert report["complete"]
    assert nominal["zcdp"]["rho"] == pytest.approx((542 / 339) ** 2, rel=1e-15)
    assert semi["zcdp"]["rho"] == pytest.approx(4 * (542 / 339) ** 2, rel=1e-15)
    for row, cks20 in ((nominal, 17.143551), (group, 39.785278)):
        best = row["approx_dp"][0]
        assert best["conversion"] == "loss_distribution"
        assert best["epsilon"] - best["epsilon_lower"] < 2e-6 * best["epsilon"]
        assert epsilons(report, row["framework"])["cks20"] == pytest.approx(cks20, abs=1e-6)
        assert 0.95 * cks20 < best["epsilon"] < 0.97 * cks20
        assert row["operating_points_from"] == "loss_distribution"
    # Inside D_t some queries cannot move (E15): the same upper end, and no lower one.
    assert semi["approx_dp"][0]["epsilon"] == group["approx_dp"][0]["epsilon"]
    assert semi["approx_dp"][0]["epsilon_lower"] is None
    assert {"stronger": "group_privacy", "weaker": "semi_dp", "strict": True} in report["ordering"]


def test_the_production_config_is_the_published_allocation() -> None:
    # Level shares and query shares are fractions over 4099 and over 4097, 4099, 4102 and 2051.
    text = (CONFIGS / "census2020_pl94_production.yaml").read_text("utf-8")
    parts = re.findall(
        r"sigma_squared: (\S+), shifts: \[1, 1\], neighbors: replace_one}}  +# ([^,]+), (\S+)", text
    )
    levels = re.findall(r"    # ([A-Z][A-Za-z ]*): (\S+) of rho", text)
    assert (len(parts), len(levels)) == (65, 6)
    assert sum(Fraction(share) for _, share in levels) == 1
    starts = [i for i, (_, query, _) in enumerate(parts) if query in ("total",) or i == 0]
    for place, (start, (_, level)) in enumerate(zip(starts, levels, strict=True)):
        rest = parts[start : [*starts, 65][place + 1]]
        assert sum(Fraction(share) for _, _, share in rest) == 1
        for square, _, share in rest:
            expected = Fraction(339, 542) ** 2 / (Fraction(level) * Fraction(share))
            assert Fraction(square) == expected


def test_the_census_compares_five_notions_as_the_design_says() -> None:
    report = audited("census2020_pl94")
    found = {
        g["framework"]: (g["universe"], g["adjacency"]["distance"], g["covers_joint_release"],
                         g["zcdp"]["rho"])
        for g in report["guarantees"]
    }  # fmt: skip
    assert found == {
        "nominal_dp": ("D", 1, False, 2.56),
        "group_privacy": ("D", 2, False, 10.24),
        "semi_dp": ("D_t", 2, True, 10.24),
        "subspace_dp": ("D", 1, False, 2.56),
        "invariant_dp": ("D_t", 1, True, 2.56),
    }
    assert all(g["not_protected"] for g in report["guarantees"])
    assert report["ordering"] == [
        {"stronger": "nominal_dp", "weaker": "invariant_dp", "strict": True},
        {"stronger": "group_privacy", "weaker": "semi_dp", "strict": True},
    ]
    assert set(report["statement"]) == {"domain", "scope", "unit", "standard", "intensity"}
    assert all(report["statement"].values())
    assert [finding["rule"] for finding in report["findings"]] == ["SA001"]


@pytest.mark.parametrize(
    ("name", "published", "root"),
    [
        ("census2020_pl94_with_housing", "housing_rho", "1.621728"),
        ("census2020_dhc", "dhc_rho", "3.910243"),
    ],
)
def test_the_other_census_files(name: str, published: str, root: str) -> None:
    # Erratum E11 for the two units of one budget.
    report = audited(name)
    assert guarantee(report, "nominal_dp")["zcdp"]["rho"] == golden(published)
    assert guarantee(report, "semi_dp")["zcdp"]["rho"] == golden(f"{published}_semi")
    note = guarantee(report, "invariant_dp")["note"]
    assert root in note
    assert any("unit" in text for text in report["leaves_out"])


def test_the_housing_tables_add_up_to_2_63_in_both_orders() -> None:
    semi = guarantee(audited("census2020_pl94_with_housing"), "semi_dp")
    assert [a["name"] for a in semi["alternatives"]] == ["composition_first"]
    assert semi["alternatives"][0]["zcdp"]["rho"] == 10.52
    assert epsilons(audited("census2020_pl94_with_housing"), "semi_dp") == {
        "cks20": golden("cks20_of_10.52"),
        "bs16": golden("bs16_of_10.52"),
    }


def test_example_2_has_a_t_2_and_example_3_has_nothing_to_protect() -> None:
    two, three = audited("example2_three_bits"), audited("example3_all_zero")
    assert two["semi_adjacency"]["value"] == 2
    assert two["semi_adjacency"]["definition_13"]["upper"] == 2
    assert guarantee(two, "semi_dp")["gdp"]["mu"] == 2
    assert three["semi_adjacency"]["value"] == 0
    assert three["semi_adjacency"]["covering"]["witness"] is None
    assert guarantee(three, "semi_dp")["approx_dp"] == []
    assert [f["rule"] for f in three["findings"] if f["level"] == "error"] == ["SA003"]


def test_example_5_needs_two_helpers_and_the_balanced_table_one() -> None:
    report = audited("example5_table")
    semi = report["semi_adjacency"]
    assert (semi["covering"]["upper"], semi["definition_13"]["upper"]) == (3, 2)
    assert semi["theorem_16_bound"] == 3
    witness = semi["covering"]["witness"]
    before = {tuple(c["cell"]): c["count"] for c in witness["start"]}
    after = {tuple(c["cell"]): c["count"] for c in witness["end"]}
    change = {c: after.get(c, 0) - before.get(c, 0) for c in before.keys() | after.keys()}
    # The table change of row 27, up to the symmetry of this table: +1 -1 -1 +1.
    assert {change[(1, 1)], change[(2, 2)]} == {1}
    assert {change[(1, 2)], change[(2, 1)]} == {-1}
    assert audited("balanced_table")["semi_adjacency"]["value"] == 2


def test_remark_17s_students_merge_gender_and_major() -> None:
    report = audited("remark17_students")
    assert report["semi_adjacency"]["value"] == 3
    assert report["semi_adjacency"]["theorem_16_bound"] == 3
    semi = guarantee(report, "semi_dp")
    assert semi["pure_dp"]["epsilon"] == 3
    assert semi["advantage"] == golden("advantage_of_group_of_3")


def test_gaos_examples_state_their_units() -> None:
    counties, campus = audited("gao_county_populations"), audited("gao_campus_wifi")
    assert counties["semi_adjacency"]["value"] == 1
    for name in ("semi_dp", "subspace_dp", "nominal_dp"):
        assert guarantee(counties, name)["pure_dp"]["epsilon"] == 0.192
    # The number of people is the same in all of D: there is nothing to disagree on.
    assert guarantee(counties, "nominal_dp")["covers_joint_release"]
    assert campus["semi_adjacency"]["value"] == 3
    mu = guarantee(campus, "semi_dp")["gdp"]["mu"]
    # Row 63: sqrt(3) times the nominal sqrt(2) at distance 3, not Proposition 15's factor 3.
    assert 6**0.5 <= mu < 6**0.5 + 1e-9
    assert campus["sensitivity"]["exact"]
    assert not guarantee(campus, "subspace_dp")["covers_joint_release"]
    for name in ("nominal_dp", "group_privacy"):
        assert guarantee(campus, name)["refused"]
        assert "keeps the invariants" in guarantee(campus, name)["note"]


def test_rows_108_and_109_how_large_gaos_noise_is() -> None:
    (counties,), (campus,) = (
        audited(name)["noise"] for name in ("gao_county_populations", "gao_campus_wifi")
    )
    # 2 b^2 (1 - 1/102) with b = 2 / 0.192, and 299/336 of 14 x 24 x 20 cells (E18, E19).
    assert counties["rank"] == 101
    assert counties["variance"] == pytest.approx(2 * (2 / 0.192) ** 2 * (1 - 1 / 102))
    assert counties["standard_deviation"] == pytest.approx(14.6590, abs=5e-5)
    assert campus["rank"] == 6720 - 740
    assert campus["variance"] == pytest.approx(299 / 336)
    assert campus["standard_deviation"] == pytest.approx(0.943335, abs=1e-6)
    assert campus["expected_l2_squared"] == 5980


def ends(report: dict[str, Any], reading: str) -> tuple[int, int | None]:
    found = report["semi_adjacency"][reading]
    return found["lower"], found["upper"]


@pytest.mark.parametrize("name", ["cyclic_band", "parity_tables"])
def test_structural_zeros_and_overlaps_break_theorem_16(name: str) -> None:
    # Row 28 and erratum E7: 4 in both readings, where p + 1 is 3 for the band's two margins.
    report = audited(name)
    assert ends(report, "covering") == ends(report, "definition_13") == (4, 4)
    assert report["semi_adjacency"]["theorem_16_bound"] is None
    assert [report["semi_adjacency"][key] for key in ("a_min", "a_maxmin")] == [2, 2]
    witness = report["semi_adjacency"]["covering"]["witness"]
    before = {tuple(c["cell"]): c["count"] for c in witness["start"]}
    after = {tuple(c["cell"]): c["count"] for c in witness["end"]}
    assert set(before.values()) == set(after.values()) == {1}
    assert len(before) == len(after) == 4
    assert not before.keys() & after.keys()
    assert guarantee(report, "semi_dp")["gdp"]["mu"] == 4
    names = [a["name"] for a in guarantee(report, "semi_dp")["alternatives"]]
    assert "corollary_18" not in names


def test_two_releases_are_worse_together_than_apart() -> None:
    # Row 32, Remark 22: each alone has 2, both together have 3.
    report = audited("two_releases")
    assert ends(report, "covering") == (3, 3)
    assert guarantee(report, "nominal_dp")["zcdp"]["rho"] == 1
    assert guarantee(report, "semi_dp")["zcdp"]["rho"] == 9
    assert [f["rule"] for f in report["findings"]] == ["SA001", "SA012"]


@pytest.mark.parametrize("alone", [0, 1])
def test_each_of_the_two_releases_alone_has_2(alone: int, tmp_path: Path) -> None:
    head, first, rest = (CONFIGS / "two_releases.yaml").read_text("utf-8").partition("releases:\n")
    body, tail = rest.split("report:\n")
    parts = ["  - invariants:" + part for part in body.split("  - invariants:")[1:]]
    assert len(parts) == 2
    path = tmp_path / "alone.yaml"
    path.write_text(f"{head}{first}{parts[alone]}report:\n{tail}", encoding="utf-8")
    report = semiaudit.audit(path).as_dict()
    assert ends(report, "covering") == (2, 2)
    assert guarantee(report, "semi_dp")["zcdp"]["rho"] == 2


def test_a_block_of_men_discloses_their_sex_whatever_the_noise() -> None:
    # By hand: the joint margin is one feature (Remark 17), and (1002, female) is 0.
    report = audited("all_male_block")
    assert ends(report, "covering") == (2, 2)
    assert report["disclosed"]["constant_groups"] == [
        {"group": ["block 1002"], "attribute": "sex", "level": "male"}
    ]
    assert report["disclosed"]["forced_cells"] == 10
    ranges = {tuple(r["cell"]): (r["low"], r["high"]) for r in report["disclosed"]["cell_ranges"]}
    assert len(ranges) == 60
    assert ranges[1002, "female", 9] == (0, 0)
    assert ranges[1001, "male", 0] == (0, 28)
    assert "SA010" in [f["rule"] for f in report["findings"]]


def test_three_levels_of_geography_and_a_tract_that_is_known_to_be_inhabited() -> None:
    # By hand: two margins with 5 + 6 <= 19 (row 22) give 3; who comes to alaska can move into
    # tract 5, so the bound costs no fourth record.
    report = audited("three_level_geography")
    assert ends(report, "covering") == (3, 3)
    assert ends(report, "definition_13") == (2, 2)
    semi = guarantee(report, "semi_dp")
    assert semi["zcdp"]["rho"] == pytest.approx(9 * 2.56)
    assert report["disclosed"]["cells"] == 16
    assert report["disclosed"]["forced_cells"] == 0
    assert not guarantee(report, "subspace_dp")["refused"]


@EVERY
def test_no_config_needs_time_or_a_solver_to_be_exact(name: str) -> None:
    report = audited(name)
    assert report["complete"]
    semi = report["semi_adjacency"]
    # Where no joint a(t) is claimed, that of the protected unit's invariants is exact.
    own = {**report, "semi_adjacency": semi.get("own", semi)}
    assert ends(own, "covering")[0] == ends(own, "covering")[1]
    assert own["semi_adjacency"]["covering"]["method"] not in ("integer_program", "none")


@EVERY
def test_no_type_ii_error_is_below_what_the_zcdp_of_its_row_proves(name: str) -> None:
    for row in audited(name)["guarantees"]:
        rho = (row["zcdp"] or {}).get("rho")
        if rho is None or rho == "inf":
            continue
        for point in row["tradeoff"]:
            proven = float(semiaudit.ZCDP(rho).guarantee().type_ii(point["type_i"]))
            assert point["type_ii"] >= proven * (1 - 1e-6), row["framework"]


def test_a_state_without_aian_areas_saves_the_query_that_cannot_move() -> None:
    # E15: 1440/4099 * 3773/4097 of rho cannot move inside D_t; epsilon from two independent methods
    # (tests/privacy/loss/test_census.py, docs/census_production.md).
    report = audited("census2020_pl94_without_aian_areas")
    rho = Fraction(542, 339) ** 2
    left = 4 * rho * (1 - Fraction(1440, 4099) * Fraction(3773, 4097))
    semi, group = guarantee(report, "semi_dp"), guarantee(report, "group_privacy")
    assert semi["zcdp"]["rho"] == pytest.approx(float(left), rel=1e-14)
    assert round(float(left), 6) == 6.916909
    assert group["zcdp"]["rho"] == pytest.approx(float(4 * rho), rel=1e-14)
    best = semi["approx_dp"][0]
    assert best["conversion"] == "loss_distribution"
    assert 29.9956084 <= best["epsilon"] <= 29.9956084 * (1 + 1e-6)


def test_ten_views_make_wikimedias_rho_and_page_totals_double_it() -> None:
    # The release: rho 0.015 for ten views of ten pages. By hand: one view moves one count by 1;
    # with the page totals known it takes another view of the page, so two counts move by 1.
    report = audited("wikimedia_country_project_page")
    assert ends(report, "covering") == ends(report, "definition_13") == (2, 2)
    nominal, semi = guarantee(report, "nominal_dp"), guarantee(report, "semi_dp")
    assert 10 * nominal["zcdp"]["rho"] == pytest.approx(0.015, rel=1e-15)
    assert semi["zcdp"]["rho"] == pytest.approx(2 * 0.0015, rel=1e-15)


def test_a_published_number_of_births_costs_nothing_where_a_record_is_replaced() -> None:
    report = audited("israel_live_births_2014")
    assert ends(report, "covering") == (1, 1)
    assert guarantee(report, "semi_dp")["pure_dp"]["epsilon"] == 9.98
    assert guarantee(report, "nominal_dp")["covers_joint_release"]


def test_and_doubles_epsilon_where_one_is_added_or_removed(tmp_path: Path) -> None:
    text = (CONFIGS / "israel_live_births_2014.yaml").read_text("utf-8")
    text = text.replace("  size: 165915\n", "").replace(
        "mechanism:\n", "adjacency: {metric: symmetric_difference}\nmechanism:\n"
    )
    text = text.replace("neighbors: replace_one", "neighbors: add_remove")
    path = tmp_path / "births.yaml"
    path.write_text(text, encoding="utf-8")
    report = semiaudit.audit(path).as_dict()
    assert ends(report, "covering") == (2, 2)
    assert guarantee(report, "semi_dp")["pure_dp"]["epsilon"] == 19.96
    assert guarantee(report, "nominal_dp")["pure_dp"]["epsilon"] == 9.98


def test_exact_numbers_of_reports_cost_something_by_hour_only() -> None:
    # Noise of scale 20 on a histogram: one replaced report moves two counts, 2 / 20.
    once, by_hour = audited("dap_report_count"), audited("dap_time_buckets")
    assert (ends(once, "covering"), ends(by_hour, "covering")) == ((1, 1), (2, 2))
    for report, epsilon in ((once, 0.1), (by_hour, 0.2)):
        assert guarantee(report, "nominal_dp")["pure_dp"]["epsilon"] == 0.1
        assert guarantee(report, "semi_dp")["pure_dp"]["epsilon"] == epsilon


@pytest.mark.parametrize(
    ("name", "epsilon", "delta"),
    [("recurve_energy", 4.72, 5.06e-9), ("released_keys", 0.1, 1e-7)],
)
def test_a_total_and_keys_cost_nothing(name: str, epsilon: float, delta: float) -> None:
    report = shipped_report(CONFIGS / f"{name}.yaml")
    assert report.a_t == 1
    for guaranteed in (report.nominal_dp, report.semi_dp):
        assert float(guaranteed.epsilon(delta)) == pytest.approx(epsilon, rel=1e-12)


def test_the_swapped_households_lose_what_the_slides_say() -> None:
    # b = 264331 at 5 %: 15.4294 a unit (BGM); the nearest tables with the same counts are 2 apart.
    report = audited("swapping_1940_households")
    unit, semi = guarantee(report, "invariant_dp"), guarantee(report, "semi_dp")
    assert unit["pure_dp"]["epsilon"] == pytest.approx(15.4294, abs=5e-5)
    assert "strata of up to 264,331 records" in unit["note"]
    assert report["semi_adjacency"]["value"] == 2
    assert semi["pure_dp"]["epsilon"] == pytest.approx(2 * 15.4294, abs=1e-4)
    for framework in ("nominal_dp", "group_privacy", "subspace_dp"):
        assert guarantee(report, framework)["refused"]
    # Both margins that swapping keeps are stated, so that none was added.
    assert "added" not in report["statement"]["scope"]
