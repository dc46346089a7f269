"""Finding specs: each once, in the order of the paths, whatever else lies in the directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from semiaudit.checking.discovery import NAMES, specs_under
from semiaudit.checking.verdict import verdict_of


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
        ("A.Semiaudit.YAML", True),
        (".semiaudit.yaml", False),
        ("xsemiaudit.yaml", False),
        ("a.semiaudit.yaml.bak", False),
        ("a.semiaudit.json", False),
    ],
)
def test_a_file_with_a_name_of_specs_is_one(name: str, spec: bool) -> None:
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
        ("a:\n  semiaudit: 1\n", False),
        ("a: semiaudit\n", False),
        ("[[semiaudit, 1]]\n", False),
        ("semiaudit\n", False),
        ("semiaudit_policy: 1\n", False),
        ("a: [\n# semiaudit: 1\n", False),
        ("a: {dataspace: {}, mechanism: {}}\n", True),
        ("- dataspace: {}\n- mechanism: {}\n", False),
        ("base: &base {semiaudit: 1}\nother: *base\n", False),
        ("mechanism: {}\n", False),
        ("audit: 1\nsemi: 1\nself: 1\n", False),
        ("a: 1\n" * 400_000, False),
    ],
)
def test_a_yaml_file_is_a_spec_by_its_top_level_keys(text: str, spec: bool, tmp_path: Path) -> None:
    for name in ("a.yaml", "b.YML"):
        (tmp_path / name).write_text(text, "utf-8", newline="")
    assert below(tmp_path) == (["a.yaml", "b.YML"] if spec else [])


@pytest.mark.parametrize(
    "text",
    [
        "Semiaudit: 1\n",
        "SEMIAUDIT: 1\n",
        "semiaudti: 1\n",
        "semiadit: 1\n",
        "semiauditt: 1\n",
        "semi-audit: 1\n",
        "semiaudit2: 1\n",
        "' semiaudit': 1\n",
        "\u0455\u0435miaudit: 1\n",
        "semi\u200baudit: 1\n",
        "\fsemiaudit: 1\n",
        "\tsemiaudit: 1\n",
        "a: [\n  semiaudit: 1\n",
        "a: [\n  semiaudit 1\n",
        '{"a": 1,, "semiaudit": 1}\n',
        "a: [\n\u00fe\u00ff semiaudit: 1\n",
        "a: [\ndataspace: 1\nmechanism: 1\n",
        "<<: {semiaudit: 1}\n",
        "base: &base {semiaudit: 1}\n<<: *base\n",
        "base: &base {semiaudit: 1}\nx: &x {a: 1}\n<<: [*x, *base]\n",
        "word: &word semiaudit\n*word : 1\n",
        "- semiaudit: 1\n",
        "- a: 1\n- title: x\n  semiaudit: 1\n",
        "- {dataspace: {}, mechanism: {}}\n",
        "dataspace: {}\nmechanism: {}\n",
        "invariants: []\nadjacency: {}\n",
        "a: 1\n---\nreleases: []\ndataspace: {}\n",
        "semiaudit_policy: 1\ndataspace: {}\nmechanism: {}\n",
        "a: 1\n" * 400_000 + "dataspace: {}\nmechanism: {}\n",
    ],
)
def test_a_file_that_was_meant_as_a_spec_is_one(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text, "utf-8", newline="")
    assert below(tmp_path) == ["a.yaml"]
    found = verdict_of(tmp_path / "a.yaml", time_limit=60)
    assert (found.outcome, found.exit_code) == ("unaudited", 2)


@pytest.mark.parametrize(
    "encoding",
    ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "latin-1"],
)
@pytest.mark.parametrize("text", [SPEC, "a: \xe9\n" + SPEC, '{"title": "x", "semiaudit": 1}'])
def test_no_encoding_hides_a_spec(text: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(text.encode(encoding))
    (tmp_path / "b.yaml").write_bytes("a: 1\n".encode(encoding))
    assert below(tmp_path) == ["a.yaml"]


@pytest.mark.parametrize(
    "name",
    [
        "-x.yaml", "--policy=x.yml", "-.yaml", ".yaml", ".x.yaml", "..x.yaml", "...yaml",
        "a\nb.yaml", "\n.yml", "a b.yaml", "x.YAML", "x.Yml", "x.semiaudit.YAML", "ä.yaml",
        "%2e.yaml", "::error::.yaml", "*.yaml", "\x1b[31m.yaml", "\udcff.yaml",
    ],
)  # fmt: skip
def test_no_name_hides_a_spec(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / name).write_text(SPEC)
    assert below(tmp_path, "d") == [f"d/{name}"]
    monkeypatch.chdir(tmp_path / "d")
    for path in (".", "../d", "./.."):
        assert len(specs_under([path]).specs) == 1
    assert specs_under([name]).specs == (name,)


def test_hard_links_are_audited_under_each_of_their_names(tmp_path: Path) -> None:
    touch(tmp_path, "d/x.txt")
    (tmp_path / "outside.yaml").write_text(SPEC)
    os.link(tmp_path / "outside.yaml", tmp_path / "d" / "a.yaml")
    os.link(tmp_path / "outside.yaml", tmp_path / "d" / "b.yaml")
    assert below(tmp_path, "d") == ["d/a.yaml", "d/b.yaml"]


def test_a_link_in_a_loop_or_to_nothing_that_may_be_a_spec_is_one(tmp_path: Path) -> None:
    (tmp_path / "self.yaml").symlink_to("self.yaml")
    (tmp_path / "a.yml").symlink_to("b.yml")
    (tmp_path / "b.yml").symlink_to("a.yml")
    (tmp_path / "gone.YAML").symlink_to("nowhere")
    assert below(tmp_path) == ["a.yml", "b.yml", "gone.YAML", "self.yaml"]
    for name in below(tmp_path):
        assert verdict_of(tmp_path / name, time_limit=60).exit_code == 2


def test_a_link_that_cannot_be_followed_is_a_problem(tmp_path: Path) -> None:
    touch(tmp_path, "there/x.semiaudit.yaml")
    (tmp_path / "releases").symlink_to("x" * 300)
    found = specs_under([str(tmp_path)])
    assert [Path(path).name for path in found.specs] == ["x.semiaudit.yaml"]
    assert ["cannot be searched" in str(problem) for problem in found.problems] == [True]


def test_bytes_of_another_encoding_may_be_a_spec(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(("a: 1\n" + SPEC).encode("utf-16"))
    (tmp_path / "b.yaml").write_bytes(b"# \xff\nsemiaudit: 1\n")
    (tmp_path / "c.yaml").write_bytes(b"# \xff\na: 1\n")
    assert below(tmp_path) == ["a.yaml", "b.yaml"]


def test_what_is_skipped_is_named_with_its_reason(tmp_path: Path) -> None:
    touch(tmp_path, "x.txt", "y/z", "no.yaml", ".git/a.yaml")
    (tmp_path / "one.yaml").write_text(SPEC)
    (tmp_path / "policy.yaml").write_text("semiaudit_policy: 1\n")
    (tmp_path / "waivers.yaml").write_text("waivers: []\nsemiaudit_waivers: 1\n")
    (tmp_path / "damaged.yaml").write_text("a: [\n")
    (tmp_path / "gone.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "large.yaml").write_text("a: 1\n" * 400_000)
    os.mkfifo(tmp_path / "pipe.yaml")
    found = specs_under([str(tmp_path)])
    assert [Path(path).name for path in found.specs] == ["gone.yaml", "one.yaml"]
    assert [Path(problem.file).name for problem in found.problems] == ["pipe.yaml"]
    skipped = {
        reason: [os.path.relpath(name, tmp_path) for name in names]
        for reason, names in found.skipped
    }
    assert skipped == {
        "YAML without the key semiaudit": ["no.yaml"],
        "a directory that is not searched": [".git"],
        "a policy or waivers": ["policy.yaml", "waivers.yaml"],
        "more than 1 MB, and no line begins with semiaudit": ["large.yaml"],
        "not a YAML file, by its name": ["x.txt", "y/z"],
        "not YAML, and no line begins with semiaudit": ["damaged.yaml"],
    }
    assert specs_under([str(tmp_path / "one.yaml")]).skipped == ()


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
    assert [Path(p.file).name for p in found.problems] == ["a.yaml", "semiaudit.yaml"]
    assert found.skipped == ()
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


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("release:\n  semiaudit: 1\n  dataspace: {size: 9}\n  mechanism: {zcdp: {rho: 1}}\n", True),
        ("a: [{b: {semiaudit: 1, mechanism: {}}}]\n", True),
        ("a:\n  dataspace: {size: 9}\n  mechanism: {zcdp: {rho: 1}}\n", True),
        ("jobs:\n  semiaudit:\n    run: semiaudit check\n", False),
        ("services: {mechanism: {image: x}}\n", False),
        ("a: {semiaudit_policy: 1, budgets: []}\n", False),
    ],
)
def test_a_spec_below_another_key_was_meant_as_a_spec(
    text: str, meant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pasted.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    found = specs_under(["."])
    assert found.specs == ("pasted.yaml",) * meant
    if not meant:
        assert found.skipped == (("YAML without the key semiaudit", ("pasted.yaml",)),)
