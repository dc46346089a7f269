"""Runs of commands and functions: each failure is an outcome with its message, and runs resume."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit.cli import main
from semiaudit.commands.verify.outputs import numbers_of
from tests.places import ROOT

SPEC = """semiaudit: 1
dataspace: {unit: person, attributes: {a: 2}}
invariants: [total]
data: {counts: [20, 25]}
mechanism: {laplace: {scale: 2, query: table}}
"""
SHELL = """#!/bin/sh
[ "$3" = crash ] && echo "no such column" >&2 && exit 3
[ "$3" = hang ] && sleep 60
[ "$3" = nothing ] && exit 0
[ "$3" = half ] && printf 'a,count\\n0,12' > "$2" && exit 0
printf 'a,count\\n' > "$2"
for level in 0 1; do
  count=$(grep -c "^$level\\$" "$1")
  printf '%s,%s\\n' "$level" "$((count + $(od -An -N1 -tu1 /dev/urandom) / 8 - 16))" >> "$2"
done
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "release.sh").write_text(SHELL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verify(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any], str]:
    code = main(["verify", "spec.yaml", *options, "--format", "json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else {}, err


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        ("crash", "crashed", "exit code 3: no such column"),
        ("hang", "timed out", "it ran longer than 0.3 seconds"),
        ("nothing", "no output", "the run wrote no file to {output}"),
        ("half", "unreadable output", "the output cannot be read: its last line has no end"),
    ],
)
def test_each_failure_of_a_pipeline_has_its_message(
    folder: Path, capsys: pytest.CaptureFixture[str], failure: str, kind: str, message: str
) -> None:
    command = f"sh release.sh {{input}} {{output}} {failure}"
    limit = ("--run-limit", "0.3", "--runs", "40", "--jobs", "8")
    code, report, _ = verify(capsys, "--command", command, *limit)
    assert code == 2
    assert report["verdict"] == "not run"
    (found,) = report["failures"]
    assert (found["kind"], found["message"]) == (kind, message)
    assert found["on_x"] + found["on_y"] == sum(report["runs"]) == 20


def test_a_shell_script_is_verified_and_its_journal_resumes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("--command", "sh release.sh {input} {output}", "--runs", "80", "--journal", "j")
    code, report, announced = verify(capsys, *command)
    assert "80 runs. To detect a claim that is wrong by a factor of 1.5" in announced
    # uniform noise of 32 values is not Laplace noise, but 60 runs cannot see that
    assert code in (0, 2)
    assert not report["failures"]
    schema = json.loads((ROOT / "docs" / "verify.schema.json").read_text("utf-8"))
    assert [e.message for e in Draft202012Validator(schema).iter_errors(report)] == []
    lines = (folder / "j").read_text("utf-8").splitlines(keepends=True)
    labels = [line for line in lines if "on_x" in line]
    started = [lines.index(line) for line in labels]
    for at, place in enumerate(started):  # each label is recorded before its run ends
        ended = next(k for k, line in enumerate(lines) if line.startswith(f'{{"run": {at}, "outc'))
        assert place < ended

    # a kill in the middle of a line, after 30 runs: the others keep their labels
    outcomes = [line for line in lines if "outcome" in line]
    kept = "".join([lines[0], *labels[:50], *outcomes[:30]])
    (folder / "j").write_text(kept + outcomes[30][:20], encoding="utf-8")
    assert verify(capsys, *command)[0] in (0, 2)
    again = (folder / "j").read_text("utf-8").splitlines(keepends=True)
    assert [line for line in again if "on_x" in line][:50] == labels[:50]
    assert again[: len(kept.splitlines())] == kept.splitlines(keepends=True)
    assert sum("outcome" in line for line in again) == 80

    (folder / "spec.yaml").write_text(SPEC.replace("scale: 2", "scale: 3"), encoding="utf-8")
    code, _, message = verify(capsys, *command)
    assert code == 2
    assert "j: it is the journal of another spec, pair, or code; name another file" in message


def test_a_function_runs_in_its_own_process(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "code").mkdir()
    (folder / "code" / "release.py").write_text(
        "def exact(path):\n"
        "    lines = open(path).read().split()[1:]\n"
        "    return {f'a={k}': lines.count(str(k)) for k in range(2)}\n",
        encoding="utf-8",
    )
    code, report, _ = verify(
        capsys, "--function", "release:exact", "--import-path", "code", "--runs", "80"
    )
    assert code == 1
    assert report["findings"][0]["number"] in ("a=0", "a=1")
    assert "is exactly" in report["findings"][0]["message"]
    assert [file["path"] for file in report["code"]] == ["code/release.py"]


