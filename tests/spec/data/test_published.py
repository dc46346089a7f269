"""In which order nested counts are read, and that it is never decided in silence."""

from __future__ import annotations

import json
import random
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from semiaudit.cli import main
from semiaudit.errors import SpecError
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute
from semiaudit.spec.build import load_release
from semiaudit.spec.data.published import fits_another_order
from semiaudit.spec.yaml12 import Node, parse_document

HEAD = "semiaudit: 1\nmechanism: {zcdp: {rho: 1}}\n"
TWO = HEAD + "dataspace: {attributes: {a: [x, y], b: [u, v]}}\ninvariants: [margin: [a]]\n"


def margins(folder: Path, text: str) -> dict[tuple[str, ...], tuple[int, ...]]:
    path = folder / "spec.yaml"
    path.write_text(text)
    published = load_release(path).published
    assert isinstance(published, PublishedCounts)
    return dict(published.margins)


def scope(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    path = folder / "spec.yaml"
    path.write_text(text)
    assert main(["analyze", str(path), "--format", "json"]) == 0
    return str(json.loads(capsys.readouterr().out)["statement"]["scope"])


def test_the_report_says_how_lists_were_read_where_another_order_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = scope(tmp_path, TWO + "data: {counts: [[1, 2], [3, 4]]}\n", capsys)
    assert told.endswith("; counts nested as a > b")
    for data in (
        "{counts: {x: [1, 2], y: [3, 4]}}",
        "{counts: {order: [a, b], table: [[1, 2], [3, 4]]}}",
        "{margins: {a: [3, 7]}}",
    ):
        assert "nested" not in scope(tmp_path, f"{TWO}data: {data}\n", capsys)


def test_the_order_that_is_told_is_the_order_that_is_read(tmp_path: Path) -> None:
    plain = "data: {counts: [[1, 2], [3, 4]]}\n"
    assert margins(tmp_path, TWO + plain) == {("a",): (3, 7)}
    turned = "data: {counts: {order: [b, a], table: [[1, 2], [3, 4]]}}\n"
    assert margins(tmp_path, TWO + turned) == {("a",): (4, 6)}
    named = "data: {counts: {order: [b, a], table: {v: {y: 4, x: 3}, u: [1, 2]}}}\n"
    assert margins(tmp_path, TWO + named) == {("a",): (4, 6)}


@pytest.mark.parametrize("seed", range(3))
def test_every_order_of_three_attributes_reads_the_same_table(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    sizes = {"a": 2, "b": 3, "c": 2}
    cells = {cell: rng.randrange(9) for cell in product(*map(range, sizes.values()))}

    def nested(order: tuple[str, ...], fixed: dict[str, int]) -> Any:
        if not order:
            return cells[tuple(fixed[name] for name in sizes)]
        first, *rest = order
        return [nested(tuple(rest), {**fixed, first: i}) for i in range(sizes[first])]

    head = HEAD + "dataspace: {attributes: {a: 2, b: 3, c: 2}}\ninvariants: [margin: [a, c]]\n"
    wanted = {
        ("a", "c"): tuple(
            sum(n for (a, _, c), n in cells.items() if (a, c) == pair)
            for pair in product(range(2), range(2))
        )
    }
    for order in permutations(sizes):
        counts = f"{{order: [{', '.join(order)}], table: {nested(order, {})}}}"
        assert margins(tmp_path, f"{head}data: {{counts: {counts}}}\n") == wanted


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ("{order: [a], table: [[1, 2], [3, 4]]}", "data.counts.order: is not an order"),
        ("{order: [a, a], table: [[1, 2], [3, 4]]}", "data.counts.order: is not an order"),
        ("{order: [a, c], table: [[1, 2], [3, 4]]}", "list each of a, b once"),
        ("{order: a, table: [[1, 2], [3, 4]]}", "data.counts.order: is not an order"),
        ("{order: [a, b]}", "data.counts: has an order, but no table"),
        ("{order: [b, a], table: [[1, 2], [3, x]]}", "data.counts.table[1][1]: x is not a number"),
        ("{order: [b, a], tables: [[1, 2], [3, 4]]}", "order is not a level of a"),
    ],
)
def test_a_wrong_order_is_told_at_its_place(tmp_path: Path, counts: str, told: str) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"{TWO}data: {{counts: {counts}}}\n")
    with pytest.raises(SpecError) as caught:
        load_release(path)
    assert told in str(caught.value)


def test_levels_called_order_and_table_are_levels(tmp_path: Path) -> None:
    head = HEAD + "dataspace: {attributes: {a: [order, table]}}\ninvariants: [margin: [a]]\n"
    assert margins(tmp_path, f"{head}data: {{counts: {{table: 5, order: 7}}}}\n") == {
        ("a",): (7, 5)
    }


def test_an_order_in_a_broken_dataspace_is_no_count(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        f"{HEAD}dataspace: {{attributes: {{a: []}}}}\n"
        "data: {counts: {order: [b, a], table: [[1, -2]]}}\n"
    )
    with pytest.raises(SpecError) as caught:
        load_release(path)
    told = [str(problem) for problem in caught.value.problems]
    assert len(told) == 2
    assert "data.counts.table[0][1]: -2 is negative" in told[1]


def fits(node: Node, attributes: tuple[Attribute, ...]) -> bool:
    """Whether a node can be read with its nesting in this order."""
    if not attributes:
        return not isinstance(node, list | dict)
    first, *rest = attributes
    names = [str(first.label(index)) for index in range(first.size)]
    if isinstance(node, dict):
        return set(node) == set(names) and all(fits(v, tuple(rest)) for v in node.values())
    return (
        isinstance(node, list)
        and len(node) == first.size
        and all(fits(one, tuple(rest)) for one in node)
    )


@pytest.mark.parametrize("seed", range(60))
def test_another_order_fits_where_one_is_found_by_trying_all(seed: int) -> None:
    rng = random.Random(seed)
    levels = [("x", "y"), ("u", "v"), ("u", "v", "w"), ("x", "y"), ("k",)]
    attributes = tuple(Attribute(f"a{i}", rng.choice(levels)) for i in range(rng.randint(1, 3)))

    def nested(depth: int) -> str:
        if depth == len(attributes):
            return "1"
        names = attributes[depth].levels
        assert isinstance(names, tuple)
        inner = [nested(depth + 1) for _ in names]
        if rng.random() < 0.3:
            return "{" + ", ".join(f"{n}: {i}" for n, i in zip(names, inner, strict=True)) + "}"
        return "[" + ", ".join(inner) + "]"

    node = parse_document(f"counts: {nested(0)}\n", "x").at(("counts",))
    assert fits(node, attributes)
    others = {
        tuple(a.name for a in order)
        for order in permutations(attributes)
        if fits(node, order) and any(a.size > 1 for a in order)
    }
    alike = {
        tuple(a.name for a in order)
        for order in permutations(attributes)
        if [a.name for a in order if a.size > 1] == [a.name for a in attributes if a.size > 1]
    }
    assert fits_another_order(node, attributes) == bool(others - alike)
