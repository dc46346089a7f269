"""Releases side by side: orders that Definition 20 has, reasons where it has none, reports."""

from __future__ import annotations

import csv
import io
import json
import random
import sys
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from semiaudit import Comparison, Laplace, PureDP, SemiauditError, SpecError, audit, compare, sample
from semiaudit.cli import main
from semiaudit.commands.compare.standings import adds_noise
from semiaudit.library.spec_argument import release_of
from semiaudit.model.data_source import Access
from semiaudit.model.mechanism import Composition
from tests.places import CONFIGS, ROOT
from tests.report.text.test_shield import assert_inert

SCHEMA = json.loads((ROOT / "docs" / "compare.schema.json").read_text("utf-8"))
SPACE: dict[str, Any] = {"size": 8, "attributes": {"sex": ["f", "m"], "degree": ["no", "yes"]}}
FREE: dict[str, Any] = {
    "semiaudit": 1,
    "title": "mu one",
    "dataspace": SPACE,
    "mechanism": {"gdp": {"mu": 1}},
    "report": {"deltas": ["1e-6"], "alphas": ["0.05"]},
}
SEX: list[Any] = [{"margin": ["sex"]}]
COUNTS = {"counts": [[1, 2], [3, 2]]}
NINE = {"counts": [[1, 2], [3, 3]]}
NO_F, MOVED = [{"sex": "f", "degree": "yes"}], {"counts": [[3, 0], [3, 2]]}
PURE = {**FREE, "mechanism": {"pure_dp": {"epsilon": 1}}}


def report_file(folder: Path, spec: dict[str, Any], name: str = "report.json") -> Path:
    path = folder / name
    path.write_text(audit(spec).render("json"), "utf-8")
    return path


def standing(found: Comparison, framework: str = "semi_dp") -> dict[str, Any]:
    plain = found.as_dict()
    Draft202012Validator(SCHEMA).validate(plain)
    (one,) = [s for s in plain["standings"] if s["framework"] == framework]
    return dict(one)


def test_example_6_the_same_function_on_fewer_pairs_is_strictly_weaker() -> None:
    # (D_t, A_2, f composed twice) < (D, A_2, the same).
    inside = {**FREE, "invariants": SEX}
    everywhere = {**FREE, "adjacency": {"distance": 2}}
    found = compare(inside, everywhere)
    told = standing(found)
    assert (told["order"], told["strict"], told["obstacles"]) == ("weaker", True, [])
    assert found.order("A", "B") == "weaker"
    assert found.order("B", "A") == "stronger"
    said = "A covers fewer pairs than B, with no better bounds; A's are upper bounds"
    assert found.explain("B", "A").startswith(said)


def test_mechanisms_are_releases_without_invariants() -> None:
    """Of pure DP, Laplace noise, and their composition, only what one implies is ordered."""
    declared, noise = PureDP("1/2"), Laplace(2)
    found = compare(declared, noise, noise + declared)
    assert found.order("B", "A") == "stronger"
    assert found.order("C", "B") == "weaker"
    assert found.as_dict()["releases"][1]["spec"]["title"] == "Laplace(scale=2)"
    alone = {"semiaudit": 1, "dataspace": {}, "mechanism": {"laplace": {"scale": 2, "shifts": [1]}}}
    assert compare(noise, alone).order("A", "B") == "equal"


def test_row_30_a_larger_distance_and_a_smaller_universe_are_not_ordered() -> None:
    # (D, A_1, f) against (D_t, A_2, f composed twice).
    told = standing(compare(FREE, {**FREE, "invariants": SEX}))
    assert (told["order"], told["obstacles"]) == ("none", ["pairs"])


def test_row_30_the_gaussian_and_pure_dp_cross_at_places_that_are_named() -> None:
    found = compare(FREE, PURE)
    told = standing(found)
    assert (told["order"], told["obstacles"]) == ("none", ["crossing"])
    points = {side: told[f"{side}_lower_at"] for side in ("first", "second")}
    g_1, pure = audit(FREE).semi_dp.tradeoff, audit(PURE).semi_dp.tradeoff
    assert None not in points.values()
    for side, lower, higher in (("first", g_1, pure), ("second", pure, g_1)):
        at = str(points[side])
        assert float(lower([at]).type_ii[0]) < float(higher([at]).type_ii[0])
    assert "cross" in found.render()


