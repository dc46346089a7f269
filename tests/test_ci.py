"""Where CI lives: the pre-commit hook and the Action's own commands, run for real."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gate.specs import EXCEEDS, HOLDS, NO_BUDGET, sha256_of, spec
from tests.places import ROOT

EXTRAS = ("data", "remote", "certify", "dask", "plot")
RECORDS = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a]]\n"
    "data: {records: persons.csv}\nmechanism: {zcdp: {rho: 0.5}}\n"
    "budgets: [{framework: semi_dp, rho: 2}]\n"
)
"""Two of the four persons exchange their value of `a`: a(t) is 2, and rho 4 times the declared."""

HOOK: dict[str, Any] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))[0]
ACTION: dict[str, Any] = yaml.safe_load(
    (ROOT / ".github" / "actions" / "semiaudit" / "action.yml").read_text("utf-8")
)


def run(*command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a clean git and Python environment."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PRE_COMMIT"))}
    return subprocess.run(
        command,
        cwd=cwd,
        env={
            **clean,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


@pytest.fixture
def command(tmp_path: Path) -> str:
    """A PATH on which `semiaudit` is this source tree."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shim = folder / "semiaudit"
    shim.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m semiaudit "$@"\n', "utf-8"
    )
    shim.chmod(0o755)
    return f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def repository(folder: Path, config: dict[str, Any]) -> Path:
    """A git repository with a pre-commit configuration."""
    folder.mkdir()
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    assert run("git", "init", "--quiet", cwd=folder).returncode == 0
    return folder


def commit(folder: Path, path: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """Stage everything and commit it, with the hook in force."""
    assert run("git", "add", "--all", cwd=folder).returncode == 0
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return run(
        "git", *who, "commit", "--message", "x",
        cwd=folder, PATH=path, PRE_COMMIT_HOME=str(cache),
    )  # fmt: skip


def test_the_hook_runs_at_every_commit_and_reads_the_names_of_files_itself() -> None:
    assert HOOK["always_run"] is True
    assert HOOK["pass_filenames"] is False
    assert HOOK["require_serial"] is True
    assert not {"files", "types", "types_or", "exclude"} & set(HOOK)
    assert HOOK["entry"].split() == ["semiaudit", "check", "--staged"]
    assert HOOK["additional_dependencies"] == [".[data]"]


def hooked(folder: Path, *args: str) -> Path:
    """A repository with the hook, which runs this source tree."""
    hook = {key: value for key, value in HOOK.items() if key != "additional_dependencies"}
    hook |= {"language": "system", "args": list(args)}
    repository(folder, {"repos": [{"repo": "local", "hooks": [hook]}]})
    installed = run(sys.executable, "-m", "pre_commit", "install", cwd=folder)
    assert installed.returncode == 0, installed.stderr
    return folder


def restored(folder: Path) -> None:
    """Take everything back that is not committed."""
    assert run("git", "reset", "--quiet", "--hard", cwd=folder).returncode == 0


POLICY = (
    "semiaudit_policy: 1\nbudgets: [{{framework: semi_dp, epsilon: {epsilon}, delta: 1e-10}}]\n"
)
TABLE = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
    "data: {table: counts.csv}\nmechanism: {zcdp: {rho: 0.5}}\n"
)


@pytest.mark.lengthy
def test_the_hook_lets_a_commit_pass_or_stops_it(tmp_path: Path, command: str) -> None:
    folder, cache = hooked(tmp_path / "repo"), tmp_path / "cache"
    spec(folder, "no spec", "notes.txt")
    skipped = commit(folder, command, cache)
    assert skipped.returncode == 0, skipped.stderr
    assert re.search(r"semiaudit check\.+Passed", skipped.stderr)

    spec(folder, HOLDS, "a.semiaudit.yaml")
    passed = commit(folder, command, cache)
    assert passed.returncode == 0, passed.stderr
    assert re.search(r"semiaudit check\.+Passed", passed.stderr)

    spec(folder, EXCEEDS, "b.semiaudit.yaml")
    stopped = commit(folder, command, cache)
    assert stopped.returncode == 1
    assert "SA013" in stopped.stderr

    spec(folder, NO_BUDGET, "b.semiaudit.yaml")
    empty = commit(folder, command, cache)
    assert empty.returncode == 1
    assert "- exit code: 3" in empty.stderr


