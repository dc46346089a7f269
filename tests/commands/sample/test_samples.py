"""Samples as Python has them: the rows of the command's files, as columns and as text."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from jsonschema import Draft202012Validator

from semiaudit import Samples, SpecError, sample
from semiaudit.auditing.confidential_table import Table, rules_of
from semiaudit.cli import main
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint
from semiaudit.model.dataspace import TableSpace
from semiaudit.spec.build import load_release
from tests.places import ROOT

TEXT = """\
semiaudit: 1
dataspace: {attributes: {region: [n, s], sex: 2}}
invariants: [{margin: [region]}]
data: {counts: [[1, 2], [4, 5]]}
"""
NOISE = TEXT + "mechanism: {gaussian: {sigma: 2, support: null_space, query: table}}\n"
WHOLE = TEXT + "mechanism: {discrete_gaussian: {sigma_squared: 4, query: table}}\n"
SWAP = TEXT.replace("[{margin: [region]}]", "[]") + (
    "mechanism: {swapping: {rate: 1/2, stratify_by: [region], swap: [sex]}}\n"
)
SCHEMA = json.loads((ROOT / "docs" / "sample.schema.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "words", "options"),
    [
        (NOISE, ["--draws", "3"], {"draws": 3}),
        (WHOLE, ["--nonnegative-integers", "l1"], {"nonnegative_integers": "l1"}),
        (SWAP, [], {}),
    ],
)
def test_python_has_the_rows_and_the_answer_of_the_command(
    text: str,
    words: list[str],
    options: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, rows = tmp_path / "a.yaml", tmp_path / "rows.csv"
    path.write_text(text, "utf-8")
    command = ["mechanism", "sample", str(path), "--seed", "5", *words, "--format", "json"]
    assert main([*command, "-o", f"csv={rows}"]) == 0
    found = sample(path, seed=5, **options)
    assert found.to_csv().encode() == rows.read_bytes()
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("files", None) in (None, [str(rows)])
    own = found.as_dict()
    own.pop("files", None)
    assert own == printed
    Draft202012Validator(SCHEMA).validate(found.as_dict())


def test_columns_have_exact_values_which_keep_the_invariants() -> None:
    found = sample(NOISE, seed=1, draws=2)
    columns = found.to_columns()
    assert tuple(columns) == found.columns == ("draw", "part", "run", "region", "sex", "answer")
    assert len(found) == 8
    assert columns["draw"] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert columns["region"] == ["n", "n", "s", "s"] * 2
    answers = [value for value in columns["answer"] if isinstance(value, Decimal)]
    assert [answers[k] + answers[k + 1] for k in (0, 2, 4, 6)] == [3, 9, 3, 9]
    assert any(answer != int(answer) for answer in answers)
    whole = sample(WHOLE, seed=1).to_columns()["answer"]
    assert all(isinstance(value, int) for value in whole)


def test_a_seed_repeats_a_sample_and_none_does_not() -> None:
    def drawn(seed: int | None) -> str:
        return sample(NOISE, seed=seed).to_csv()

    assert drawn(4) == drawn(4) != drawn(5)
    assert drawn(None) != drawn(None)
    assert (sample(WHOLE, seed=4).seed, sample(WHOLE).seed) == (4, None)
    assert any("seed" in note for note in sample(WHOLE, seed=4).notes)


def test_noisy_answers_come_from_the_data_that_are_given(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("region,sex,count\nn,0,1000\ns,1,2000\n", "utf-8")
    spec = TEXT.replace("data: {counts: [[1, 2], [4, 5]]}", "") + (
        "mechanism: {discrete_gaussian: {sigma_squared: 1, query: table}}\n"
    )
    noise = sample(spec, seed=2).to_columns()["noise"]
    answers = sample(spec, seed=2, data=table).to_columns()["answer"]
    truth = [1000, 0, 0, 2000]
    assert answers == [int(n) + t for n, t in zip(noise, truth, strict=True)]


def test_what_cannot_be_sampled_is_an_error() -> None:
    wrong: Any = "l7"
    with pytest.raises(SpecError, match="cannot be sampled"):
        sample(TEXT + "mechanism: {zcdp: {rho: 1}}\n")
    with pytest.raises(SpecError, match="the time limit was reached"):
        sample(NOISE, draws=100_000, time_limit=0.001)
    with pytest.raises(ValueError, match="draws: 0 is not a whole number"):
        sample(NOISE, draws=0)
    with pytest.raises(ValueError, match="draws: 1000001 is out of range"):
        sample(NOISE, draws=1_000_001)
    with pytest.raises(ValueError, match="seed: -1 is not a whole number"):
        sample(NOISE, seed=-1)
    with pytest.raises(ValueError, match="nonnegative_integers: there is no l7"):
        sample(NOISE, nonnegative_integers=wrong)
    with pytest.raises(ValueError, match="no format 'svg'; there are text"):
        sample(NOISE).render("svg")


def test_a_notebook_shows_how_a_sample_was_made() -> None:
    found = sample(SWAP, seed=1)
    assert isinstance(found, Samples)
    assert repr(found) == f"<Samples <text>: {len(found)} rows of region, sex, count>"
    shown = lxml.html.fromstring(found._repr_html_()).text_content()
    assert "seed 1" in shown


SPEC = """semiaudit: 1
dataspace:
  size: 6
  attributes: {{a: [x, y], b: [u, v]}}
  impossible: [{{a: y, b: u}}]