@pytest.mark.parametrize(
    ("other", "obstacles"),
    [
        ({"dataspace": {**SPACE, "unit": "household"}}, ["unit"]),
        ({"dataspace": {**SPACE, "size": 9}, "data": NINE}, ["domain"]),
        ({"dataspace": {**SPACE, "impossible": NO_F}, "data": MOVED}, ["domain"]),
        ({"adjacency": {"metric": "multiset_hamming"}}, ["metric"]),
        (
            {
                "dataspace": {**SPACE, "size": 9, "unit": "household"},
                "adjacency": {"metric": "multiset_hamming"},
                "data": NINE,
            },
            ["domain", "unit", "metric"],
        ),
        ({"invariants": [{"margin": ["degree"]}]}, ["universe"]),
        ({"invariants": SEX, "data": {"counts": [[0, 3], [3, 2]]}}, []),
        ({"invariants": SEX, "data": {"counts": [[2, 2], [2, 2]]}}, ["universe"]),
    ],
)
def test_what_keeps_two_releases_from_being_ordered(
    other: dict[str, Any], obstacles: list[str]
) -> None:
    first = {**FREE, "invariants": SEX, "data": COUNTS}
    told = standing(compare(first, {**first, "data": COUNTS, **other}))
    assert told["obstacles"] == obstacles
    assert told["order"] == ("none" if obstacles else "equal")
    assert told["explanation"]


def test_more_invariants_with_the_same_values_are_fewer_pairs() -> None:
    keys = {**FREE, "invariants": [*SEX, {"keys": ["degree"]}], "data": COUNTS}
    sex = {**FREE, "invariants": SEX, "data": COUNTS}
    told = standing(compare(keys, sex), "invariant_dp")
    assert (told["order"], told["strict"]) == ("weaker", None)
    without_values = {**FREE, "invariants": SEX}
    assert standing(compare(sex, without_values), "invariant_dp")["order"] == "weaker"


def test_a_bound_is_weaker_only_as_stated() -> None:
    # A declared rho claims what it says, and all that follows from it.
    small = {**FREE, "mechanism": {"zcdp": {"rho": "1/2"}}}
    told = standing(compare({**FREE, "invariants": SEX}, {**small, "invariants": SEX}))
    assert told["order"] == "stronger"
    assert told["explanation"] == "B claims no more than A guarantees"
    stated = standing(compare(FREE, small), "nominal_dp")
    assert (stated["order"], stated["weaker_is_a_bound"]) == ("stronger", False)


@pytest.mark.parametrize("delta", ["0.19", "0.185"])
def test_one_claim_is_no_better_than_two_that_imply_no_more_at_distance_1(delta: str) -> None:
    """δ = .1 twice is δ = .19 at distance 1, and 1 - .8^2 = .36 at distance 2; δ = .19 is .38."""
    one, two = (
        {**FREE, "invariants": SEX, "mechanism": m}
        for m in (
            {"approx_dp": {"epsilon": 0, "delta": delta}},
            {"approx_dp": {"epsilon": 0, "delta": "0.1"}, "repeat": 2},
        )
    )
    assert float(audit(one).semi_dp.delta(0)) == pytest.approx(2 * float(delta))
    assert float(audit(two).semi_dp.delta(0)) == pytest.approx(0.36)
    assert standing(compare(one, two))["order"] == "weaker"
    assert standing(compare(one, two), "nominal_dp")["order"] in ("stronger", "equal")


def test_measures_of_other_kinds_are_not_ordered_by_their_numbers() -> None:
    told = standing(compare(PURE, {**FREE, "mechanism": {"zcdp": {"rho": "1/10"}}}))
    assert (told["order"], told["obstacles"]) == ("none", ["bounds"])
    assert "the upper bound on ε at δ = 1e-6 is smaller for A" in told["explanation"]
    assert "that on ρ for B" in told["explanation"]


