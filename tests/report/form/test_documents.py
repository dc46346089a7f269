"""A document is declared once: its JSON, its schema, its CSV, and its reader agree."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit.library.report import audit_of
from semiaudit.model.bound import Bound, upper
from semiaudit.report.blocks.numbers import Written, from_below
from semiaudit.report.form.documents import Document, cell_of, csv_text, rows_of
from semiaudit.report.form.forms import (
    DELTA,
    LIMIT,
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Keys,
    list_of,
    object_of,
    or_null,
    picked,
)
from semiaudit.report.form.from_json import json_of
from semiaudit.report.form.to_json import NUMBERS
from tests.audits import shipped_report
from tests.places import CONFIGS, ROOT

COLUMNS: Keys = {
    "name": TEXT.described("its name"),
    "loss": NUMBER,
    "scale": or_null(LIMIT).described("its scale"),
    "met": TRUTH.described("whether it is met"),
}
ITEM = object_of(COLUMNS)
DOCUMENT = Document(
    "items",
    "semiaudit items",
    "what is listed",
    object_of(
        {"size": WHOLE.described("how many"), "items": list_of(ITEM).described("all of them")}
    ),
    csv=rows_of(lambda answer: answer.items, COLUMNS),
)
ANSWER = SimpleNamespace(
    size=2,
    items=[
        SimpleNamespace(name="=a, b", loss=upper(Fraction(1, 3), "", ""), scale=None, met=True),
        SimpleNamespace(name="c", loss=upper(2, "", ""), scale=Fraction(1, 4), met=False),
    ],
)
COMMANDS = ("ablate", "calibrate", "compare", "convert", "odds_ratio", "registry", "reproduce",
            "sample", "verify")  # fmt: skip


def test_the_json_of_a_document_fits_its_schema_and_has_the_values_of_the_answer() -> None:
    Draft202012Validator(DOCUMENT.schema()).validate(DOCUMENT.plain(ANSWER))
    told = json.loads(DOCUMENT.text(ANSWER))
    assert told["items"][1] == {"name": "c", "loss": 2, "scale": 0.25, "met": False}
    assert told["items"][0]["loss"] == 0.33333333333333337  # the double above 1/3


def test_the_csv_of_a_document_has_a_row_for_each_item_and_the_numbers_of_its_json() -> None:
    assert DOCUMENT.csv is not None
    assert DOCUMENT.csv(ANSWER) == (
        'name,loss,scale,met\n"\'=a, b",0.33333333333333337,,true\nc,2,0.25,false\n'
    )


def test_some_keys_are_columns_in_the_order_that_is_asked_for() -> None:
    text = rows_of(lambda answer: answer.items, picked(COLUMNS, "met", "name"))(ANSWER)
    assert text.splitlines() == ["met,name", '''true,"'=a, b"''', "false,c"]


@pytest.mark.parametrize(
    ("value", "cell"),
    [(None, ""), (True, "true"), (False, "false"), (1, "1"), (-0.5, "-0.5"), ("-x", "'-x"),
     ("inf", "inf")],
)  # fmt: skip
def test_a_cell_is_a_value_of_json_and_never_a_formula(
    value: str | float | None, cell: str
) -> None:
    assert cell_of(value) == cell


def test_csv_is_read_back_as_it_was_written() -> None:
    rows = [["a", 'b"c'], ["d\ne", ""]]
    assert list(csv.reader(io.StringIO(csv_text(["x", "y"], rows)))) == [["x", "y"], *rows]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_offers_csv_if_its_document_has_rows(command: str) -> None:
    folder = f"semiaudit.commands.{command}"
    offered = import_module(folder).PRESENTATION.renderers
    document = import_module(f"{folder}.document").DOCUMENT
    assert ("csv" in offered) == (document.csv is not None)


def test_every_command_with_a_document_is_compared() -> None:
    folders = (ROOT / "semiaudit" / "commands").glob("*/document.py")
    assert sorted(path.parent.name for path in folders) == sorted(COMMANDS)


def test_what_a_form_prints_is_read_back_by_the_same_form() -> None:
    plain = DOCUMENT.plain(ANSWER)
    first, second = DOCUMENT.form.read(plain)["items"]
    assert first == {
        "name": "=a, b",
        "loss": Bound(Fraction(0.33333333333333337), "upper", "printed", "a report"),
        "scale": None,
        "met": True,
    }
    assert second["loss"].value == 2
    assert DOCUMENT.form.read(plain)["size"] == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),  # as it was written: the double is another number
        ("1e-6", Fraction(1, 10**6)),
        ("0.33333333333333337", Fraction(0.33333333333333337)),  # a double, rounded up from 1/3
        ("0.30000000000000004", Fraction(0.30000000000000004)),
    ],
)
def test_a_short_number_is_read_as_its_text_and_a_long_one_as_its_double(
    text: str, value: Fraction
) -> None:
    assert NUMBER.read(Written(text)).value == value
    assert DELTA.read(Written(text)) == value


def test_a_number_of_a_report_is_an_upper_bound_unless_its_form_says_otherwise() -> None:
    below = NUMBER.read_as(from_below)
    assert NUMBER.read(2).side == "upper"
    assert (below.read(2).side, below.read(2).value) == ("lower", 2)
    assert NUMBER.read("inf").value == float("inf")
    assert or_null(below).read(None) is None


@pytest.mark.parametrize("name", ["example5_table", "parity_tables"])
def test_every_number_of_a_report_is_read_back_on_its_safe_side(name: str) -> None:
    audit = audit_of(shipped_report(CONFIGS / f"{name}.yaml"))
    form = object_of(NUMBERS)
    for row in audit.rows:
        printed = json_of(json.dumps(form.of(row.numbers)).encode())
        read, numbers = form.read(printed), row.numbers
        uppers = [(read[key], getattr(numbers, key)) for key in ("pure_dp", "zcdp", "advantage")]
        uppers += [
            (b[1], a[1]) for b, a in zip(read["tpr_at_fpr"], numbers.tpr_at_fpr, strict=True)
        ]
        lowers: list[tuple[Any, Any]] = [
            (b[1], a[1]) for b, a in zip(read["tradeoff"], numbers.tradeoff, strict=True)
        ]
        for back, point in zip(read["approx_dp"], numbers.approx_dp, strict=True):
            assert back.delta == point.delta
            uppers.append((back.epsilon, point.epsilon))
            lowers.append((back.epsilon_lower, point.epsilon_lower))
        for back, bound in uppers:
            assert (back is None) == (bound is None)
            assert back is None or (back.side == "upper" and back.value >= bound.value)
        for back, bound in lowers:
            assert (back is None) == (bound is None)
            assert back is None or (back.side == "lower" and back.value <= bound.value)
