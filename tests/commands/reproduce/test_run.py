"""Every published result beside ours: each verdict, and that the comparison can fail."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import mpmath
import pytest
from jsonschema import Draft202012Validator

from semiaudit.cli import main
from semiaudit.commands.reproduce import published_results as published
from semiaudit.commands.reproduce import results
from semiaudit.commands.reproduce.model import (
    Estimate,
    Ours,
    Published,
    Reproduction,
    ReproductionEntry,
)
from semiaudit.commands.reproduce.published_results import (
    DATA,
    names_of,
    published_results,
    reproduced,
    tasks,
)
from semiaudit.commands.reproduce.results import ours_of, reproduction
from semiaudit.commands.reproduce.view import ours_text
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.report import Layout
from tests.golden.published import PUBLISHED
from tests.places import ROOT
from tests.samples import lengthy_cases

Capture = pytest.CaptureFixture[str]

DIFFERENT = {
    "cho-awan-definitions": {
        "rank_of_the_projector": "E21",
        "two_parts_are_joined": "E9",
        "advantage_where_definition_1_fails": "E37",
        "rho_of_pure_dp_1000": "E42",
        "delta_at_lemma_40_of_2.56": "E16",
        "delta_at_lemma_40_of_10.24": "E16",
    },
    "cho-awan-distances": {
        "example_5_definition_13": "E1",
        "parity_tables": "E7",
        "cyclic_band": "E7",
        "remark_14_definition_13": "E1",
    },
    "cho-awan-sensitivity": {
        "elements_3x3_at_3": "E2",
        "elements_3x4_at_3": "E2",
        "elements_4x4_at_3": "E2",
        "l1_3x3_at_3": "E2",
        "l2_3x3_at_3": "E2",
        "mu_2x2_at_2": "E10",
        "mu_2x2_at_3": "E10",
        "mu_3x3_at_2": "E10",
        "mu_3x3_at_3": "E10",
    },
    "cho-awan-calculus": {"rho_of_pure_dp_1": "E42", "rho_of_pure_dp_1_at_distance_2": "E42"},
    "cho-awan-census": {"cks20_of_2.56": "E16", "cks20_of_10.24": "E16"},
    "cho-awan-factor": {
        "compensated_state": "E15",
        "exchanged_state": "E15",
        "exchanged_nation": "E15",
        "compensated_both": "E15",
        "exchanged_both": "E15",
        "together_total": "E15",
        "compensated_total": "E15",
        "exchanged_total": "E15",
    },
    "cho-awan-noise": {"l1_grows": "E8", "linf_grows": "E8"},
    "cho-awan-canonical": {"lemma_36_at_quarter": "E25"},
    "cho-awan-test": {
        "threshold": "E3",
        "p_value": "E3",
        "power_at_1.5": "E3",
        "power_at_2": "E3",
        "power_at_4": "E3",
        "power_at_8": "E3",
    },
    "cho-awan-figure-2": {f"ours_{k}": "E2" for k in range(3, 11)} | {"mu_as_printed": "E2"},
    "cho-awan-figure-3": {"ours_3": "E2", "epsilon_as_printed": "E2"},
    "su-table-1": {},
    "su-orders": {},
    "su-clt": {"certified_1": "E6", "certified_01": "E6", "certified_005": "E6"},
    "su-dp-sgd": {"edgeworth": "E6", "gridded": "E6", "certified": "E6"},
    "su-shuffling": {},
    "su-census": {},
    "su-accounting": {},
    "gao-lemma-3-4": {
        "constant": "E4",
        "squared_error": "E4",
        "delta_of_1_1e-12": "E4",
        "delta_of_10_1e-5": "E4",
        "delta_of_5_1e-6": "E4",
    },
    "gao-lemma-3-4-limits": {f"limit_at_1e-{p}": "E4" for p in (*range(2, 11), 12, 15)}
    | dict.fromkeys(("delta_of_1_1e-15", "delta_of_0.5_1e-15"), "E4"),
    "gao-errors": {"a_t_of_proposition_2_9": "E33"},
    "gao-5-1": {},
    "gao-5-2": {
        "deviation": "E18",
        "deviation_median": "E18",
        "deviation_low": "E18",
        "deviation_high": "E18",
    },
    "bailie-swapping": {
        "stratum_of_2": "E13",
        "stratum_of_3": "E13",
        "stratum_of_4": "E13",
        "uniform_of_4": "E14",
    },
    "bailie-strata": {
        "stratum_of_3_at_half": "E13",
        "uniform_4_at_0.9": "E14",
        "uniform_4_at_0.5": "E14",
        "uniform_3_at_0.01": "E14",
        "selected_of_2": "E14",
        "selected_of_3": "E14",
    },
    "bailie-1940": {},
    "bailie-topdown": {
        "d_nor_pl94": "E11",
        "d_nor_dhc": "E11",
        "rho_pl94_at_distance_2": "E11",
        "rho_dhc_at_distance_2": "E11",
    },
    "bailie-specifications": {"nation_is_needed": "E12"},
    "bureau-totals": {},
    "bureau-pl94": {"factor_where_state_is_whole": "E15"},
    "bureau-dhc-persons": {},
    "bureau-dhc-units": {},
}
"""The results that differ as an erratum says, here or in test_rows.py; every other one is equal."""

MOVED = published_results(Path(__file__).parent / "procedures" / "rows.csv")
"""The rows that need a procedure of the tests."""

LOOSER = {
    # epsilon^2 / 2 bounds the rho of pure DP (E42)
    *("rho_of_pure_dp_1000", "rho_of_pure_dp_1", "rho_of_pure_dp_1_at_distance_2"),
    # Lemma 40 is a valid conversion (E16)
    *("delta_at_lemma_40_of_2.56", "delta_at_lemma_40_of_10.24"),
    *("cks20_of_2.56", "cks20_of_10.24"),
    # Proposition 15 and the factor 4 are valid for every mechanism (E10, E15)
    *("mu_2x2_at_2", "mu_2x2_at_3", "mu_3x3_at_2", "mu_3x3_at_3"),
    *("compensated_state", "exchanged_state", "exchanged_nation", "compensated_both"),
    *("exchanged_both", "together_total", "compensated_total", "exchanged_total"),
    "factor_where_state_is_whole",
    # Lemma 3.4 holds at epsilon 1 and delta 1e-5 (E4)
    *("constant", "squared_error"),
    # the formula for swapping is a valid bound in small strata (E13)
    *("stratum_of_2", "stratum_of_3", "stratum_of_4", "stratum_of_3_at_half"),
}
"""Published bounds that are valid, and not tight."""

INCOMPARABLE = {
    # the theorem does not claim it: no adjacency metric, or structural zeros (E37, E7)
    *("advantage_where_definition_1_fails", "cyclic_band"),
    "lemma_36_at_quarter",  # canonical noise is not unique (E25)
    # a limit, which nobody claims to be a bound (E6)
    *("certified_1", "certified_01", "certified_005", "edgeworth", "gridded", "certified"),
    "a_t_of_proposition_2_9",  # the proposition does not mention a(t) (E33)
    # another way of swapping than that of the listing (E14)
    *("uniform_4_at_0.9", "uniform_4_at_0.5", "uniform_3_at_0.01"),
    *("selected_of_2", "selected_of_3"),
    # rho, and a root or another distance of it (E11)
    *("d_nor_pl94", "d_nor_dhc", "rho_pl94_at_distance_2", "rho_dhc_at_distance_2"),
}
"""Results that are of something else than the published ones; neither is wrong."""


HEAVY = tuple(name for name in tasks() if name.startswith("bureau-"))
"""Entries that audit the census's hierarchies, which tests of their own do too."""