def test_the_numbers_are_those_of_separate_audits() -> None:
    found = compare(FREE, PURE).as_dict()
    for release, spec in zip(found["releases"], (FREE, PURE), strict=True):
        alone = audit(spec).as_dict()
        assert release["statement"] == alone["statement"]
        for row, wanted in zip(release["guarantees"], alone["guarantees"], strict=True):
            assert row == {key: value for key, value in wanted.items() if key != "alternatives"}


def test_all_specs_are_asked_at_the_deltas_of_each() -> None:
    other = {**PURE, "report": {"deltas": ["1e-9"]}}
    found = compare(FREE, other).as_dict()
    for release in found["releases"]:
        deltas = {point["delta"] for point in release["guarantees"][0]["approx_dp"]}
        assert deltas == {1e-6, 1e-9}


def test_a_report_says_what_it_holds_and_no_more(tmp_path: Path) -> None:
    path = report_file(tmp_path, FREE)
    found = compare({**FREE, "report": {"deltas": ["1e-9"]}}, path)
    assert found.order("A", "B") == "equal"
    held = found.as_dict()["releases"][1]
    assert held["from_report"]
    assert held["guarantees"] == [
        {key: value for key, value in row.items() if key != "alternatives"}
        for row in json.loads(path.read_text("utf-8"))["guarantees"]
    ]
    rows = list(csv.DictReader(io.StringIO(found.render("csv"))))
    sides = {row["side"] for row in rows if row["release"] == "B" and row["measure"] == "rho"}
    assert sides == {"upper"}


def test_numbers_of_a_report_are_no_smaller_than_what_was_printed(tmp_path: Path) -> None:
    spec = {**FREE, "mechanism": {"laplace": {"scale": 1, "query": "table"}}}
    told = standing(compare(spec, report_file(tmp_path, spec)), "nominal_dp")
    assert (told["order"], told["obstacles"]) == ("none", ["bounds"])
    assert "all upper bounds that both have are equal" in told["explanation"]


def _swapped(section: dict[str, Any], space: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"semiaudit": 1, "dataspace": space, "mechanism": {"swapping": section}, **more}


def test_strata_that_are_told_by_their_sizes_tell_no_universe() -> None:
    """Two swaps may keep other counts: that both keep some makes no pair of theirs the same."""
    bare = {"unit": "household"}
    at_two = {"adjacency": {"distance": 2}}
    for other in ({"rate": "0.5", "largest_stratum": 1000}, {"rate": "0.5", "strata": [7, 100]}):
        one = _swapped({"rate": "0.5", "largest_stratum": 100}, bare, **at_two)
        found = compare(one, _swapped(other, bare, **at_two))
        for framework in ("semi_dp", "invariant_dp"):
            told = standing(found, framework)
            assert (told["order"], told["obstacles"]) == ("none", ["universe"])


def test_swaps_of_the_same_data_are_ordered_by_their_rates_and_others_are_not() -> None:
    space = {"attributes": {"s": 2, "w": 3, "r": 3}}
    counts = {"counts": [[[1, 2, 0], [0, 1, 0], [1, 0, 0]], [[0, 1, 0], [2, 0, 0], [0, 0, 0]]]}
    few, many = (
        _swapped({"rate": rate, "stratify_by": ["s"], "swap": ["w"]}, space, data=counts)
        for rate in ("0.1", "0.4")
    )
    for framework in ("semi_dp", "invariant_dp"):
        assert standing(compare(few, many), framework)["order"] == "weaker"
    other = _swapped({"rate": "0.4", "stratify_by": [], "swap": ["w"]}, space, data=counts)
    told = standing(compare(few, other), "semi_dp")
    assert (told["order"], told["obstacles"]) == ("none", ["universe"])


