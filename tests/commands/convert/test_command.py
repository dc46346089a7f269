"""`semiaudit convert`: numbers that are known from elsewhere, and mistakes with their column."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit.cli import main
from tests.golden.published import golden
from tests.places import ROOT

Capture = pytest.CaptureFixture[str]


def convert(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main(["convert", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_gaussian_at_a_distance_is_a_gaussian(capsys: Capture) -> None:
    # By hand: mu = 3 sqrt(10) / 2 and rho = mu^2 / 2.
    found = convert(capsys, "gaussian: {sigma: 2}, repeat: 10", "--distance", "3")
    assert found["zcdp"]["rho"] == 11.25
    assert found["gdp"]["mu"] == pytest.approx(3 * math.sqrt(10) / 2, rel=1e-15)
    assert found["pure_dp"] is None
    assert found["universe"] == "D"
    schema = json.loads((ROOT / "docs" / "convert.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)


def test_published_numbers_of_gaussian_dp(capsys: Capture) -> None:
    found = convert(capsys, "gdp: {mu: 1}", "--delta", "1e-5", "--epsilon", "0", "--epsilon", "1")
    assert found["approx_dp"][0]["epsilon"] == golden("epsilon_of_g_1_at_1e-5")
    deltas = {point["epsilon"]: point["delta"] for point in found["profile"]}
    assert deltas == {0: golden("delta_of_g_1_at_0"), 1: golden("delta_of_g_1_at_1")}
    assert found["tradeoff"][1]["type_ii"] == golden("g_1")


def test_guesses_under_pure_dp_are_those_of_randomised_response(capsys: Capture) -> None:
    # e / (e + K - 1) of K equally likely values is right.
    found = convert(capsys, "pure_dp: {epsilon: 1}", "--prior", "0.25", "--prior", "0.5")
    told = {guess["prior"]: guess["success"] for guess in found["guesses"]}
    assert told[0.25] == pytest.approx(math.e / (math.e + 3), rel=1e-7)
    assert told[0.5] == pytest.approx(math.e / (math.e + 1), rel=1e-12)


def test_noise_moves_by_one_unless_told(capsys: Capture) -> None:
    text = "compose: [laplace: {scale: 2}, discrete_laplace: {scale: 2, shifts: [1, 1]}]"
    assert convert(capsys, text)["pure_dp"]["epsilon"] == 1.5


def test_one_measure_only(capsys: Capture) -> None:
    assert main(["convert", "zcdp: {rho: 2.56}", "--to", "zcdp", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["measure"], row["value"], row["side"]) for row in rows] == [
        ("rho", "2.56", "exact")
    ]
    assert main(["convert", "gaussian: {sigma: 1}", "--to", "pure_dp"]) == 2
    told = capsys.readouterr()
    assert "no pure_dp guarantee is known at distance 1" in told.err
    assert not told.out


@pytest.mark.parametrize("target", ["pure_dp", "approx_dp", "zcdp", "gdp", "tradeoff", "guess"])
@pytest.mark.parametrize("form", ["text", "csv", "latex", "json"])
def test_every_target_in_every_format(target: str, form: str, capsys: Capture) -> None:
    asked = ["convert", "pure_dp: {epsilon: 1/3}", "--to", target, "--format", form]
    assert main(asked) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert len(lines) > 1
    assert form != "text" or max(map(len, lines)) <= 80


SHOWN = "rows: [[0], [1]], probabilities: [[1, 0], [0, 1]]"
"""A mechanism that prints a count: rows are datasets, or with a query the answers to it."""


def test_rows_without_a_query_are_datasets_that_can_be_distinguished(capsys: Capture) -> None:
    assert main(["convert", f"finite: {{{SHOWN}}}", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["advantage"] == 1


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("gaussian: {sgma: 2}", "1:12", "did you mean sigma?"),
        ("gaussian:{sigma:2}", "1:9", "put a space after each colon"),
        ("gaussian: {sigma:2}", "1:12", "put a space after each colon"),
        ("gaussian: {sigma: 2}} , {", "1:", "is not YAML"),
        ("gaussian: {sigma: 2, query: table}", "1:1:", "needs the table of a query"),
        ("compose: [{k_norm: {epsilon: 1, query: table}}]", "1:12:", "needs the table of a query"),
        (f"finite: {{{SHOWN}, query: table}}", "1:", "because it has a query"),
        (f"compose: [{{zcdp: {{rho: 1}}}}, {{finite: {{{SHOWN}, query: table}}}}]", "1:", "query"),
        ("gaussian: {sigma: 0}", "1:19", "sigma"),
        ("", "1:", "mechanism"),
        ("nothing", "1:", "nothing"),
        ("compose: [{zcdp: {rho: 1}}], total_rho: 1", "1:30", "leave it out"),
    ],
)
def test_mistakes_have_a_column_and_no_number(
    text: str, where: str, what: str, capsys: Capture
) -> None:
    assert main(["convert", text]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert f"MECHANISM:{where}" in told.err
    assert what in told.err


@pytest.mark.parametrize(
    "option",
    [("--delta", "0"), ("--delta", "1"), ("--delta", "x"), ("--prior", "1"), ("--epsilon", "-1")],
)
def test_numbers_out_of_range_are_told(option: tuple[str, str], capsys: Capture) -> None:
    assert main(["convert", "zcdp: {rho: 1}", *option]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert option[0] in told.err


def test_files_are_written_beside_what_is_printed(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "answer.csv"
    assert main(["convert", "zcdp: {rho: 1}", "-o", f"csv={path}"]) == 0
    assert path.read_text("utf-8").startswith("framework,universe,metric,")
    assert "rho" in capsys.readouterr().out


def test_bytes_that_are_no_text_are_an_error_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    # A shell passes bytes that are not UTF-8 as such characters.
    assert main(["convert", "gaussian: {sigma: \udcff}"]) == 2
    assert "MECHANISM:1:19: is not UTF-8 text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        # rho = n / (2 sigma^2), mu^2 = 2 rho; epsilon of mu = 2.5 at 1e-10 is 18.53235 by mpmath.
        (
            ["gaussian: {sigma: 2}, repeat: 25"],
            "The mechanism provides ρ = 3.125, μ = 2.5, and ε = 18.54 at δ = 1e-10.",
        ),
        (["pure_dp: {epsilon: 2}", "--to", "pure_dp"], "The mechanism provides ε = 2 (pure DP)."),
        (["zcdp: {rho: 2.56}", "--to", "zcdp"], "The mechanism provides ρ = 2.56."),
    ],
)
def test_the_first_line_gives_the_numbers(
    arguments: list[str], first: str, capsys: Capture
) -> None:
    assert main(["convert", *arguments]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == first
    assert "Theorem" not in out
