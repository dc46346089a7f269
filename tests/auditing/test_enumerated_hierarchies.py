"""Reports on hierarchical releases against all pairs of datasets of tiny countries."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from semiaudit.errors import SpecError
from tests.auditing.enumerated_spines import CONTRADICTORY, attained, disagreements
from tests.auditing.random_spines import random_spec
from tests.audits import report
from tests.oracles.spine_pairs import Toy
from tests.samples import sampled

IN_A_CHUNK = 50
CHUNKS = [range(8), *(range(at, at + IN_A_CHUNK) for at in range(8, 3008, IN_A_CHUNK))]


def audited(folder: Path, seed: int) -> tuple[dict[str, Any], Toy] | None:
    """A report on a random spec, and what the spec says; None where it is refused."""
    spec = random_spec(seed)
    try:
        return report(folder, spec.text), spec.toy
    except SpecError:
        return None


@pytest.mark.parametrize("seeds", sampled(CHUNKS, fast=(0,)))
def test_no_row_contradicts_any_pair_of_datasets(tmp_path: Path, seeds: range) -> None:
    """No number is below the worst pair, and what is said to be attained is.

    Neither is there a pair where a row says that there is none, nor none where a row prints what
    is attained.
    """
    wrong = {}
    checked = exact = 0
    for seed in seeds:
        found = audited(tmp_path, seed)
        if found is None:
            continue
        said = disagreements(*found, seed, losses=0.05)
        if said == [CONTRADICTORY]:
            continue
        checked += 1
        exact += sum(attained(row) for row in found[0]["semantics"])
        if said:
            wrong[seed] = said
    assert wrong == {}
    assert checked > len(seeds) / 2
    assert exact > 4 * checked


def lying(row: dict[str, Any], factor: float) -> dict[str, Any]:
    changed = copy.deepcopy(row)
    changed["zcdp"]["rho"] *= factor
    for at in changed["approx_dp"]:
        at["epsilon"] *= factor
        at["epsilon_lower"] *= factor
    return changed


def test_wrong_numbers_are_noticed(tmp_path: Path) -> None:
    """Of what is attained: a little less, a little more, no pair, and only a lower epsilon."""
    found = audited(tmp_path, 18)
    assert found is not None
    good, toy = found
    assert disagreements(good, toy, losses=1.0) == []
    rows = [row for row in good["semantics"] if attained(row) and row["zcdp"]["rho"] > 0]
    assert len(rows) > 5
    for row in rows[::3]:
        epsilon = copy.deepcopy(row)
        epsilon["approx_dp"][0]["epsilon"] *= 0.999
        higher = copy.deepcopy(row)
        higher["approx_dp"][0]["epsilon_lower"] *= 1.001
        for lie, kind in (
            (lying(row, 0.999), "optimistic: rho"),
            (epsilon, "optimistic: epsilon"),
            (lying(row, 1.001), "not attained: rho"),
            (higher, "not attained: epsilon_lower"),
            ({**row, "zcdp": None}, "missed pair"),
        ):
            said = disagreements({"semantics": [lie], "guarantees": []}, toy, losses=1.0)
            assert any(kind in one for one in said), (lie, kind)