def test_the_universe_of_a_report_is_not_known(tmp_path: Path) -> None:
    path = report_file(tmp_path, {**FREE, "invariants": SEX, "data": COUNTS})
    told = standing(compare({**FREE, "invariants": SEX, "data": COUNTS}, path))
    assert (told["order"], told["obstacles"]) == ("none", ["universe"])
    assert "does not contain the values" in told["explanation"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"complete": "yes"}, "complete is no boolean"),
        ({"extra": 1}, "a key that is not known"),
        ({"schema_version": 2}, "schema_version is not 1"),
        ({"guarantees": [{}]}, "lacks"),
    ],
)
def test_a_report_that_does_not_fit_its_schema_is_refused(
    change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = report_file(tmp_path, FREE)
    report = json.loads(path.read_text("utf-8")) | change
    path.write_text(json.dumps(report), "utf-8")
    with pytest.raises(SpecError, match=told) as refused:
        compare(FREE, path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("text", ['{"schema_version": 1', '{"schema_version": NaN}', "[]", ""])
def test_what_is_neither_a_spec_nor_a_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, "utf-8")
    with pytest.raises(SpecError, match=r"x\.json"):
        compare(FREE, path)


def test_a_report_that_is_no_json_is_told_as_a_report_with_its_place(tmp_path: Path) -> None:
    path = report_file(tmp_path, FREE)
    whole = path.read_text("utf-8")
    rho = '"rho": ' + str(json.loads(whole)["guarantees"][0]["zcdp"]["rho"])
    assert rho in whole
    for number in ("NaN", "Infinity", "-Infinity"):
        path.write_text(whole.replace(rho, f'"rho": {number}'), "utf-8")
        with pytest.raises(SpecError) as refused:
            compare(FREE, path)
        assert f"contains {number}, which is not a JSON number" in str(refused.value)
    path.write_text(whole.replace('"complete": true,', '"complete": true,,'), "utf-8")
    line = whole[: whole.index('"complete"')].count("\n") + 1
    with pytest.raises(SpecError, match="is not a JSON report of `semiaudit analyze`: ") as refused:
        compare(FREE, path)
    assert f"{path}:{line}:" in str(refused.value)


def test_from_two_to_twenty_six() -> None:
    with pytest.raises(SemiauditError, match="needs 2 to 26"):
        compare(FREE)
    with pytest.raises(SemiauditError, match="there are 27"):
        compare(*[FREE] * 27)


def test_a_release_without_semi_dp_is_shown_and_ends_with_2() -> None:
    listed = {
        **FREE,
        "dataspace": {"datasets": [["0", "0", "0"], ["0", "0", "1"], ["1", "1", "1"]]},
        "adjacency": {"distance": 2},
    }
    found = compare(FREE, listed)
    assert found.exit_code == 2
    assert "no effective guarantee is proven" in found.refusals[0]
    assert standing(found)["obstacles"] == ["refused"]


def test_the_census_releases_speak_of_other_units_and_both_lines_of_e11_stand_there() -> None:
    names = ("census2020_pl94", "census2020_pl94_with_housing")
    found = compare(*[CONFIGS / f"{name}.yaml" for name in names])
    rho = {
        (Path(release["spec"]["path"]).stem, row["framework"]): row["zcdp"]["rho"]
        for release in found.as_dict()["releases"]
        for row in release["guarantees"]
    }
    # E11: per unit of distance, and at distance 2.
    assert (rho[names[1], "invariant_dp"], rho[names[1], "semi_dp"]) == (2.63, 10.52)
    assert (rho[names[0], "invariant_dp"], rho[names[0], "semi_dp"]) == (2.56, 10.24)
    assert standing(found)["obstacles"] == ["unit"]


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "latex", "json"])
def test_words_of_strangers_are_inert(form: str) -> None:
    name = "=a|b\\input{x}"
    hostile = {
        **FREE,
        "title": "=cmd|' /C calc'!A0 \\input{x} ::error::",
        "dataspace": {"size": 9, "unit": "::error::x", "attributes": {name: ["=1", "::b"]}},
        "invariants": [{"margin": [name]}],
    }
    out = compare(hostile, FREE, hostile).render(form)
    assert_inert(out, form)


def test_an_unknown_format_and_unknown_names_are_refused() -> None:
    found = compare(FREE, PURE)
    with pytest.raises(ValueError, match="no format 'docx'"):
        found.render("docx")
    known = "the releases are A, B, and the privacy definitions are .*semi_dp"
    with pytest.raises(KeyError, match=f"no order of 'A' and 'C' in 'semi_dp'; {known}"):
        found.order("A", "C")
    with pytest.raises(KeyError, match=f"no order of 'A' and 'B' in 'no_dp'; {known}"):
        found.explain("A", "B", "no_dp")