@pytest.fixture(scope="module")
def whole() -> Reproduction:
    return reproduction([name for name in tasks() if name not in HEAVY], 1e6)


@pytest.mark.parametrize("name", [name for name in tasks() if name not in HEAVY])
def test_every_result_is_equal_or_differs_as_its_erratum_says(
    name: str, whole: Reproduction
) -> None:
    agrees(next(entry for entry in whole.entries if entry.name == name))


@pytest.mark.slow
def test_the_census_is_as_it_is_published() -> None:
    found = reproduction(HEAVY, 1e6)
    assert tuple(entry.name for entry in found.entries) == HEAVY
    for entry in found.entries:
        agrees(entry)


def agrees(entry: ReproductionEntry) -> None:
    """Each result is equal, or differs as it is listed to."""
    verdicts = {r.published.name: (r.verdict, r.published.erratum) for r in entry.results}
    different = {key: erratum for key, (verdict, erratum) in verdicts.items() if verdict != "equal"}
    assert different == {k: e for k, e in DIFFERENT[entry.name].items() if k in verdicts}
    for name in different:
        expected = "looser" if name in LOOSER else "wrong"
        assert verdicts[name][0] == ("incomparable" if name in INCOMPARABLE else expected), name


def test_every_entry_has_its_published_numbers_in_their_order(whole: Reproduction) -> None:
    entries_of_tests = {row.entry for row in MOVED}
    assert [*tasks()] == [name for name in DIFFERENT if name in tasks()]
    assert {*DIFFERENT} == {*tasks(), *entries_of_tests}
    differing = {(row.entry, row.name) for row in (*MOVED, *published_results()) if row.corrected}
    assert differing == {(entry, name) for entry, names in DIFFERENT.items() for name in names}
    assert [entry.name for entry in whole.entries] == [
        name for name in tasks() if name not in HEAVY
    ]
    assert whole.results == tuple(r for entry in whole.entries for r in entry.results)
    rows = published_results()
    assert [*rows] == sorted(rows, key=lambda row: [*tasks()].index(row.entry))
    assert [r.published for r in whole.results] == [r for r in rows if r.entry not in HEAVY]


