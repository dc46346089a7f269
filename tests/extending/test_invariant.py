"""The worked example of a new invariant: the difference of two counts."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from tests.extending.patches import applied, in_turn, reports, run, touched

PATCH = "invariant.patch"
YOUNG, OLD = 0, 2

TABLE = """
semiaudit: 1
title: by how many the young are more than the old
dataspace: {{unit: person, size: 4, attributes: {{sex: 2, age: [young, middle, old]}}}}
invariants:
  - margin: [sex]
  - difference: {{of: {{age: young}}, less: {{age: old}}}}
{data}
mechanism: {{zcdp: {{rho: 1}}}}
"""

VALUES = """
semiaudit: 1
title: the same of single values
dataspace: {product: {size: 4, values: [0, 1, 2, 3]}}
invariants: [{difference: {of: {value: 0}, less: {value: [1, 2]}}}]
mechanism: {zcdp: {rho: 1}}
"""

Record = Hashable


def covering(
    records: Sequence[Record], size: int, value: Callable[[Sequence[Record]], Hashable]
) -> dict[Hashable, int]:
    """For every t the worst distance to a dataset of D_t in which a record is another one."""
    universes: dict[Hashable, list[tuple[Record, ...]]] = {}
    for dataset in product(records, repeat=size):
        universes.setdefault(value(dataset), []).append(dataset)
    worst = {}
    for t, datasets in universes.items():
        worst[t] = 0
        for start in datasets:
            nearest: dict[tuple[int, Record], int] = {}
            for end in datasets:
                differing = [place for place in range(size) if start[place] != end[place]]
                for place in differing:
                    key = place, end[place]
                    nearest[key] = min(nearest.get(key, size), len(differing))
            worst[t] = max([worst[t], *nearest.values()])
    return worst


def people(dataset: Sequence[Record]) -> Hashable:
    """How many women, and by how many the young are more than the old."""
    cells = [record for record in dataset if isinstance(record, tuple)]
    ages = [age for _, age in cells]
    return sum(sex for sex, _ in cells), ages.count(YOUNG) - ages.count(OLD)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return applied(PATCH, tmp_path_factory.mktemp("invariant"))


def test_a_new_invariant_touches_four_files() -> None:
    assert touched(PATCH) == [
        "semiaudit/model/invariants/__init__.py",
        "semiaudit/model/invariants/difference.py",
        "semiaudit/spec/invariants.py",
        "semiaudit/spec/schema.py",
    ]


def test_its_a_of_t_is_that_of_brute_force(tree: Path) -> None:
    worst = covering(list(product(range(2), range(3))), 4, people)
    tables = "data: {counts: [[2, 1, 0], [0, 1, 0]]}", "data: {counts: [[1, 1, 0], [1, 1, 0]]}", ""
    given, other, open_ = (
        found["semi_adjacency"]["covering"]
        for found in reports(tree, *(TABLE.format(data=table) for table in tables))
    )
    assert given["lower"] == given["upper"] == worst[1, 2] == 4
    assert other["upper"] == worst[2, 2]
    assert open_["lower"] == open_["upper"] == max(worst.values())


def test_its_a_of_t_is_that_of_brute_force_on_single_values(tree: Path) -> None:
    worst = covering(
        range(4), 4, lambda dataset: dataset.count(0) - dataset.count(1) - dataset.count(2)
    )
    (found,) = (one["semi_adjacency"]["covering"] for one in reports(tree, VALUES))
    assert found["lower"] == found["upper"] == max(worst.values()) == 3


def test_noise_that_is_sampled_keeps_it(tree: Path) -> None:
    kept = "{gaussian: {sigma: 2, query: table, support: null_space}}"
    text = TABLE.format(data="data: {counts: [[2, 1, 0], [0, 1, 0]]}")
    (tree / "kept.yaml").write_text(text.replace("{zcdp: {rho: 1}}", kept))
    drawn = (
        "mechanism",
        "sample",
        "kept.yaml",
        "--seed",
        "1",
        "--draws",
        "50",
        "-o",
        "csv=drawn.csv",
    )
    done = run(tree, *drawn)
    assert done.returncode == 0, done.stderr
    tables: dict[str, dict[tuple[str, str], Fraction]] = {}
    for row in csv.DictReader((tree / "drawn.csv").read_text().splitlines()):
        tables.setdefault(row["draw"], {})[row["sex"], row["age"]] = Fraction(row["answer"])
    assert len(tables) == 50
    for table in tables.values():
        of_age = {age: table["0", age] + table["1", age] for age in ("young", "middle", "old")}
        assert of_age["young"] - of_age["old"] == 2
        assert sum(table["0", age] for age in of_age) == 3
    assert len({table["0", "young"] for table in tables.values()}) > 1


def test_a_witness_that_its_value_does_not_confirm_is_an_error_and_no_answer(
    tmp_path: Path,
) -> None:
    tree = applied(PATCH, tmp_path)
    module = tree / "semiaudit/model/invariants/difference.py"
    module.write_text(module.read_text().replace("(1, self.of)", "(2, self.of)"))
    spec = tree / "spec.yaml"
    spec.write_text(TABLE.format(data="data: {counts: [[2, 1, 0], [0, 1, 0]]}"))
    done = run(tree, "analyze", str(spec), "--format", "json")
    assert (done.returncode, done.stdout) == (4, "")


def test_its_words_and_its_place_are_those_of_the_spec(tree: Path) -> None:
    spec = tree / "wrong.yaml"
    spec.write_text(TABLE.format(data="").replace("age: old", "age: ancient"))
    right = tree / "right.yaml"
    right.write_text(TABLE.format(data=""))
    done, told = in_turn(tree, ("analyze", str(spec)), ("analyze", str(right), "--format", "json"))
    assert done.returncode == 2
    place = "wrong.yaml:7:48: invariants[1].difference.less.age: ancient is not a level of age"
    assert place in done.stderr
    scope = json.loads(told.stdout)["statement"]["scope"]
    assert "difference of age=young less age=old" in scope