def on_table(kind: str, **values: Any) -> dict[str, Any]:
    noise = {kind: {**values, "query": "table"}}
    return {**FREE, "invariants": SEX, "data": COUNTS, "mechanism": noise}


def claimed(**values: Any) -> dict[str, Any]:
    return {**FREE, "invariants": SEX, "mechanism": values}


@pytest.mark.parametrize(
    ("less", "more", "order"),
    [
        (claimed(zcdp={"rho": 4}), claimed(zcdp={"rho": 1}), "weaker"),
        (claimed(pure_dp={"epsilon": 4}), claimed(pure_dp={"epsilon": 1}), "weaker"),
        (on_table("gaussian", sigma=1), on_table("gaussian", sigma=2), "weaker"),
        (on_table("laplace", scale=1), on_table("laplace", scale="1.1"), "weaker"),
        (on_table("discrete_laplace", scale=1), on_table("discrete_laplace", scale=3), "weaker"),
        # delta(1.75) is .1325 for the first and .1581 for the second
        (
            on_table("discrete_gaussian", sigma_squared=".3"),
            on_table("discrete_gaussian", sigma_squared=".5"),
            "none",
        ),
        (on_table("laplace", scale=1), on_table("discrete_laplace", scale=3), "none"),
        (
            on_table("laplace", scale=1),
            {**on_table("laplace", scale=3), "invariants": [{"margin": ["degree"]}]},
            "none",
        ),
    ],
)
def test_claims_and_noise_of_two_scales_are_ordered(
    less: dict[str, Any], more: dict[str, Any], order: str
) -> None:
    told = standing(compare(less, more))
    assert (told["order"], told["weaker_is_a_bound"]) == (order, False)
    back = {"weaker": "stronger", "none": "none"}[order]
    assert standing(compare(more, less))["order"] == back


def test_errors_of_the_same_margins_stand_next_to_each_other() -> None:
    noises = on_table("gaussian", sigma=2), on_table("laplace", scale=2)
    releases = compare(*noises, by=[["sex"]]).as_dict()["releases"]
    Draft202012Validator(SCHEMA).validate(compare(*noises, PURE).as_dict())
    (gaussian, of_sex), (laplace, _) = (
        sorted(release["errors"], key=lambda error: -error["counts"]) for release in releases
    )
    # by hand: 1.96 sigma; -b ln .05; the mean of |x| is sigma sqrt(2 / pi), and b
    assert gaussian["standard_deviation"] == pytest.approx(2)
    assert gaussian["margin_of_error"] == pytest.approx(2 * 1.959964, rel=1e-6)
    assert laplace["standard_deviation"] == pytest.approx(8**0.5)
    assert laplace["margin_of_error"] == pytest.approx(2 * 2.995732, rel=1e-6)
    assert laplace["mean_absolute_error"] == pytest.approx(2)
    assert of_sex["standard_deviation"] == pytest.approx(8**0.5)
    with pytest.raises(SpecError, match="place is not an attribute"):
        compare(*noises, by=[["place"]])