def test_approximations_and_simulations_are_never_bounds(whole: Reproduction) -> None:
    kinds = {
        (r.published.entry, r.published.name): r.ours.kind
        for r in whole.results
        if isinstance(r.ours, Estimate)
    }
    assert all(kind == "approximation" for key, kind in kinds.items() if key[0].startswith("su-"))
    assert Counter(kinds.values())["approximation"] == 9 + 9 + 6
    assert {key[0] for key, kind in kinds.items() if kind == "simulated"} == {"cho-awan-figure-3"}


def test_rows_that_another_list_of_published_numbers_has_are_the_same() -> None:
    """tests/golden/published.csv was written for other tests; names that both have agree."""
    common = [row for row in published_results() if row.name in PUBLISHED and not row.corrected]
    assert len(common) > 30
    for row in common:
        assert float(row.text) == pytest.approx(PUBLISHED[row.name].value, rel=1e-9), row.name


def test_every_erratum_is_described_and_every_difference_has_one() -> None:
    headings = re.findall(r"^### (E\d+):", (ROOT / "docs" / "errata.md").read_text("utf-8"), re.M)
    rows = published_results()
    assert {row.erratum for row in rows} - {""} <= {*headings}
    assert all(row.erratum and row.difference for row in rows if row.corrected)
    every = (*rows, *MOVED)
    assert {row.name for row in every if row.difference == "looser"} == LOOSER
    assert {row.name for row in every if row.difference == "incomparable"} == INCOMPARABLE
    assert all(row.what and row.source and row.place for row in rows)


def test_the_costs_of_figure_2_are_those_of_the_gamma_function() -> None:
    costs = {r.name: float(r.text) for r in published_results() if r.entry == "cho-awan-figure-2"}
    corrected = {
        r.name: float(r.corrected)
        for r in published_results()
        if r.entry == "cho-awan-figure-2" and r.corrected
    }
    for k in range(2, 11):

        def mean(freedom: int) -> float:
            ratio = mpmath.gamma((freedom + 1) / mpmath.mpf(2)) / mpmath.gamma(
                freedom / mpmath.mpf(2)
            )
            return float(mpmath.sqrt(2) * ratio)

        assert costs[f"procedure_{k}"] == pytest.approx(2 * mean((k - 1) ** 2), abs=6e-5)
        assert costs[f"naive_{k}"] == pytest.approx(18**0.5 * mean(k * k), abs=6e-5)
        if k > 2:
            assert corrected[f"ours_{k}"] == pytest.approx(6**0.5 * mean((k - 1) ** 2), abs=6e-5)


