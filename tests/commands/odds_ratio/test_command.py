"""`semiaudit mechanism test odds-ratio`: published numbers, random releases, tables of specs."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit.cli import main
from tests.golden.published import golden
from tests.places import ROOT

Capture = pytest.CaptureFixture[str]
COMMAND = ["mechanism", "test", "odds-ratio"]
RELEASED = "--margins 12,10,11 --noisy-count 8.25"

SPEC = """semiaudit: 1
dataspace:
  unit: applicant
  attributes: {sex: [female, male], outcome: [admitted, rejected], year: 3}
invariants: [{margin: [sex]}, {margin: [outcome]}]
data: {counts: [[[3, 2, 2], [1, 3, 1]], [[1, 1, 1], [3, 3, 2]]]}
mechanism: {zcdp: {rho: 0.05}}
budgets: [{framework: semi_dp, rho: 0.01}]
"""


def answer(capsys: Capture, line: str) -> dict[str, Any]:
    assert main([*COMMAND, *shlex.split(line), "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs" / "odds_ratio.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    return found


def test_the_published_test(capsys: Capture) -> None:
    found = answer(capsys, f"{RELEASED} --epsilon 1")
    assert found["p_value"] == golden("odds_ratio_p_value")
    assert found["threshold"] == golden("odds_ratio_threshold")
    powers = {point["odds_ratio"]: point["power"] for point in found["power"]}
    assert powers.keys() == {1, 1.5, 2, 4, 8}
    assert powers[1] == 0.05
    for name, odds in (("1_5", 1.5), ("2", 2), ("4", 4), ("8", 8)):
        assert powers[odds] == golden(f"odds_ratio_power_at_{name}")
    assert found["rejection"] == {"at_least": found["threshold"], "at_most": None}
    assert found["statistic"] == 8.25
    assert found["rejects"]
    assert found["umpu"]
    assert found["noise"]["distribution"] == "tulap"
    assert not found["noise"]["drawn"]
    # a 2x2 table can have an empty cell, and then 3 records have to change (Example 5)
    assert found["guarantee"]["distance"] == 3
    assert found["guarantee"]["universe"] == "D_t"
    assert found["odds_ratio"].startswith("w = [th2/(1-th2)] / [th1/(1-th1)];")


def test_less_is_greater_with_the_rows_exchanged(capsys: Capture) -> None:
    """U of x21 is 11 - U of x11, which is x21 of the exchanged table."""
    greater = answer(capsys, f"{RELEASED} --epsilon 1")
    less = answer(capsys, "--margins 10,12,11 --noisy-count 2.75 --epsilon 1 --alternative less")
    assert less["p_value"] == pytest.approx(greater["p_value"], rel=1e-12)
    assert less["threshold"] == pytest.approx(11 - greater["threshold"], abs=1e-11)
    assert less["rejection"]["at_least"] is None
    powers = [point["power"] for point in less["power"]]
    assert powers[::-1] == pytest.approx([p["power"] for p in greater["power"]], abs=1e-11)


def test_two_sided_is_no_umpu_test_and_says_so(capsys: Capture) -> None:
    found = answer(capsys, f"{RELEASED} --epsilon 1 --alternative two-sided")
    assert found["p_value"] == pytest.approx(2 * 0.0385227181, abs=2e-10)
    assert found["threshold"] is None
    assert not found["umpu"]
    assert not found["rejects"]
    ends = found["rejection"]
    # with half of all records in the first column x21 is symmetric about 5 at w = 1
    assert ends["at_most"] + ends["at_least"] == pytest.approx(10, abs=1e-11)
    assert ends["at_most"] < ends["at_least"]
    assert main([*COMMAND, *shlex.split(f"{RELEASED} --epsilon 1 --alternative two-sided")]) == 0
    assert "it is not UMPU" in " ".join(capsys.readouterr().out.split())


def test_a_released_count_is_tested_again_at_no_cost(capsys: Capture) -> None:
    drawn = answer(capsys, "--table 7,5,3,8 --epsilon 1 --seed 5")
    again = answer(capsys, f"--margins 12,11,10 --noisy-count {drawn['statistic']} --epsilon 1")
    assert drawn["noise"]["drawn"]
    assert drawn["noise"]["seed"] == 5
    assert again["p_value"] == drawn["p_value"]
    assert "uses the privacy-loss budget again" in drawn["noise"]["note"]
    assert "exactly this distribution" in again["noise"]["note"]


def test_no_two_runs_are_alike_and_a_seed_repeats_one(capsys: Capture) -> None:
    line = "--table 7,5,3,8 --mu 1/2"
    assert len({answer(capsys, line)["statistic"] for _ in range(3)}) == 3
    assert answer(capsys, f"{line} --seed 1") == answer(capsys, f"{line} --seed 1")


def test_noise_comes_from_the_operating_system(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    asked: list[int] = []
    bits: Callable[..., int] = random.SystemRandom.getrandbits

    def counted(self: random.SystemRandom, k: int) -> int:
        asked.append(k)
        return bits(self, k)

    monkeypatch.setattr(random.SystemRandom, "getrandbits", counted)
    random.seed(1)
    answer(capsys, "--table 7,5,3,8 --epsilon 1")
    assert sum(asked) >= 64


def test_the_confidential_count_is_never_shown(capsys: Capture) -> None:
    for form in ("text", "json", "markdown"):
        line = "--table 113,127,111,129 --epsilon 0.5 --seed 2 --odds-ratio 2"
        assert main([*COMMAND, *shlex.split(line), "--format", form]) == 0
        text = capsys.readouterr().out
        for cell in ("113", "127", "111", "129"):
            assert not re.search(rf"(?<![\d.]){cell}(?![\d.])", text)
        assert "240" in text


def test_a_margin_of_a_spec(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC, "utf-8")
    spec = f"--spec {tmp_path}/spec.yaml --epsilon 1 --seed 3"
    by_spec = answer(capsys, f"{spec} --attributes sex,outcome")
    by_table = answer(capsys, "--table 7,5,3,8 --epsilon 1 --seed 3")
    labels = by_spec.pop("labels")
    assert labels["rows"] == ["sex", "female", "male"]
    assert labels["columns"] == ["outcome", "admitted", "rejected"]
    assert by_table.pop("labels") is None
    assert by_spec == by_table
    exchanged = answer(capsys, f"{spec} --attributes outcome,sex")
    assert exchanged["margins"] == {"rows": [10, 13], "columns": [12, 11]}
    # x21 is 5 there and 3 here, with the same noise
    assert exchanged["statistic"] - by_spec["statistic"] == pytest.approx(2, abs=1e-12)
    given = answer(capsys, f"{spec[:-9]} --attributes sex,outcome --noisy-count 4.5")
    assert given["statistic"] == 4.5


@pytest.mark.parametrize(
    ("changes", "margin", "told"),
    [
        ({"invariants": "[{margin: [sex]}]"}, "sex,outcome", "add {margin: [outcome]}"),
        ({"invariants": "[{margin: [sex, outcome]}]"}, "sex,outcome", "publish the whole margin"),
        ({"data": "{margins: {sex: [12, 11], outcome: [10, 13]}}"}, "sex,outcome", "--noisy-count"),
        ({"adjacency": "{distance: 4}"}, "sex,outcome", "x21 can change by 2"),
        ({}, "sex,year", "year has 3 levels"),
        ({}, "sex,age", "age is not an attribute"),
        ({}, "sex", "name two with --attributes"),
        ({"invariants": "[{margin: [sexes]}]"}, "sex,outcome", ":5:"),
    ],
)
def test_a_spec_that_cannot_be_tested_is_refused_with_the_reason(
    changes: dict[str, str], margin: str, told: str, tmp_path: Path, capsys: Capture
) -> None:
    lines = {line.partition(":")[0]: line for line in SPEC.splitlines()}
    lines |= {key: f"{key}: {value}" for key, value in changes.items()}
    path = tmp_path / "spec.yaml"
    path.write_text("\n".join(lines.values()) + "\n", "utf-8")
    assert main([*COMMAND, "--spec", str(path), "--attributes", margin, "--epsilon", "1"]) == 2
    found = capsys.readouterr()
    assert not found.out
    assert told in found.err
    assert str(path) in found.err


def test_more_than_the_margins_leaves_a_valid_test(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC.replace("{margin: [sex]}", "{margin: [sex, year]}"), "utf-8")
    found = answer(capsys, f"--spec {path} --attributes sex,outcome --epsilon 1 --seed 3")
    assert not found["umpu"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--epsilon 1", "give exactly one of --table, --margins (with --noisy-count), and --spec"),
        ("--table 7,5,3,8", "give --epsilon"),
        ("--table 7,5,-3,8 --epsilon 1", "whole numbers of 0 or more"),
        ("--table 7,5,3 --epsilon 1", "is not of the form X11,X12,X21,X22"),
        ("--table 7,5,3.5,8 --epsilon 1", "whole numbers"),
        ("--margins 12,10,23 --noisy-count 1 --epsilon 1", "more records than both rows"),
        ("--margins 12,10,11 --epsilon 1", "with --noisy-count"),
        ("--table 7,5,3,8 --noisy-count 3 --epsilon 1", "use --margins"),
        ("--table 7,5,3,8 --epsilon 1 --delta 1", "below 1"),
        ("--table 7,5,3,8 --epsilon 1 --mu 1", "cannot be combined"),
        ("--table 7,5,3,8 --delta 0.1 --mu 1", "cannot be combined"),
        ("--table 7,5,3,8 --epsilon 0", "hides the count completely"),
        ("--table 7,5,3,8 --mu 0", "hides the count completely"),
        ("--table 0,5,0,8 --epsilon 1", "the margins alone fix the table: x21 is 0"),
        ("--table 7,5,0,0 --epsilon 1", "the margins alone fix the table"),
        ("--table 0,0,0,0 --epsilon 1", "the margins alone fix the table"),
        ("--table 70000,50000,3,8 --epsilon 1", "the limit is 100000"),
        ("--table 7,5,3,8 --epsilon 1 --noise normal", "normal noise is for G_mu"),
        ("--table 7,5,3,8 --mu 1 --noise tulap", "Tulap noise is for f_{epsilon,delta}"),
        ("--table 7,5,3,8 --epsilon 1 --level 0", "1e-9 or more"),
        (f"{RELEASED} --epsilon 1 --seed 1", "already has its noise"),
        ("--table 7,5,3,8 --epsilon 1 --attributes a,b", "add --spec"),
        ("--table 7,5,3,8 --epsilon 1 --odds-ratio 0", "from 1e-6 to 1e6"),
        ("--table 7,5,3,8 --epsilon 1 -o csv=x", "text, json, markdown"),
        ("--spec missing.yaml --epsilon 1", "there is no such file"),
    ],
)
def test_mistakes_are_told_and_give_no_number(line: str, told: str, capsys: Capture) -> None:
    assert main([*COMMAND, *shlex.split(line)]) == 2
    found = capsys.readouterr()
    assert not found.out
    assert told in found.err
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    "measure",
    ["--epsilon 0 --delta 0.1", "--epsilon 1e6", "--mu 500", "--epsilon 1e-9", "--mu 1e-3"],
)
def test_guarantees_at_both_ends(measure: str, capsys: Capture) -> None:
    found = answer(capsys, f"--table 7,5,3,8 {measure} --seed 1 --odds-ratio 8")
    assert 0 < found["p_value"] <= 1
    (point,) = found["power"]
    assert 0.05 < point["power"] < 0.75
    # without noise the randomised test of Fisher has more power than any with a guarantee
    fisher = 0.7448106391937482
    assert point["power"] <= fisher + 1e-9
    if measure in ("--epsilon 1e6", "--mu 500"):
        assert point["power"] == pytest.approx(fisher, abs=1e-9)


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_text_fits_the_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main([*COMMAND, *shlex.split(f"{RELEASED} --epsilon 1")]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= int(columns)
    assert "0.03853." in out
    assert "f_{" not in out


def test_files_hold_the_release_that_is_printed(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "found.json"
    assert main([*COMMAND, *shlex.split("--table 7,5,3,8 --epsilon 1"), "-o", f"json={path}"]) == 0
    statistic = json.loads(path.read_text("utf-8"))["statistic"]
    assert f"noisy count x21 = {statistic}" in capsys.readouterr().out
