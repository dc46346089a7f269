"""The pages: links lead somewhere, and every complete spec on a page does what the page says."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from semiaudit import Spec, audit
from semiaudit.cli import main
from semiaudit.errors import RefusedError, SpecError
from semiaudit.version import REPOSITORY
from tests.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = re.compile(r"https://github\.com/(?!actions|github)[\w/-]*semiaudit")
LINK = re.compile(r"\]\(([^)\s]+)\)")
SPEC = re.compile(r"(#.*\n)?semiaudit: 1\n")


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
                found.append((page.name, text, after == "console" and "$ echo $?\n2\n" in run))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text("utf-8"))):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if "://" not in link:
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", ["calculus.md", "index.md", "library.md"])
def test_the_python_of_a_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = BLOCK.findall((ROOT / "docs" / page).read_text("utf-8"))
    codes = [text for form, text in blocks if form == "python"]
    assert codes
    for code in codes:
        exec(compile(code, f"docs/{page}", "exec"), {})


@pytest.mark.parametrize(("page", "text", "refused"), specs())
def test_every_whole_spec_on_a_page_is_answered_or_refused_as_it_says(
    page: str, text: str, refused: bool, tmp_path: Path
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    if not refused:
        assert Spec.from_file(path).path, page
        return
    with pytest.raises((SpecError, RefusedError)):
        audit(path)


def test_the_address_of_the_repository_is_one_constant() -> None:
    sources = [
        p for p in (ROOT / "semiaudit").rglob("*.py") if ADDRESS.search(p.read_text("utf-8"))
    ]
    assert [path.name for path in sources] == ["version.py"]
    for page in PAGES:
        for found in ADDRESS.findall(page.read_text("utf-8")):
            assert found == REPOSITORY, page


def test_a_rule_s_page_is_printed_from_the_one_source(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("SA013", "sa031"):
        assert main(["rule", name]) == 0
        page = ROOT / "docs" / "rules" / f"{name.upper()}.md"
        assert capsys.readouterr().out == page.read_text("utf-8")
    assert main(["rule", "SA999"]) == 2
    assert "SA001, SA002" in capsys.readouterr().err
