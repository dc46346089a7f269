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

NOT_YET_CLEAN: frozenset[str] = frozenset(
    (
        "docs/api.md",
        "docs/architecture.md",
        "docs/decisions/0001-decimal-interval-arithmetic.md",
        "docs/decisions/0006-order-of-composition.md",
        "docs/decisions/0008-more-than-three-margins.md",
        "docs/decisions/0009-noise-directly-and-by-steps.md",
        "docs/decisions/0010-general-system-and-classes.md",
        "docs/decisions/0014-closed-form-on-classes.md",
        "docs/decisions/0017-losses-are-descriptions.md",
        "docs/decisions/0018-lattice-first-then-two-grids.md",
        "docs/decisions/0020-what-fails-the-gate.md",
        "docs/decisions/0023-few-frequencies.md",
        "docs/decisions/0024-constraints-and-values.md",
        "docs/decisions/0025-kinds-by-type.md",
        "docs/decisions/0026-one-calculus.md",
        "docs/decisions/0027-what-a-start-loads.md",
        "docs/decisions/0028-where-a-test-is-found.md",
        "docs/decisions/0029-what-was-heavier-than-its-use.md",
        "docs/decisions/0030-a-pipe-for-each-worker.md",
        "docs/decisions/0031-who-may-say-that-a-gate-passes.md",
        "docs/decisions/0032-from-data-to-spec.md",
        "docs/decisions/0033-the-library.md",
        "docs/decisions/0035-entries-of-the-registry.md",
        "docs/decisions/0037-matplotlib-as-an-extra.md",
        "docs/decisions/0038-swapped-records.md",
        "docs/decisions/0039-hierarchical-releases.md",
        "docs/decisions/0040-the-site-reads-the-pages-as-they-are.md",
        "docs/decisions/0042-the-rows-of-c-as-stated.md",
        "docs/decisions/0043-what-reproduce-shows.md",
        "docs/decisions/0046-what-a-spine-leaves-open.md",
        "docs/decisions/0047-published-totals-and-shapes-of-the-spine.md",
        "docs/decisions/0048-one-package-of-exact-numbers.md",
        "docs/decisions/README.md",
        "docs/peers.md",
        "docs/rules/README.md",
        "docs/rules/SR004.md",
    )
)
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
            inner = found.make_context(name, [], parent=context, resilient_parsing=True)
            yield from helps(found, inner)


def test_no_help_has_a_rejected_word() -> None:
    context = cli.make_context("semiaudit", [], resilient_parsing=True)
    found = dict(helps(cli, context))
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