def samples(path: Path, shift: float, number: int = 400) -> str:
    rows = [str(shift + (k * 0.61803398875 % 1 - 0.5) * 8) for k in range(number)]
    path.write_text("\n".join(["value", *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_samples_have_no_coins(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    near = samples(folder / "x.csv", 0), samples(folder / "y.csv", 0)
    _, report, _ = verify(capsys, "--samples", *near)
    assert report["verdict"] != "violated"
    assert report["coins"] is False
    assert {test["kind"] for test in report["tests"]} == {"epsilon"} | {
        test["kind"] for test in report["tests"] if test["kind"] in ("mu", "rho")
    }
    far = samples(folder / "x.csv", 0), samples(folder / "z.csv", 9)
    assert verify(capsys, "--samples", *far)[0] == 1


@pytest.mark.lengthy
def test_a_pair_with_other_invariants_must_be_distinguished(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "spec.yaml").write_text(
        SPEC.replace("{a: 2}", "{a: 2, b: 2}")
        .replace("total", "margin: [a]")
        .replace("[20, 25]", "[[10, 10], [20, 5]]"),
        encoding="utf-8",
    )
    for name, first in (("x.csv", 20), ("y.csv", 21)):
        rows = [*["0,0"] * (first - 10), *["0,1"] * 10, *["1,0"] * (40 - first), *["1,1"] * 5]
        (folder / name).write_text("\n".join(["a,b", *rows]) + "\n", encoding="utf-8")
    (folder / "release.py").write_text(
        "import random\n"
        "def noisy(path): return {'a=0': 20 + random.random()}\n"
        "def exact(path): return {'a=0': open(path).read().count('0,')}\n",
        encoding="utf-8",
    )
    options = ("--pair", "x.csv", "y.csv", "--import-path", ".", "--runs", "100", "--jobs", "2")
    code, report, _ = verify(capsys, "--function", "release:noisy", *options)
    assert (code, report["findings"][0]["number"]) == (1, "T")
    code, report, _ = verify(capsys, "--function", "release:exact", *options)
    assert (code, report["pair"]["inside"]) == (0, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give one of --command, --function, and --samples"),
        (("--command", "cat {input}"), "--command: {output} is missing; add it"),
        (("--command", "'cat {input}"), "--command: No closing quotation"),
        (("--command", "no-such-program {input} {output}"), "there is no program no-such-program"),
        (("--command", "a", "--guesses", "9"), "--guesses is for --one-run; add it"),
        (("--samples", "a", "b", "--one-run"), "--one-run needs --command or --function"),
        (("--command", "a", "--confidence", "0.9999999"), "a number above 0, at most 0.999999"),
        (("--function", "a:b"), "--function and --score need --import-path DIR"),
    ],
)
def test_wrong_options_say_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    code, _, said = verify(capsys, *options)
    assert code == 2
    assert message in said


def test_a_large_pair_is_refused_with_its_size(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "spec.yaml").write_text(SPEC.replace("[20, 25]", "[20, 3000000]"), encoding="utf-8")
    code, _, said = verify(capsys, "--command", f"{sys.executable} {{input}} {{output}}")
    assert code == 2
    assert "the datasets of the pair have 3,000,020 records" in said


@pytest.mark.lengthy
def test_one_run_finds_noise_that_is_too_small(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "spec.yaml").write_text(
        "semiaudit: 1\n"
        "dataspace: {unit: person, size: 500, attributes: {a: 12, b: 12}}\n"
        "invariants: [{margin: [a]}, {margin: [b]}]\n"
        "mechanism: {laplace: {scale: 8, query: table}}\n",
        encoding="utf-8",
    )
    (folder / "release.py").write_text(
        "import numpy as np\n"
        "def noisy(path, scale=8):\n"
        "    table = np.zeros((12, 12))\n"
        "    for line in open(path).read().split()[1:]:\n"
        "        table[tuple(map(int, line.split(',')))] += 1\n"
        "    return table + np.random.default_rng().laplace(0, scale, table.shape)\n"
        "def loud(path): return noisy(path, .2)\n"
        "def elsewhere(path): return np.random.default_rng().laplace(0, 8, (12, 12))\n",
        encoding="utf-8",
    )
    options = ("--import-path", ".", "--one-run")
    code, report, announced = verify(capsys, "--function", "release:loud", *options)
    assert "One run with 36 moves" in announced
    assert (code, report["moves"]) == (1, 36)
    assert report["tests"][0]["claim"] == pytest.approx(0.5)  # two records, 4 cells of 1/8
    fewer = (*options, "--guesses", "20")
    code, report, _ = verify(capsys, "--function", "release:loud", *fewer)
    assert (code, report["tests"][0]["runs"]) == (1, [36, 20])
    assert report["tests"][0]["hits"] == [20, 0]
    code, _, message = verify(capsys, "--function", "release:loud", *options, "--guesses", "37")
    assert (code, "use at most 36" in message) == (2, True)
    code, report, _ = verify(capsys, "--function", "release:noisy", *options)
    assert report["verdict"] != "violated" or report["tests"][0]["bound"] < 0.05
    code, report, _ = verify(capsys, "--function", "release:elsewhere", *options)
    assert code == 2 or report["tests"][0]["hits"][0] > 23  # chance: .03


def test_every_format_says_the_verdict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = samples(folder / "x.csv", 0), samples(folder / "z.csv", 9)
    files = [f"{form}={folder / form}" for form in ("html", "junit", "markdown")]
    outputs = [part for file in files for part in ("-o", file)]
    assert main(["verify", "spec.yaml", "--samples", *far, *outputs]) == 1
    assert "Violated: the code does not do what the spec says" in capsys.readouterr().out
    page = (folder / "html").read_text("utf-8")
    assert page.count("<svg") >= 2
    assert "Scores under X and Y" in page
    assert '<failure message="ε' in (folder / "junit").read_text("utf-8")


@pytest.mark.parametrize("kind", ["same file", "constant", "shuffled"])
def test_samples_without_evidence_are_undecided(
    kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No output that is the same for both datasets shows that larger losses would be found."""
    x, y = samples(folder / "x.csv", 0, 4000), str(folder / "y.csv")
    header, *rows = (folder / "x.csv").read_text("utf-8").splitlines()
    if kind == "constant":
        (folder / "x.csv").write_text("\n".join([header, *["3"] * 4000]), encoding="utf-8")
    shown = {"same file": rows, "constant": ["3"] * 4000, "shuffled": rows[::-1]}[kind]
    (folder / "y.csv").write_text("\n".join([header, *shown]), encoding="utf-8")
    code, report, _ = verify(capsys, "--samples", x, x if kind == "same file" else y)
    assert (code, report["verdict"]) == (2, "undecided")


@pytest.mark.parametrize(
    "line",
    ['{"run": 0, "outcome": ["ok", [1], ""]}', '{"run": 9, "outcome": ["ok", {}, ""]}', "3", "{}"],
)
def test_a_damaged_journal_is_refused(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("--command", "sh release.sh {input} {output} nothing", "--journal", "j")
    verify(capsys, *command, "--runs", "40")
    head = (folder / "j").read_text("utf-8").splitlines()[0]
    (folder / "j").write_text(f"{head}\n{line}\n", encoding="utf-8")
    code, _, message = verify(capsys, *command, "--runs", "40")
    assert (code, "j: is not a journal of verify; name another file" in message) == (2, True)
    (folder / "j").write_text(f"{head}\n", encoding="utf-8")
    code, _, message = verify(capsys, *command, "--runs", "80")  # more runs after a look
    assert (code, "is the journal of another" in message) == (2, True)


def test_code_that_changes_while_it_runs_has_no_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "release.sh").write_text(
        f"{SHELL}echo '#' >> {folder / 'release.sh'}\n", encoding="utf-8"
    )
    command = ("--command", "sh release.sh {input} {output}", "--runs", "40")
    code, report, message = verify(capsys, *command)
    assert (code, report) == (2, {})
    assert "the code changed while it ran; run verify again" in message


def test_numbers_with_one_name_are_all_kept() -> None:
    cells = [("a", 1), ("a", 2), ("a", 3), ("b", "yes"), ("b", "yes")]
    assert sorted(numbers_of(cells).values()) == [1, 2, 2, 3]


@pytest.mark.parametrize("body", ["raise KeyError('b')", "return 'large'", "syntax error here"])
def test_a_score_that_fails_is_named(
    body: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / f"own{len(body)}.py").write_text(f"def own(row):\n    {body}\n", encoding="utf-8")
    given = samples(folder / "x.csv", 0), samples(folder / "y.csv", 1)
    score = ("--score", f"own{len(body)}:own", "--import-path", ".")
    code, _, message = verify(capsys, "--samples", *given, *score)
    assert code == 2
    assert "--score" in message
    assert "correct" in message
