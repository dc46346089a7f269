"""Answers without a page of their own: the design of all pages, and every word of the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.cli import main
from semiaudit.report.html.view_page import view_page
from semiaudit.report.text.layout import Grid, Lines, View
from tests.report.html.reading import Node, one_line, read

TABLE = """\
semiaudit: 1
title: A table under a margin
dataspace: {unit: person, attributes: {education: 3, income: 3}}
invariants: [margin: [education]]
data: {counts: [[3, 2, 1], [2, 4, 3], [1, 5, 6]]}
design: {query: table}
"""

COMMANDS = {
    "convert": ["convert", "gaussian: {sigma: 2}", "--delta", "1e-6"],
    "test": [
        *("mechanism", "test", "odds-ratio", "--margins", "12,10,11"),
        *("--noisy-count", "8.25", "--epsilon", "1"),
    ],
    "calibrate": [
        *("mechanism", "calibrate", "FOLDER/table.yaml", "--target", "gdp:1"),
        *("--design", "naive_gaussian"),
    ],
    "reproduce": ["reproduce", "su-table-1"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_a_page_in_the_design_of_all_pages(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.yaml").write_text(TABLE, "utf-8")
    page = tmp_path / "page.html"
    command = [word.replace("FOLDER", str(tmp_path)) for word in COMMANDS[name]]
    assert main([*command, "-o", f"html={page}", "--format", "markdown"]) == 0
    markdown = capsys.readouterr().out
    text = page.read_text("utf-8")
    root = read(text)
    card = next(node for node in root.every("section") if node.has("class", "verdict"))
    sentence = one_line(next(card.every("h2")).text)
    assert sentence.endswith(".")
    assert len(list(root.every("style"))) == len(list(root.every("nav"))) == 1
    assert str(tmp_path) not in text
    titles = [line.removeprefix("## ") for line in markdown.splitlines() if line.startswith("## ")]
    assert titles
    shown = one_line(root.text)
    if name != "reproduce":
        assert [title for title in titles[1:] if one_line(title) not in shown] == []
    cells = [cell for table in root.every("table") for cell in table.every("td")]
    assert all(one_line(cell.text) in one_line(markdown.replace("\\", "")) for cell in cells
               if cell.has("class", "number"))  # fmt: skip


def heads(root: Node) -> list[str]:
    return [one_line(node.text) for node in root.every("h2")]


def test_a_page_has_every_block_and_no_folder() -> None:
    path = "/home/somebody/secret/a.yaml"
    blocks = (
        Lines("What is asked", (("spec", path),)),
        Grid("Numbers", ("name", "value"), (("ε", "1"),), (False, True), (f"From {path}.",)),
    )
    root = read(view_page("Kind", View("Title", f"{path} · 1", blocks, "It is so.", (path,))))
    assert heads(root) == ["It is so.", "Numbers"]
    assert "somebody" not in root.text
    assert "From a.yaml." in one_line(root.text)
    assert "a.yaml · 1" in one_line(root.text)
    plain = read(view_page("Kind", View("Title", "", blocks)))
    assert heads(plain) == ["Title", "Numbers"]
