"""Noise in a spec: what is read from each kind, and from a query's file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.errors import NOWHERE, SpecError
from semiaudit.model.mechanism import Composition, KNorm, Noise
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, TableQuery
from semiaudit.spec.build import load_release

SPEC = "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2, b: [x, y, z]}}\nmechanism: "


def noise_of(folder: Path, mechanism: str) -> Noise:
    path = folder / "spec.yaml"
    path.write_text(SPEC + mechanism + "\n")
    found = load_release(path).mechanism
    assert isinstance(found, Noise)
    assert found.mark != NOWHERE
    assert found.query is None or found.query.mark != NOWHERE
    return found


@pytest.mark.parametrize(
    ("mechanism", "kind", "parameter", "value"),
    [
        ("{gaussian: {sigma: 1.5, query: table}}", "gaussian", "sigma_squared", "9/4"),
        ("{gaussian: {sigma: 1e-3, shifts: [1]}}", "gaussian", "sigma_squared", "1e-6"),
        ("{discrete_gaussian: {sigma_squared: '104/4099', query: table}}", "discrete_gaussian",
         "sigma_squared", "104/4099"),
        ("{laplace: {scale: 1/3, query: table}}", "laplace", "scale", "1/3"),
        ("{discrete_laplace: {scale: 7, query: table}}", "discrete_laplace", "scale", "7"),
        ("{k_norm: {epsilon: 0.3, query: table}}", "k_norm", "epsilon", "3/10"),
    ],
)  # fmt: skip
def test_parameters_are_read_exactly(
    mechanism: str, kind: str, parameter: str, value: str, tmp_path: Path
) -> None:
    noise = noise_of(tmp_path, mechanism)
    assert (noise.kind, getattr(noise, parameter)) == (kind, Fraction(value))
    assert getattr(noise, "norm", "hull") == "hull"


@pytest.mark.parametrize(
    ("written", "remedy"),
    [
        ("40,5", "write 40.5 with a decimal point"),
        ("0,125", "write 0.125 with a decimal point"),
        ("'1,000'", "write 1000 without separators, or 1.000 with a decimal point"),
        ("-1,000.5", "write -1000.5 without separators"),
        ("1,000,000", "write 1000000 without separators"),
        ("1,5e3", "write 1.5e3 with a decimal point"),
    ],
)
def test_a_comma_in_a_number_is_pointed_out(written: str, remedy: str, tmp_path: Path) -> None:
    block = f"\n  discrete_gaussian:\n    sigma_squared: {written}\n    query: table"
    with pytest.raises(SpecError) as caught:
        noise_of(tmp_path, block)
    said = str(caught.value)
    assert f"is not a number; {remedy}" in said


def test_a_decimal_comma_between_braces_is_pointed_out(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"5 is not a known key; .*, or write 4\.5 with a decimal"):
        noise_of(tmp_path, " {discrete_gaussian: {sigma_squared: 4,5, query: table}}")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("table", TableQuery()),
        ("'table'", TableQuery()),
        ("{margins: [[a], [b, a]]}", MarginsQuery((("a",), ("b", "a")))),
        ("{matrix: [[1, 0, 0, 0, 0, -1]]}", MatrixQuery(((1, 0, 0, 0, 0, -1),))),
        ("{matrix: rows.csv}", MatrixQuery(((1, 1, 1, 0, 0, 0), (0, 0, 0, 2, 10, -3)), "rows.csv")),
    ],
)
def test_a_query_is_the_table_margins_or_rows_over_its_cells(
    query: str, expected: Query, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("1, 1,1,0,0,0\n\n0,0,0,2.0,1e1,-3\n")
    found = noise_of(tmp_path, f"{{k_norm: {{epsilon: 1, norm: l2, query: {query}}}}}")
    assert isinstance(found, KNorm)
    assert found.norm == "l2"
    assert found.query is not None
    assert str(found.query) == str(expected)
    for name in ("margins", "rows"):
        assert getattr(found.query, name, None) == getattr(expected, name, None)


def test_shifts_are_exact_and_keep_their_signs(tmp_path: Path) -> None:
    found = noise_of(tmp_path, "{laplace: {scale: 1, shifts: [1, -0.1, '1/3']}}")
    assert found.shifts == (Fraction(1), Fraction(-1, 10), Fraction(1, 3))
    assert found.query is None


def test_noise_repeats_and_composes_like_any_mechanism(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        SPEC + "{compose: [{gaussian: {sigma: 1, query: table}, repeat: 3}, {zcdp: {rho: 1}}]}\n"
    )
    mechanism = load_release(path).mechanism
    assert isinstance(mechanism, Composition)
    (first, once), (_, _) = mechanism.parts
    assert once == 1
    assert isinstance(first, Composition)
    assert first.parts[0][1] == 3


def test_explicit_dataspaces_take_shifts(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {product: {size: 3, values: [0, 1]}}\n"
        "mechanism: {discrete_laplace: {scale: 1, shifts: [1, -1]}}\n"
    )
    mechanism = load_release(path).mechanism
    assert isinstance(mechanism, Noise)
    assert mechanism.shifts == (Fraction(1), Fraction(-1))


def test_every_fault_of_a_matrix_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1,0,0,0,0,0\n1,2,x,0,0\n\n1e16,0,0,0,0,0.5\n")
    with pytest.raises(SpecError) as caught:
        noise_of(tmp_path, "{laplace: {scale: 1, query: {matrix: rows.csv}}}")
    found = [str(problem).removeprefix(f"{tmp_path / 'rows.csv'}:") for problem in
             caught.value.problems]  # fmt: skip
    expected = [
        "2:1: has 5 entries, but the table has 6 cells",
        "2:1: entry 3: is not a whole number",
        "4:1: entry 1: is too large",
        "4:1: entry 6: is not a whole number",
    ]
    assert len(found) == len(expected), found
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True)), found


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "is empty"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b'1,"2,0\n', "rows.csv:1:1: is not CSV"),
    ],
)
def test_a_matrix_file_that_is_none(content: bytes, fragment: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(content)
    with pytest.raises(SpecError, match=fragment):
        noise_of(tmp_path, "{laplace: {scale: 1, query: {matrix: rows.csv}}}")
