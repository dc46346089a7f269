"""What a row computes its number from: specs, calls, and paths into their results."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.commands.reproduce.model import Ours, Published
from semiaudit.commands.reproduce.published_results import published_results, tasks
from semiaudit.commands.reproduce.results import (
    FOLDER,
    ours_of,
    report_of,
    result_of,
    spec_path,
    value_at,
)
from semiaudit.model.bound import exact, upper


@dataclass(frozen=True)
class Item:
    """A thing of a list, with one inside."""

    name: str
    size: int
    of: Item | None = None

    def times(self, number: Fraction, plus: Fraction = Fraction(0)) -> Fraction:
        return self.size * number + plus


ITEMS = [Item("a (x)", 1, Item("d", 5)), Item("b", 2, Item("c", 3)), Item("b", 4, Item("e", 6))]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", ITEMS),
        ("[0].size", 1),
        ("[name=a (x)].size", 1),
        ("[name=b, size=4].size", 4),
        ("[of.of=None, size=2].of.size", 3),
        ("[of.name=e].name", "b"),
        ("[1].times(1/2)", Fraction(1)),
        ("[1].times(1e-1, plus=0.3)", Fraction(1, 2)),
    ],
)
def test_a_path_leads_through_attributes_items_and_calls(path: str, found: object) -> None:
    assert value_at(ITEMS, path) == found


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("[name=b].size", LookupError),  # two of them
        ("[name=z].size", LookupError),  # none
        ("[0].weight", LookupError),
        ("[0].__class__", LookupError),
        ("[0]..size", ValueError),
        ("[0].size!", ValueError),
        ("[0", ValueError),
    ],
)
def test_a_path_that_leads_nowhere_or_to_several_is_an_error(
    path: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        value_at(ITEMS, path)


def row(origin: str, path: str = "", method: str = "") -> Published:
    return Published(
        "entry", "name", "what", "1", Fraction(0), "", "formula", "source", "place",
        origin=origin, path=path, method=method,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("origin", "path", "method", "ours"),
    [
        ("NullSpace([[1, 1, 1, 1]])", "dimension", "rank; x", exact(3, "rank", "x")),
        ("ZCDP(rho=7/100)", "guarantee(2).rho.side", "", "exact"),
        ("configs/example5_table.yaml", "complete", "", "yes"),
        ("configs/example5_table.yaml", "nominal_dp.pure_epsilon", "", "none"),
    ],
)
def test_a_row_is_a_number_with_its_side_or_a_word(
    origin: str, path: str, method: str, ours: Ours
) -> None:
    assert ours_of(row(origin, path, method)) == ours


def test_a_number_of_a_spec_has_the_digits_the_side_and_the_method_of_the_audit() -> None:
    found = ours_of(row("specs/corollary_18_zcdp.yaml", "semi_dp.rho"))
    assert found == upper(Fraction(9), "zcdp", "Bun and Steinke 2016")
    found = ours_of(row("configs/example5_table.yaml", "universe.semi_adjacency.covering"))
    assert found == exact(3, "closed_form", "Cho and Awan, Definition 13")


@pytest.mark.parametrize(
    "origin",
    ["GDP", "gdp(1)", "nowhere.gdp(1)", "tables.no_such(1)", "tables._margin_rows(2)", "GDP(1"],
)
def test_what_is_neither_a_spec_nor_a_call_is_an_error(origin: str) -> None:
    with pytest.raises((ValueError, LookupError, ImportError)):
        result_of(origin)


@pytest.mark.parametrize("spec", ["configs/none.yaml", "specs/none.yaml", "none.yaml"])
def test_a_spec_that_does_not_ship_is_an_error(spec: str) -> None:
    with pytest.raises(FileNotFoundError):
        spec_path(spec)


def test_a_plain_number_without_a_method_and_a_value_of_no_number_are_errors() -> None:
    for path in ("semi_dp.distance", "semi_dp"):
        with pytest.raises(TypeError):
            ours_of(row("configs/example5_table.yaml", path))


def test_each_spec_is_audited_once() -> None:
    assert report_of("specs/bits.yaml") is report_of("specs/bits.yaml")
    assert result_of("specs/bits.yaml") is report_of("specs/bits.yaml")


def calls() -> list[str]:
    figures = [task.figures for task in tasks().values() if task.figures]
    return [row.origin for row in published_results()] + figures


def test_every_spec_of_the_folder_belongs_to_a_row() -> None:
    table = Path(__file__).parent / "procedures" / "rows.csv"
    origins = " ".join([*calls(), *(row.origin for row in published_results(table))])
    shipped = {f"specs/{path.name}" for path in (FOLDER / "specs").iterdir()}
    assert {name for name in shipped if name not in origins} == set()
    assert len(shipped) > 30


def test_every_procedure_belongs_to_a_row_or_a_figure_or_another_procedure() -> None:
    named = {origin.partition("(")[0] for origin in calls()}
    trees = {
        path.stem: ast.parse(path.read_text("utf-8"))
        for path in (FOLDER / "procedures").glob("[a-z]*.py")
    }
    used = {
        node.id for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Name)
    }
    for module, tree in trees.items():
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        called = {name for name in functions if f"{module}.{name}" in named}
        assert functions - called <= used | OF_ROWS_OF_TESTS
        assert called


OF_ROWS_OF_TESTS = {"table_changes", "walls_of"}
"""Procedures that only those of the tests' rows use from outside."""
