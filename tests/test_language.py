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
from tests.wording import REJECTED, REPLACED, counts_of, docstrings_of, texts_of

ANY = re.compile("|".join(REJECTED.values()), re.IGNORECASE)

NAMES = re.compile(r"``[^`]*``|^ *[\w, *]+:(?= )", re.MULTILINE)
"""Names in docstrings: of code, and of the arguments that an item describes."""


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
            inner = found.make_context(name, [], parent=context, resilient_parsing=True)
            yield from helps(found, inner)


def test_no_help_has_a_rejected_word() -> None:
    context = cli.make_context("semiaudit", [], resilient_parsing=True)
    found = dict(helps(cli, context))
    assert len(found) > 15
    assert {path: rejected(text) for path, text in found.items() if rejected(text)} == {}


def test_no_text_of_the_program_has_a_rejected_word() -> None:
    wrong = [
        f"{name}:{line}: {word}" for name, line, text in texts_of(ROOT) for word in rejected(text)
    ]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_page_has_a_rejected_word(page: Path) -> None:
    """Blocks of code, and what commands print, are no prose of the page."""
    assert rejected(BLOCK.sub("", page.read_text("utf-8"))) == []


def test_no_docstring_has_a_rejected_word() -> None:
    """A name of code may be such a word: what it describes in prose may not."""
    wrong = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {word}"
        for path in sorted((ROOT / "semiaudit").rglob("*.py"))
        for line, text in docstrings_of(path)
        for word in rejected(NAMES.sub("", text))
    ]
    assert wrong == []


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
