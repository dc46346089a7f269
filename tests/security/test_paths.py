"""What a spec names lies in its own folder, or in the one that the command line names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from semiaudit import Spec, audit
from semiaudit.errors import SpecError
from semiaudit.spec.spec_files import named_files
from tests.gate.specs import EXCEEDS, HOLDS
from tests.places import ROOT
from tests.security.attacks import MARGIN, SECRET, TABLE, every_command, run, spec

OUT = "leads out of the spec's folder"
CELLS = "dataspace: {product: {size: 2, values: [0, 1]}}\n"
NAMING = {
    "linear": TABLE + "invariants: [linear: FILE]\n",
    "table": TABLE + MARGIN + "data: {table: FILE}\n",
    "records": TABLE + MARGIN + "data: {records: FILE}\n",
    "partition": CELLS + "invariants: [partition: FILE]\n",
    "levels": "dataspace: {size: 4, attributes: {a: 2, c: {within: a, levels: FILE}}}\n" + MARGIN,
}
"""Every key of a spec that names a file, but for the query of a mechanism."""

GOOD = {
    "linear": "1,0,0,1\n",
    "table": "a,b,count\n0,0,1\n0,1,1\n1,0,1\n1,1,1\n",
    "records": "a,b\n0,0\n0,1\n1,0\n1,1\n",
    "partition": "0,0,x\n0,1,x\n1,0,y\n1,1,y\n",
    "levels": "0,p\n0,q\n1,r\n",
}


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    folder = tmp_path / "repository" / "releases"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("key", NAMING)
@pytest.mark.parametrize("way", ["absolute", "upwards", "link", "linked folder"])
def test_no_command_reads_a_file_outside_the_folder(inner: Path, key: str, way: str) -> None:
    outside = inner.parent / "data.csv"
    outside.write_text(f"{SECRET},{SECRET}\n{SECRET}\n")
    (inner / "link.csv").symlink_to("../data.csv")
    (inner / "folder").symlink_to("..")
    name = {
        "absolute": str(outside),
        "upwards": "../data.csv",
        "link": "link.csv",
        "linked folder": "folder/data.csv",
    }[way]
    path = spec(inner, NAMING[key].replace("FILE", name))
    with pytest.raises(SpecError, match=OUT) as caught:
        audit(path, show_values=True)
    assert SECRET not in str(caught.value)
    problem = next(problem for problem in caught.value.problems if OUT in problem.message)
    assert problem.line > 1


def test_every_command_says_so(inner: Path) -> None:
    (inner.parent / "data.csv").write_text(f"{SECRET}\n")
    spec(inner, NAMING["linear"].replace("FILE", "../data.csv"))
    for text in every_command(inner, "--show-values").values():
        assert "exit 2" in text
        assert OUT in text
        assert SECRET not in text


@pytest.mark.parametrize("key", NAMING)
def test_a_root_lets_specs_share_tables(inner: Path, key: str) -> None:
    tables = inner.parent / "tables"
    tables.mkdir()
    (tables / "data.csv").write_text(GOOD[key])
    path = spec(inner, NAMING[key].replace("FILE", "../tables/data.csv"))
    for root in (inner.parent, tables, inner.parent / "." / "tables"):
        assert len(audit(path, root=root))
    with pytest.raises(SpecError, match=f"{OUT} and out of the root"):
        audit(path, root=inner)


@pytest.mark.parametrize("command", ["analyze", "check", "batch"])
def test_the_root_is_one_flag_of_every_command(inner: Path, command: str) -> None:
    tables = inner.parent / "tables"
    tables.mkdir()
    (tables / "data.csv").write_text(GOOD["table"])
    spec(inner, NAMING["table"].replace("FILE", "../tables/data.csv"))
    name = "releases/evil.semiaudit.yaml" if command == "analyze" else "releases"
    assert run(inner.parent, command, name).returncode == 2
    assert run(inner.parent, command, name, "--root", ".").returncode == 0


def test_the_matrix_of_a_query_lies_in_the_folder(inner: Path) -> None:
    (inner.parent / "data.csv").write_text(f"{SECRET}\n")
    text = (
        f"semiaudit: 1\n{TABLE}{MARGIN}"
        "mechanism: {laplace: {scale: 1, query: {matrix: ../data.csv}}}\n"
    )
    (inner / "x.yaml").write_text(text)
    with pytest.raises(SpecError, match=OUT):
        audit(inner / "x.yaml", show_values=True)


def test_a_file_in_a_folder_below_is_inside_also_through_a_link(inner: Path) -> None:
    (inner / "tables").mkdir()
    (inner / "tables" / "data.csv").write_text(GOOD["linear"])
    (inner / "link.csv").symlink_to("tables/data.csv")
    for name in ("tables/data.csv", "./tables/../tables/data.csv", "link.csv"):
        assert audit(spec(inner, NAMING["linear"].replace("FILE", name))).a_t


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_directory_is_searched_no_further_than_itself(
    inner: Path, tmp_path: Path, command: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    spec(elsewhere, TABLE + MARGIN, "real.semiaudit.yaml")
    (inner / "file.semiaudit.yaml").symlink_to(elsewhere / "real.semiaudit.yaml")
    done = run(inner, command, ".")
    assert done.returncode == 2
    assert "file.semiaudit.yaml" in done.stdout
    assert "is a link that leads out of the directory" in done.stdout + done.stderr
    (inner / "file.semiaudit.yaml").unlink()
    (inner / "folder").symlink_to(elsewhere)
    done = run(inner, command, ".")
    assert done.returncode == 2
    assert "real" not in done.stdout
    assert run(inner, command, ".", "--root", str(elsewhere)).returncode == 0


def test_the_journal_of_a_batch_looks_at_no_file_outside(inner: Path) -> None:
    (inner.parent / "data.csv").write_text("1\n")
    (inner / "own.csv").write_text("1\n")
    words = frozenset({"../data.csv", str(inner.parent / "data.csv"), "own.csv", "/etc/passwd"})
    assert named_files(words, inner) == [inner / "own.csv"]
    assert len(named_files(words, inner, str(inner.parent))) == 3


def test_whether_a_folder_outside_exists_is_not_told(inner: Path) -> None:
    told = set()
    for name in ("../../../usr/../../../" * 3, "../nowhere/../", "../../etc/passwd/../../"):
        way = name + str(inner).lstrip("/") if name.count("usr") else name + inner.name
        path = spec(inner, NAMING["linear"].replace("FILE", f"{way}/none.csv"))
        with pytest.raises(SpecError) as caught:
            audit(path)
        told.add(caught.value.problems[0].message.rpartition(": ")[2])
    assert len(told) <= 2
    assert not any("directory;" in text and "Not a" in text for text in told)


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_link_takes_no_spec_over(inner: Path, command: str) -> None:
    (inner / "real").mkdir()
    spec(inner / "real", TABLE + MARGIN, "b.semiaudit.yaml")
    (inner / "a.semiaudit.yaml").symlink_to("real/b.semiaudit.yaml")
    (inner / "0").symlink_to("real")
    done = run(inner, command, ".", "-o", "json=out.json")
    text = (inner / "out.json").read_text("utf-8")
    assert re.findall(r'"path": "(.*)"', text) == ["real/b.semiaudit.yaml"], done.stdout


def test_reports_and_journals_follow_no_link_out_of_their_folder(inner: Path) -> None:
    precious = inner.parent / "precious"
    precious.write_text("precious")
    spec(inner, TABLE + MARGIN)
    for name in ("out.json", "j.key", "k"):
        (inner / name).symlink_to("../precious")
    assert run(inner, "check", ".", "-o", "json=out.json").returncode == 2
    assert run(inner, "batch", ".", "--resume", "j").returncode == 2
    assert run(inner, "batch", ".", "--resume", "k").returncode == 2
    assert precious.read_text() == "precious"


def test_a_key_that_others_can_read_proves_nothing(inner: Path) -> None:
    path = spec(inner, TABLE + MARGIN)
    assert run(inner, "batch", ".", "--resume", "j").returncode == 0
    assert "1 of them unchanged" in run(inner, "batch", ".", "--resume", "j").stdout
    (inner / "j.key").chmod(0o644)  # as a checkout has it
    assert "unchanged" not in run(inner, "batch", ".", "--resume", "j").stdout
    assert (inner / "j.key").stat().st_mode & 0o777 == 0o600
    assert path.exists()


def test_a_document_of_brackets_holds_no_batch_up(inner: Path) -> None:
    (inner / "evil.semiaudit.yaml").write_text("[" * 200_000)
    assert run(inner, "batch", ".").returncode == 2


WEAK = "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 9999}]\n"
NAMES = [
    "--pattern=evil.semiaudit.yaml",
    "--policy=weak.semiaudit.yaml",
    "--help.semiaudit.yaml",
    "-hx.semiaudit.yaml",
    "-o=json=x.semiaudit.yaml",
    "-x.yaml",
    "a\nb.yaml",
    ".yaml",
    "x.YAML",
]


def test_a_spec_that_is_named_like_an_option_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / "weak.semiaudit.yaml").write_text(WEAK)
    (tmp_path / "good.semiaudit.yaml").write_text(HOLDS)
    for name in NAMES:
        (tmp_path / name).write_text(EXCEEDS)
        assert run(tmp_path, "check", "--", name).returncode == 1, name
        assert run(tmp_path, "check", "--", name, "good.semiaudit.yaml").returncode == 1, name


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_directory_with_such_names_does_not_pass(tmp_path: Path, command: str) -> None:
    (tmp_path / "inner").mkdir()
    for name in NAMES:
        (tmp_path / "inner" / name).write_text(EXCEEDS)
    for folder in (".", "inner"):
        done = run(tmp_path, command, folder, "--format", "json")
        assert done.returncode == 1
        assert json.loads(done.stdout)["summary"]["exceeds"] == len(NAMES)


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_link_to_a_spec_outside_the_directory_does_not_pass(tmp_path: Path, command: str) -> None:
    """Issue 30: it was skipped, with exit code 0."""
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "good.yaml").write_text(HOLDS)
    (tmp_path / "weak.yaml").write_text(EXCEEDS)
    (tmp_path / "rel" / "x.yaml").symlink_to("../weak.yaml")
    done = run(tmp_path, command, "rel")
    assert done.returncode == 2
    assert "rel/x.yaml" in done.stdout
    assert "leads out of the directory" in " ".join(done.stdout.split())
    assert run(tmp_path, command, "rel", "--root", ".").returncode == 1


@pytest.mark.parametrize("command", ["check", "batch"])
def test_skipped_files_are_listed_by_name_if_asked(tmp_path: Path, command: str) -> None:
    (tmp_path / "good.semiaudit.yaml").write_text(HOLDS)
    (tmp_path / "config.yaml").write_text("title: none\n")
    (tmp_path / "notes\n.txt").write_text("")
    counted = " ".join(run(tmp_path, command, ".").stdout.split())
    assert "1 file: YAML without the key semiaudit" in counted
    assert "config.yaml" not in counted
    listed = " ".join(run(tmp_path, command, ".", "--verbose").stdout.split())
    assert "config.yaml: YAML without the key semiaudit" in listed
    assert "notes\\n.txt: not a YAML file, by its name" in listed


STARTER = "configs/starter.yaml"


COMMANDS = ("analyze", "check", "batch", "ablate", "registry export")


@pytest.mark.lengthy
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_takes_an_example_for_a_missing_file(
    tmp_path: Path, wheel: Path, command: str
) -> None:
    done = run(tmp_path, *command.split(), STARTER, tree=wheel)
    assert done.returncode == 2
    assert "passed" not in done.stdout
    if command not in ("check", "batch"):
        assert "no such file; write the example with `semiaudit init --example" in done.stderr
        path = str(tmp_path / "starter.yaml")
        assert run(tmp_path, "init", "--example", "starter", path, tree=wheel).returncode == 0
        assert run(tmp_path, *command.split(), path, tree=wheel).returncode == 0


def test_python_takes_no_example_for_a_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for read in (audit, Spec.from_file):
        with pytest.raises(SpecError, match=r"no such file; write .*--example starter"):
            read(STARTER)
        with pytest.raises(SpecError, match="there is no such file"):
            read("releases/starter.yaml")


@pytest.mark.lengthy
def test_an_installed_wheel_has_the_texts_of_the_rules(tmp_path: Path, wheel: Path) -> None:
    done = run(tmp_path, "rule", "SA013", tree=wheel)
    assert done.returncode == 0, done.stderr
    text = (ROOT / "semiaudit/model/rules/SA013.md").read_text("utf-8")
    assert text.partition("See also")[0] in done.stdout


"""Every key of a spec that names a file, but for the query of a mechanism."""
