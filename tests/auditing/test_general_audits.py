"""Audits of specs with general invariants, from the file to what a reader sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semiaudit.cli import main
from semiaudit.library.report import audit
from tests.audits import report as report_of

HEAD = "semiaudit: 1\n"
MECHANISM = "mechanism: {zcdp: {rho: 1}}\n"
CUBE = (
    HEAD
    + "dataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
    + "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
    + "data: {counts: [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]}\n"
    + MECHANISM
)


def rules(report: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in report["findings"]]


def test_an_all_male_block_is_told_before_anything_else(tmp_path: Path) -> None:
    spec = tmp_path / "block.yaml"
    spec.write_text(
        HEAD
        + "dataspace: {attributes: {block: [b1, b2], sex: [female, male], age: 4}}\n"
        + "invariants: [margin: [block, sex]]\n"
        + "data: {margins: {block*sex: [[3, 4], [0, 5]]}}\n"
        + MECHANISM
    )
    found = audit(spec)
    blocks = found.render().split("\n\n")
    head = " ".join(blocks[1].split())
    assert "sex = male where block b2" in head
    assert head.index("findings warning: ") < head.index("and 2 warnings (SA001, SA037)")
    report = found.as_dict()
    assert report["semi_adjacency"]["value"] == 2
    assert report["disclosed"]["constant_groups"] == [
        {"group": ["sex female"], "attribute": "block", "level": "b1"},
        {"group": ["block b2"], "attribute": "sex", "level": "male"},
    ]
    ranges = {tuple(r["cell"]): (r["low"], r["high"]) for r in report["disclosed"]["cell_ranges"]}
    assert ranges["b2", "male", 0] == (0, 5)
    assert ranges["b2", "female", 3] == (0, 0)


def test_releases_are_audited_by_their_joint_invariants(tmp_path: Path) -> None:
    parts = ["[margin: [age]]", "[margin: [zip]]"]
    text = HEAD + "dataspace: {size: 20, attributes: {age: 3, zip: 4, income: 5}}\nreleases:\n"
    joint = text + "".join(
        f"  - {{invariants: {part}, mechanism: {{zcdp: {{rho: 1/2}}}}}}\n" for part in parts
    )
    report = report_of(tmp_path, joint)
    assert report["semi_adjacency"]["value"] == 3
    rows = {row["framework"]: row for row in report["guarantees"]}
    assert rows["nominal_dp"]["zcdp"] == {"rho": 1}
    assert rows["semi_dp"]["zcdp"] == {"rho": 9}
    assert "SA012" in rules(report)
    for part in parts:
        alone = text + f"  - {{invariants: {part}, mechanism: {{zcdp: {{rho: 1/2}}}}}}\n"
        found = report_of(tmp_path, alone)
        assert found["semi_adjacency"]["value"] == 2
        assert "SA012" not in rules(found)


@pytest.mark.parametrize("metric", ["multiset_hamming", "symmetric_difference"])
def test_other_metrics_are_findings_and_have_their_own_distances(
    tmp_path: Path, metric: str
) -> None:
    text = CUBE + f"adjacency: {{metric: {metric}}}\n"
    report = report_of(tmp_path, text)
    # The only other table differs in all eight cells by one.
    expected = 4 if metric == "multiset_hamming" else 8
    assert report["semi_adjacency"]["covering"]["upper"] == expected
    assert report["semi_adjacency"]["definition_13"]["upper"] == expected
    assert "SA009" in rules(report)
    assert report["semi_adjacency"]["theorem_16_bound"] is None


def test_symmetric_difference_needs_a_dataspace_of_free_size(tmp_path: Path) -> None:
    text = HEAD + "dataspace: {size: 9, attributes: {a: 2}}\n" + MECHANISM
    text += "adjacency: {metric: symmetric_difference}\n"
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    assert audit(path).exit_code == 2
    path.write_text(text.replace("size: 9, ", ""))
    found = audit(path)
    assert found.exit_code == 0
    assert found.as_dict()["semi_adjacency"]["value"] == 1


def test_a_tiny_time_limit_leaves_an_interval_that_is_marked(tmp_path: Path) -> None:
    cells = [[[(3 * i + 5 * j + 7 * k) % 4 for k in range(4)] for j in range(4)] for i in range(4)]
    text = (
        HEAD
        + "dataspace: {attributes: {a: 4, b: 4, c: 4}}\n"
        + "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
        + f"data: {{counts: {json.dumps(cells)}}}\n"
        + MECHANISM
    )
    report = report_of(tmp_path, text, time_limit=1e-6)
    size = sum(sum(sum(row) for row in layer) for layer in cells)
    covering = report["semi_adjacency"]["covering"]
    assert report["complete"] is False
    assert covering["lower"] < covering["upper"] == size
    assert "SA007" in rules(report)
    assert any("--time-limit" in finding["message"] for finding in report["findings"])


def test_the_same_numbers_come_from_counts_a_table_and_records(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    head = (
        HEAD
        + "dataspace: {attributes: {a: [x, y], b: ['01', '02']}}\n"
        + "invariants: [margin: [a], count: {where: {b: '02'}}, keys: [a, b]]\n"
        + MECHANISM
    )
    counts = {("x", "01"): 3, ("x", "02"): 1, ("y", "02"): 2}
    (tmp_path / "t.csv").write_text(
        "b,a,count\n" + "".join(f"{b},{a},{n}\n" for (a, b), n in counts.items())
    )
    (tmp_path / "r.csv").write_text(
        "a,b\n" + "".join(f"{a},{b}\n" * n for (a, b), n in counts.items())
    )
    sources = ["counts: [[3, 1], [0, 2]]", "table: t.csv", "records: r.csv"]
    reports = [report_of(tmp_path, head + f"data: {{{source}}}\n") for source in sources]
    for report in reports[1:]:
        assert report["semi_adjacency"] == reports[0]["semi_adjacency"]
        assert report["disclosed"] == reports[0]["disclosed"]


def test_data_that_contradict_the_spec_are_named_with_the_specs_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    path = tmp_path / "spec.yaml"
    (tmp_path / "t.csv").write_text("a,b,count\n0,0,2\n0,1,1\n1,1,4\n")
    path.write_text(
        HEAD
        + "dataspace: {size: 9, attributes: {a: 2, b: 2}, impossible: [{a: 0, b: 1}]}\n"
        + "invariants:\n  - margin: [a]\n  - bound: {where: {b: 0}, at_least: 3}\n"
        + "data: {table: t.csv}\n"
        + MECHANISM
    )
    assert main(["analyze", str(path)]) == 2
    assert " 7 " not in capsys.readouterr().err
    assert main(["analyze", str(path), "--show-values"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    *lines, total = captured.err.splitlines()
    assert (len(lines), total[:9]) == (3, "3 errors.")
    assert lines[0].startswith(
        f"error: {path}:5:5: invariants[1]: bound where b=0 contradicts the data"
    )
    assert "have 7 records, but dataspace.size is 9" in lines[1]
    assert "have 1 record that dataspace.impossible rules out" in lines[2]
