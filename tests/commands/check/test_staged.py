"""Which staged files concern a spec, in real repositories of git."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from semiaudit.cli import main
from semiaudit.commands.check.staged import staged_specs
from semiaudit.errors import SemiauditError
from tests.fuzz.workers import one_process
from tests.gate.specs import EXCEEDS, HOLDS, NO_BUDGET
from tests.report.test_verdict_formats import sarif

POLICY = "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 9}]\n"
WAIVERS = "semiaudit_waivers: 1\nwaivers: []\n"
TABLE = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
    "data: {table: tables/counts.csv}\nmechanism: {zcdp: {rho: 0.5}}\n"
    "budgets: [{framework: semi_dp, rho: 9}]\n"
)
COUNTS = "a,b,count\n0,0,3\n0,1,4\n1,0,5\n1,1,6\n"


def git(*arguments: str) -> str:
    """A command of git in the working directory, with no settings of the machine."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ("git", *who, *arguments), env={**clean, **settings}, capture_output=True, check=True
    )
    return done.stdout.decode()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed repository with a spec, its data, and a file of each other kind."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git("init", "--quiet")
    write("releases/plain.yaml", TABLE)
    write("releases/tables/counts.csv", COUNTS)
    write("policy.yaml", POLICY)
    write("waivers.yml", WAIVERS)
    write("notes.txt", "notes")
    write("config.yaml", "mechanism: none\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "first")
    return folder


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def staged(*paths: str, named: tuple[str, ...] = (), pattern: str | None = None) -> bool:
    """Whether what is staged concerns specs."""
    git("add", "--all")
    return staged_specs(paths or (".",), pattern, named=named) is not None


def specs(*paths: str) -> tuple[str, ...]:
    """The specs that are audited."""
    found = staged_specs(paths)
    assert found is not None
    return found.specs


def test_files_that_no_spec_names_concern_none(repository: Path) -> None:
    for name in ("notes.txt", "config.yaml", "src/new.py", "new.yml", "a,b.csv"):
        write(name, "something: else\n")
    assert not staged()
    assert main(["check", "--staged", "--policy", "no-such-policy.yaml"]) == 0


@pytest.mark.parametrize(
    "name",
    [
        "releases/plain.yaml", "releases/tables/counts.csv", "policy.yaml", "waivers.yml",
    ],
)  # fmt: skip
def test_a_change_of_a_spec_its_data_or_a_companion_concerns_specs(
    repository: Path, name: str
) -> None:
    path = Path(name)
    text = path.read_text()
    path.unlink()
    assert staged(), "deleted"
    path.with_name("other.txt").write_text(text)
    assert staged(), "renamed"
    path.write_text(text + "\n")
    assert staged(), "changed"
    path.write_text("")
    assert staged(), "emptied"
    path.unlink()
    path.symlink_to("elsewhere")
    assert staged(), "a link"


def test_a_new_spec_is_audited_whatever_its_name(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {
        "new.yaml", "-x.yaml", ".hidden/x.yml", "venv/x.YAML", "a\nb.yaml", "x.semiaudit.yaml",
        "\udcff.yaml", "ä/ö.yaml", '"quoted".yaml',
    }  # fmt: skip
    for name in names:
        write(name, EXCEEDS)
        assert staged(), name
        git("reset", "--quiet")
    git("add", "--all")
    assert {*specs(".")} == {*names, "releases/plain.yaml"}
    assert main(["check", "--staged", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["exceeds"] == len(names)


def test_a_new_file_that_was_meant_as_a_spec_is_an_error(repository: Path) -> None:
    for text in ("Semiaudit: 1\n", "\fsemiaudit: 1\n", "- semiaudit: 1\n"):
        write("new.yaml", text)
        assert staged()
        assert main(["check", "--staged"]) == 2


def test_the_four_reported_changes_do_not_pass(repository: Path) -> None:
    """Issue 30: a weak spec, a tightened policy, changed data, and a deleted spec passed."""
    args = ["check", "--staged", "--policy", "policy.yaml"]
    assert main(args) == 0
    write("releases/weak.yaml", NO_BUDGET.replace("rho: 0.5", "rho: 50"))
    git("add", "--all")
    assert main(args) == 1
    git("reset", "--quiet", "--hard")
    write("policy.yaml", POLICY.replace("rho: 9", "rho: 0.1"))
    git("add", "--all")
    assert main(args) == 1
    git("reset", "--quiet", "--hard")
    write("releases/tables/counts.csv", COUNTS.replace("6", "-6"))
    git("add", "--all")
    assert main(args) == 2
    git("reset", "--quiet", "--hard")
    git("rm", "--quiet", "releases/plain.yaml")
    assert main(args) == 3


def test_a_deleted_spec_is_missed_by_the_baseline(repository: Path) -> None:
    write("other.yaml", HOLDS)
    assert main(["check", ".", "-o", "json=../before.json"]) == 0
    git("add", "--all")
    git("commit", "--quiet", "--message", "second")
    git("rm", "--quiet", "releases/plain.yaml")
    assert main(["check", "--staged"]) == 0
    assert main(["check", "--staged", "--baseline", "../before.json"]) == 1


def test_what_the_command_line_names_concerns_specs(repository: Path) -> None:
    write("limits/board.txt", POLICY)
    assert not staged()
    assert staged(named=("limits/board.txt",))
    assert staged(named=("./limits/../limits/board.txt",))
    assert staged(pattern="board.*")
    assert staged(pattern="limits/*")
    assert staged("limits/board.txt")


def test_only_specs_in_the_named_directories_are_audited(repository: Path) -> None:
    write("drafts/x.yaml", EXCEEDS)
    assert not staged("releases")
    assert staged()
    assert specs(".") == ("drafts/x.yaml", "releases/plain.yaml")
    git("reset", "--quiet")
    assert specs("releases") == ("releases/plain.yaml",)
    assert staged("no-such-directory")
    assert main(["check", "--staged", "no-such-directory"]) == 2


def test_a_directory_of_specs_that_is_deleted_concerns_them(repository: Path) -> None:
    git("rm", "--quiet", "-r", "releases")
    assert staged("releases")


def test_files_that_git_does_not_track_are_left_alone(repository: Path) -> None:
    write("untracked.yaml", EXCEEDS)
    assert specs(".") == ("releases/plain.yaml",)


def test_nothing_staged_is_a_run_over_all_files(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert staged()
    write("notes.txt", "changed")
    assert not staged()
    write("releases/plain.yaml", TABLE.replace("rho: 9}", "rho: 0.1}"))
    git("add", "--all")
    git("commit", "--quiet", "--message", "weak")
    assert main(["check", "--staged"]) == 1
    write("notes.txt", "changed again")
    git("add", "--all")
    assert main(["check", "--staged"]) == 0
    git("reset", "--quiet", "--hard")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert main(["check", "--staged"]) == 1


def test_the_first_commit_of_a_repository_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    write("notes.txt", "notes")
    assert not staged()
    write("x.yaml", EXCEEDS)
    assert staged()


def test_a_spec_and_its_data_may_be_links(repository: Path) -> None:
    write("shared/counts.csv", COUNTS)
    write("shared/notes.txt", "stays")
    Path("releases/linked").symlink_to("../shared")
    Path("releases/link.csv").symlink_to("../shared/counts.csv")
    for name in ("linked/counts.csv", "link.csv"):
        write("releases/real.txt", TABLE.replace("tables/counts.csv", name))
        Path("releases/x.yaml").unlink(missing_ok=True)
        Path("releases/x.yaml").symlink_to("real.txt")
        git("add", "--all")
        git("commit", "--quiet", "--message", "links")
        write("shared/notes.txt", name)
        assert not staged()
        git("rm", "--quiet", "shared/counts.csv")
        assert staged(), name
        git("reset", "--quiet", "--hard")
    write("releases/real.txt", EXCEEDS)
    assert staged()


def test_a_link_that_leads_out_of_the_directory_is_an_error(repository: Path) -> None:
    (repository.parent / "weak.yaml").write_text(EXCEEDS)
    Path("releases/x.yaml").symlink_to("../../weak.yaml")
    assert staged()
    assert main(["check", "--staged"]) == 2


def test_names_are_those_of_the_working_directory(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("releases/plain.yaml", EXCEEDS)
    git("add", "--all")
    monkeypatch.chdir(repository / "releases")
    assert specs(".") == ("plain.yaml",)
    assert staged(named=("../policy.yaml",))


def test_files_that_are_not_checked_out_are_skipped_by_name(repository: Path) -> None:
    git("update-index", "--skip-worktree", "releases/plain.yaml")
    Path("releases/plain.yaml").unlink()
    found = staged_specs((".",))
    assert found is not None
    assert found.specs == ()
    assert ("not checked out", ("releases/plain.yaml",)) in found.skipped


def test_without_a_repository_there_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["check", "--staged"]) == 2
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SemiauditError, match="git cannot be run"):
        staged_specs((".",))


WEAK = TABLE.replace("rho: 9}", "rho: 0.1}")


@pytest.mark.parametrize(
    ("name", "staged_text", "text"),
    [
        ("releases/plain.yaml", WEAK, TABLE),
        ("releases/plain.yaml", WEAK, None),
        ("releases/plain.yaml", WEAK, "no: spec\n"),
        ("releases/tables/counts.csv", COUNTS.replace("6", "-6"), COUNTS),
        ("releases/new.yaml", EXCEEDS, HOLDS),
        ("config.yaml", EXCEEDS, "mechanism: none\n"),
        ("policy.yaml", POLICY.replace("rho: 9", "rho: 0.1"), POLICY),
    ],
)
def test_what_differs_from_what_is_staged_is_not_audited(
    repository: Path,
    name: str,
    staged_text: str,
    text: str | None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    args = ["check", "--staged", "--policy", "policy.yaml"]
    write(name, staged_text)
    git("add", "--all")
    assert main(args) in (1, 2), "what is staged does not pass"
    capsys.readouterr()
    if text is None:
        Path(name).unlink()
    else:
        write(name, text)
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f"--staged: {name}: the working directory, which the audit reads, differs from what is "
        "staged; stage the change with `git add`, or put it aside with `git stash --keep-index`\n"
    )
    git("stash", "--keep-index")
    assert main(args) in (1, 2)
    assert "differs from what is staged" not in capsys.readouterr().err


def test_several_files_that_differ_are_named_up_to_three(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(5):
        write(f"{number}.yaml", HOLDS)
    git("add", "--all")
    for number in range(5):
        write(f"{number}.yaml", HOLDS + "\n")
    assert main(["check", "--staged"]) == 2
    assert "--staged: 0.yaml, 1.yaml, 2.yaml and 2 more: the" in capsys.readouterr().err


def test_a_spec_that_is_only_announced_to_git_is_not_audited(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("new.yaml", HOLDS)
    git("add", "--intent-to-add", "new.yaml")
    assert main(["check", "--staged"]) == 2
    assert "--staged: new.yaml: " in capsys.readouterr().err


def test_files_that_no_audit_reads_may_differ(repository: Path) -> None:
    write("releases/plain.yaml", TABLE + "\n")
    git("add", "--all")
    write("notes.txt", "changed")
    write("config.yaml", "mechanism: another\n")
    write("untracked.yaml", EXCEEDS)
    write("releases/private.csv", "not tracked")
    assert main(["check", "--staged", "releases"]) == 0
    assert main(["check", "--staged"]) == 0


def test_data_that_only_the_staged_spec_names_concern_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("releases/tables/counts.csv", COUNTS.replace("6", "-6"))
    git("add", "--all")
    write("releases/plain.yaml", HOLDS)
    assert main(["check", "--staged"]) == 2
    assert "--staged: releases/plain.yaml: " in capsys.readouterr().err


def test_specs_that_git_does_not_track_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "--quiet"], check=True)
    Path("g2").mkdir()
    Path("g2/a.yaml").write_text(HOLDS)
    Path("g2/other.yaml").write_text("a: 1\n")
    assert main(["check", "g2", "--staged"]) == 3
    assert capsys.readouterr().err == (
        "git tracks no spec in g2 (1 untracked: g2/a.yaml; `git add` it)\n"
    )


def test_the_pushed_commit_is_the_one_that_is_audited(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git("checkout", "--quiet", "-b", "bad")
    write("releases/plain.yaml", WEAK)
    git("commit", "--quiet", "--all", "--message", "bad")
    git("checkout", "--quiet", "-")
    assert main(["check", "--staged"]) == 0
    for pushed in (
        {"PRE_COMMIT_FROM_REF": "bad~1", "PRE_COMMIT_TO_REF": "bad"},
        {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/bad"},  # the whole history is pushed
        {"PRE_COMMIT_TO_REF": "none"},
    ):
        with monkeypatch.context() as patch:
            for name, value in pushed.items():
                patch.setenv(name, value)
            assert main(["check", "--staged"]) == 2, pushed
    git("checkout", "--quiet", "bad")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "bad")
    assert main(["check", "--staged"]) == 1
    capsys.readouterr()
    write("releases/plain.yaml", TABLE)
    for how in ("changed", "staged"):
        assert main(["check", "--staged"]) == 2, how
        assert "--staged: releases/plain.yaml: the working" in capsys.readouterr().err
        git("add", "--all")


def test_a_run_by_hand_is_over_all_files_whatever_is_staged(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("releases/plain.yaml", WEAK)
    git("commit", "--quiet", "--all", "--message", "bad")
    write("notes.txt", "changed")
    git("add", "--all")
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert main(["check", "--staged"]) == 1
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git/index"))  # a hook of git
    assert main(["check", "--staged"]) == 0


@pytest.mark.parametrize("bit", ["--skip-worktree", "--assume-unchanged"])
@pytest.mark.parametrize("text", [TABLE, None])
def test_a_bit_of_the_index_hides_nothing(
    repository: Path, bit: str, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    write("releases/plain.yaml", WEAK)
    git("add", "--all")
    git("update-index", bit, "releases/plain.yaml")
    assert main(["check", "--staged"]) == 1
    Path("releases/plain.yaml").unlink()
    if text is not None:
        write("releases/plain.yaml", text)
    capsys.readouterr()
    assert main(["check", "--staged"]) == 2
    remedy = f"`git update-index {bit.replace('--', '--no-')}`"
    assert (remedy in capsys.readouterr().err) == (text is not None)


def test_specs_of_a_submodule_are_audited(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git("init", "--quiet", str(other))
    write(f"{other}/x.yaml", EXCEEDS)
    git("-C", str(other), "add", "--all")
    git("-C", str(other), "commit", "--quiet", "--message", "bad")
    allow = ("-c", "protocol.file.allow=always")
    git(*allow, "submodule", "--quiet", "add", str(other), "sub")
    assert main(["check", "--staged"]) == main(["check", "."]) == 1
    write("sub/x.yaml", HOLDS)
    assert main(["check", "--staged"]) == 2, "not the staged commit"
    git("-C", "sub", "checkout", "--quiet", ".")
    write("sub/x.yaml", HOLDS)
    git("-C", "sub", "commit", "--quiet", "--all", "--message", "good")
    git("update-index", "--assume-unchanged", "sub")
    assert main(["check", "--staged"]) == 2, "not the staged commit, whatever git compares"
    git("update-index", "--no-assume-unchanged", "sub")
    git("-C", "sub", "checkout", "--quiet", "HEAD~1")
    git("submodule", "--quiet", "deinit", "--force", "sub")
    assert main(["check", "--staged"]) == 2, "not checked out"
    git("commit", "--quiet", "--message", "sub")
    write("releases/plain.yaml", TABLE + "\n")
    git("add", "releases")
    assert main(["check", "--staged"]) == 0


def test_an_unmerged_spec_is_named_once(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git("checkout", "--quiet", "-b", "other")
    write("releases/plain.yaml", WEAK)
    git("commit", "--quiet", "--all", "--message", "theirs")
    git("checkout", "--quiet", "-")
    write("releases/plain.yaml", TABLE.replace("rho: 9}", "rho: 8}"))
    git("commit", "--quiet", "--all", "--message", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "--quiet", "other")
    assert main(["check", "--staged"]) == 2
    assert capsys.readouterr().err == (
        "--staged: releases/plain.yaml: is not merged; resolve the conflict, and stage the file "
        "with `git add`\n"
    )


@pytest.mark.parametrize(
    ("where", "path"),
    [
        (".", "releases/plain.yaml"),
        ("releases", "plain.yaml"),
        ("releases", "."),
        ("releases/tables", "../plain.yaml"),
        ("releases/tables", ".."),
        (".", "{repository}/releases/plain.yaml"),
        ("releases/tables", "{repository}/releases"),
        ("releases", "{repository}/../link/releases/plain.yaml"),
        ("worktree", "releases/plain.yaml"),
        ("worktree/releases", "{repository}/worktree/releases"),
    ],
)
def test_findings_have_the_path_in_the_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    where: str, path: str,
) -> None:  # fmt: skip
    write("releases/plain.yaml", WEAK)
    git("commit", "--quiet", "--all", "--message", "weak")
    (repository.parent / "link").symlink_to(repository)
    git("worktree", "add", "--quiet", "worktree")
    monkeypatch.chdir(where)
    for command in ("check", "batch"):
        call = [command, path.format(repository=repository)]
        with one_process():
            assert main([*call, "--format", "sarif"]) == 1
        results = sarif(capsys.readouterr().out)["runs"][0]["results"]
        places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in results]
        wanted = {"uri": "releases/plain.yaml", "uriBaseId": "%SRCROOT%"}
        assert places == [wanted] * len(places)
        with one_process():
            assert main([*call, "--format", "github"]) == 1
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
        assert lines
        assert all(" file=releases/plain.yaml,line=" in line for line in lines)


def test_findings_outside_a_repository_have_the_path_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write("in.yaml", EXCEEDS)
    write("../out.yaml", EXCEEDS)
    assert main(["check", "in.yaml", "../out.yaml", "--format", "sarif"]) == 1
    results = sarif(capsys.readouterr().out)["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in results]
    assert {place["uri"]: place.get("uriBaseId") for place in places} == {
        "in.yaml": "%SRCROOT%",
        (tmp_path / "out.yaml").as_uri(): None,
    }
    assert main(["check", str(tmp_path / "here" / "none"), "--format", "sarif"]) == 2
    (tmp_path / "empty").mkdir()
    capsys.readouterr()
    assert main(["check", str(tmp_path / "empty"), "--format", "sarif"]) == 3
    (invocation,) = sarif(capsys.readouterr().out)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "no spec" in invocation["toolExecutionNotifications"][0]["message"]["text"]
