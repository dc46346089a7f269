"""The drawing of a witness shows the records that change and the counts that move."""

from __future__ import annotations

from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.blocks.explain import SHOWN_STEPS
from semiaudit.report.html.audit_page import drawings
from semiaudit.report.html.markup import element, written
from tests.report.html.reading import Node, one_line, read

NAMES = ("sex", "degree")


def figures(witness: Witness, names: tuple[str, ...] = NAMES) -> list[Node]:
    root = read(written(element("div", {}, drawings(witness, names))))
    return list(root.every("figure"))


def moves(figure: Node) -> list[list[str]]:
    """The texts of both boxes of every record, the changed one first."""
    return [
        [one_line(box.text) for box in row.every("div") if box.has("class", "box")]
        for body in figure.every("tbody")
        for row in body.every("tr")
    ]


def in_bold(figure: Node) -> list[list[str]]:
    """What is marked as changed in every record."""
    return [
        [one_line(text.text) for text in row.every("span") if text.has("class", "changed")]
        for body in figure.every("tbody")
        for row in body.every("tr")
    ]


def counts(figure: Node) -> list[tuple[str, str]]:
    """The counts that move, and whether they grow."""
    return [
        (cell.attributes["class"], one_line(cell.text))
        for cell in figure.every("td")
        if cell.attributes.get("class") in ("more", "less")
    ]


def test_records_go_from_their_cells_to_those_they_become() -> None:
    """Example 5: one record changes in both attributes, and two others must follow."""
    start = ((("f", "no"), 1), (("f", "yes"), 1), (("m", "no"), 1))
    end = ((("f", "no"), 2), (("m", "yes"), 1))
    witness = Witness(("f", "no"), ("m", "yes"), 3, start, end)
    records, cells = figures(witness)
    first, *others = moves(records)
    assert first == ["f · no", "m · yes"]
    assert sorted(others) == [["f · yes", "f · no"], ["m · no", "f · no"]]
    heads = [one_line(head.text) for head in cells.every("th")]
    assert heads == ["sex, by degree", "no", "yes", "f", "m"]
    known = [("less", "1 → 0"), ("less", "1 → 0"), ("more", "0 → 1"), ("more", "1 → 2")]
    assert sorted(counts(cells)) == known


def test_what_all_cells_that_move_share_is_told_below_their_table() -> None:
    start = ((("f", "no", "law"), 1), (("f", "yes", "law"), 1), (("m", "no", "law"), 1))
    end = ((("f", "no", "law"), 2), (("m", "yes", "law"), 1))
    witness = Witness(("f", "no", "law"), ("m", "yes", "law"), 3, start, end)
    _, cells = figures(witness, (*NAMES, "school"))
    assert [one_line(p.text) for p in cells.every("p")] == ["Each of them has school law."]
    _, both = figures(
        Witness(("f", "no"), ("m", "yes"), 1, ((("f", "no"), 1),), ((("m", "yes"), 1),))
    )
    assert list(both.every("p")) == []


def test_all_levels_are_in_their_boxes_and_those_that_change_are_marked() -> None:
    """An age of 18 and over is not hidden because the names of places are long."""
    names = ("state", "county", "tract", "age")
    one: Cell = ("alaska", "juneau", 5, "18 and over")
    two: Cell = ("alaska", "autauga with a name of forty-two letters", 201, "under 18")
    records, _ = figures(Witness(one, two, 1, ((one, 1),), ((two, 1),)), names)
    assert moves(records) == [
        [
            "alaska · juneau · tract 5 · 18 and over",
            "alaska · autauga with a name of forty-two letters · tract 201 · under 18",
        ]
    ]
    assert in_bold(records) == [
        [
            *("juneau", "tract 5", "18 and over"),
            *("autauga with a name of forty-two letters", "tract 201", "under 18"),
        ]
    ]


def test_a_level_without_a_letter_follows_the_name_of_its_attribute() -> None:
    one: Cell = ("2-3", "18 and over")
    two: Cell = ("4", "18 and over")
    records, _ = figures(Witness(one, two, 1, ((one, 1),), ((two, 1),)), ("parity", "age"))
    assert moves(records) == [["parity 2-3 · 18 and over", "parity 4 · 18 and over"]]


def test_a_record_that_enters_has_an_empty_box() -> None:
    witness = Witness(None, ("f", "no"), 1, (), ((("f", "no"), 1),))
    records, _ = figures(witness)
    assert moves(records) == [["enters", "f · no"]]


def test_records_that_exchange_places_move_no_count() -> None:
    table = ((("f", "no"), 1), (("m", "no"), 1))
    witness = Witness(("f", "no"), ("m", "no"), 2, table, table)
    root = read(written(element("div", {}, drawings(witness, NAMES))))
    assert len(list(root.every("figure"))) == 1
    assert "so no count changes" in root.text


def test_more_records_than_fit_are_counted() -> None:
    size = SHOWN_STEPS + 5
    start: tuple[tuple[Cell, int], ...] = ((("f", "no"), 1), (("f", "yes"), size))
    end: tuple[tuple[Cell, int], ...] = ((("m", "no"), 1), (("m", "yes"), size))
    (records, *_) = figures(Witness(("f", "no"), ("m", "no"), size + 1, start, end))
    assert len(moves(records)) == SHOWN_STEPS + 1
    assert "and 5 more records" in records.text


def test_long_or_hostile_names_are_words_of_their_boxes() -> None:
    names = tuple(f"attribute {k}" for k in range(6))
    one: Cell = ("<script>alert(1)</script>" * 4, *"abcde")
    two: Cell = ("x" * 300, *"abcde")
    records, cells = figures(Witness(one, two, 1, ((one, 1),), ((two, 1),)), names)
    assert not list(records.every("script"))
    assert "<script>alert(1)</script>" in records.text
    assert counts(cells) == [("less", "1 → 0"), ("more", "0 → 1")]


def test_a_wide_table_of_cells_becomes_a_list() -> None:
    start = tuple(((str(k), "no"), 1) for k in range(9))
    end = tuple(((str(k), "yes"), 1) for k in range(9))
    _, cells = figures(Witness(("0", "no"), ("0", "yes"), 9, start, end))
    assert "and 2 more cells" in cells.text