def allocation(name: str) -> list[dict[str, str]]:
    path = ROOT / "configs" / "data" / f"census2020_{name}_allocation.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def told(entry: str) -> dict[str, Fraction]:
    """Numbers of an entry that are no words, as published."""
    rows = (row for row in published_results() if row.entry == entry)
    return {row.name: Fraction(row.text) for row in rows}


def test_rho_of_the_allocations_is_what_their_files_add_up_to() -> None:
    persons, units = (allocation(f"dhc_us_{name}") for name in ("persons", "units"))
    totals = told("bureau-totals")
    assert totals["exact_rho_pl94_persons"] == Fraction(542, 339) ** 2
    assert totals["exact_rho_dhc_persons"] == sum(Fraction(row["rho"]) for row in persons)
    assert totals["exact_rho_dhc_units"] == sum(Fraction(row["rho"]) for row in units)
    second = sum(Fraction(row["rho"]) for row in units if row["histogram"] == "unit")
    assert told("bureau-dhc-units")["rho_of_the_second_histogram"] == second
    exact = [totals[f"exact_rho_{name}"] for name in ("pl94_persons", "dhc_persons", "dhc_units")]
    assert round(float(sum(exact) + Fraction(7, 100)), 2) == float(totals["rho_of_all"])


def test_rho_of_a_place_is_that_of_the_levels_below() -> None:
    levels = [*dict.fromkeys(row["level"] for row in allocation("dhc_us_persons"))]
    spent = {
        level: sum(
            Fraction(row["rho"]) for row in allocation("dhc_us_persons") if row["level"] == level
        )
        for level in levels
    }
    found = told("bureau-dhc-persons")
    assert (levels[0], levels[-1]) == ("Block", "US")  # from below
    for place, level in enumerate(levels[1:], 1):
        assert found[f"within_{level}"] == sum(spent[below] for below in levels[:place])


def test_rho_of_an_attribute_is_that_of_the_queries_that_look_at_it() -> None:
    rows = allocation("pl94_us_persons")
    found = told("bureau-pl94")
    looks = {"hhgq": ("hhgq", "hhinstlevels")} | {
        name: (name,) for name in ("votingage", "hispanic", "cenrace")
    }
    for attribute, words in looks.items():
        shares = sum(
            Fraction(row["level_share"]) * Fraction(row["query_share"])
            for row in rows
            if any(word in row["query"] for word in (*words, "detailed"))
        )
        rho = shares * Fraction(542, 339) ** 2
        assert float(found[f"rho_{attribute}"]) == pytest.approx(float(rho), abs=6e-13)


def test_a_number_that_moves_is_noticed() -> None:
    row = next(r for r in published_results() if r.name == "bs16_of_2.56")
    assert reproduced(row, upper(Fraction("17.915283"), "bs16", "x")).verdict == "equal"
    assert reproduced(row, upper(Fraction("17.91530"), "bs16", "x")).verdict == "differs"
    row = next(r for r in published_results() if r.name == "l1_3x3_at_3")
    assert reproduced(row, exact(6, "moves", "x")).verdict == "wrong"
    assert reproduced(row, exact(5, "moves", "x")).verdict == "differs"
    assert reproduced(replace(row, erratum=""), exact(6, "moves", "x")).verdict == "differs"
    row = next(r for r in published_results() if r.text == "yes")
    assert reproduced(row, "no").verdict == "differs"
    row = next(r for r in published_results() if r.name == "stratum_of_4")
    assert reproduced(row, upper(Fraction("1.098612"), "x", "x")).verdict == "looser"
    above = replace(row, corrected="1.7")
    assert reproduced(above, upper(Fraction("1.7"), "x", "x")).verdict == "differs"
    assert reproduced(row, exact(1, "moves", "x")).verdict == "differs"


