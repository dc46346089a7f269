"""Good specs: numbers to the letter, YAML 1.2, and every form in which data may be given."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.cli import main
from semiaudit.errors import SpecError
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.data_source import Bin, DataColumn
from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import Declared
from semiaudit.spec.build import load_release
from semiaudit.spec.scalars import within
from semiaudit.spec.yaml12 import MOST_KEPT, parse_document
from tests.audits import report

HEAD = "semiaudit: 1\n"
MECHANISM = "mechanism: {zcdp: {rho: 1}}\n"


def load(folder: Path, text: str, name: str = "spec.yaml") -> Any:
    path = folder / name
    path.write_text(text)
    return load_release(path)


@pytest.mark.parametrize(
    "text", ["2.56", "'2.56'", '"2.56"', "256e-2", "0.256E1", "64/25", "+2.56", "02.560"]
)
def test_a_number_is_read_exactly_however_it_is_written(text: str, tmp_path: Path) -> None:
    release = load(tmp_path, HEAD + f"dataspace: {{}}\nmechanism: {{zcdp: {{rho: {text}}}}}\n")
    assert isinstance(release.mechanism, Declared)
    assert release.mechanism.measure == ZCDP(Fraction(64, 25))


def test_yaml_is_1_2_core_and_words_stay_words(tmp_path: Path) -> None:
    text = HEAD + "dataspace: {attributes: {a: [no, off, 12:30, true, 017, '17', +5, 1e3]}}\n"
    release = load(tmp_path, text + MECHANISM)
    assert release.dataspace.attributes[0].levels == (
        "no",
        "off",
        "12:30",
        "true",
        "017",
        "17",
        5,
        "1e3",
    )


def test_positions_are_1_based_and_survive_unicode() -> None:
    document = parse_document("ä: [ö, ü]\n", "x")
    mark = document.mark(("ä", 1))
    assert (mark.line, mark.column) == (1, 8)


def test_counts_margins_and_named_margins_of_one_table_give_the_same_t(tmp_path: Path) -> None:
    space = HEAD + (
        "dataspace: {attributes: {a: [x, y], b: 3}}\n"
        "invariants: [margin: [a], margin: [b]]\n" + MECHANISM
    )
    forms = [
        "data: {counts: [[1, 2, 3], [4, 5, 6]]}",
        "data: {counts: {y: [4, 5, 6], x: {0: 1, 1: 2, 2: 3}}}",
        "data: {margins: {a: [6, 15], b: [5, 7, 9]}}",
        "data: {margins: {b: {2: 9, 0: 5, 1: 7}, a: {y: 15, x: 6}}}",
    ]
    expected = PublishedCounts(21, ((("a",), (6, 15)), (("b",), (5, 7, 9))))
    for form in forms:
        published = load(tmp_path, space + form).published
        assert dict(published.margins) == dict(expected.margins)
        assert published.size == 21


def test_a_joint_margin_may_name_its_attributes_in_any_order(tmp_path: Path) -> None:
    space = HEAD + (
        "dataspace: {attributes: {a: 2, b: 3}}\ninvariants: [margin: [b, a]]\n" + MECHANISM
    )
    straight = load(tmp_path, space + "data: {margins: {a*b: [[1, 2, 3], [4, 5, 6]]}}")
    crossed = load(tmp_path, space + "data: {margins: {'b, a': [[1, 4], [2, 5], [3, 6]]}}")
    assert straight.published == crossed.published
    assert straight.published.margins == ((("a", "b"), (1, 2, 3, 4, 5, 6)),)


def test_two_tables_with_the_same_invariants_give_the_same_report(tmp_path: Path) -> None:
    text = HEAD + (
        "dataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
        + MECHANISM
    )
    reports = []
    for counts in ("[[1, 2], [3, 0]]", "[[3, 0], [1, 2]]", "[[2, 1], [2, 1]]"):
        path = tmp_path / "spec.yaml"
        path.write_text(text + f"data: {{counts: {counts}}}\n")
        reports.append(semiaudit.audit(path).render("json"))
    assert reports[0] == reports[1] == reports[2]


def test_not_even_the_size_of_a_table_is_told_where_nothing_publishes_it(tmp_path: Path) -> None:
    text = HEAD + "dataspace: {attributes: {a: 2, b: 2}}\n" + MECHANISM
    reports = [
        report(tmp_path, text + f"data: {{counts: {counts}}}\n")
        for counts in ("[[1, 2], [3, 0]]", "[[7, 7], [7, 7]]")
    ]
    assert reports[0] == reports[1]


def test_a_dataset_of_an_explicit_dataspace_counts_only_through_its_invariants(
    tmp_path: Path,
) -> None:
    text = HEAD + (
        "dataspace: {product: {size: 3, values: [0, 1]}}\n"
        "invariants: [count: {where: {value: 1}}]\n" + MECHANISM
    )
    first = report(tmp_path, text + "data: {dataset: [0, 1, 1]}\n")
    second = report(tmp_path, text + "data: {dataset: [1, 1, 0]}\n")
    assert first == second
    assert first["semi_adjacency"]["value"] == 2


def test_the_digest_differs_where_what_is_published_differs(tmp_path: Path) -> None:
    text = HEAD + "dataspace: {attributes: {a: 2}}\ninvariants: [margin: [a]]\n" + MECHANISM
    digests = {
        report(tmp_path, text + f"data: {{counts: {counts}}}\n")["spec"]["sha256"]
        for counts in ("[1, 2]", "[2, 1]", "[1, 2]")
    }
    assert len(digests) == 2


def test_explicit_dataspaces_and_partitions_in_files(tmp_path: Path) -> None:
    (tmp_path / "blocks.csv").write_text("0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n")
    text = HEAD + (
        "dataspace: {product: {size: 2, values: [0, 1]}}\n"
        "invariants: [partition: blocks.csv]\n" + MECHANISM
    )
    release = load(tmp_path, text)
    assert isinstance(release.dataspace, ProductSpace)
    assert len(release.invariants[0].blocks) == 2
    inline = load(tmp_path, text.replace("blocks.csv", "[[[0, 0], [1, 1]], [[0, 1], [1, 0]]]"))
    assert inline.invariants[0].blocks == release.invariants[0].blocks
    listed = load(tmp_path, HEAD + "dataspace: {datasets: [[a, b], [b, a]]}\n" + MECHANISM)
    assert isinstance(listed.dataspace, ListedSpace)


def test_a_partition_file_with_a_bad_row_is_a_located_problem(tmp_path: Path) -> None:
    (tmp_path / "blocks.csv").write_text("0,0,even\n0,7,odd\n")
    text = HEAD + (
        "dataspace: {product: {size: 2, values: [0, 1]}}\n"
        "invariants: [partition: blocks.csv]\n" + MECHANISM
    )
    with pytest.raises(SpecError, match=r"blocks.csv:2.*is not a dataset of the dataspace"):
        load(tmp_path, text)


def test_the_smallest_spec_is_an_ordinary_dp_audit(tmp_path: Path) -> None:
    found = report(
        tmp_path, HEAD + "dataspace: {unit: person}\nmechanism: {pure_dp: {epsilon: 1}}\n"
    )
    assert found["semi_adjacency"]["value"] == 1
    assert {
        g["framework"]: g["covers_joint_release"] for g in found["guarantees"]
    } == dict.fromkeys(
        ("nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp"), True
    )
    assert [g["pure_dp"]["epsilon"] for g in found["guarantees"]] == [1] * 5


def test_defaults_are_hamming_covering_and_two_deltas(tmp_path: Path) -> None:
    release = load(tmp_path, HEAD + "dataspace: {}\n" + MECHANISM)
    assert isinstance(release.dataspace, TableSpace)
    assert (release.adjacency.metric, release.adjacency.reading) == ("hamming", "covering")
    assert release.options.deltas == (Fraction(1, 10**10), Fraction(1, 10**6))
    assert json.loads(semiaudit.audit(tmp_path / "spec.yaml").render("json"))["complete"] is True


@pytest.mark.parametrize(
    "text",
    [
        "? KEY\n: [" + ", ".join(f"&a{i} x" for i in range(20_000)) + "]\n",
        "? KEY\n:\n" + "".join(f"  &a{i} b{i}: 1\n" for i in range(20_000)),
        "? KEY\n: [" + ", ".join(f"!t{i} x" for i in range(20_000)) + "]\n",
        "invariants: [" + ", ".join(["x"] * 20_000) + "]\n",
        "dataspace:\n" + "".join(f"  k{i}: 1\n" for i in range(20_000)),
    ],
    ids=["anchors", "anchors of keys", "tags", "items", "unknown keys"],
)
def test_problems_are_capped_in_number_and_length_while_they_are_collected(
    text: str, tmp_path: Path
) -> None:
    # Each problem below a key quotes it: uncapped, that were 20,000 times 30,000 letters.
    document = parse_document(HEAD + text.replace("KEY", "k" * 30_000), "spec.yaml")
    assert sum(len(str(problem)) for problem in document.problems) <= 3_000 * len(
        list(document.problems)
    )
    assert len(list(document.problems)) <= MOST_KEPT
    with pytest.raises(SpecError) as caught:
        load(tmp_path, text.replace("KEY", "k" * 30_000))
    problems = caught.value.problems
    assert len(problems) == 501
    assert sum(len(str(problem)) for problem in problems) < 501 * 3_000
    (more,) = [int(word) for word in str(problems[-1]).split() if word.isdigit()]
    assert 19_000 < more + 500 <= 20_010


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (Fraction(1, 10**13), "1e-13 is out of range; give at least 1e-12 and at most 1e24"),
        (Fraction(1, 3 * 10**12), "1/3000000000000 is out of range"),
        (Fraction(-5, 100_000), "-5e-5 is out of range"),
        (-1, "-1 is out of range"),
        (10**25, "1e25 is out of range"),
    ],
)
def test_a_number_out_of_range_is_shown_as_a_spec_has_it(number: Fraction, said: str) -> None:
    with pytest.raises(ValueError, match="range") as caught:
        within(Fraction(1, 10**12), 10**24)(number)
    assert said in str(caught.value)


COLUMNS = (
    "semiaudit: 1\n"
    "dataspace: {attributes: {age: [0-17, 18+, unknown], sex: [f, m], year: 2, count: 2}}\n"
    "invariants: [margin: [age]]\n"
    "mechanism: {zcdp: {rho: 1}}\n"
)


def columns(folder: Path, text: str, kind: str = "table") -> tuple[DataColumn, ...]:
    path = folder / "spec.yaml"
    path.write_text(f"{COLUMNS}data:\n  {kind}: t.csv\n  columns: {text}\n")
    source = load_release(path).source
    assert source is not None
    return source.columns


def problems(folder: Path, text: str, kind: str = "table") -> list[str]:
    with pytest.raises(SpecError) as caught:
        columns(folder, text, kind)
    return [str(problem).partition("spec.yaml:")[2] for problem in caught.value.problems]


def test_names_counts_and_bins(tmp_path: Path) -> None:
    found = columns(
        tmp_path,
        "{Freq: count, Sex: sex, count: {attribute: count}, year: {bins: {0: [null, 1999], "
        '1: [2000, 2025]}}, "": {attribute: age, bins: {0-17: [0, 17], "18+": [18, null]}}}',
    )
    assert found == (
        DataColumn("Freq", None),
        DataColumn("Sex", "sex"),
        DataColumn("count", "count"),
        DataColumn(
            "year", "year", (Bin(0, None, Fraction(1999)), Bin(1, Fraction(2000), Fraction(2025)))
        ),
        DataColumn("", "age", (Bin(0, Fraction(0), Fraction(17)), Bin(1, Fraction(18), None))),
    )


def test_ends_are_exact_numbers(tmp_path: Path) -> None:
    (found,) = columns(tmp_path, "{age: {bins: {0-17: [1e-3, 1/3], 18+: [0.334, 1]}}}", "records")
    assert [(str(one.low), str(one.high)) for one in found.bins] == [
        ("1/1000", "1/3"),
        ("167/500", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{Sex: gender}", "7:18: data.columns.Sex: gender is not an attribute of the dataspace"),
        ("{Sex: {bins: {a: [0, 1]}}}", "data.columns.Sex: Sex is not an attribute"),
        ("{a: sex, b: sex}", "7:24: data.columns.b: sex is in the column a too"),
        ("{a: count, b: count}", "data.columns.b: the counts are in the column a too"),
        ("{age: sex}", "7:13: data.columns.age: is the column of sex, so that age has no column"),
        (
            "{sex: count}",
            "data.columns.sex: is the column of the counts, so that sex has no column",
        ),
        ("{a: {attribut: sex}}", "data.columns.a: attribut is not a known key"),
        ("{a: {}}", "data.columns.a: is empty"),
        ("{a: [sex]}", "data.columns.a: a list is not an attribute"),
        ("{a: {attribute: age, bins: {}}}", "data.columns.a: bins is not a mapping"),
        ("{age: {bins: {0-17: 17}}}", "data.columns.age: the bin 0-17 is not a pair"),
        ("{age: {bins: {0-17: [17, 0]}}}", "data.columns.age: the bin 0-17 ends before it begins"),
        ("{age: {bins: {0-17: [a, 0]}}}", "data.columns.age: a is not a number"),
        ("{age: {bins: {0-17: [.inf, 0]}}}", "data.columns.age: .inf is not a finite number"),
        ("{age: {bins: {0-18: [0, 18]}}}", "7:26: data.columns.age.bins.0-18: 0-18 is not a level"),
        (
            "{age: {bins: {0-17: [0, 18], 18+: [18, null]}}}",
            "data.columns.age.bins.18+: overlaps the bin 0-17",
        ),
        (
            "{age: {bins: {0-17: [null, 5], 18+: [null, null]}}}",
            "data.columns.age.bins.18+: overlaps the bin 0-17",
        ),
        (
            "{year: {bins: {0: [0, 1], 00: [2, 3]}}}",
            "data.columns.year.bins.00: repeats the level 0 of year",
        ),
        (
            "{year: {bins: {0: [5, 6]}}}",
            "data.columns.year.bins: has bins for 1 of the 2 levels of year",
        ),
        ("{}", "data.columns: has too few items"),
    ],
)
def test_every_mistake_is_told_at_its_place(tmp_path: Path, text: str, told: str) -> None:
    found = problems(tmp_path, text)
    assert told in found[0]


def test_records_have_no_counts(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, "{Freq: count}", "records")
    assert "data.columns.Freq: records have no column of counts" in told


def test_a_level_without_a_bin_lies_in_no_bin(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    text = "{records: t.csv, columns: {age: {bins: {young: [0, 99]}}}}"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {age: [young, 99]}}\n"
        f"mechanism: {{zcdp: {{rho: 1}}}}\ndata: {text}\n"
    )
    with pytest.raises(SpecError, match="contains 99, which is another level of age"):
        load_release(path)


def test_columns_go_with_data_that_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2}}\ninvariants: [margin: [a]]\n"
        "mechanism: {zcdp: {rho: 1}}\ndata: {counts: [1, 2], columns: {b: a}}\n"
    )
    with pytest.raises(SpecError, match="columns: describes columns, but there is no table"):
        load_release(path)


def test_the_audit_is_that_of_the_same_counts_under_plain_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    head = (
        "semiaudit: 1\ndataspace: {attributes: {age: [0-17, 18+], sex: [f, m]}}\n"
        "invariants: [margin: [age], margin: [sex]]\nmechanism: {zcdp: {rho: 1}}\n"
    )
    (tmp_path / "t.csv").write_text("Sex,AGEP,Freq\nf,3,2\nm,3,1\nf,17,1\nm,18,4\n")
    bins = "{attribute: age, bins: {0-17: [0, 17], 18+: [18, null]}}"
    mapped = f"{{table: t.csv, columns: {{Freq: count, Sex: sex, AGEP: {bins}}}}}"
    reports = []
    for data in (mapped, "{margins: {age: [4, 4], sex: [3, 5]}}"):
        (tmp_path / "spec.yaml").write_text(f"{head}data: {data}\n")
        assert main(["analyze", str(tmp_path / "spec.yaml")]) == 0
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]


CODES = """\
dataspace:
  size: 9
  attributes:
    state: {within: nation, levels: {us: [SOUTH, NORTH]}}
    county: {within: state, levels: {south: [SECOND, FIRST], north: [THIRD]}}
    tract: {within: county, levels: LEVELS}
    nation: [us]
    sign: [-1, +1]
  impossible: [{county: SECOND, tract: t1}]