def test_errors_of_swapping_are_those_of_the_records_that_it_writes() -> None:
    """The errors of one run are those of the records of a sample with the same seed."""
    true = {(a, b, c): 1 + (3 * a + 2 * b + c) % 5 for a, b, c in product(range(3), repeat=3)}
    counts = [[[true[a, b, c] for c in range(3)] for b in range(3)] for a in range(3)]
    section = {"rate": 0.4, "stratify_by": ["a"], "swap": ["b"]}
    swapped: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "attributes": {"a": 3, "b": 3, "c": 3}},
        "invariants": [{"margin": ["a", "b"]}, {"margin": ["a", "c"]}],
        "data": {"counts": counts},
        "mechanism": {"swapping": section},
    }
    noisy = {**swapped, "mechanism": {"laplace": {"scale": 1, "query": "table"}}}
    asked: dict[str, Any] = {"by": [["b", "c"]], "runs": 1}
    releases = compare(noisy, swapped, **asked, show_values=True).as_dict()["releases"]
    assert [(e["stage"], e["runs"]) for e in releases[0]["errors"]] == [("noisy", None)] * 2
    cells, of_margin = releases[1]["errors"]
    rows = csv.DictReader(io.StringIO(sample(swapped, seed=0).to_csv()))
    after = {tuple(int(row[name]) for name in "abc"): int(row["count"]) for row in rows}
    errors = {cell: after.get(cell, 0) - count for cell, count in true.items()}
    assert any(errors.values())
    assert cells["standard_deviation"] ** 2 == pytest.approx(
        sum(error**2 for error in errors.values()) / 27
    )
    sums = [sum(errors[a, b, c] for a in range(3)) for b, c in product(range(3), repeat=2)]
    assert of_margin["mean_absolute_error"] == pytest.approx(sum(map(abs, sums)) / 9)
    hidden = compare(noisy, swapped, **asked).as_dict()["releases"][1]
    assert hidden["errors"] == []
    assert any("--show-values" in note for note in hidden["error_notes"])


def test_errors_of_a_hierarchical_release_are_those_of_its_most_accurate_query() -> None:
    """A count of sigma^2 has the variance 1 / (2 rho); a county's total has the largest rho."""
    rows = [["level", "query", "rho"], ["county", "total", "1/8"], ["county", "sex", "1/32"]]
    spine = [{"level": "nation"}, {"level": "county", "attribute": "county"}]
    queries = {"total": [], "sex": "sex"}
    release: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"county": ["n", "s", "w"], "sex": ["f", "m"]}},
        "mechanism": {"topdown": {"spine": spine, "queries": queries, "allocation": rows}},
    }
    found = compare(release, release, by=[["county"]]).as_dict()["releases"]
    for one in found:
        variances = {tuple(e["by"]): e["standard_deviation"] ** 2 for e in one["errors"]}
        expected = {("county", "sex"): 32, ("county",): 8}
        assert variances == pytest.approx(expected, rel=1e-6)


def mechanism_of(kind: str, **values: Any) -> Any:
    release, _ = release_of(on_table(kind, **values), Access(".", (), False))
    return release.mechanism


def test_laplace_noise_of_a_larger_scale_is_the_sum_that_its_order_rests_on() -> None:
    chance = random.Random(3)
    step = 1e-3
    y = np.arange(-40, 40, step)
    for _ in range(40):
        a, b = sorted(chance.uniform(0.2, 3) for _ in range(2))
        x, none = chance.uniform(-4, 4), a**2 / b**2
        density = {s: np.exp(-np.abs(x - y) / s) / (2 * s) for s in (a, b)}
        other = np.exp(-np.abs(y) / b) / (2 * b)
        total = (
            none * np.exp(-abs(x) / a) / (2 * a) + (1 - none) * np.sum(density[a] * other) * step
        )
        assert total == pytest.approx(np.exp(-abs(x) / b) / (2 * b), rel=1e-4)


def test_noise_is_added_to_the_same_answers_only() -> None:
    more, less = mechanism_of("laplace", scale=3), mechanism_of("laplace", scale=1)
    assert adds_noise(more, less)
    assert not adds_noise(less, more)
    for other in (
        mechanism_of("gaussian", sigma=1),
        mechanism_of("laplace", scale=1, support="null_space"),
        replace(less, query=None, shifts=(Fraction(1),)),
    ):
        assert not adds_noise(more, other)
    assert not adds_noise(Composition(((more, 2),)), Composition(((less, 1),)))
    assert adds_noise(Composition(((more, 2),)), Composition(((less, 2),)))


def test_releases_have_the_names_of_their_files(tmp_path: Path) -> None:
    texts = {"one.yaml": 1, "two.yaml": 2, "a_release_with_a_long_name.yaml": 3}
    for name, mu in texts.items():
        (tmp_path / name).write_text(SPEC.replace("mu: 1", f"mu: {mu}"), "utf-8")
    found = compare(*(tmp_path / name for name in texts))
    names = [release["name"] for release in found.as_dict()["releases"]]
    assert names[:2] == ["one", "two"]
    assert len(names[2]) <= 24
    assert found.order("one", "two") == "stronger"
    again = compare(tmp_path / "one.yaml", tmp_path / "one.yaml")
    assert again.order("A", "B") == "equal"