def test_a_result_that_differs_ends_with_1_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    text = DATA.read_text("utf-8").replace("0.26894142", "0.27894142")
    (tmp_path / "published.csv").write_text(text, encoding="utf-8")
    monkeypatch.setattr(published, "DATA", tmp_path / "published.csv")
    assert main(["reproduce", "cho-awan-canonical"]) == 1
    captured = capsys.readouterr()
    assert "cho-awan-canonical corner_of_f_1_0" in captured.err
    assert "DIFFERS" in captured.out


def test_json_meets_its_schema_and_csv_has_the_same_rows(tmp_path: Path, capsys: Capture) -> None:
    table = tmp_path / "found.csv"
    names = ["cho-awan-test", "su-table-1", "gao-errors"]
    assert main(["reproduce", *names, "--format", "json", "-o", f"csv={table}"]) == 0
    found = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs" / "reproduce.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    assert found["agrees"] is True
    results = [(e["name"], r) for e in found["entries"] for r in e["results"]]
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    keys = ("name", "published", "side", "verdict", "place")
    assert [(entry, *(r[key] for key in keys)) for entry, r in results] == [
        (row["entry"], *(row[key] for key in keys)) for row in rows
    ]
    power = next(r for _, r in results if r["name"] == "power_at_4")
    assert power["ours"] == pytest.approx(0.25588, abs=5e-6)
    assert (power["side"], power["erratum"], power["corrected"]) == ("lower", "E3", "0.25588")
    assert {r["side"] for entry, r in results if entry == "su-table-1"} == {"approximation"}


