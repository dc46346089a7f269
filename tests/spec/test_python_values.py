"""Plain Python values as a spec: exact numbers, the problems of a text, paths instead of lines."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from semiaudit.errors import SpecError
from semiaudit.spec.python_values import (
    bytes_of_node,
    document_of_nodes,
    document_of_values,
    exact_number,
    node_of_values,
    values_of_node,
)
from semiaudit.spec.yaml12 import Scalar, parse_document

TEXT = """
semiaudit: 1
title: "no"
dataspace: {size: 12, attributes: {a: 2, b: [x, 1, "1e3"]}}
invariants: [total, {margin: [a]}, {count: {where: {b: x}}}]
mechanism: {compose: [{zcdp: {rho: 0.1}}, {gaussian: {sigma: 1/3, shifts: [1, -1]}, repeat: 3}]}
report:
"""

VALUES: dict[str, object] = {
    "semiaudit": 1,
    "title": "no",
    "dataspace": {"size": np.int64(12), "attributes": {"a": 2, "b": ("x", 1, "1e3")}},
    "invariants": ["total", {"margin": np.array(["a"])}, {"count": {"where": {"b": "x"}}}],
    "mechanism": {
        "compose": [
            {"zcdp": {"rho": 0.1}},
            {"gaussian": {"sigma": Fraction(1, 3), "shifts": pl.Series([1, -1])}, "repeat": 3},
        ]
    },
    "report": None,
}


def test_values_are_the_document_of_the_text_that_says_the_same() -> None:
    found, text = document_of_values(VALUES, "<mapping>"), parse_document(TEXT, "spec.yaml")
    assert found.root == text.root
    assert found.marks.keys() == text.marks.keys()
    assert not found.problems
    assert document_of_nodes(text.root, "<mapping>").marks == found.marks


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(1, 10)),
        (1e-10, Fraction(1, 10**10)),
        (Decimal("2.56"), Fraction(64, 25)),
        (Decimal("1E+2"), Fraction(100)),
        (Fraction(104, 4099), Fraction(104, 4099)),
        ("104/4099", Fraction(104, 4099)),
        (7, Fraction(7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
    ],
)
def test_numbers_stay_exact(value: Any, exact: Fraction) -> None:
    assert exact_number(value) == exact


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, Decimal("NaN"), True, None, "two", [1], 10**300, 1j]
)
def test_what_is_no_number_is_none(value: Any) -> None:
    with pytest.raises(ValueError, match="number"):
        exact_number(value)


def test_a_quoted_number_is_another_level_than_a_plain_one() -> None:
    quoted, plain = (document_of_values({"a": [v]}, "").root for v in ("1", 1))
    assert bytes_of_node(quoted) != bytes_of_node(plain)
    assert values_of_node(quoted) == {"a": ["1"]}
    assert values_of_node(plain) == {"a": [1]}
    assert values_of_node(parse_document("a: [1.50, ~, 'x', -2]", "").root) == {
        "a": ["1.50", None, "x", -2]
    }


def test_every_value_that_no_spec_has_is_told_with_its_path() -> None:
    values = {"a": [{1, 2}, b"bytes"], "b": {(1, 2): 3, 4: 5}, "c": {4: 1, "4": 2}}
    found = [str(problem) for problem in document_of_values(values, "<mapping>").problems]
    assert [text.partition(";")[0] for text in found] == [
        "<mapping>: a[0]: is a set, which no spec can contain",
        "<mapping>: a[1]: is a bytes, which no spec can contain",
        "<mapping>: b: has a key that is not a word",
        "<mapping>: c.4: is a duplicate key",
    ]


def endless() -> dict[str, object]:
    found: dict[str, object] = {}
    found["again"] = found
    return found


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (endless, "nested deeper than 60"),
        (lambda: {"a": [None] * 300_001}, "more than 300000 values"),
        (lambda: {"a": "x" * 1_000_001}, "more than 1 MB"),
    ],
)
def test_what_is_too_large_is_refused(values: Callable[[], object], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        document_of_values(values(), "<mapping>")


def test_a_section_is_a_node_of_its_own() -> None:
    node = node_of_values({"rho": Scalar("1", plain=True)}, "<mapping>", "zcdp")
    assert node == {"rho": "1"}
    with pytest.raises(SpecError, match=r"zcdp.rho: is a object"):
        node_of_values({"rho": object()}, "<mapping>", "zcdp")
