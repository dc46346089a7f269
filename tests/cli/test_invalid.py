"""Bad input: exit 2, one located line a problem, every problem at once, nothing on stdout."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from semiaudit.cli import main
from tests.fuzz.options import SPECIAL, commands, flags
from tests.fuzz.workers import one_process
from tests.places import SPECS

INVALID = sorted((SPECS / "invalid").glob("*.yaml"))


def expectations(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    marker = "# expect: "
    return [line.removeprefix(marker) for line in lines if line.startswith(marker)]


def run(path: Path | str, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, list[str]]:
    code = main(["analyze", str(path), *more])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    lines = captured.err.splitlines()
    problems = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if len(problems) > 1:
        assert lines[-1] == f"{len(problems)} errors. Fix them, and run the command again."
    return code, problems


def test_there_are_invalid_specs_to_test() -> None:
    assert len(INVALID) > 35
    assert all(expectations(path) for path in INVALID)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_every_problem_of_an_invalid_spec_is_named_with_its_place(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = run(path, capsys)
    assert code == 2
    wanted = [f"{path}:{fragment}" for fragment in expectations(path)]
    assert len(lines) == len(wanted), lines
    for line, fragment in zip(lines, wanted, strict=True):
        assert line.startswith(fragment)
        if "nowhere.csv" not in line:
            assert "; " in line


@pytest.mark.parametrize("folder", ["holds", "exceeds"])
def test_budgets_that_hold_exit_with_0_and_others_with_1(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sorted((SPECS / folder).glob("*.yaml"))
    assert len(found) >= 3
    for path in found:
        assert main(["analyze", str(path)]) == (0 if folder == "holds" else 1), path
        assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "the file is empty"),
        (b"# only a comment\n\n", "is empty"),
        (b"\xff\xfe\x00\x01", "1:1: is not UTF-8 text"),
        (b"semiaudit: 1\ntitle: \xff\n", "2:8: is not UTF-8 text"),
        (b"semiaudit: \x00\n", "1:12: contains a control character"),
        ("semiaudit: 1\n".encode("utf-16"), "is not UTF-8 text"),
        (b"just a word\n", "1:1: is not a mapping"),
        (b"[]\n", "1:1: is not a mapping"),
        (b"? [a]\n: b\n", "1:3: a key is not a plain word"),
        (b"a: " + b"[" * 3000, "1:"),
        (b"a: " + b"[" * 100 + b"]" * 100, "1:64: is nested deeper than 60 levels"),
        (b"x" * 1_000_001, "has more than 1 MB"),
    ],
    ids=str,
)
def test_files_that_are_no_spec_at_all(
    content: bytes, fragment: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(content)
    code, lines = run(path, capsys)
    assert code == 2
    assert len(lines) >= 1
    assert fragment in lines[0]


def test_paths_that_are_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "missing.yaml", capsys) == (
        2,
        [f"{tmp_path / 'missing.yaml'}: there is no such file; check the path"],
    )
    code, lines = run(tmp_path, capsys)
    assert (code, len(lines)) == (2, 1)
    assert "is a directory" in lines[0]


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("semiaudit: 1\n")
    code, lines = run(tmp_path / "file" / "spec.yaml", capsys)
    assert (code, len(lines)) == (2, 1)
    assert "cannot be read" in lines[0]


def test_a_refused_guarantee_exits_with_2_and_is_still_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Erratum E37: Definition 1 fails on {000, 001, 111}.
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {datasets: [[0,0,0],[0,0,1],[1,1,1]]}\n"
        "mechanism: {pure_dp: {epsilon: 1}}\n"
    )
    assert main(["analyze", str(path), "-o", f"json={tmp_path / 'out.json'}"]) == 2
    assert "some datasets are not linked by steps of" in " ".join(capsys.readouterr().out.split())
    assert (tmp_path / "out.json").exists()


MISTAKES = {
    "audit x.yaml": "No such command 'audit'. Use `analyze` for one spec, or `check` to compare",
    "batch . --baseline b.json": "--baseline. It is an option of `check`.",
    "analyze s.yaml --design x": "--design. It is an option of `mechanism calibrate`.",
    "calibrate s.yaml": "calibrate is not a command; run `semiaudit mechanism calibrate`",
    "odds-ratio --help": "run `semiaudit mechanism test odds-ratio`",
    "check . --near-limit abc": "'--near-limit': 'abc' is not a number.",
    "check . --jobs abc": "'--jobs': 'abc' is not a whole number.",
    "check . -o junit=-": "standard output is for the report of --format; use --format junit, or",
    "check . --ignore SA13": "SA13 is not a rule; did you mean SA013?",
    "check . --policy .": ".: is a directory; name a file in it",
    "rule sa13": "sa13 is not a rule; did you mean SA013?",
    "rule nothing": "nothing is not a rule; `semiaudit rule` lists the rules",
    "check s.yaml --policy p.yaml": "fail_on[0]: SA16 is not a rule; did you mean SA016?",
    "check s.yaml --waivers w.yaml": "waivers[0].rule: SA13 is not a rule; did you mean SA013?",
    "check s.yaml --waivers glob.yaml": "quote a value that begins with *",
    "check s.yaml --waivers alias.yaml": "or quote a value that begins with *",
}
FILES = {
    "s.yaml": "semiaudit: 1\ndataspace: {size: 9}\nmechanism: {zcdp: {rho: 1}}\n",
    "p.yaml": "semiaudit_policy: 1\nfail_on: [SA16]\n",
    "w.yaml": "semiaudit_waivers: 1\nwaivers:\n  - rule: SA13\n",
    "glob.yaml": "semiaudit_waivers: 1\nwaivers:\n  - spec: **/*.yaml\n",
    "alias.yaml": "semiaudit_waivers: 1\nwaivers:\n  - spec: *yaml\n",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_on_the_command_line_or_in_its_files_names_what_was_meant(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, "utf-8")
    assert main(line.split()) == 2
    said = " ".join(capsys.readouterr().err.split())
    # Versions of click differ in their quotes.
    assert MISTAKES[line].replace("'", "") in said.replace("'", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("services: {web: {image: x}}\nversion: 3\n", "is not a semiaudit spec"),
        ("semiaudit_policy: 1\nfail_on: [SA016]\n", "is a policy, not a spec; use --policy FILE"),
        ("semiaudit_waivers: 1\nwaivers: []\n", "is a file of waivers, not a spec; use --waivers"),
        ("a: [1\n", "is not YAML"),
    ],
)
def test_a_file_that_is_no_spec_is_said_to_be_none_and_nothing_else(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, "utf-8")
    assert main(["analyze", str(path)]) == 2
    err = capsys.readouterr().err
    assert (err.count("\n"), words in err) == (1, True)
    assert main(["check", str(path)]) == 2
    assert f"error the file {words}" in " ".join(capsys.readouterr().out.split())


def test_a_rule_is_found_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "budget-exceeded"]) == 0
    assert capsys.readouterr().out.startswith("# SA013: budget-exceeded\n")


def test_a_table_is_not_a_spec_and_can_become_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("a,count\nx,1\n")
    _, (line,) = run("table.csv", capsys)
    remedy = "write a spec for this CSV file with `semiaudit init --from table.csv`"
    assert line == f"table.csv:1:1: is not a mapping; {remedy}"


def test_a_margin_that_is_not_a_list_is_shown_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2, b: 2}}\n"
        "invariants:\n  - margin: a, b\nmechanism: {zcdp: {rho: 1}}\n"
    )
    _, (line,) = run(spec, capsys)
    assert line.endswith("invariants[0].margin: must be a list; write `margin: [a, b]`")


NEGATIVE = {"--noisy-count"}
"""Options whose numbers may be negative."""


def test_no_number_option_of_any_command_takes_a_special_float() -> None:
    tried = 0
    for words, command in commands().items():
        context = click.Context(command)
        for flag, option in flags(command).items():
            if option.is_flag or isinstance(option.type, click.Choice | click.Path):
                continue

            def takes(text: str, option: click.Option = option) -> bool:
                value = [text] * option.nargs if option.nargs > 1 else text
                try:
                    option.process_value(context, [value] if option.multiple else value)  # noqa: B023
                except click.UsageError:
                    return False
                return True

            if takes("x"):
                continue  # no number
            for text in SPECIAL:
                tried += 1
                allowed = text == "-1" and flag in NEGATIVE
                assert takes(text) == allowed, (*words, flag, text)
    assert tried > 300


@pytest.mark.parametrize("command", ["check", "batch"])
@pytest.mark.parametrize("pattern", ["", "[", "a[", "x[!", "[]", "[a-z]["])
def test_a_pattern_that_matches_no_name_is_refused(
    tmp_path: Path, command: str, pattern: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(tmp_path), "--pattern", pattern]) == 2
    assert "--pattern" in capsys.readouterr().err
    for good in ("*", "[ab]*.y", "[[]x", "[]]", "[!a]", "a]"):
        assert main([command, str(tmp_path), "--pattern", good]) == 3, good


def test_a_memory_limit_below_the_smallest_audit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("semiaudit: 1\ndataspace: {unit: person}\nmechanism: {pure_dp: {epsilon: 1}}\n")
    assert main(["check", str(path), "--memory-limit", "511"]) == 2
    assert "x>=512" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["analyze", "check", "batch"])
@pytest.mark.parametrize("wrong", ["ten", "ten: {"], ids=["schema", "yaml"])
def test_an_error_shows_its_line_and_a_caret_but_never_data(
    command: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    lines = ["semiaudit: 1", f"dataspace: {{size: {wrong}, attributes: {{a: 2}}}}"]
    path.write_text("\n".join([*lines, "mechanism: {zcdp: {rho: 1}}\n"]))
    with one_process():
        assert main([command, str(path)]) == 2
    shown = "".join(capsys.readouterr()).splitlines()
    ((at, line),) = [(at, line) for at, line in enumerate(shown) if lines[1] in line]
    column = shown[at + 1].index("^") - line.index(lines[1])
    assert lines[1][column:].startswith("ten" if wrong == "ten" else ":")
    path.write_text("\n".join([*lines, "data: {counts: [123, 456]}\n"]))
    with one_process():
        assert main([command, str(path)]) == 2
    assert " | " not in "".join(capsys.readouterr())
