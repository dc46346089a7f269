"""`semiaudit registry` as people run it: formats, files, exit codes, and hostile entries."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from semiaudit.cli import main
from semiaudit.commands.registry.review_command import FORMATS
from tests.oracles.registry_schema import faults
from tests.places import ROOT
from tests.spec.registry.entries import entry, written

Capture = pytest.CaptureFixture[str]
SPEC = "semiaudit: 1\ndataspace: {size: 5, attributes: {a: 2}}\nmechanism: {gdp: {mu: 1}}\n"
STATES = entry(exact="the number of people in each state")


def test_an_entry_goes_to_standard_output_or_to_a_file_whole(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SPEC.encode())))
    assert main(["registry", "export", "-"]) == 0
    printed = capsys.readouterr().out
    assert faults(printed) == []
    spec, out = tmp_path / "spec.yaml", tmp_path / "entry.yaml"
    spec.write_text(SPEC, "utf-8")
    assert main(["registry", "export", str(spec), "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text("utf-8") == printed
    assert main(["registry", "export", str(spec), "-o", str(spec)]) == 2
    assert main(["registry", "export", str(spec), "-o", str(tmp_path / "none" / "x")]) == 2
    assert main(["registry", "export", str(spec), "--facts", str(spec)]) == 2
    assert "semiaudit is not a known key" in capsys.readouterr().err
    assert spec.read_text("utf-8") == SPEC


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("warning", 1), ("never", 0)])
def test_what_fails_is_what_fail_on_names(fail_on: str, code: int, tmp_path: Path) -> None:
    assert main(["registry", "review", written(tmp_path, STATES), "--fail-on", fail_on]) == code
    warning = written(tmp_path, entry(exact="N/A"))
    assert main(["registry", "review", warning]) == 0
    assert main(["registry", "review", warning, "--fail-on", "warning"]) == 1


def test_every_format_has_the_same_findings_and_the_json_its_schema(
    tmp_path: Path, capsys: Capture
) -> None:
    path, out = written(tmp_path, STATES), tmp_path / "review.md"
    assert main(["registry", "review", path, "--format", "json", "-o", f"markdown={out}"]) == 1
    found = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs" / "review.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    assert [(f["rule"], f["level"], f["line"], f["column"]) for f in found["findings"]] == [
        ("SR004", "error", 19, 27)
    ]
    assert "SR004 error" in out.read_text("utf-8")
    assert main(["registry", "review", path]) == 1
    assert f"{path}:19:27" in "".join(capsys.readouterr().out.split())


def test_the_page_of_a_rule_is_printed(capsys: Capture) -> None:
    assert main(["rule", "sr004"]) == 0
    assert capsys.readouterr().out.startswith("# SR004: invariants-with-distance-one")


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: [*a, *a]\n",
        "url_slug: " + "x" * 1_000_001 + "\n",
        STATES.replace("Commuters", "[Com\u202emuters]", 1),
        STATES.replace("Draft", '"::error::\u202edone"', 1),
        "- " * 3_000 + "x\n",
        "deployment: 1\n",
        "\x00",
    ],
    ids=["aliases", "huge", "bidirectional", "command", "deep", "type", "binary"],
)
def test_hostile_entries_end_in_an_error_without_a_traceback(
    text: str, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["registry", "review", written(tmp_path, text)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "entry.yaml" in err
    assert "Traceback" not in err
    assert "internal error" not in err
    assert "\u202e" not in err
    assert not any(line.startswith("::") for line in err.splitlines())


def test_words_of_a_stranger_are_no_commands_and_all_seen(tmp_path: Path, capsys: Capture) -> None:
    text = STATES.replace("name: Commuters", 'name: "::error::\\u202eCommuters"')
    for form in FORMATS:
        assert main(["registry", "review", written(tmp_path, text), "--format", form]) == 1
        out = capsys.readouterr().out
        assert "\u202e" not in out
        assert not any(line.startswith("::") for line in out.splitlines())
