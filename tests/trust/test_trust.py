"""docs/trust.md has the figures of the records, and none is older than it allows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from importlib.util import find_spec

import pytest

from tests.places import ROOT
from tests.trust.campaigns import CAMPAIGNS, Campaign
from tests.trust.page import PAGE, page
from tests.trust.records import FOLDER, Record, changed, code_of, digests, record_of
from tests.trust.run import figures_of

SMALL = Campaign("small", "Is it?", "pytest", ("semiaudit/gate",), "All else.", 0.5)


def test_the_page_is_written_from_the_records() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.trust.page"


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


def test_a_record_is_as_old_as_the_share_of_files_that_changed() -> None:
    files = digests(SMALL)
    record = Record("2026-11-23", "abcdefg", "pytest", ["1 passed"], files)
    assert changed(SMALL, record) == 0
    one = dict(list(files.items())[1:])
    assert changed(SMALL, replace(record, files=one)) == 1 / len(files)
    other = {**one, "semiaudit/gate/gone.py": "0"}
    assert changed(SMALL, replace(record, files=other)) == 2 / (len(files) + 1)


def test_a_record_does_not_age_by_docstrings_and_comments_but_by_code() -> None:
    code = 'def twice(x: int) -> int:\n    """{}"""\n    return x * {}  # {}\n'
    assert code_of(code.format("Double x.", 2, "why")) == code_of(code.format("Two\nx.", 2, "a"))
    assert code_of(code.format("Double x.", 2, "why")) != code_of(
        code.format("Double x.", 3, "why")
    )
    assert code_of('A = "# no comment"\n"""B."""\n') == 'A = "# no comment"'


def test_the_figures_are_lines_of_the_output() -> None:
    output = "collected 3\n==== 3 passed, 1 skipped in 2.1s ====\n"
    assert figures_of(output, r"\d+ passed") == ["3 passed, 1 skipped in 2.1s"]
    table = "| attack | cases |\n| --- | --- |\n| one | 200 |\n"
    assert figures_of(table, r"\|") == ["attack | cases", "one | 200"]
