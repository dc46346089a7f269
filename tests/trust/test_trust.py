"""docs/trust.md has the figures of the records, and none is older than it allows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.trust import records
from tests.trust.campaigns import CAMPAIGNS, Campaign
from tests.trust.page import PAGE, page
from tests.trust.records import FOLDER, Record, changed, definitions, digests, keep, record_of
from tests.trust.run import figures_of

SMALL = Campaign("small", "Is it?", "It is.", "pytest", ("semiaudit/gate",), "All else.", 0.5)


def test_the_page_is_written_from_the_records() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.trust.page"


def test_every_campaign_is_in_the_summary_and_every_row_has_the_cells_of_its_title() -> None:
    blocks = [block.splitlines() for block in page().split("\n\n")]
    tables = [block for block in blocks if block[0].startswith("| ")]
    assert len(tables[0]) == 2 + len(CAMPAIGNS)
    for table in tables:
        assert {line.count("|") for line in table} == {table[0].count("|")}


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_no_figure_is_older_than_the_page_allows(campaign: Campaign) -> None:
    record = record_of(campaign)
    if record is not None:
        assert changed(campaign, record) <= campaign.most_changed, (
            f"run python -m tests.trust.run {campaign.name}, or remove its record"
        )


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_a_campaign_names_what_there_is(campaign: Campaign) -> None:
    assert digests(campaign)
    module, *arguments = shlex.split(campaign.command)
    assert find_spec(module) is not None
    for argument in arguments:
        assert not argument.startswith("tests/") or (ROOT / argument).exists()


def test_every_record_is_of_a_campaign() -> None:
    names = {campaign.name for campaign in CAMPAIGNS}
    assert len(names) == len(CAMPAIGNS)
    assert {path.stem for path in FOLDER.glob("*.json")} <= names


def test_a_record_is_as_old_as_the_share_of_definitions_that_changed() -> None:
    now = digests(SMALL)
    record = Record("2026-11-23", "abcdefg", "pytest", ["1 passed"], now)
    assert changed(SMALL, record) == 0
    assert changed(SMALL, replace(record, definitions=now[1:])) == 1 / len(now)
    assert changed(SMALL, replace(record, definitions=[*now[1:], "0"])) == 2 / (len(now) + 1)


def test_a_record_is_read_as_it_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    record = Record("2026-11-23", "abcdefg", "pytest", ["1 passed", "2 failed"], digests(SMALL))
    assert record_of(SMALL) is None
    keep(SMALL, record)
    assert record_of(SMALL) == record


CODE = '''
{}
import {}

A = "# no comment"  # {}

class Twice:
    """{}"""
    factor = 2

    def of(self, x: int) -> int:
        """{}"""
        return x * {}
'''


def test_a_record_ages_by_code_and_not_by_docstrings_comments_and_imports() -> None:
    code = definitions(CODE.format('"""Double."""', "os", "why", "Two.", "Double x.", 2))
    assert code == [
        "A = '# no comment'",
        "Twice.def of(self, x: int) -> int:\n    return x * 2",
        "class Twice:\n    factor = 2",
    ]
    assert definitions(CODE.format("import re", "sys", "a", "2.", "Two\nx.", 2)) == code
    other = definitions(CODE.format("import re", "sys", "a", "2.", "Two\nx.", 3))
    assert [one == two for one, two in zip(code, other, strict=True)] == [True, False, True]


def test_the_figures_are_lines_of_the_output() -> None:
    output = "collected 3\n==== 3 passed, 1 skipped in 2.1s ====\n"
    assert figures_of(output, r"\d+ passed") == ["3 passed, 1 skipped in 2.1s"]
    table = "| attack | cases |\n| --- | --- |\n| one | 200 |\n"
    assert figures_of(table, r"\|") == ["attack | cases", "one | 200"]
