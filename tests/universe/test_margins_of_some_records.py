"""A margin of the records that satisfy a condition, against brute force and the counts it stands
for."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from semiaudit.errors import SpecError
from semiaudit.model.dataspace import TableSpace
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from tests import audits
from tests.oracles import tables as oracle
from tests.oracles.tables import Instance
from tests.universe.instances import METRICS, Case, assert_agrees, chunks

EACH = 10


def _drawn(
    chance: random.Random,
) -> tuple[dict[str, Any], list[dict[str, Any]], Instance, tuple[int, ...]]:
    """A spec with a margin of some records, the counts that it stands for, and its table."""
    shape = chance.choice(((2, 2), (3, 2), (2, 3), (3, 3), (2, 2, 2), (3, 2, 2)))
    names, size = "abc"[: len(shape)], chance.randint(1, 4 if len(shape) < 3 else 3)
    cells = oracle.cells(shape)
    zeros = [{}, {0: chance.randrange(shape[0])}, dict(enumerate(chance.choice(cells)))]
    zero = chance.choice(zeros)
    zero_cells = {c for c in cells if zero and all(c[at] == one for at, one in zero.items())}
    impossible = frozenset(map(cells.index, zero_cells))
    by = sorted(chance.sample(range(len(shape)), chance.randint(1, len(shape) - 1)))
    over = chance.sample(range(len(shape)), chance.randint(1, 2))  # it may be one of `by`
    where = {at: sorted(chance.sample(range(shape[at]), chance.randint(1, 2))) for at in over}
    rows, counts = [], []
    for levels in product(*(range(shape[at]) for at in by)):
        own = dict(zip(by, levels, strict=True))
        if all(own.get(at, allowed[0]) in allowed for at, allowed in where.items()):
            these = where | {at: [level] for at, level in own.items()}
            rows.append(tuple(int(all(c[at] in ok for at, ok in these.items())) for c in cells))
            counts.append({"count": {"where": {names[at]: ok for at, ok in these.items()}}})
    margin = {
        "attributes": [names[a] for a in by],
        "where": {names[a]: w for a, w in where.items()},
    }
    table = [0] * len(cells)
    for cell in chance.choices([*{*range(len(cells))} - impossible], k=size):
        table[cell] += 1
    others: list[dict[str, Any]] = []
    if chance.random() < 0.6:
        at = chance.randrange(len(shape))
        others, rows = [{"margin": [names[at]]}], [*rows, *oracle.margin_rows(shape, (at,))]
    nested: Any = table
    for levels in reversed(shape[1:]):
        nested = [nested[i : i + levels] for i in range(0, len(nested), levels)]
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"size": size, "attributes": dict(zip(names, shape, strict=True))},
        "invariants": [{"margin": margin}, *others],
        "data": {"counts": nested},
        "mechanism": {"gaussian": {"sigma": 1, "query": {"margins": [list(names[:2])]}}},
    }
    if zero:
        spec["dataspace"]["impossible"] = [{names[at]: level for at, level in zero.items()}]
    instance = Instance(shape, size, impossible, tuple(rows))
    return spec, [*counts, *others], instance, tuple(table)


@pytest.mark.parametrize("seed", chunks(2, 40))
def test_a_margin_of_some_records_has_the_numbers_of_brute_force_and_of_its_counts(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    for _ in range(EACH):
        spec, counts, instance, table = _drawn(chance)
        universe, cells = oracle.universe_of(instance, table), oracle.cells(instance.shape)
        for metric in METRICS[:2]:
            text = json.dumps(spec | {"adjacency": {"metric": metric}})
            release = load_release("spec.yaml", text=text.encode())
            assert isinstance(release.dataspace, TableSpace)
            case = Case(instance, table, release.dataspace, (), cells)
            assert_agrees(universe_of(release), case, universe, metric)
            expanded = json.dumps(json.loads(text) | {"invariants": counts})
            one, other = (audits.report(tmp_path, each) for each in (text, expanded))
            assert _numbers(one) == _numbers(other), text


def _numbers(report: dict[str, Any]) -> tuple[Any, ...]:
    """What may not depend on the spelling; of a(t), not its witness and its method."""
    semi = report["semi_adjacency"]
    ends = [(semi[one]["lower"], semi[one]["upper"]) for one in ("covering", "definition_13")]
    return ends, semi["a_min"], semi["a_maxmin"], report["sensitivity"], report["guarantees"]


NESTED = """
semiaudit: 1
dataspace:
  size: 9
  attributes:
    state: [s, t]
    county: {within: state, levels: {s: [a, b], t: [c]}}
    role: [head, other]
invariants: [{margin: {attributes: %s, where: {%s}}}]
mechanism: {gaussian: {sigma: 1, query: table}}
"""


@pytest.mark.parametrize(
    ("attributes", "where", "number"),
    [
        ("[county]", "role: head", 3),
        ("[state, county]", "role: head", 3),  # nesting rules out the other three
        ("[county]", "state: s, role: head", 2),
        ("[state]", "state: s, role: head", 1),
        ("[county]", "role: [head, other]", 0),  # the plain margin
    ],
)
def test_a_count_is_published_for_each_combination_that_records_can_have(
    attributes: str, where: str, number: int
) -> None:
    text = NESTED % (attributes, where)
    (invariant,) = load_release("spec.yaml", text=text.encode()).invariants
    assert len(getattr(invariant.constraint, "rows", ())) == number


@pytest.mark.parametrize(
    ("margin", "message"),
    [
        ("{attributes: [role], where: }", "where: is empty"),
        ("{attributes: [role]}", ""),
        ("{attributes: [role], where: {role: boss}}", "boss is not a level of role"),
        ("{attributes: [rol], where: {role: head}}", "rol is not an attribute"),
    ],
)
def test_a_condition_that_says_nothing_or_names_what_is_not_there_is_an_error(
    margin: str, message: str
) -> None:
    text = NESTED.replace("{attributes: %s, where: {%s}}", margin).encode()
    if not message:
        load_release("spec.yaml", text=text)
        return
    with pytest.raises(SpecError, match=message):
        load_release("spec.yaml", text=text)
