"""Writing an entry: what a reader of YAML 1.1 reads is what was written, to the last digit."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiaudit.model.results.registry import Placeholder
from semiaudit.spec.registry.writing import entry_text
from tests.oracles.registry_schema import read

SURROGATES = st.characters(exclude_categories=["Cs"])


@given(st.text(SURROGATES, max_size=60))
def test_every_text_is_read_as_itself(text: str) -> None:
    lines = entry_text({"a": {"b": text, "c": [text]}}, "remark")
    assert read(lines) == {"a": {"b": text, "c": [text]}}


@pytest.mark.parametrize(
    "text", ["no", "2027-01-01", "1e-10", "12:30", "~", "", "a: b # c", "- a\n- b\n", " a\nb\n"]
)
def test_no_text_is_taken_for_something_else(text: str) -> None:
    assert read(entry_text({"a": text}, "remark")) == {"a": text}


@given(st.integers(1, 10**15), st.integers(-320, 250))
def test_a_number_is_read_as_the_double_nearest_to_it(digits: int, exponent: int) -> None:
    value = digits * Fraction(10) ** exponent
    found = read(entry_text({"a": value}, "remark"))["a"]
    assert isinstance(found, float)
    assert found == float(value)


def test_a_number_without_a_decimal_form_is_refused() -> None:
    with pytest.raises(ValueError, match="no finite decimal form"):
        entry_text({"a": Fraction(1, 3)}, "remark")


def test_a_placeholder_has_a_value_and_a_remark() -> None:
    text = entry_text({"a": Placeholder("0001-01-01", "the day")}, "remark")
    assert text == '# remark\na: "0001-01-01"  # PLACEHOLDER: the day\n'
