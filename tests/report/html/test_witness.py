"""The drawing of a witness shows the records that change and the counts that move."""

from __future__ import annotations

from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.blocks.explain import SHOWN_STEPS
from semiaudit.report.html.markup import element, written
from semiaudit.report.html.witness import drawings
from tests.report.html.reading import Node, one_line, read

NAMES = ("sex", "degree")


def figures(witness: Witness, names: tuple[str, ...] = NAMES) -> list[Node]:
    root = read(written(element("div", {}, drawings(witness, names))))
    return list(root.every("figure"))


def moves(figure: Node) -> list[list[str]]:
    """The texts of both boxes of every record, the changed one first."""
    return [
        [one_line(text.text) for text in group.every("text")]
        for group in figure.every("g")
        if group.has("class", "move")
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
    told = {one_line(text.text) for text in cells.every("text")}
    assert {"1 → 2", "1 → 0", "0 → 1", "f", "m", "yes", "no", "sex", "degree"} == told
    kinds = [g.attributes["class"] for g in cells.every("g") if g.has("class", "cell")]
    assert sorted(kinds) == ["cell less", "cell less", "cell more", "cell more"]


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


def test_what_changes_is_always_in_its_box() -> None:
    names = ("sex", "degree", "region", "age")
    one, two = ("male", "school", "north", "young"), ("male", "school", "south", "middle")
    witness = Witness(one, two, 1, ((one, 1),), ((two, 1),))
    records, _ = figures(witness, names)
    assert moves(records) == [["male · school · north · young", "male · school · south · middle"]]
    wide = tuple(f"a level of many letters {name}" for name in "abcd")
    other = (*wide[:3], "another level")
    records, _ = figures(Witness(wide, other, 1, ((wide, 1),), ((other, 1),)), names)
    assert moves(records) == [["a level of many letters d …", "another level …"]]


def test_a_record_that_enters_has_an_empty_box() -> None:
    witness = Witness(None, ("f", "no"), 1, (), ((("f", "no"), 1),))
    records, _ = figures(witness)
    assert moves(records) == [["enters", "f · no"]]


def test_records_that_exchange_places_move_no_count() -> None:
    table = ((("f", "no"), 1), (("m", "no"), 1))
    witness = Witness(("f", "no"), ("m", "no"), 2, table, table)
    root = read(written(element("div", {}, drawings(witness, NAMES))))
    assert len(list(root.every("figure"))) == 1
    assert "No count moves" in root.text


def test_more_records_than_fit_are_counted() -> None:
    size = SHOWN_STEPS + 5
    start: tuple[tuple[Cell, int], ...] = ((("f", "no"), 1), (("f", "yes"), size))
    end: tuple[tuple[Cell, int], ...] = ((("m", "no"), 1), (("m", "yes"), size))
    (records, *_) = figures(Witness(("f", "no"), ("m", "no"), size + 1, start, end))
    assert len(moves(records)) == SHOWN_STEPS + 1
    assert "and 5 more records" in records.text


def test_many_attributes_and_long_or_hostile_names_fit_their_boxes() -> None:
    names = tuple(f"attribute {k}" for k in range(6))
    one: Cell = ("<script>alert(1)</script>" * 4, *"abcde")
    two: Cell = ("x" * 300, *"abcde")
    records, cells = figures(Witness(one, two, 1, ((one, 1),), ((two, 1),)), names)
    assert not list(records.every("script"))
    for figure in (records, cells):
        for text in figure.every("text"):
            assert len(one_line(text.text)) <= 60, text.text


def test_a_wide_table_of_cells_becomes_a_list() -> None:
    start = tuple(((str(k), "no"), 1) for k in range(9))
    end = tuple(((str(k), "yes"), 1) for k in range(9))
    _, cells = figures(Witness(("0", "no"), ("0", "yes"), 9, start, end))
    assert "and 2 more cells" in cells.text
