"""Finding specs: each once, in the order of the paths, whatever else lies in the directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from semiaudit.workflow.checking.discovery import NAMES, specs_under


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def below(folder: Path, *paths: str, pattern: str | None = None) -> list[str]:
    found = specs_under([str(folder / path) for path in paths or (".",)], pattern)
    assert found.problems == ()
    return [os.path.relpath(path, folder) for path in found.specs]


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("semiaudit.yaml", True),
        ("semiaudit.yml", True),
        ("a.semiaudit.yaml", True),
        ("a.b.semiaudit.yml", True),
        (".semiaudit.yaml", False),
        ("xsemiaudit.yaml", False),
        ("a.semiaudit.yaml.bak", False),
        ("a.semiaudit.json", False),
    ],
)
def test_names_of_specs_are_those_of_the_hook(name: str, spec: bool) -> None:
    assert bool(NAMES.fullmatch(name)) is spec


def test_specs_come_in_the_order_of_their_paths_at_any_depth(tmp_path: Path) -> None:
    touch(
        tmp_path, "b/x.semiaudit.yaml", "a.semiaudit.yaml", "b.semiaudit.yml", "b/c/semiaudit.yml"
    )
    touch(tmp_path, "other.yaml", ".git/x.semiaudit.yaml", "node_modules/y.semiaudit.yaml")
    touch(tmp_path, ".venv/z.semiaudit.yaml")
    assert below(tmp_path) == [
        "a.semiaudit.yaml",
        "b/c/semiaudit.yml",
        "b/x.semiaudit.yaml",
        "b.semiaudit.yml",
    ]


def test_a_named_file_is_a_spec_whatever_its_name_and_comes_once(tmp_path: Path) -> None:
    touch(tmp_path, "b.txt", "a.semiaudit.yaml")
    assert below(tmp_path, "b.txt", ".", "a.semiaudit.yaml", "./b.txt") == [
        "a.semiaudit.yaml",
        "b.txt",
    ]


def test_a_pattern_names_further_specs(tmp_path: Path) -> None:
    touch(tmp_path, "a.yaml", "b/c.yaml", "b/d.txt")
    assert below(tmp_path) == []
    assert below(tmp_path, pattern="*.yaml") == ["a.yaml", "b/c.yaml"]
    assert below(tmp_path, pattern="b/*") == ["b/c.yaml", "b/d.txt"]


def test_links_are_followed_loops_end_and_each_real_file_comes_once(tmp_path: Path) -> None:
    touch(tmp_path, "a/x.semiaudit.yaml")
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "self").symlink_to("self")
    (tmp_path / "b").symlink_to("a", target_is_directory=True)
    (tmp_path / "z.semiaudit.yaml").symlink_to("a/x.semiaudit.yaml")
    assert below(tmp_path) == ["a/x.semiaudit.yaml"]


def test_a_link_that_leads_nowhere_is_kept_so_that_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.semiaudit.yaml").symlink_to("gone")
    assert below(tmp_path) == ["x.semiaudit.yaml"]


def test_thousands_of_other_files_hide_nothing(tmp_path: Path) -> None:
    for number in range(5_000):
        (tmp_path / f"noise{number}.csv").touch()
    touch(tmp_path, "x.semiaudit.yaml")
    assert below(tmp_path) == ["x.semiaudit.yaml"]


def test_a_deep_tree_is_searched(tmp_path: Path) -> None:
    touch(tmp_path, "/".join(["d"] * 60) + "/semiaudit.yaml")
    assert len(below(tmp_path)) == 1


def test_what_is_not_there_and_what_is_no_file_are_problems(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.semiaudit.yaml")
    found = specs_under([str(tmp_path / "nothing"), str(tmp_path)])
    assert found.specs == ()
    assert [Path(p.file).name for p in found.problems] == ["nothing", "pipe.semiaudit.yaml"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every directory")
def test_a_closed_directory_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    try:
        found = specs_under([str(tmp_path)])
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert len(found.problems) == 1


def test_a_directory_that_vanishes_or_is_closed_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path, "a/x.semiaudit.yaml", "b/y.semiaudit.yaml")
    real = os.scandir

    def closed(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", closed)
    found = specs_under([str(tmp_path)])
    assert [Path(path).name for path in found.specs] == ["y.semiaudit.yaml"]
    assert ["cannot be searched" in str(problem) for problem in found.problems] == [True]
