"""The pages: links lead somewhere, and every complete spec on a page does what the page says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from typing import get_args

import click
import pytest

from semiaudit import Spec, audit
from semiaudit.cli import COMMANDS, cli, main
from semiaudit.commands.glossary import matching
from semiaudit.errors import RefusedError, SpecError
from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.frameworks import FRAMEWORKS
from semiaudit.privacy.epsilons import SOURCES
from semiaudit.version import REPOSITORY
from tests import gallery
from tests.fuzz.workers import one_process
from tests.notebook_outputs import NOTEBOOKS, executed, missing, text_of, without_times
from tests.pages import BLOCK, NAME, PAGES, TEXTS, command_lines, lacks, steps
from tests.places import CONFIGS, ROOT
from tests.report_picture import PICTURE, picture
from tests.samples import lengthy_cases

ADDRESS = re.compile(r"https://github\.com/(?!actions|github)[\w/-]*semiaudit")
LENGTHY_PAGES = (
    "census.md",
    "census_production.md",
    "decide-on-a-release.md",
    "design-noise.md",
    "from-opacus.md",
    "from-python.md",
    "noise-from-python.md",
    "plots.md",
)
"""Pages whose commands or code take several seconds each."""

LINK = re.compile(r"\]\(([^)\s]+)\)")
SPEC = re.compile(r"(#.*\n)?semiaudit: 1\n")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def with_blocks(form: str) -> list[Path]:
    return [page for page in PAGES if form in dict(BLOCK.findall(page.read_text("utf-8")))]


def anchors(page: Path) -> set[str]:
    """What GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ +(.+)$", BLOCK.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def specs() -> list[tuple[str, str, bool]]:
    """(page, text, refused) of each block that is a whole spec; the run behind it tells which."""
    found = []
    for page in PAGES:
        blocks = [*BLOCK.findall(page.read_text("utf-8")), ("", "")]
        for (form, text), (after, run) in pairwise(blocks):
            if form == "yaml" and SPEC.match(text):
                refused = after == "console" and "$ echo $?\n2\n" in run and "ablate" not in run
                found.append((page.name, text, refused))
    return found


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text("utf-8"))):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if "://" not in link:
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def pages_to_run(form: str) -> list[object]:
    """The pages with a form of block, of which the lengthy ones have their mark."""
    pages = with_blocks(form)
    return [
        *(page for page in pages if page.name not in LENGTHY_PAGES),
        *lengthy_cases(page for page in pages if page.name in LENGTHY_PAGES),
    ]


@pytest.mark.parametrize("page", pages_to_run("python"), ids=name)
def test_the_python_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for form, text in BLOCK.findall(page.read_text("utf-8")):
        if form == "python" and not NAME.match(text):
            exec(compile(text, name(page), "exec"), names)


