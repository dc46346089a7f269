"""`semiaudit check` as a build runs it: exit codes, files, faults, and what stands on stdout."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from semiaudit.cli import main
from semiaudit.report import VERDICT_RENDERERS
from tests import in_process
from tests.cli.test_invocations import modules_loaded_by, process
from tests.fuzz.workers import one_process
from tests.gate.specs import EXCEEDS, HOLDS, NO_BUDGET, SLOW, UNREADABLE, sha256_of, spec
from tests.places import ROOT

POLICY = "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 4.5}]\n"
STRICT = POLICY.replace("4.5", "4.4")
WAIVER = "semiaudit_waivers: 1\nwaivers:\n" + "".join(
    "  - {rule: SA013, framework: semi_dp, measure: rho, accepted: 4.5, reason: r, approver: a, "
    f"expires: DAY, spec: {name}.semiaudit.yaml, sha256: {sha256_of(text)}}}\n"
    for name, text in (("exceeds", EXCEEDS), ("nothing", NO_BUDGET))
)
PUBLIC = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a, b]]\n"
    "data: {counts: [[1, 2], [3, 4]]}\nmechanism: {zcdp: {rho: 1}}\n"
    "budgets: [{framework: nominal_dp, rho: 1}]\n"
)
"""The whole table is published (SA002, an error), and the one budget speaks of D."""
ACCEPTED = (
    "semiaudit_waivers: 1\nwaivers:\n  - {rule: RULE, reason: r, approver: a, expires: "
    f"2030-01-01, spec: public.semiaudit.yaml, sha256: {sha256_of(PUBLIC)}}}\n"
)
REFUSED = (
    "semiaudit: 1\ndataspace: {datasets: [[0, 0], [1, 1]]}\nmechanism: {zcdp: {rho: 1}}\n"
    "budgets: [{framework: nominal_dp, rho: 1}]\n"
)
FILES = {
    "holds.semiaudit.yaml": HOLDS,
    "exceeds.semiaudit.yaml": EXCEEDS,
    "nothing.semiaudit.yaml": NO_BUDGET,
    "unreadable.semiaudit.yaml": UNREADABLE,
    "refused.semiaudit.yaml": REFUSED,
    "slow.semiaudit.yaml": SLOW,
    "policy.yaml": POLICY,
    "strict.yaml": STRICT,
    "today.yaml": WAIVER.replace("DAY", "2026-07-01"),
    "late.yaml": WAIVER.replace("DAY", "2026-06-30"),
    "baseline.json": "{}",
    "public.semiaudit.yaml": PUBLIC,
    "table.yaml": ACCEPTED.replace("RULE", "SA002"),
    "dataset.yaml": ACCEPTED.replace("RULE", "SA003"),
    "asks.yaml": "semiaudit_policy: 1\nrequire_budgets: true\n",
}
CASES: list[tuple[str, int]] = [
    ("holds", 0),
    ("exceeds", 1),
    ("slow --time-limit 0.001", 2),
    ("nothing", 3),
    ("unreadable", 2),
    ("refused", 2),
    ("missing", 2),
    ("empty", 3),
    ("empty missing", 2),
    ("empty holds", 0),
    ("holds holds", 0),
    ("holds nothing", 3),
    ("nothing exceeds", 1),
    ("exceeds unreadable", 2),
    ("holds exceeds nothing unreadable", 2),
    ("nothing --policy policy.yaml", 0),
    ("holds --policy strict.yaml", 1),
    ("nothing --policy strict.yaml", 1),
    ("nothing --policy strict.yaml --waivers today.yaml", 0),
    ("nothing --policy strict.yaml --waivers late.yaml", 1),
    ("exceeds --waivers today.yaml", 0),
    ("holds --waivers today.yaml", 0),
    ("holds --waivers late.yaml", 1),
    ("empty --waivers late.yaml", 3),
    ("holds --policy missing.yaml", 2),
    ("holds --policy today.yaml", 2),
    ("holds --waivers policy.yaml", 2),
    ("holds --baseline baseline.json", 2),
    ("holds --baseline missing.json", 2),
    ("holds --near-limit -1", 2),
    ("holds --near-limit 100", 0),
    ("holds --time-limit 0", 2),
    ("holds --format xml", 2),
    ("holds -o sarif", 2),
    ("holds -o sarif=nowhere/x", 2),
    ("holds -o sarif=policy.yaml --policy policy.yaml", 2),
    (". -o json=holds.semiaudit.yaml", 2),
    ("holds --today tomorrow", 2),
    ("", 2),
    ("policy.yaml", 2),
    ("public", 1),
    ("public --fail-on error", 1),
    ("public --fail-on warning", 1),
    ("public --fail-on never", 0),
    ("public --fail-on no", 2),
    ("public --waivers table.yaml", 0),
    ("public --waivers dataset.yaml", 1),
    ("public --ignore SA002", 1),
    ("public --only-failures", 1),
    ("holds --ignore SA999", 2),
    ("holds --fail-on warning", 1),
    ("exceeds --fail-on never", 1),
    ("nothing --fail-on never", 3),
    ("nothing --fail-on warning", 1),
    ("holds --policy strict.yaml --policy policy.yaml", 2),
    ("holds --baseline baseline.json --baseline baseline.json", 2),
    ("nothing --policy asks.yaml", 3),
    ("holds --policy asks.yaml", 0),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEMIAUDIT_TODAY", "2026-07-01")
    return tmp_path


def arguments(line: str) -> list[str]:
    words = line.split()
    return [f"{w}.semiaudit.yaml" if f"{w}.semiaudit.yaml" in FILES else w for w in words]


@pytest.mark.parametrize(("line", "code"), CASES, ids=[line or "no path" for line, _ in CASES])
@pytest.mark.usefixtures("folder")
def test_the_exit_code_is_the_tables(line: str, code: int) -> None:
    assert main(["check", *arguments(line)]) == code


def test_a_report_never_replaces_a_spec_that_a_directory_holds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "holds.semiaudit.yaml"
    assert main(["check", str(folder), "-o", f"json={path}"]) == 2
    assert f"json={path}: would overwrite a spec" in capsys.readouterr().err
    assert path.read_text() == HOLDS


def test_an_internal_error_outweighs_all_and_hides_no_other_spec(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from semiaudit.auditing import run as module

    real = module.audit_release

    def broken(release: Any, *rest: Any, **named: Any) -> object:
        if "exceeds" in getattr(release, "path", ""):
            raise RuntimeError("something broke")
        return real(release, *rest, **named)

    monkeypatch.setattr(module, "audit_release", broken)
    assert main(["check", str(folder), "--format", "json", "--time-limit", "0.001"]) == 4
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "something broke" in captured.err
    outcomes = {
        Path(v["spec"]["path"]).name.partition(".")[0]: v["outcome"]
        for v in json.loads(captured.out)["verdicts"]
    }
    assert outcomes == {
        "holds": "holds",
        "exceeds": "internal",
        "nothing": "audited",
        "public": "exceeds",
        "unreadable": "unaudited",
        "refused": "unaudited",
        "slow": "unaudited",
    }
    assert main(["--debug", "check", "exceeds.semiaudit.yaml"]) == 4
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("path", [".", "holds.semiaudit.yaml", "empty/../holds.semiaudit.yaml"])
def test_no_report_replaces_a_spec(path: str, folder: Path) -> None:
    assert main(["check", path, "-o", "json=holds.semiaudit.yaml"]) == 2
    assert (folder / "holds.semiaudit.yaml").read_text("utf-8") == HOLDS


@pytest.mark.parametrize("line", ["holds", "exceeds", "unreadable", "nothing", "empty", "missing"])
def test_every_file_is_written_whatever_the_exit_code(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forms = ("text", "json", "markdown", "sarif", "junit", "github")
    outputs = [part for form in forms for part in ("-o", f"{form}=out.{form}")]
    main(["check", *arguments(line), "--format", "json", *outputs])
    assert capsys.readouterr().out == (folder / "out.json").read_text("utf-8")
    assert all((folder / f"out.{form}").stat().st_size for form in forms)
    assert "\x1b" not in (folder / "out.text").read_text("utf-8")


def test_a_full_disk_keeps_the_other_files_and_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, calls = os.fsync, []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 1:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr("os.fsync", full)
    assert main(["check", *arguments("holds"), "-o", "sarif=a.sarif", "-o", "json=b.json"]) == 2
    assert "a.sarif: cannot be written (No space left" in capsys.readouterr().err
    assert not (folder / "a.sarif").exists()
    assert json.loads((folder / "b.json").read_text("utf-8"))["exit_code"] == 0


def test_the_same_run_gives_the_same_bytes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for _ in range(2):
        main(["check", *arguments("holds exceeds unreadable"), "--format", "json"])
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_the_report_is_on_stdout_and_only_trouble_on_stderr(folder: Path) -> None:
    done = process("check", ".", "--time-limit", "0.001", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    nothing = process("check", "empty", cwd=folder)
    assert (nothing.returncode, nothing.stderr.count("\n")) == (3, 1)


BASELINES = {
    "check exceeds": "exceeds.semiaudit.yaml failed",
    "check holds unreadable": "unreadable.semiaudit.yaml was not audited",
    "check exceeds public refused nothing missing gone": "exceeds.semiaudit.yaml failed, gone was "
    "not audited, missing was not audited and 1 more",
    "check holds --baseline two.json": "nothing.semiaudit.yaml failed",
    "check endless --time-limit 1e-6": "endless.yaml reached the time limit",
    "check holds --waivers expired.yaml": "expired.yaml failed",
    "analyze exceeds": "exceeds.semiaudit.yaml failed",
    "analyze endless --time-limit 1e-6": "endless.yaml reached the time limit",
}
EXPIRED = (
    "semiaudit_waivers: 1\nwaivers: [{rule: SA016, spec: x, sha256: " + "0" * 64 + ", reason: r, "
    "approver: a, expires: 2020-01-01}]\n"
)


@pytest.mark.parametrize("line", BASELINES)
def test_the_report_of_a_run_that_did_not_pass_is_no_baseline(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "expired.yaml").write_text(EXPIRED)
    assert main(["check", *arguments("holds nothing"), "-o", "json=two.json"]) == 3
    if "two.json" in line:
        (folder / "nothing.semiaudit.yaml").unlink()
    spec(folder, SLOW.partition("budgets")[0], "endless.yaml")
    line_of_files = line.replace("endless", "endless.yaml")
    assert main([*arguments(line_of_files), "-o", "json=old.json"]) in (1, 2, 3)
    capsys.readouterr()
    assert main(["check", *arguments("holds"), "--baseline", "old.json"]) == 2
    assert capsys.readouterr().err == (
        f"error: old.json: cannot be a baseline, because its run did not pass: {BASELINES[line]}; "
        "use the report of a run that passed\n"
    )


@pytest.mark.parametrize("command", ["check", "analyze"])
def test_a_spec_whose_guarantee_was_refused_in_the_baseline_is_an_error(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "refused.semiaudit.yaml"
    args = ["--baseline", "old.json"]
    assert main([command, path.name, "-o", "json=old.json"]) == 2
    path.write_text(HOLDS)
    capsys.readouterr()
    assert main(["check", path.name, *args]) == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "the baseline has no number of Semi-DP (effective) to compare: it was refused; write a new "
        "baseline" in shown
    )
    if command == "check":
        assert main(["check", *arguments("holds"), *args]) in (0, 2)


def test_a_report_without_any_budget_is_a_baseline(folder: Path) -> None:
    assert main(["check", *arguments("nothing"), "-o", "json=old.json"]) == 3
    assert main(["check", *arguments("nothing"), "--baseline", "old.json"]) == 3


def test_a_certified_number_is_never_shown_below_itself(folder: Path) -> None:
    # 9 * 0.4444444444 = 3.9999999996, and nominal_dp's own number, with four digits.
    text = HOLDS.replace("rho: 0.5}", "rho: 0.4444444444}")
    text += "  - {framework: nominal_dp, rho: 9}\n"
    (folder / "close.semiaudit.yaml").write_text(text.replace("rho: 5}", "rho: 4}"))
    done = in_process.completed(folder, "check", "close.semiaudit.yaml")
    assert done.returncode == 0
    words = [line.split() for line in done.stdout.splitlines()]
    assert ["Semi-DP", "(effective)", "ρ", "4", "3.9999999996", "passed"] in words
    assert ["Advertised", "DP", "ρ", "9", "0.4445", "passed"] in words


def test_help_loads_no_library() -> None:
    loaded = modules_loaded_by("check", "--help")
    assert not loaded & {"numpy", "scipy", "pydantic", "rich.table", "yaml"}


def test_the_schema_of_the_report_is_the_committed_one() -> None:
    done = in_process.completed(ROOT, "schema", "check")
    assert done.stdout == (ROOT / "docs" / "check.schema.json").read_text("utf-8")


def test_a_name_that_is_no_text_is_audited_and_can_be_written(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.semiaudit.yaml"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(EXCEEDS)
    for form in ("text", "json", "markdown", "sarif", "junit", "github"):
        assert main(["check", str(tmp_path), "--format", form, "-o", f"{form}={tmp_path}/o"]) == 1


SHELLS: Mapping[str, str] = {
    "bash": "_semiaudit_completion",
    "zsh": "#compdef semiaudit",
    "fish": "complete --no-files --command semiaudit",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_completion_script(shell: str) -> None:
    done = process(_SEMIAUDIT_COMPLETE=f"{shell}_source")
    assert done.returncode == 0
    assert SHELLS[shell] in done.stdout


def test_bash_completes_commands_options_and_formats() -> None:
    def completed(*words: str) -> set[str]:
        done = process(
            _SEMIAUDIT_COMPLETE="bash_complete",
            COMP_WORDS=" ".join(["semiaudit", *words]),
            COMP_CWORD=str(len(words)),
        )
        return {line.partition(",")[2] for line in done.stdout.splitlines()}

    assert "check" in completed("ch")
    assert {"--policy", "--baseline", "--waivers"} <= completed("check", "--")
    assert completed("check", "--format", "s") == {"sarif"}


def test_a_closed_pipe_is_no_error(folder: Path) -> None:
    import sys

    command = f"{sys.executable} -m semiaudit check . --time-limit 0.001 | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}; echo ${{PIPESTATUS[0]}} >&2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.stderr == "2\n"


def test_what_is_shown_or_hidden_changes_no_record_and_no_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "public holds exceeds"
    codes, texts, records = set(), [], set()
    for more in ("", "--ignore SA001", "--ignore sa002", "--only-failures"):
        codes.add(main(["check", *arguments(f"{line} {more} -o json=out.json -o sarif=out.sarif")]))
        records.add((folder / "out.json").read_text() + (folder / "out.sarif").read_text())
        texts.append(capsys.readouterr().out)
    assert codes == {1}
    assert len(records) == 1
    whole, without_1, without_2, failures = texts
    assert "SA001)" in whole
    assert "SA001)" not in without_1
    assert "SA001: 3" in without_1
    assert "SA002)" in whole
    assert "SA002)" not in without_2
    assert "SA002: 1" in without_2
    assert "holds.semiaudit.yaml" in whole
    assert "holds.semiaudit.yaml" not in failures
    assert "exceeds.semiaudit.yaml" in failures


def test_what_fails_is_told_first_and_what_many_share_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = folder / "many"
    many.mkdir()
    for number in range(60):
        (many / f"{number:02}.yaml").write_text(HOLDS)
    (many / "zz.yaml").write_text(EXCEEDS)
    assert main(["check", "many"]) == 1
    text = capsys.readouterr().out
    assert text.count("SA001)") == 1
    assert "61 specs: many/" in " ".join(text.split())
    assert text.index("many/zz.yaml: budgets") < text.index("many/00.yaml")
    assert len(text.splitlines()) < 100
    assert main(["check", "many", "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "file=many/zz.yaml" in lines[0]
    assert sum("SA001" in line for line in lines) == 1
    assert any("(also in 60 other specs)" in line for line in lines)


@pytest.mark.parametrize("form", VERDICT_RENDERERS)
def test_a_spec_below_another_key_is_an_error_in_every_format(
    form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    indented = "".join(f"  {line}\n" for line in EXCEEDS.splitlines())
    (folder / "empty" / "b.yaml").write_text(f"release:\n{indented}")
    for command in (["check", "empty"], ["batch", "empty", "--quiet"], ["check", "empty/b.yaml"]):
        with one_process():
            assert main([*command, "--format", form]) == 2
        shown = " ".join(capsys.readouterr().out.split()).replace("\\_", "_")
        assert "b.yaml" in shown
        assert form in ("csv", "latex") or "looks like a spec below another key" in shown


def test_a_spec_below_another_key_is_annotated_at_that_key(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty" / "a.yaml").write_text(HOLDS)
    indented = "".join(f"  {line}\n" for line in EXCEEDS.splitlines())
    (folder / "empty" / "b.yaml").write_text(f"release:\n{indented}")
    assert main(["check", "empty/a.yaml", "empty/b.yaml", "--format", "github"]) == 2
    errors = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::error")]
    assert len(errors) == 1
    assert errors[0].startswith("::error file=empty/b.yaml,line=1,col=1,")
    assert errors[0].endswith("below another key; move what is below release to the top")


def test_a_directory_without_specs_says_what_was_skipped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty" / "a.yaml").write_text("a: 1\n")
    assert main(["check", "empty"]) == 3
    captured = capsys.readouterr()
    assert "YAML without the key semiaudit: 1" in captured.err
    assert "1 file: YAML without the key semiaudit" in captured.out


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1)])
def test_a_warning_that_fails_is_an_error_in_every_format(
    fail_on: str, code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = ["-o", "junit=o.xml", "-o", "github=o.txt", "-o", "json=o.json"]
    assert main(["check", *arguments("holds"), "--fail-on", fail_on, *outputs]) == code
    assert ("error the advertised" in " ".join(capsys.readouterr().out.split())) == code
    assert ('type="SA001"' in Path("o.xml").read_text()) == code
    assert ("::error" in Path("o.txt").read_text()) == code
    (found,) = json.loads(Path("o.json").read_text())["verdicts"]
    assert found["findings"][0]["level"] == ("error" if code else "warning")


def test_a_budget_of_the_spec_and_the_same_of_the_policy_are_one_row_and_one_finding(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments("exceeds"), "--policy", "strict.yaml"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count(", SA013)") == 1
    assert "the budget (spec and policy) for ρ of Semi-DP (effective) failed" in shown
    assert shown.count("failed (spec and policy): above its limit (SA013)") == 1
    other = folder / "other.yaml"
    other.write_text(STRICT.replace("4.4", "4.3"))
    assert main(["check", *arguments("exceeds"), "--policy", "other.yaml"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count(", SA013)") == 2
    assert "(spec and policy)" not in shown


def test_what_fails_nothing_has_a_title_of_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", *arguments("exceeds")])
    lines = capsys.readouterr().out.splitlines()
    assert "exceeds.semiaudit.yaml: findings" in lines
    assert "Warnings and notes" in lines
