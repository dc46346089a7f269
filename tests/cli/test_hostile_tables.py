"""Specs of general tables that once crashed, hung or had no place."""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.cli import main

END = "mechanism: {zcdp: {rho: 1}}\n"


@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming", "symmetric_difference"])
@pytest.mark.parametrize(
    "invariant", ["margin: [a]", "keys: [a]", "count: {where: {a: 1}}", "total"]
)
def test_a_dataspace_without_a_possible_record_is_refused_at_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], metric: str, invariant: str
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\n"
        "dataspace: {size: 3, attributes: {a: 2, b: 2}, impossible: [{a: [0, 1]}]}\n"
        f"invariants: [{invariant}]\nadjacency: {{metric: {metric}}}\n" + END
    )
    assert main(["analyze", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {path}:2:12: dataspace: leaves no possible combination")


def test_a_large_component_with_one_structural_zero_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\n"
        "dataspace: {attributes: {a: 440, b: 440}, size: 1200, impossible: [{a: 0, b: 0}]}\n"
        "invariants: [margin: [a], margin: [b]]\n" + END
    )
    assert main(["analyze", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(
        f"error: {path}:3:14: invariants[0]: the attributes a, b must be counted together"
    )


def test_bounds_that_leave_no_table_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {size: 5, attributes: {a: 2}}\n"
        "invariants: [bound: {where: {a: 0}, at_least: 3, at_most: 1}]\n" + END
    )
    assert main(["analyze", str(path)]) == 2
    assert capsys.readouterr().err.startswith(
        f"error: {path}:3:14: invariants: no table satisfies the public bounds"
    )


def test_a_control_character_in_a_file_of_levels_has_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "n.csv").write_text("0,x\n1,y\x07\n")
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {size: 5, attributes: {a: 2, b: {within: a, levels: n.csv}}}\n"
        "invariants: [total]\n" + END
    )
    assert main(["analyze", str(path)]) == 2
    assert f"{tmp_path / 'n.csv'}:2:1:" in capsys.readouterr().err


def test_a_margin_too_wide_to_be_counted_is_named_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 1000000000, b: 2}}\n"
        "invariants: [margin: [a]]\ndata: {records: r.csv}\n" + END
    )
    assert main(["analyze", str(path)]) == 2
    assert capsys.readouterr().err.startswith(
        f"error: {path}:3:14: invariants[0]: margin [a] has more"
    )