@pytest.mark.slow
def test_no_change_that_matters_passes_the_hook_without_an_audit(
    tmp_path: Path, command: str
) -> None:
    """Issue 30: each of these commits passed with "no files to check"."""
    folder, cache = hooked(tmp_path / "repo", "--policy", "policy.yaml"), tmp_path / "cache"
    (folder / "releases").mkdir()
    spec(folder, POLICY.format(epsilon=600), "policy.yaml")
    spec(folder, TABLE, "releases/plain.yaml")
    spec(folder, "a,b,count\n0,0,3\n0,1,4\n1,0,5\n1,1,6\n", "releases/counts.csv")
    spec(folder, HOLDS, "releases/other.yml")
    first = commit(folder, command, cache)
    assert first.returncode == 0, first.stderr

    spec(folder, "0,0,3\n", "releases/unrelated.csv")
    spec(folder, "semi: 1\n", "releases/unrelated.yaml")
    passed = commit(folder, command, cache)
    assert passed.returncode == 0, passed.stderr

    weak = TABLE.replace("rho: 0.5}}", "rho: 50}}")
    spec(folder, weak + "budgets: [{framework: semi_dp, epsilon: 5, delta: 1e-10}]\n",
         "releases/plain.yaml")  # fmt: skip
    exceeds = commit(folder, command, cache)
    assert exceeds.returncode == 1
    assert "releases/plain.yaml" in exceeds.stderr
    assert "- exit code: 1" in exceeds.stderr
    restored(folder)

    spec(folder, POLICY.format(epsilon=5), "policy.yaml")
    tightened = commit(folder, command, cache)
    assert tightened.returncode == 1
    assert "2 specs" in tightened.stderr
    restored(folder)

    spec(folder, "a,b,count\n0,0,0\n0,1,-4\n1,0,0\n1,1,6\n", "releases/counts.csv")
    data = commit(folder, command, cache)
    assert data.returncode == 1
    assert "counts.csv" in data.stderr
    assert "- exit code: 2" in data.stderr
    restored(folder)

    (folder / "releases" / "counts.csv").unlink()
    assert commit(folder, command, cache).returncode == 1
    restored(folder)

    (folder / "releases" / "other.yml").unlink()
    again = commit(folder, command, cache)
    assert again.returncode == 0, again.stderr  # what is left was audited again, and passed
    (folder / "releases" / "plain.yaml").unlink()
    last = commit(folder, command, cache)
    assert last.returncode == 1
    assert "- exit code: 3" in last.stderr


