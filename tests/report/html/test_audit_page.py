"""The example pair has a card for each dataset, and what changes is bold."""

from __future__ import annotations

from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.html.audit_page import SHOWN_RECORDS, example_pair
from semiaudit.report.html.markup import written
from tests.audits import shipped_report
from tests.places import CONFIGS
from tests.report.html.reading import Node, one_line, read

NAMES = ("sex", "degree")


def cards(witness: Witness, names: tuple[str, ...] = NAMES) -> list[Node]:
    root = read(written(example_pair(witness, names)))
    return list(root.every("ol"))


def records(card: Node) -> list[str]:
    return [one_line(record.text) for record in card.every("li")]


def in_bold(card: Node) -> list[list[str]]:
    """What is marked as changed in every record."""
    return [[one_line(text.text) for text in record.every("strong")] for record in card.every("li")]


def test_records_go_from_their_cells_to_those_they_become() -> None:
    """Example 5: one record changes in both attributes, and two others must follow."""
    start = ((("f", "no"), 1), (("f", "yes"), 1), (("m", "no"), 1))
    end = ((("f", "no"), 2), (("m", "yes"), 1))
    one, other = map(records, cards(Witness(("f", "no"), ("m", "yes"), 3, start, end)))
    assert (one[0], other[0]) == ("f · no", "m · yes")
    others = sorted(zip(one[1:], other[1:], strict=True))
    assert others == [("f · yes", "f · no"), ("m · no", "f · no")]


def test_all_levels_are_in_their_cards_and_those_that_change_are_bold() -> None:
    """A level without a letter follows the name of its attribute."""
    names = ("state", "county", "tract", "age")
    one: Cell = ("alaska", "juneau", 5, "18 and over")
    two: Cell = ("alaska", "autauga with a name of forty-two letters", 201, "under 18")
    first, second = cards(Witness(one, two, 1, ((one, 1),), ((two, 1),)), names)
    assert records(first) == ["alaska · juneau · tract 5 · 18 and over"]
    assert in_bold(first) == [["juneau", "tract 5", "18 and over"]]
    assert in_bold(second) == [
        ["autauga with a name of forty-two letters", "tract 201", "under 18"]
    ]


def test_a_record_that_enters_is_missing_in_the_first_dataset() -> None:
    witness = Witness(None, ("f", "no"), 1, (), ((("f", "no"), 1),))
    assert [records(card) for card in cards(witness)] == [["no such record"], ["f · no"]]
    assert in_bold(cards(witness)[1]) == [["f", "no"]]


def test_more_records_than_fit_are_counted() -> None:
    size = SHOWN_RECORDS + 5
    start: tuple[tuple[Cell, int], ...] = ((("f", "no"), 1), (("f", "yes"), size))
    end: tuple[tuple[Cell, int], ...] = ((("m", "no"), 1), (("m", "yes"), size))
    witness = Witness(("f", "no"), ("m", "no"), size + 1, start, end)
    assert [len(records(card)) for card in cards(witness)] == [SHOWN_RECORDS + 1] * 2
    assert "and 5 more records" in read(written(example_pair(witness, NAMES))).text


def test_hostile_names_are_words_of_their_cards() -> None:
    one: Cell = ("<script>alert(1)</script>" * 4, "a")
    two: Cell = ("x" * 300, "a")
    root = read(written(example_pair(Witness(one, two, 1, ((one, 1),), ((two, 1),)), NAMES)))
    assert not list(root.every("script"))
    assert "<script>alert(1)</script>" in root.text


def test_the_example_pair_is_on_the_page_once() -> None:
    page = shipped_report(CONFIGS / "example5_table.yaml").render("html")
    assert page.count("constructed from the invariants, not from your data") == 1
