"""`semiaudit compare` and its files, standard input, and what it refuses."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from semiaudit.cli import main

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
        (["{spec}"], "give from 2 to 26"),
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
