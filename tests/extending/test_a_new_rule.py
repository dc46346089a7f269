"""docs/extending_output.md: the worked example of a rule works, and touches three files."""

from __future__ import annotations

import json
from pathlib import Path

from tests.extending.patches import applied, in_copy, in_turn, run, touched
from tests.places import ROOT

MOST = 3
SPEC = """\
semiaudit: 1
dataspace: {size: 100}
mechanism: {zcdp: {rho: 1, neighbors: replace_one}}
budgets: [{framework: semi_dp, rho: 2}]
"""
TEXT = "semiaudit/model/rules/SA040.md"


def test_the_example_touches_few_files() -> None:
    files = touched("rule.patch")
    assert 0 < len(files) <= MOST, files
    page = (ROOT / "docs" / "extending_output.md").read_text("utf-8")
    for named in ("tests/extending/rule.patch", *(f"`{file}`" for file in files)):
        assert named in page


def test_a_new_rule_is_found_listed_and_explained(tmp_path: Path) -> None:
    copy = applied("rule.patch", tmp_path)
    (copy / "release.yaml").write_text(SPEC, "utf-8")
    lines = [("check", "release.yaml", "--format", "sarif"), ("rule",), ("schema", "check")]
    checked, rules, schema = in_turn(copy, *lines)
    assert checked.returncode == 0, checked.stderr
    (log,) = json.loads(checked.stdout)["runs"]
    assert [(r["ruleId"], r["level"]) for r in log["results"]] == [("SA040", "note")]
    assert "SA040  note     The spec names no source.\n" in rules.stdout
    assert "SA040" in schema.stdout
    refreshed = "refresh(['SA040']); print(pages()['README.md'])"
    written = in_copy(copy, "-c", f"from tests.rule_pages import pages, refresh; {refreshed}")
    assert written.returncode == 0, written.stderr
    row = "| [SA040](SA040.md) | no-reference | note | gate | The spec names no source. |"
    assert row in written.stdout
    page = run(copy, "rule", "SA040").stdout
    assert " SA040 note      the spec names no source; add reference (release.yaml)\n" in page


def test_without_its_text_the_rule_s_page_cannot_be_written(tmp_path: Path) -> None:
    copy = applied("rule.patch", tmp_path)
    (copy / TEXT).unlink()
    written = in_copy(copy, "-c", "from tests.rule_pages import pages; pages()")
    assert written.returncode == 1
    assert "SA040.md" in written.stderr
