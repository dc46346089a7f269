"""`semiaudit mechanism describe`: numbers of the sources, and of sums that are done here."""

from __future__ import annotations

from math import exp
from pathlib import Path

import pytest

from semiaudit.cli import main

MARGINS = """
semiaudit: 1
dataspace: {attributes: {a: 3, b: 3}}
invariants: [{margin: [a]}, {margin: [b]}]
data: {counts: [[3, 2, 1], [2, 4, 3], [1, 5, 6]]}
"""
TWO_CELLS = """
semiaudit: 1
dataspace: {size: 9, attributes: {a: 2}}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def described(text: str, mechanism: str, capsys: pytest.CaptureFixture[str]) -> str:
    Path("noise.yaml").write_text(f"{text.strip()}\nmechanism: {mechanism}\n", encoding="utf-8")
    assert main(["mechanism", "describe", "noise.yaml"]) == 0
    return capsys.readouterr().out


def test_the_normalizing_constant_of_the_sources_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """theory.md, row 13: the square in two dimensions with epsilon / Delta = 1.7."""
    out = described(TWO_CELLS, "{k_norm: {epsilon: 1.7, norm: linf, query: table}}", capsys)
    assert "normalizing constant: 2.768166\n" in out
    assert f"density at 0: {1.7**2 / 8:.7g}\n" in out


def test_the_vectors_of_a_table_are_counted_listed_and_drawn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """theory.md, row 40: 31 elements at 3 x 3, squares as in Figure 1, and hexagons."""
    out = described(MARGINS, "{k_norm: {epsilon: 1, norm: {hull: D_t}, query: table}}", capsys)
    assert "rank 4, elements 31 (0 included)" in out
    assert "l1 6, l2 2.45, linf 1" in out
    assert "      +1  . -1\n       .  .  .\n      -1  . +1\n" in out
    listed = out.split("opposite signs (15):\n")[1].splitlines()[:15]
    for line in listed:
        table = [int(k) for k in line.split()]
        rows = [table[at : at + 3] for at in (0, 3, 6)]
        assert [sum(row) for row in rows] == [0, 0, 0]
        assert [sum(column) for column in zip(*rows, strict=True)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("mechanism", "weight"),
    [
        ("{discrete_gaussian: {sigma_squared: 3, query: table}}", lambda k: exp(-k * k / 6)),
        ("{discrete_laplace: {scale: 2, query: table}}", lambda k: exp(-abs(k) / 2)),
    ],
)
def test_discrete_noise_has_the_probabilities_of_its_definition(
    mechanism: str, weight: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(weight)
    total = sum(weight(k) for k in range(-300, 301))
    variance = sum(k * k * weight(k) for k in range(-300, 301)) / total
    out = described(TWO_CELLS, mechanism, capsys)
    assert f"variance of a coordinate: {variance:.7g}\n" in out
    for k in range(4):
        assert f"P(noise = {k}) = {weight(k) / total:.7g}\n" in out


def test_a_mechanism_without_a_query_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("noise.yaml").write_text(f"{TWO_CELLS}mechanism: {{zcdp: {{rho: 1}}}}\n", "utf-8")
    assert main(["mechanism", "describe", "noise.yaml"]) == 2
    assert "specifies no noise on a query" in capsys.readouterr().err
