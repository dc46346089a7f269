from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.commands.sample.rules import Table, rules_of
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint
from semiaudit.model.dataspace import TableSpace
from semiaudit.spec.build import load_release

SPEC = """semiaudit: 1
dataspace:
  size: 6
  attributes: {{a: [x, y], b: [u, v]}}
  impossible: [{{a: y, b: u}}]
invariants: [{invariants}]
mechanism: {{gaussian: {{sigma: 1, query: table}}}}
"""
TABLE: Table = {(0, 0): 3, (0, 1): 1, (1, 1): 2}


def _rules(
    folder: Path, invariants: str, possible: list[tuple[int, ...]] | None = None
) -> list[SumConstraint]:
    path = folder / "spec.yaml"
    path.write_text(SPEC.format(invariants=invariants))
    release = load_release(path)
    assert isinstance(release.dataspace, TableSpace)
    return rules_of(release, release.dataspace, TABLE, possible)


def test_margins_sizes_bounds_and_zeros_are_rules(tmp_path: Path) -> None:
    found = _rules(tmp_path, "{margin: [a]}, {bound: {where: {b: v}, at_least: 2}}")
    assert found == [
        SumConstraint({0: 1, 1: 1}, 4, 4),
        SumConstraint({2: 1, 3: 1}, 2, 2),
        SumConstraint({0: 1, 1: 1, 2: 1, 3: 1}, 6, 6),
        SumConstraint({1: 1, 3: 1}, 2, None),
        SumConstraint({2: 1}, 0, 0),
    ]


def test_rules_of_the_cells_that_can_occur_need_no_others(tmp_path: Path) -> None:
    """The cells (y, v), (x, u) and (x, v); the row of a matrix is of all four."""
    told = "{margin: [a]}, {bound: {where: {b: v}, at_most: 5}}, {linear: [[1, 2, 9, 4]]}"
    found = _rules(tmp_path, told, [(1, 1), (0, 0), (0, 1)])
    assert found == [
        SumConstraint({0: 1}, 2, 2),
        SumConstraint({1: 1, 2: 1}, 4, 4),
        SumConstraint({0: 4, 1: 1, 2: 2}, 13, 13),
        SumConstraint({0: 1, 1: 1, 2: 1}, 6, 6),
        SumConstraint({0: 1, 2: 1}, 0, 5),
    ]


def test_what_is_no_sum_of_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot keep which combinations"):
        _rules(tmp_path, "{keys: [a, b]}")
