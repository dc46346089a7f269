"""The text that people read has no word that the language of the program rejects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from semiaudit.cli import cli
from tests.pages import BLOCK, PAGES
from tests.places import ROOT
from tests.wording import REJECTED, REPLACED, counts_of, texts_of

ANY = re.compile("|".join(REJECTED.values()), re.IGNORECASE)

NOT_YET_CLEAN: frozenset[str] = frozenset()
"""Files that still have such words. A clean file may not be in this list."""


def rejected(text: str) -> list[str]:
    """The words of a text that are rejected; where a link leads is not read."""
    return [found[0] for found in ANY.finditer(re.sub(r"\]\([^)]*\)", "]", text))]


def helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """The help of a command and of all below it."""
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from helps(found, click.Context(found, parent=context, info_name=name))


def test_no_help_has_a_rejected_word() -> None:
    found = dict(helps(cli, click.Context(cli, info_name="semiaudit")))
    assert len(found) > 15
    assert {path: rejected(text) for path, text in found.items() if rejected(text)} == {}


def test_no_text_of_the_program_has_a_rejected_word() -> None:
    wrong = [
        f"{name}:{line}: {word}"
        for name, line, text in texts_of(ROOT)
        if name not in NOT_YET_CLEAN
        for word in rejected(text)
    ]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_page_has_a_rejected_word(page: Path) -> None:
    """Blocks of code, and what commands print, are no prose of the page."""
    name = page.relative_to(ROOT).as_posix()
    if name not in NOT_YET_CLEAN:
        assert rejected(BLOCK.sub("", page.read_text("utf-8"))) == []


def test_no_clean_file_is_in_the_list_of_the_others() -> None:
    found = {name for name, _, text in texts_of(ROOT) if rejected(text)}
    for page in PAGES:
        if rejected(BLOCK.sub("", page.read_text("utf-8"))):
            found.add(page.relative_to(ROOT).as_posix())
    assert found == NOT_YET_CLEAN


@pytest.mark.parametrize(
    "text",
    ["The upper ends are told.", "Mend it", "a limit struck", "Beside it", "files passed over"],
)
def test_a_rejected_word_is_found_whatever_its_form(text: str) -> None:
    assert rejected(text)


@pytest.mark.parametrize("text", ["recommend besides", "a friend, untold", "[x](e.md#a-beside-b)"])
def test_other_words_are_not_rejected(text: str) -> None:
    assert rejected(text) == []


def test_words_are_counted_in_strings_and_helps_and_not_in_docstrings(tmp_path: Path) -> None:
    package = tmp_path / "semiaudit"
    package.mkdir()
    (package / "a.py").write_text(
        '"""Beside it."""\n'
        "import click\n"
        'A = f"the notion {1 + 1} is told here"\n'
        'B = "told"\n'
        "@click.command()\n"
        "def run() -> None:\n"
        '    """Tell what stands beside it."""\n'
        "def other() -> None:\n"
        '    """Told to nobody."""\n',
        "utf-8",
    )
    (package / "b.md").write_text("The gravest of them.\n", "utf-8")
    found = {word: number for word, number in counts_of(tmp_path).items() if number}
    assert found == {
        "told": 1,
        "gravest": 1,
        "beside": 1,
        "notion": 1,
        "tell, tells": 1,
        "stand, stands": 1,
    }
    assert set(found) <= set(REPLACED)
