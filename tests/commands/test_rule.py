"""The command `rule`: the page of one rule, and the list of all."""

from __future__ import annotations

import re

import pytest

from semiaudit.cli import main
from semiaudit.report.rule_pages import TEXTS
from semiaudit.version import FILES

Capture = pytest.CaptureFixture[str]


def test_the_page_of_a_rule_is_printed_with_addresses(capsys: Capture) -> None:
    for name in ("SA013", "sa031", "sr004"):
        assert main(["rule", name]) == 0
        page = capsys.readouterr().out
        assert page.startswith(f"# {name.upper()}: ")
        text, _, _ = (TEXTS / f"{name.upper()}.md").read_text("utf-8").partition("See also")
        assert text in page
        assert f"]({FILES}/docs/" in page


def test_without_a_name_the_rules_are_listed_with_level_and_title(capsys: Capture) -> None:
    assert main(["rule"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "SA001  warning  The advertised guarantee does not cover the invariants."
    assert lines[-1] == ("SR015  note     The url_slug is not the one that the registry computes.")
    assert [line[:5] for line in lines] == sorted(path.stem for path in TEXTS.glob("S*.md"))
    assert all(re.fullmatch(r"S[AR]\d{3}  (error  |warning|note   )  \S.*\.", x) for x in lines)


def test_for_a_name_that_is_not_known_the_list_is_named(capsys: Capture) -> None:
    assert main(["rule", "SA999"]) == 2
    assert "SA999 is not a rule; `semiaudit rule` lists the rules" in capsys.readouterr().err


def test_a_terminal_shows_a_page_without_its_marks(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semiaudit.cli.output.is_interactive", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    for words in (["rule", "SA013"], ["glossary", "a(t)"]):
        assert main(words) == 0
        page = capsys.readouterr().out
        assert not any(line.startswith(("#", "```")) for line in page.splitlines())
        assert "](" not in page
