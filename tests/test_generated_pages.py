"""What commands write into docs/: the pages of options, the picture of a report, the notebook."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from lxml import etree

from semiaudit.cli import main
from tests.notebook_outputs import NOTEBOOKS, executed, text_of
from tests.option_pages import FOLDER, pages
from tests.pages import PAGES
from tests.places import ROOT
from tests.report_picture import PICTURE, picture


@pytest.mark.skipif(
    tuple(map(int, version("click").split(".")[:2])) < (8, 5),
    reason="earlier versions of click print usage differently",
)
def test_the_pages_of_options_are_those_that_the_program_writes() -> None:
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


def test_the_picture_is_the_report_and_loads_nothing() -> None:
    text = PICTURE.read_text("utf-8")
    assert text == picture(), "run python -m tests.report_picture"
    tree = etree.fromstring(text.encode())
    assert {etree.QName(node).localname for node in tree.iter()} == {
        "svg", "title", "rect", "g", "text",
    }  # fmt: skip
    assert "href" not in text
    assert "url(" not in text
    assert "10.24" in text


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_the_outputs_of_its_cells(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert all(cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")
    assert path.read_text("utf-8") == text_of(executed(path)), (
        "run python -m tests.notebook_outputs"
    )
