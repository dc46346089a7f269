"""`semiaudit batch` as its users meet it: exit codes, order, formats, quiet, a full disk."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

import duckdb
import pytest

from semiaudit.checking.verdict import verdict_of
from semiaudit.cli import main
from semiaudit.model.verdict import Verdict
from semiaudit.report.blocks.summary import COLUMNS, csv_lines, sorted_places
from tests.checking.batches import (
    batch,
    batch_alone,
    batch_here,
    command,
    environment,
    rows_of,
    spec_file,
)
from tests.cli.test_invocations import modules_loaded_by
from tests.fuzz.workers import one_process
from tests.gate import specs as texts
from tests.in_process import completed
from tests.places import CONFIGS, LENGTHY
from tests.samples import sampled, slow_cases

HOLDS, EXCEEDS, UNAUDITED, NOTHING = "holds", "exceeds", "unaudited", "audited"


def specs_of(folder: Path, *kinds: str) -> None:
    folder.mkdir()
    for kind in kinds:
        path = spec_file(folder, kind, budget="1" if kind == EXCEEDS else "2")
        if kind == UNAUDITED:
            path.write_text("semiaudit: 2\n")
        if kind == NOTHING:
            path.write_text(path.read_text().partition("budgets")[0])


@pytest.mark.parametrize(
    ("kinds", "code"),
    sampled(
        [
            ((), 3),
            ((HOLDS,), 0),
            ((HOLDS, NOTHING), 0),
            ((HOLDS, EXCEEDS, NOTHING), 1),
            ((HOLDS, EXCEEDS, UNAUDITED, NOTHING), 2),
        ],
        fast=(0, 2, 3, 4),
    ),
)
def test_the_most_severe_exit_code_is_the_batch_s(
    tmp_path: Path, kinds: tuple[str, ...], code: int
) -> None:
    specs_of(tmp_path / "specs", *kinds)
    done = batch_here(tmp_path, "specs", "-o", "csv=out.csv", "-o", "json=out.json")
    assert done.returncode == code, done.stderr
    assert {row["outcome"] for row in rows_of(tmp_path / "out.csv")} == set(kinds)
    report = json.loads((tmp_path / "out.json").read_text())
    assert [v["outcome"] for v in report["verdicts"]] == sorted(kinds)
    assert report["exit_code"] == code
    if not kinds:
        assert "nothing to audit" in done.stderr


def test_rows_stand_in_the_order_of_the_paths_and_the_table_can_be_sorted(tmp_path: Path) -> None:
    rhos = {"b/x": "0.5", "a": "0.25", "b/c": "0.125", "d": "0.375"}
    for name, rho in rhos.items():
        spec_file(tmp_path / "specs", name, rho)
    files = ("-o", "csv=a.csv", "-o", "parquet=a.parquet")
    done = batch_alone(tmp_path, "specs", "--jobs", "2", "--sort", "-rho", "-q", *files)
    assert done.stderr == ""
    shown = [line.split()[-1] for line in done.stdout.splitlines() if " specs/" in line]
    names = ["b/x", "d", "a", "b/c"]
    assert shown == [f"specs/{name}.semiaudit.yaml" for name in names]
    assert max(map(len, done.stdout.splitlines())) <= 80
    rows = rows_of(tmp_path / "a.csv")
    paths = [f"specs/{name}.semiaudit.yaml" for name in ("a", "b/c", "b/x", "d")]
    assert [row["path"] for row in rows] == paths
    assert [row["semi_dp_rho"] for row in rows] == ["1", "0.5", "2", "1.5"]
    assert [row["covering_upper"] for row in rows] == ["2"] * 4
    query = "SELECT path, semi_dp_rho, covering_upper, complete, semi_dp_mu FROM '{}'"
    found = duckdb.connect().execute(query.format(tmp_path / "a.parquet")).fetchall()
    numbers = (1.0, 0.5, 2.0, 1.5)
    assert found == [(p, n, 2, True, None) for p, n in zip(paths, numbers, strict=True)]


def test_progress_off_a_terminal_is_a_line_every_tenth(tmp_path: Path) -> None:
    for number in range(30):
        spec_file(tmp_path / "specs", f"{number:02}")
    lines = batch_here(tmp_path, "specs").stderr.splitlines()
    assert len(lines) == 10
    assert lines[-1] == "30 of 30 specs audited"


def test_a_full_disk_names_the_file_and_leaves_what_was_there(tmp_path: Path) -> None:
    for number in range(5):
        spec_file(tmp_path / "specs", f"{number:02}")
    # A log with the rules' pages is longer than the journal, which is to be written.
    batch_here(tmp_path, "specs", "-o", "sarif=out.sarif")
    most = (tmp_path / "out.sarif").stat().st_size - 100
    (tmp_path / "out.sarif").write_text("before")
    files = ("-o", "sarif=out.sarif", "-o", "csv=/dev/full", "-o", "markdown=out.md")
    done = subprocess.run(
        command("specs", *files),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most)),
        timeout=600,
    )
    assert done.returncode == 2
    assert "out.sarif: cannot be written" in done.stderr
    assert "/dev/full: cannot be written" in done.stderr
    assert (tmp_path / "out.sarif").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.md", "out.sarif", "specs"]
    assert "5 of 5 specs audited, 5 passed" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("--resume", "j", "-o", "csv=j"),
        ("--resume", "k", "-o", "csv=k.key"),
        ("--resume", ".", "-o", "csv=semiaudit-batch.journal"),
        ("--resume", "j", "-o", "csv=link/j"),
        ("--resume", "policy.yaml", "--policy", "policy.yaml"),
        ("--resume", "specs/b.semiaudit.yaml"),
        ("--resume", "specs/table"),  # whose key would be the table
        ("--resume", "specs/table.key"),
        ("--reports", "out", "-o", "html=out/index.html"),
        ("--reports", "out", "--resume", "out/a.semiaudit.yaml.json"),
        ("--reports", "out", "-o", "json=out/a.semiaudit.yaml.json"),
        ("--reports", "out", "--pattern", "index"),  # whose page is not the index
        ("--reports", "specs"),  # which has a table of a report's name
        ("-o", "json=j", "-o", "csv=./j"),
        ("-o", "json=j", "-o", "csv=link/j"),
    ],
)
def test_no_file_is_written_that_the_batch_writes_or_reads_otherwise(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    specs = tmp_path / "specs"
    spec_file(specs, "a")
    shutil.copy(spec_file(specs, "b"), specs / "index")
    table = "data: {table: %s}\nmechanism"
    for name in ("table.key", "a.semiaudit.yaml.json"):
        (specs / name).write_text("x")
        path = spec_file(specs, name.replace(".", "-"))
        path.write_text(path.read_text().replace("mechanism", table % name, 1))
    (tmp_path / "link").symlink_to(".")
    (tmp_path / "policy.yaml").write_text("semiaudit_policy: 1\nleast: {metric: hamming}\n")
    (tmp_path / "out").mkdir()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = batch_here(tmp_path, "specs", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "would" in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_reports_mirror_the_directory_and_equal_those_of_analyze(tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "deep/good")
    spec_file(tmp_path / "specs", "bad", rho="-1")
    done = batch_here(tmp_path, "specs", "--reports", "out")
    assert done.returncode == 2
    found = {path.relative_to(tmp_path / "out").as_posix() for path in tmp_path.glob("out/**/*.*")}
    names = ("bad", "deep/good")
    endings = ("json", "md", "html")
    written = {f"{n}.semiaudit.yaml.{end}" for n in names for end in endings}
    assert found == {*written, "index.html"}
    index = (tmp_path / "out" / "index.html").read_text()
    for name in names:
        assert f'href="./{name}.semiaudit.yaml.html"' in index
    page = (tmp_path / "out" / "deep" / "good.semiaudit.yaml.html").read_text()
    # A link that leads above the folder of the page would be dead in an email.
    assert "specs/deep/good.semiaudit.yaml:" in page
    assert 'href="./..' not in page
    spec = "specs/deep/good.semiaudit.yaml"
    analyzed = completed(tmp_path, "analyze", spec, "--format", "json")
    assert analyzed.returncode == 0, analyzed.stderr
    assert (tmp_path / "out" / "deep" / "good.semiaudit.yaml.json").read_text() == analyzed.stdout
    assert "rho" in (tmp_path / "out" / "bad.semiaudit.yaml.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "nowhere"),
        (("specs", "--sort", "nothing"), "there is no column nothing"),
        (("specs", "--executor", "tcp://h:1"), "dask://HOST:PORT"),
        (("specs", "-o", "csv=specs/a.semiaudit.yaml"), "would overwrite a spec"),
        (("specs", "-o", "xlsx=a.xlsx"), "csv, parquet"),
        (("specs", "--reports", "specs/a.semiaudit.yaml"), "this is not a directory"),
    ],
)
def test_what_would_fail_at_the_end_is_refused_at_the_start(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    path = spec_file(tmp_path / "specs", "a")
    before = path.read_text()
    done = batch_here(tmp_path, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert path.read_text() == before


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout")
def test_a_summary_can_be_written_into_a_pipe(tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "a")
    done = batch_alone(
        tmp_path, "specs", "--jobs", "1", "-q", "-o", "csv=/dev/stdout", "--format", "github"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("path,outcome,exit_code,")
    assert "specs/a.semiaudit.yaml,holds,0," in done.stdout


def test_help_loads_neither_numpy_nor_scipy_nor_dask() -> None:
    loaded = modules_loaded_by("batch", "--help")
    assert not loaded & {"numpy", "scipy", "dask", "distributed", "rich"}


def test_numbers_of_the_table_are_never_below_the_audit_s(tmp_path: Path) -> None:
    verdict = verdict_of(spec_file(tmp_path, "third", rho="1/3", budget="4/3"), time_limit=600)
    assert verdict.outcome == "holds"
    header, row = (line.rstrip("\n").split(",") for line in csv_lines([verdict]))
    told = dict(zip(header, row, strict=True))
    assert Fraction(float(told["semi_dp_rho"])) >= Fraction(4, 3)
    assert Fraction(float(told["nominal_dp_rho"])) >= Fraction(1, 3)


def test_what_has_no_value_comes_last_whichever_way_is_sorted(tmp_path: Path) -> None:
    small, large = (
        verdict_of(spec_file(tmp_path, f"r{rho}", rho), time_limit=600) for rho in ("0.1", "0.2")
    )
    verdicts = [Verdict("none", "unaudited"), large, small]
    assert sorted_places(verdicts, "rho") == [2, 1, 0]
    assert sorted_places(verdicts, "-rho") == [1, 2, 0]
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "a")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command("specs", "-q"), cwd=tmp_path, env=environment(), stdout=write, timeout=600
    )
    os.close(write)
    assert done.returncode == 0


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "left_out",
    [LENGTHY, *slow_cases([frozenset()])],
    ids=lambda names: "" if names else "whole",
)
def test_the_examples_are_audited_and_a_batch_of_them_ends_well(
    tmp_path: Path, left_out: frozenset[str]
) -> None:
    unwanted = shutil.ignore_patterns(*(f"{name}.yaml" for name in left_out))
    shutil.copytree(CONFIGS, tmp_path / "configs", ignore=unwanted)
    done = batch(tmp_path, "configs", "-q", "-o", "json=out.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    # the starter alone has a budget, and it holds
    number = len([*CONFIGS.glob("*.yaml")]) - len(left_out)
    assert report["summary"]["audited"] == number - 1 - 4
    # two disclose whole tables, and two have a metric that only a policy can allow
    assert report["summary"]["exceeds"] == 4
    tables = len([path for path in (CONFIGS / "data").iterdir() if path.is_file()])
    assert tables >= 6
    assert report["passed_over"] == [{"reason": "not a YAML file, by its name", "number": tables}]
    lines = done.stdout.splitlines()
    assert f" skipped         {tables} files: not a YAML file, by its name" in lines
    rules = re.findall(r"(SA\d+)\)$", done.stdout, re.MULTILINE)
    assert rules == ["SA002", "SA003", "SA029", "SA029"]


@pytest.fixture
def here() -> Iterator[None]:
    with one_process():
        yield


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("policy", [None, "budgets: [{framework: semi_dp, rho: 100}]\n"])
def test_a_batch_shows_the_verdicts_of_check(
    tmp_path: Path, policy: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    table = "semiaudit: 1\ndataspace: {attributes: {a: 2}, size: 4}\ninvariants: [total]\n"
    budget = "budgets: [{framework: semi_dp, rho: 100}]\n"
    zcdp = "mechanism: {zcdp: {rho: 1, neighbors: replace_one}}\n"
    for name, text in {
        "whole": table.replace("total", "margin: [a]") + "data: {counts: [4, 0]}\n" + zcdp,
        "metric": table + "adjacency: {metric: multiset_hamming}\n" + zcdp + budget,
        "reading": table + "adjacency: {reading: definition_13}\n" + zcdp + budget,
        "exceeds": table + zcdp + budget.replace("100", "0.1"),
        "holds": table + zcdp + budget,
        "without": table + zcdp,
        "broken": table,
    }.items():
        (folder / f"{name}.yaml").write_text(text)
    more = []
    if policy is not None:
        (tmp_path / "policy.yaml").write_text(f"semiaudit_policy: 1\n{policy}")
        more = ["--policy", str(tmp_path / "policy.yaml")]
    outcomes = []
    for word in ("check", "batch"):
        main([word, str(folder), "--format", "json", *more])
        specs = json.loads(capsys.readouterr().out)["verdicts"]
        outcomes.append({Path(one["spec"]["path"]).stem: one["outcome"] for one in specs})
    assert outcomes[0] == outcomes[1]
    failing = [name for name, outcome in outcomes[0].items() if outcome in ("exceeds", "unaudited")]
    assert {"whole", "metric", "reading", "exceeds", "broken"} <= {*failing}
    page = tmp_path / "page.html"
    assert main(["batch", str(folder), "-o", f"html={page}", *more]) == 2
    without = "" if policy else ", and 1 has no budget"
    sentence = f"would fail {len(failing)} of 7 specs{without}."
    assert " ".join(capsys.readouterr().out.split()).endswith(sentence)
    assert sentence in page.read_text()
    for name in ("broken", "exceeds"):
        (folder / f"{name}.yaml").unlink()
    assert main(["batch", str(folder)]) == 0, "findings fail no survey"
    assert main(["batch", str(folder), *more]) == (1 if policy else 0), "but a policy's rules do"


def test_what_fails_stands_first_and_alone_if_asked(tmp_path: Path) -> None:
    specs_of(tmp_path / "specs", HOLDS, EXCEEDS, UNAUDITED, NOTHING)
    shown = [
        re.findall(r" (specs/\S+\.yaml)$", done.stdout, re.MULTILINE)
        for done in (batch_here(tmp_path, "specs", *more) for more in ((), ("--only-failures",)))
    ]
    names = [f"specs/{name}.semiaudit.yaml" for name in (UNAUDITED, EXCEEDS, NOTHING, HOLDS)]
    assert shown[0] == [names[0], names[1], *sorted(names[2:])]
    assert shown[1] == names[:2]


@pytest.mark.parametrize("sort", ["failures", "path", "-rho"])
def test_text_in_a_file_has_the_order_of_the_screen(
    sort: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a", texts.HOLDS), ("b", texts.EXCEEDS), ("c", texts.HOLDS)):
        Path(f"{name}.yaml").write_text(text)
    with one_process():
        assert main(["batch", ".", "--quiet", "--sort", sort, "-o", "text=o.txt"]) == 1
    order = re.findall(r"\b[abc]\.yaml", capsys.readouterr().out)
    assert re.findall(r"\b[abc]\.yaml", Path("o.txt").read_text()) == order
    assert (order[0] == "b.yaml") is (sort == "failures")