@pytest.mark.slow
def test_the_hook_installs_itself_from_a_repository(tmp_path: Path) -> None:
    source = tmp_path / "source"
    files = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in files.stdout.splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    for arguments in (["init", "--quiet"], ["add", "--all"]):
        assert run("git", *arguments, cwd=source).returncode == 0
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    assert run("git", *who, "commit", "--quiet", "--message", "x", cwd=source).returncode == 0
    head = run("git", "rev-parse", "HEAD", cwd=source).stdout.strip()
    folder = tmp_path / "repo"
    repository(
        folder, {"repos": [{"repo": str(source), "rev": head, "hooks": [{"id": "semiaudit"}]}]}
    )
    spec(folder, HOLDS, "a.semiaudit.yaml")
    spec(folder, EXCEEDS, "b.semiaudit.yaml")
    spec(folder, RECORDS, "plain.yaml")
    spec(folder, "a,b\n0,0\n0,1\n1,0\n1,1\n", "persons.csv")
    assert run("git", "add", "--all", cwd=folder).returncode == 0
    done = run(
        sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose",
        cwd=folder, PRE_COMMIT_HOME=str(tmp_path / "cache"),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "3 of 3 specs audited, 1 failed, 2 passed" in done.stdout


def requirements(name: str) -> dict[str, tuple[str, int]]:
    """The packages of a file of pins, each with its last version and its number of hashes."""
    text = (ROOT / ".github/actions/semiaudit/requirements" / f"{name}.txt").read_text("utf-8")
    lines = text.replace("\\\n", " ").splitlines()
    found: dict[str, tuple[str, int]] = {}
    for line in lines:
        pin = re.match(r"([a-z0-9.-]+)==([^ ;]+)", line)
        assert pin, line
        found[pin[1]] = (pin[2], line.count("--hash=sha256:"))
    return found


def declared(*requirements: str) -> set[str]:
    return {re.split(r"[\[<>= ]", name)[0] for name in requirements}


def test_the_action_pins_by_hash_all_that_it_installs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    always = project["project"]["dependencies"] + project["build-system"]["requires"]
    extras = project["project"]["optional-dependencies"]
    for name in ("base", *EXTRAS):
        pinned = requirements(name)
        assert declared(*always, *extras.get(name, [])) <= set(pinned), name
        assert all(hashes for _, hashes in pinned.values()), name
        assert set(pinned) >= set(requirements("base"))
    installs = step("Install semiaudit")["run"]
    assert installs.count("pip install") == 2
    assert "--require-hashes --only-binary :all:" in installs
    assert "--no-deps --no-build-isolation" in installs


def test_one_extra_installs_the_drivers_of_the_documented_engines() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    remote = project["project"]["optional-dependencies"]["remote"]
    drivers = {
        word.strip()
        for needed in remote
        if (found := re.match(r"ibis-framework\[(.*)\]", needed))
        for word in found[1].split(",")
    }
    shown = re.findall(r"`(\w+)://", (ROOT / "docs" / "data.md").read_text("utf-8"))
    assert set(shown) == {"duckdb", "sqlite", "postgres"}
    assert drivers == set(shown)
    assert "psycopg-binary" in requirements("remote")  # without it, a library of the system
    assert "inputs.allow-engine && ',remote'" in step("Install semiaudit")["env"]["EXTRAS"]


def test_the_action_refuses_an_extra_that_is_not_pinned(tmp_path: Path, command: str) -> None:
    shell = ("bash", "-eo", "pipefail", "-c", step("Install semiaudit")["run"])
    for extras in ("dev", "data,../data", "data\n-r"):
        done = run(*shell, cwd=tmp_path, PATH=command, GITHUB_ACTION_PATH="x", EXTRAS=extras)
        assert done.returncode == 2
        assert "extras: there is no extra" in done.stderr


def test_other_actions_are_pinned_to_a_commit() -> None:
    texts = [ROOT / "docs" / "ci.md", ROOT / ".github/actions/semiaudit/action.yml"]
    used = [name for text in texts for name in re.findall(r"uses: (\S+)", text.read_text("utf-8"))]
    others = [name for name in used if "/" in name and not name.startswith("semiaudit/")]
    assert len(others) == 3
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in others), others


