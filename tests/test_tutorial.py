"""The tutorial, followed as it is printed by a reader who has nothing yet but a checkout.

The commands of the page are those of a shell here, in an environment that pip has just filled;
what they print is held against the page as in ``tests/test_docs.py``, without the installation.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.pages import BLOCK, lacks, steps
from tests.places import ROOT
from tests.report.html.reading import Node, one_line, read

TUTORIAL = ROOT / "docs" / "tutorial.md"
KEPT = re.compile(r"HOME|LANG|LC_\w+|PATH|PIP_\w+|\w+_proxy|\w+_PROXY|SSL_\w+|TMPDIR")
"""What of this environment a reader has, too: what pip needs, and nothing of Python's or ours."""
OWN = "ward,smoker,age\n" + "".join(
    f"{ward},{smoker},{age}\n"
    for ward in ("east", "west", "north")
    for smoker in ("yes", "no")
    for age in (30, 40, 50)
)
"""A file of data that the tutorial does not know."""


def checkout(folder: Path) -> Path:
    """What is published of this tree."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    for name in ["pyproject.toml", *tables["build"]["targets"]["sdist"]["include"]]:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            folder.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


class Shell:
    """The reader's shell: a folder and a search path, which the first lines have set.

    Attributes:
        folder: where the reader is.
        environment: what its commands see.
    """

    def __init__(self, lines: str, folder: Path) -> None:
        self.folder = folder
        self.environment = {k: v for k, v in os.environ.items() if KEPT.fullmatch(k)}
        done = self.run(f'set -e\n{lines}\nprintf \'%s\\n\' "$PWD" "$PATH"')
        assert done.returncode == 0, done.stderr
        *_, at, path = done.stdout.splitlines()
        self.folder, self.environment["PATH"] = Path(at), path

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", line],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """After the installation, which is the first block of the page."""
    blocks = BLOCK.findall(TUTORIAL.read_text("utf-8"))
    assert [form for form, _ in blocks].count("sh") == 1
    assert blocks[0][0] == "sh"
    return Shell(blocks[0][1], checkout(tmp_path_factory.mktemp("reader") / "semiaudit"))


def page(path: Path) -> Node:
    return read(path.read_text("utf-8"))


def rows(root: Node) -> list[list[str]]:
    """The cells of every table of a page."""
    return [
        [one_line(cell.text) for cell in row.children if isinstance(cell, Node)]
        for row in root.every("tr")
    ]


@pytest.mark.lengthy
def test_the_tutorial_followed_in_a_fresh_environment_ends_with_a_page_of_its_file(
    shell: Shell,
) -> None:
    assert list(shell.folder.iterdir()) == []
    which = shell.run("command -v semiaudit").stdout.strip()
    assert Path(which).is_relative_to(shell.folder.parent / "semiaudit" / ".venv")
    lines = []
    for run in steps(TUTORIAL, shell.folder):
        done = shell.run(run.line)
        printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        assert done.returncode == run.code, (run.line, done.stderr)
        assert lacks(run.shown, printed) == [], (run.line, printed)
        lines.append(run.line)
    assert lines[0].startswith("semiaudit init")
    assert "applicants.csv" in lines[0]
    assert lines[-1].endswith("-o html=admissions.html")
    root = page(shell.folder / "admissions.html")
    assert one_line(next(root.every("h1")).text) == "Admissions by department, sex and outcome"
    assert "Passed: ρ is 0.45, within the limit 0.5." in one_line(root.text)
    # 9 times the declared 0.05.
    assert any(
        row[:2] == ["Semi-DP (effective)", "0.45"] and row[-1] == "Dₜ, 3" for row in rows(root)
    )


@pytest.mark.lengthy
def test_a_file_that_the_tutorial_does_not_know_ends_with_a_page_too(shell: Shell) -> None:
    (shell.folder / "own.csv").write_text(OWN, "utf-8")
    for line in (
        "semiaudit init own.yaml --from own.csv --margin ward --margin smoker",
        "semiaudit analyze own.yaml -o html=own.html",
    ):
        done = shell.run(line)
        assert done.returncode == 0, done.stderr
    root = page(shell.folder / "own.html")
    assert "Not your release yet: replace the mechanism at own.yaml:" in one_line(root.text)
