from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.nonnegative import Rule
from semiaudit.model.dataspace import TableSpace
from semiaudit.spec.build import load_release
from semiaudit.workflow.sampling.rules import Table, rules_of

SPEC = """semiaudit: 1
dataspace:
  size: 6
  attributes: {{a: [x, y], b: [u, v]}}
  impossible: [{{a: y, b: u}}]
invariants: [{invariants}]
mechanism: {{gaussian: {{sigma: 1, query: table}}}}
"""
TABLE: Table = {(0, 0): 3, (0, 1): 1, (1, 1): 2}


def _rules(folder: Path, invariants: str) -> list[Rule]:
    path = folder / "spec.yaml"
    path.write_text(SPEC.format(invariants=invariants))
    release = load_release(path)
    assert isinstance(release.dataspace, TableSpace)
    return rules_of(release, release.dataspace, TABLE)


def test_margins_sizes_bounds_and_zeros_are_rules(tmp_path: Path) -> None:
    found = _rules(tmp_path, "{margin: [a]}, {bound: {where: {b: v}, at_least: 2}}")
    assert found == [
        Rule({0: 1, 1: 1}, 4, 4),
        Rule({2: 1, 3: 1}, 2, 2),
        Rule({0: 1, 1: 1, 2: 1, 3: 1}, 6, 6),
        Rule({1: 1, 3: 1}, 2, None),
        Rule({2: 1}, 0, 0),
    ]


def test_what_is_no_sum_of_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no sum of cells"):
        _rules(tmp_path, "{keys: [a, b]}")