class Page(HTMLParser):
    """Tags, their attributes, and the texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_reports_are_a_table_pictures_and_one_page_that_loads_nothing(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "made" / "here"
    assert main(["reproduce", "su-table-1", "cho-awan-canonical", "--reports", str(folder)]) == 0
    capsys.readouterr()
    assert sorted(path.name for path in folder.iterdir()) == [
        "index.html",
        "reproduce.csv",
        "su-table-1.png",
        "su-table-1.svg",
    ]
    page = Page((folder / "index.html").read_text("utf-8"))
    tags = Counter(tag for tag, _ in page.tags)
    assert (tags["img"], tags["figure"], tags["script"], tags["link"], tags["table"]) == (
        0,
        1,
        1,
        0,
        2,
    )
    linked = [value for _, a in page.tags for key, value in a.items() if key in ("src", "href")]
    assert all(value is not None and value.startswith("#") for value in linked)
    assert "equal, as fitted: E35" in page.texts
    assert any(text.startswith("≈ ") for text in page.texts)
    assert "Table 1 as curves: epsilon at delta 1e-5" in page.texts


def test_the_page_escapes_whatever_stands_in_a_row() -> None:
    from semiaudit.commands.reproduce.page import page_of

    evil = "<script>alert(1)</script>"
    row = replace(published_results()[0], what=evil, place=evil, text=evil, source=evil)
    entry = ReproductionEntry("a", evil, evil, (reproduced(row, evil),), notes=(evil,))
    page = Page(page_of(Reproduction((entry,)), Layout()))
    assert Counter(tag for tag, _ in page.tags)["script"] == 1
    assert evil in page.texts


@pytest.mark.parametrize(
    ("published_text", "ours", "shown"),
    [
        ("11/1000", exact(Fraction(11, 1000), "x", "x"), "11/1000"),
        ("24811/5000", exact(Fraction(24811, 5000), "x", "x"), "24811/5000"),
        ("4.9622", exact(Fraction(24811, 5000), "x", "x"), "4.9622"),
        ("5", exact(Fraction(24811, 5000), "x", "x"), "4.9622"),
        ("3", exact(3, "x", "x"), "3"),
        ("0.33", exact(Fraction(1, 3), "x", "x"), "1/3"),
        ("0", upper(Fraction(1, 2**30), "x", "x"), "9.31323e-10"),
        ("0.98", upper(Fraction("0.98123"), "x", "x"), "0.982"),
        ("0", Estimate(1e-7, "floating", "x"), "1e-07"),
        ("0.1", Estimate(0.098, "floating", "x"), "0.098"),
    ],
)
def test_no_rounding_makes_a_number_another_one(
    published_text: str, ours: Ours, shown: str
) -> None:
    row = replace(published_results()[0], text=published_text, corrected="")
    assert ours_text(reproduced(row, ours)) == shown


def test_an_exact_number_is_shown_as_it_is(whole: Reproduction) -> None:
    found = [r for r in whole.results if isinstance(r.ours, Bound) and r.ours.side == "exact"]
    assert len(found) > 80
    for result in found:
        assert isinstance(result.ours, Bound)
        if result.ours.value != math.inf:
            assert Fraction(ours_text(result)) == result.ours.value, result.published.name


def test_entries_are_printed_as_soon_as_they_are_done(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    seen, own = [], results.ours_of

    def late(row: Published) -> Ours:
        if row.entry == "cho-awan-test":
            seen.append(capsys.readouterr().out)
            raise OutOfTimeError
        return own(row)

    monkeypatch.setattr(results, "ours_of", late)
    assert main(["reproduce", "cho-awan-canonical", "cho-awan-test", "--time-limit", "1000"]) == 2
    last = capsys.readouterr()
    assert "Canonical noise: Lemma 36" in seen[0]
    assert "0.268941422" in seen[0]
    assert "INCOMPLETE" in last.out
    assert "raise --time-limit" in last.err


@pytest.mark.parametrize("form", ["text", "csv"])
def test_what_is_printed_bit_by_bit_is_what_a_file_holds(
    form: str, tmp_path: Path, capsys: Capture
) -> None:
    names = ["cho-awan-canonical", "gao-errors"]
    assert main(["reproduce", *names, "--format", form, "-o", f"{form}={tmp_path / 'f'}"]) == 0
    assert capsys.readouterr().out == (tmp_path / "f").read_text("utf-8")


# The rows that are a spec or a call of the library are those of ``semiaudit reproduce``.

FOLDER = Path(__file__).parent / "procedures"
ROWS = published_results(FOLDER / "rows.csv")
FACETS = "facets_ours_4"
"""The row that counts the facets of all sets of its size takes seconds."""


@pytest.mark.parametrize(
    "row",
    [
        *(row for row in ROWS if row.name != FACETS),
        *lengthy_cases(row for row in ROWS if row.name == FACETS),
    ],
    ids=lambda row: f"{row.entry}: {row.name}",
)
def test_a_row_is_equal_or_differs_as_its_erratum_says(row: Published) -> None:
    found = reproduced(row, ours_of(row, "tests.commands.reproduce.procedures"))
    assert found.verdict == (row.difference or "equal"), found.ours


def test_all_446_results_are_rows_here_or_of_reproduce() -> None:
    names = {(row.entry, row.name) for row in (*ROWS, *published_results())}
    assert len(names) == len(ROWS) + len(published_results()) == 446


def test_a_name_is_an_entry_or_the_beginning_of_several(capsys: Capture) -> None:
    assert names_of(["gao", "su-clt"]) == [
        "su-clt",
        "gao-errors",
        "gao-5-1",
        "gao-5-2",
    ]
    assert names_of([]) == [*tasks()]
    assert main(["reproduce", "--list", "bailie"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == [
        "bailie-swapping",
        "bailie-strata",
        "bailie-topdown",
        "bailie-specifications",
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("su-tabel-1", "su-table-1"),
        ("su_table_1", "su-table-1"),
        ("SU-CENSUS", "su-census"),
        ("gao-erors", "gao-errors"),
        ("cho_awan", "cho-awan"),
        ("buraeu", "bureau"),
        ("bailie-stratum", "bailie-strata"),
    ],
)
def test_a_near_miss_of_a_name_is_answered_with_the_name(
    name: str, meant: str, capsys: Capture
) -> None:
    assert main(["reproduce", name]) == 2
    message = capsys.readouterr().err
    assert f"there is no entry {name!r}" in message
    assert f"did you mean {meant}?" in message
    assert names_of([meant])


def test_a_name_that_is_near_to_none_is_answered_with_all_names(capsys: Capture) -> None:
    assert main(["reproduce", "fermat"]) == 2
    message = capsys.readouterr().err
    assert "there is no entry 'fermat'" in message
    assert "did you mean" not in message
    assert "su-dp-sgd" in message
