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


SPEC = "semiaudit: 1\n"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        (SPEC, True),
        ("title: x\ndataspace: {size: 3}\n" + SPEC, True),
        ("# a comment\n---\n'semiaudit': 1\n", True),
        ('{"title": "x", "semiaudit": 1}\n', True),
        ("? semiaudit\n: 1\n", True),
        ("a: 1\n---\n" + SPEC, True),
        ("a: [\n" + SPEC, True),
        (SPEC + "a: [\n", True),
        ("a: [\r" + SPEC, True),
        ("a: {b: *c\nsemiaudit : 1\n", True),
        ("\ufeff" + SPEC, True),
        ("a: \x00\n" + SPEC, True),
        ("a: " + "[" * 100 + "\n" + SPEC, True),
        ("a: &a [1]\nb: !!tag x\n" + SPEC, True),
        (SPEC + "a: 1\n" * 400_000, True),
        ("a: 1\n" * 400_000 + SPEC, True),
        ("", False),
        ("a: {semiaudit: 1}\n", False),
        ("- semiaudit: 1\n", False),
        ("a:\n  semiaudit: 1\n", False),
        ("a: semiaudit\n", False),
        ("[[semiaudit, 1]]\n", False),
        ("semiaudit\n", False),
        ("semiaudit2: 1\n", False),
        ("semiaudit_policy: 1\n", False),
        ("a: [\n  semiaudit: 1\n", False),
        ("a: 1\n" * 400_000, False),
    ],
)
def test_a_yaml_file_is_a_spec_by_its_top_level_keys(text: str, spec: bool, tmp_path: Path) -> None:
    for name in ("a.yaml", "b.YML"):
        (tmp_path / name).write_text(text, "utf-8", newline="")
    assert below(tmp_path) == (["a.yaml", "b.YML"] if spec else [])


def test_bytes_of_another_encoding_may_be_a_spec(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(("a: 1\n" + SPEC).encode("utf-16"))
    (tmp_path / "b.yaml").write_bytes(b"# \xff\nsemiaudit: 1\n")
    (tmp_path / "c.yaml").write_bytes(b"# \xff\na: 1\n")
    assert below(tmp_path) == ["a.yaml", "b.yaml"]


def test_what_is_passed_over_is_counted_by_its_reason(tmp_path: Path) -> None:
    touch(tmp_path, "x.txt", "y/z", "no.yaml", ".git/a.yaml")
    (tmp_path / "one.yaml").write_text(SPEC)
    (tmp_path / "policy.yaml").write_text("semiaudit_policy: 1\n")
    (tmp_path / "waivers.yaml").write_text("waivers: []\nsemiaudit_waivers: 1\n")
    (tmp_path / "damaged.yaml").write_text("a: [\n")
    (tmp_path / "gone.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "large.yaml").write_text("a: 1\n" * 400_000)
    os.mkfifo(tmp_path / "pipe.yaml")
    found = specs_under([str(tmp_path)])
    assert [Path(path).name for path in found.specs] == ["one.yaml"]
    assert found.problems == ()
    assert dict(found.passed_over) == {
        "YAML without the key semiaudit": 1,
        "a directory that is not searched": 1,
        "a link that leads nowhere, or no regular file": 2,
        "a policy, or waivers": 2,
        "more than 1 MB, and no line that begins with semiaudit:": 1,
        "no YAML file by its name": 2,
        "no YAML inside, and no line that begins with semiaudit:": 1,
    }
    assert specs_under([str(tmp_path / "one.yaml")]).passed_over == ()


def test_a_link_out_of_the_directory_is_told_by_its_name_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "spec.yaml").write_text(SPEC)
    for name in ("a.yaml", "semiaudit.yaml"):
        (tmp_path / "in" / name).symlink_to("../spec.yaml")

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("a file outside was opened")

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", opened)
        found = specs_under([str(tmp_path / "in")])
    assert found.specs == ()
    assert [Path(p.file).name for p in found.problems] == ["semiaudit.yaml"]
    assert found.passed_over == (("a link that leads out of the directory", 1),)
    allowed = specs_under([str(tmp_path / "in")], root=str(tmp_path))
    assert [Path(path).name for path in allowed.specs] == ["a.yaml"]


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