invariants:
  - count: {where: {county: SECOND}}
  - bound: {where: {county: [FIRST, SECOND], sign: +1}, at_most: 8}
  - margin: [county]
data: {margins: {county: {SECOND: 1, FIRST: 6, THIRD: 2}}}
"""
FIRST, SECOND = "1001", "01001"


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("file", [False, True])
def test_a_level_is_found_by_its_text_wherever_it_is_named(
    tmp_path: Path, quoted: bool, file: bool
) -> None:
    (tmp_path / "tracts.csv").write_text(f"county,tract\n{SECOND},t1\n{FIRST},t2\n{SECOND},t3\n")
    levels = "{SECOND: [t1, t3], FIRST: [t2]}"
    text = CODES.replace("LEVELS", "tracts.csv" if file else levels).lower()
    for name, code in (("second", SECOND), ("first", FIRST), ("third", "09001")):
        text = text.replace(name, f'"{code}"' if quoted else code)
    release = load(tmp_path, HEAD + text + MECHANISM)
    attributes = {attribute.name: attribute for attribute in release.dataspace.attributes}
    assert list(map(str, attributes["county"].levels)) == ["01001", "1001", "09001"]
    assert attributes["tract"].parents == ((0, 1, 0) if file else (0, 0, 1))
    assert release.dataspace.impossible[0][0] == ("county", ("01001",))
    count, bound, _ = release.invariants
    assert dict(count.where)["county"] == ("01001",)
    assert list(map(str, dict(bound.where)["county"])) == ["1001", "01001"]
    assert dict(bound.where)["sign"] == (1,)
    assert dict(release.published.margins)["county",] == (1, 6, 2)


def test_a_spec_of_codes_stays_the_same_through_python(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(
        HEAD + "dataspace: {size: 3, attributes: {a: [007, 7, ٣, +5]}}\n"
        "invariants: [count: {where: {a: 007}}]\n" + MECHANISM
    )
    attributes = semiaudit.Spec.from_file(tmp_path / "spec.yaml").to_mapping()["dataspace"]
    assert attributes["attributes"] == {"a": ["007", 7, "٣", 5]}


@pytest.mark.parametrize("written", ["01", '"01"'])
def test_a_record_is_found_by_its_text_wherever_it_is_named(tmp_path: Path, written: str) -> None:
    space = 'dataspace: {product: {size: 2, values: ["01", 1]}}\n'
    data = f"data: {{dataset: [{written}, 1]}}\n"
    where = f"invariants: [count: {{where: {{value: {written}}}}}]\n"
    release = load(tmp_path, HEAD + space + where + data + MECHANISM)
    assert release.published.records == ("01", 1)
    assert dict(release.invariants[0].where) == {"value": ("01",)}
    (tmp_path / "blocks.csv").write_text("01,01,a\n1,1,a\n")
    partition = load(tmp_path, HEAD + space + "invariants: [partition: blocks.csv]\n" + MECHANISM)
    assert partition.invariants[0].blocks == ((("01", "01"), (1, 1)),)


def test_two_spellings_of_one_level_have_one_count(tmp_path: Path) -> None:
    text = "dataspace: {attributes: {a: [1, 2]}}\ninvariants: [margin: [a]]\n"
    text += 'data: {counts: {1: 3, "01": 4, 2: 5}}\n'
    with pytest.raises(SpecError, match="does not name each of the 2 levels of a once"):
        load(tmp_path, HEAD + text + MECHANISM)