invariants: [{invariants}]
mechanism: {{gaussian: {{sigma: 1, query: table}}}}
"""
TABLE: Table = {(0, 0): 3, (0, 1): 1, (1, 1): 2}


def _rules(
    folder: Path, invariants: str, possible: list[tuple[int, ...]] | None = None
) -> list[SumConstraint]:
    path = folder / "spec.yaml"
    path.write_text(SPEC.format(invariants=invariants))
    release = load_release(path)
    assert isinstance(release.dataspace, TableSpace)
    return rules_of(release, release.dataspace, TABLE, possible)


def test_margins_sizes_bounds_and_zeros_are_rules(tmp_path: Path) -> None:
    found = _rules(tmp_path, "{margin: [a]}, {bound: {where: {b: v}, at_least: 2}}")
    assert found == [
        SumConstraint({0: 1, 1: 1}, 4, 4),
        SumConstraint({2: 1, 3: 1}, 2, 2),
        SumConstraint({0: 1, 1: 1, 2: 1, 3: 1}, 6, 6),
        SumConstraint({1: 1, 3: 1}, 2, None),
        SumConstraint({2: 1}, 0, 0),
    ]


def test_rules_of_the_cells_that_can_occur_need_no_others(tmp_path: Path) -> None:
    """The cells (y, v), (x, u) and (x, v); the row of a matrix is of all four."""
    told = "{margin: [a]}, {bound: {where: {b: v}, at_most: 5}}, {linear: [[1, 2, 9, 4]]}"
    found = _rules(tmp_path, told, [(1, 1), (0, 0), (0, 1)])
    expected = [
        SumConstraint({0: 1}, 2, 2),
        SumConstraint({1: 1, 2: 1}, 4, 4),
        SumConstraint({0: 4, 1: 1, 2: 2}, 13, 13),
        SumConstraint({0: 1, 1: 1, 2: 1}, 6, 6),
        SumConstraint({0: 1, 2: 1}, 0, 5),
    ]
    assert sorted(found, key=_terms) == sorted(expected, key=_terms)


def _terms(rule: SumConstraint) -> list[tuple[int, int]]:
    return sorted(rule.terms.items())


def test_what_is_no_sum_of_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot keep which combinations"):
        _rules(tmp_path, "{keys: [a, b]}")