def step(name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(s for s in ACTION["runs"]["steps"] if s["name"] == name)
    return found


def action(folder: Path, path: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The Action's check, with its inputs filled in as GitHub does, by `bash -e`."""
    values = {name: str(about["default"]) for name, about in ACTION["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    check = step("Check the specs")
    environment: dict[str, str] = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: values[m[1]], text)
        for name, text in check["env"].items()
    }
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        environment[name] = str(folder / name)
        (folder / name).write_text("")
    shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"])
    return run(*shell, cwd=folder, PATH=path, **environment)


def test_every_step_of_the_action_names_its_shell_and_no_input_is_pasted_into_a_script() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for found in ACTION["runs"]["steps"]:
        assert found["shell"] == "bash"
        assert "${{" not in found["run"]
    used = set(re.findall(r"inputs\.([a-z-]+)", str(ACTION["runs"]) + str(ACTION["outputs"])))
    assert used == set(ACTION["inputs"])


def test_the_action_annotates_writes_its_files_and_ends_as_the_check_does(
    tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "work space"
    folder.mkdir()
    spec(folder, HOLDS, "a.semiaudit.yaml")
    held = action(folder, command)
    assert held.returncode == 0, held.stderr
    assert held.stdout.endswith("semiaudit: 1 of 1 spec audited, 1 passed\n")
    spec(folder, EXCEEDS, "b, c.semiaudit.yaml")
    failed = action(folder, command, paths="a.semiaudit.yaml\nb, c.semiaudit.yaml\n")
    assert failed.returncode == 1
    assert "::error file=b%2C c.semiaudit.yaml,line=6,col=5,title=SA013" in failed.stdout
    assert (folder / "GITHUB_OUTPUT").read_text() == "exit-code=1\n"
    assert (
        (folder / "GITHUB_STEP_SUMMARY")
        .read_text()
        .startswith("# 2 of 2 specs audited, 1 failed, 1 passed")
    )
    assert (folder / "semiaudit.sarif").stat().st_size
    assert (folder / "semiaudit.json").stat().st_size


@pytest.mark.lengthy
def test_the_action_hands_on_jobs_and_limits(tmp_path: Path, command: str) -> None:
    spec(tmp_path, HOLDS, "a.semiaudit.yaml")
    spec(tmp_path, EXCEEDS, "b.semiaudit.yaml")
    done = action(tmp_path, command, jobs="2", kill_after="500", memory_limit="8192")
    assert "2 of 2 specs audited, 1 failed, 1 passed" in done.stdout
    for name in ("jobs", "time_limit", "kill_after", "memory_limit"):
        refused = action(tmp_path, command, **{name: "-1"})
        assert refused.returncode == 2
        assert f"--{name.replace('_', '-')}" in refused.stderr


@pytest.mark.lengthy
def test_the_action_hands_on_policy_waivers_baseline_and_pattern(
    tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    spec(folder, NO_BUDGET, "release.yaml")
    spec(folder, "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 4}]\n", "p.yaml")
    waiver = (
        "semiaudit_waivers: 1\nwaivers:\n  - {rule: SA013, framework: semi_dp, measure: rho, "
        "accepted: 4.5, reason: r, approver: a, expires: 2999-01-01, spec: release.yaml, "
        f"sha256: {sha256_of(NO_BUDGET)}}}\n"
    )
    spec(folder, waiver, "my waivers.yaml")
    assert action(folder, command).returncode == 3
    assert action(folder, command, pattern="rel*.yaml").returncode == 3
    assert action(folder, command, pattern="rel*.yaml", policy="p.yaml").returncode == 1
    options = {"pattern": "rel*.yaml", "policy": "p.yaml", "waivers": "my waivers.yaml\n"}
    waived = action(folder, command, **options)
    assert waived.returncode == 0, waived.stdout
    (folder / "semiaudit.json").rename(folder / "before.json")
    spec(folder, NO_BUDGET.replace("0.5", "0.4"), "release.yaml")
    assert action(folder, command, **options, baseline="before.json").returncode == 0
    spec(folder, NO_BUDGET.replace("0.5", "0.50001"), "release.yaml")
    weaker = action(folder, command, **options, baseline="before.json")
    assert weaker.returncode == 1
    assert "SA027" in weaker.stdout


@pytest.mark.slow
def test_the_actions_install_step_gives_a_working_command(tmp_path: Path) -> None:
    assert run(sys.executable, "-m", "venv", str(tmp_path / "venv"), cwd=tmp_path).returncode == 0
    path = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    place = str(ROOT / ".github" / "actions" / "semiaudit")
    shell = ("bash", "-eo", "pipefail", "-c", step("Install semiaudit")["run"])
    extras = ACTION["inputs"]["extras"]["default"]
    done = run(*shell, cwd=tmp_path, PATH=path, GITHUB_ACTION_PATH=place, EXTRAS=extras)
    assert done.returncode == 0, done.stderr
    spec(tmp_path, HOLDS, "a.semiaudit.yaml")
    spec(tmp_path, RECORDS, "b.semiaudit.yaml")
    spec(tmp_path, "a,b\n0,0\n0,1\n1,0\n1,1\n", "persons.csv")
    both = action(tmp_path, path, jobs="2", kill_after="500", memory_limit="8192")
    assert both.returncode == 0, both.stdout
    several = run(*shell, cwd=tmp_path, PATH=path, GITHUB_ACTION_PATH=place, EXTRAS="data, remote")
    assert several.returncode == 0, several.stderr
