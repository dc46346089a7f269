"""docs/options: written from ``--help``, and the only pages that document options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.option_pages import FOLDER, pages
from tests.pages import PAGES
from tests.places import ROOT


def test_the_pages_are_those_that_the_program_writes() -> None:
    written = pages()
    assert {path.name for path in FOLDER.iterdir()} == set(written)
    for name, text in written.items():
        assert (FOLDER / name).read_text("utf-8") == text, "run python -m tests.option_pages"


def test_a_page_has_every_option_that_the_help_of_its_command_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in ("check", "mechanism sample", "registry review"):
        assert main([*command.split(), "--help"]) == 0
        shown = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", capsys.readouterr().out, re.MULTILINE)
        table = (FOLDER / f"{command.replace(' ', '-')}.md").read_text("utf-8")
        assert re.findall(r"^\| `(?:-\w, )?(--[a-z-]+)", table, re.MULTILINE) == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_other_page_has_a_table_of_options(page: Path) -> None:
    heads = re.findall(r"^\| option[^|]*\|", page.read_text("utf-8"), re.MULTILINE)
    assert not heads or page.parent == FOLDER