def first_line(found: Comparison) -> str:
    return found.render("text", width=500).splitlines()[0]


def test_smaller_bounds_of_the_same_kind_of_noise_are_no_proof() -> None:
    # Discrete Gaussian noise is not closed under sums: more of it is not proven to hide more.
    noise = {"discrete_gaussian": {"sigma_squared": 6, "query": "table"}}
    more, less = ({**FREE, "invariants": SEX, "mechanism": deepcopy(noise)} for _ in range(2))
    less["mechanism"]["discrete_gaussian"]["sigma_squared"] = 4
    found = compare(less, more)
    assert found.order("A", "B") == "none"
    assert first_line(found).startswith("B has the smaller bounds (effective ρ ")
    assert first_line(found).endswith("but it is not proven that B protects more.")
    assert "not comparable" not in found.render("text")


def test_the_verdict_says_whether_an_order_is_missing_or_only_not_proven() -> None:
    pure_against_zcdp = compare(PURE, {**FREE, "mechanism": {"zcdp": {"rho": "1/10"}}})
    unproven = "It is not proven which of A and B protects more: the upper bound on "
    assert first_line(pure_against_zcdp).startswith(unproven)
    units = compare(FREE, {**FREE, "dataspace": {**FREE["dataspace"], "unit": "household"}})
    assert "are not comparable: different units (" in first_line(units)


def test_several_pairs_are_counted_with_those_that_are_not_proven() -> None:
    zcdp = {**FREE, "mechanism": {"zcdp": {"rho": "1/10"}}}
    pairs = "The effective guarantees of 1 of 3 pairs of releases are ordered."
    assert first_line(compare(PURE, zcdp, zcdp)) == f"{pairs} For 2, no order is proven."


Capture = pytest.CaptureFixture[str]
SPEC = "semiaudit: 1\ndataspace: {size: 5, attributes: {a: 2}}\nmechanism: {gdp: {mu: 1}}\n"


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC, "utf-8")
    return str(path)


def test_a_spec_from_standard_input_beside_a_file(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    text = SPEC.replace("mu: 1", "mu: 2").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["compare", spec, "-", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [release["spec"]["path"] for release in found["releases"]] == [spec, "-"]
    assert {standing["order"] for standing in found["standings"]} == {"stronger"}


def test_a_report_from_standard_input(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert main(["analyze", spec, "--format", "json"]) == 0
    report = capsys.readouterr().out.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(report)))
    assert main(["compare", "-", spec, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [release["from_report"] for release in found["releases"]] == [True, False]
    assert {standing["order"] for standing in found["standings"]} == {"equal"}


def test_every_format_is_written_beside_what_is_printed(
    spec: str, tmp_path: Path, capsys: Capture
) -> None:
    forms = ("text", "json", "markdown", "csv", "latex")
    wanted = [tmp_path / f"out.{form}" for form in forms]
    outputs = [
        word for form, path in zip(forms, wanted, strict=True) for word in ("-o", f"{form}={path}")
    ]
    assert main(["compare", spec, spec, *outputs]) == 0
    assert capsys.readouterr().out.startswith("The effective guarantees of A and B are equal.\n")
    assert all(path.stat().st_size for path in wanted)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{spec}"], "needs 2 to 26"),
        (["-", "-"], "only one release can come from standard input"),
        (["{spec}", "missing.yaml"], "missing.yaml"),
        (["{spec}", "{spec}", "-o", "json={spec}"], "would overwrite"),
        (["{spec}", "{spec}", "-o", "sarif=x"], "-o sarif=x"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_compared_is_told(
    words: list[str], told: str, spec: str, capsys: Capture
) -> None:
    assert main(["compare", *(word.format(spec=spec) for word in words)]) == 2
    out = capsys.readouterr()
    assert told in out.err
    assert out.out == ""