@pytest.mark.parametrize("page", pages_to_run("console"), ids=name)
def test_every_command_of_a_page_prints_and_ends_as_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder with the page's own files, and with configs if a block names them."""
    if any("configs/" in body for _, body in BLOCK.findall(page.read_text("utf-8"))):
        shutil.copytree(CONFIGS, tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SEMIAUDIT_TODAY", raising=False)
    for run in steps(page, tmp_path):
        program, *words = shlex.split(run.line, comments=True)
        assert program == "semiaudit", "what cannot be run belongs into a block of sh"
        with one_process():
            code = main(words)
        told = capsys.readouterr()
        printed = [line.rstrip() for line in (told.out + told.err).splitlines()]
        assert code == run.code, (run.line, told.err)
        assert lacks(run.shown, printed) == [], (run.line, printed)


@pytest.mark.parametrize(
    ("shown", "lacking"),
    [
        (["a", "b", "c"], []),
        (["a", "b"], ["a", "b"]),
        (["b", "c"], ["b", "c"]),
        (["a", "..."], []),
        (["...", "c"], []),
        (["...", "b"], ["b"]),
        (["...", "b", "..."], []),
        (["a", "c", "..."], ["a", "c"]),
        (["...", "c", "...", "b", "..."], ["b"]),
        (["...", "a", "b", "...", "d"], ["d"]),
        ([], []),
    ],
)
def test_what_a_page_shows_is_held_line_by_line(shown: list[str], lacking: list[str]) -> None:
    assert lacks(shown, ["a", "b", "c"]) == lacking


def test_the_glossary_names_every_notion_metric_reading_and_conversion() -> None:
    for wanted in (FRAMEWORKS, get_args(Metric), get_args(Reading), SOURCES):
        assert [name for name in wanted if matching(name) is None] == []


@pytest.mark.parametrize("page", [*with_blocks("console"), *with_blocks("sh")], ids=name)
def test_every_command_line_of_a_page_has_options_that_exist(page: Path) -> None:
    for command, *words in command_lines(page):
        if command in COMMANDS:
            found: click.Command = cli
            words = [command, *words]
            while isinstance(found, click.Group):
                named = found.get_command(click.Context(found), words.pop(0))
                assert named is not None, page
                found = named
            found.make_parser(click.Context(found)).parse_args(list(words))
        else:
            assert command.startswith("-"), command


@pytest.mark.parametrize(("page", "text", "refused"), specs())
def test_every_whole_spec_on_a_page_is_answered_or_refused_as_it_says(
    page: str, text: str, refused: bool, tmp_path: Path
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    if not refused:
        assert Spec.from_file(path).path, page
        return
    try:
        code = audit(path).exit_code
    except (SpecError, RefusedError):
        code = 2
    assert code == 2


def test_links_lead_from_the_entry_page_to_every_page() -> None:
    reached, new = set[Path](), {ROOT / "docs" / "index.md"}
    while new:
        reached |= new
        targets = {
            (page.parent / link.partition("#")[0]).resolve()
            for page in new
            for link in LINK.findall(page.read_text("utf-8"))
        }
        new = {page for page in PAGES if page in targets} - reached
    docs = {page for page in PAGES if (ROOT / "docs") in page.parents}
    assert docs | {TEXTS[0]} <= reached


LONG = {
    "errata.md": "the errata",
    "performance.md": "tables that a benchmark writes",
    "spec.md": "the format, key by key",
}
"""Pages for users that may have more than 1,500 words, and what they are."""


def test_no_page_for_users_has_more_than_1500_words() -> None:
    docs = ROOT / "docs"
    pages = [page for page in PAGES if page.parent in (docs, docs / "howto")]
    words = {
        page.relative_to(docs).as_posix(): len(page.read_text("utf-8").split()) for page in pages
    }
    assert {name for name, number in words.items() if number > 1500} <= set(LONG)


def test_the_address_of_the_repository_is_one_constant() -> None:
    sources = [
        p for p in (ROOT / "semiaudit").rglob("*.py") if ADDRESS.search(p.read_text("utf-8"))
    ]
    assert [path.name for path in sources] == ["version.py"]
    for page in PAGES:
        for found in ADDRESS.findall(page.read_text("utf-8")):
            assert found == REPOSITORY, page


def test_the_picture_is_the_report() -> None:
    assert PICTURE.read_text("utf-8") == picture(), "run python -m tests.report_picture"
    assert "10.24" in picture()


@pytest.mark.lengthy
@pytest.mark.parametrize("name", gallery.VERDICTS)
def test_the_gallery_has_the_verdicts_and_the_figures_of_the_configs(
    name: str, tmp_path: Path
) -> None:
    drawn, report = gallery.draw(name, tmp_path)
    assert f" verdict {gallery.VERDICTS[name]} " in report
    kept = gallery.FOLDER / f"{name}.svg"
    assert kept.read_bytes() == drawn, "run python -m tests.gallery"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_the_outputs_of_its_cells(path: Path) -> None:
    text = path.read_text("utf-8")
    kept = json.loads(text)
    if names := missing(kept):
        pytest.skip(f"needs {', '.join(names)}, which the extra peers installs")
    assert text == text_of(kept)
    assert without_times(kept) == without_times(executed(path)), (
        "run python -m tests.notebook_outputs"
    )
