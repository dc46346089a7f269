"""Secrets of hierarchies beside other mechanisms, and of several hierarchies."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semiaudit.mechanisms.topdown.topdown_kind import semantics_of
from semiaudit.model.loss import PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.privacy.evaluate import delta_at
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles.joint_noise import delta

SPEC = """semiaudit: 1
dataspace: {size: 9, attributes: {state: [x, y], age: 3, sex: 2}}
invariants: [margin: [state]]
mechanism:
  compose:
"""
TABLES = """
    - topdown:
        spine: [{level: US}, {level: SPLIT, attribute: state}]
        queries: {age: age, total: []}
        allocation: [[level, query, rho], [US, age, 1/4], [SPLIT, total, 1/2]]
"""


def measures_of(folder: Path, mechanism: str, spec: str = SPEC) -> dict[tuple[str, str, int], Any]:
    path = folder / "spec.yaml"
    path.write_text(spec + mechanism)
    release = load_release(path)
    found = semantics_of(release.mechanism, SensitivitySpaces(release))
    return {(s.name, s.universe, s.distance): measures for s, measures in found}


def rho_of(measures: Any) -> Fraction:
    return min(m.rho for m in measures if isinstance(m, ZCDP))


def rhos(folder: Path, mechanism: str) -> dict[tuple[str, str, int], tuple[Fraction, bool]]:
    path = folder / "spec.yaml"
    path.write_text(SPEC + mechanism)
    release = load_release(path)
    found: dict[tuple[str, str, int], tuple[Fraction, bool]] = {}
    for secret, measures in semantics_of(release.mechanism, SensitivitySpaces(release)):
        for measure in measures:
            if isinstance(measure, ZCDP):
                known = any(isinstance(m, PrivacyLoss) and m.attained for m in measures)
                found[secret.name, secret.universe, secret.distance] = measure.rho, known
    return found


@pytest.mark.parametrize(
    ("beside", "one", "two"),
    [
        ("    - zcdp: {rho: 1/8}", Fraction(1, 8), Fraction(1, 2)),
        ("    - gdp: {mu: 1}", Fraction(1, 2), Fraction(2)),
        (
            "    - discrete_gaussian: {sigma_squared: 4, query: {margins: [[age]]}}",
            Fraction(1, 4),
            1,
        ),
    ],
)
def test_beside_other_mechanisms_each_secret_costs_their_worst_pair_too(
    beside: str, one: Fraction, two: Fraction, tmp_path: Path
) -> None:
    alone = rhos(tmp_path, TABLES)
    both = rhos(tmp_path, TABLES + beside)
    moved = {key: rho for key, (rho, _) in alone.items()}
    assert moved["attribute:age", "D_t", 1] == Fraction(1, 4)
    assert moved["within_state", "D_t", 2] == 1
    for key, (rho, known) in both.items():
        extra = {1: one, 2: two}[key[2]]
        assert rho == moved[key] + extra
        assert not known


@pytest.mark.parametrize(("counts", "known"), [("[5, 4]", True), ("[8, 1]", False)])
def test_given_totals_leave_room_for_two_who_are_alike_or_do_not(
    counts: str, known: bool, tmp_path: Path
) -> None:
    data = f"data: {{margins: {{state: {counts}}}}}\n"
    found = rhos(tmp_path, f"{TABLES}{data}")
    assert found["within_state", "D_t", 2] == (Fraction(1), known)
    assert found["within_state", "D_t", 1] == (Fraction(1, 4), True)
    assert found["across_states", "D", 2] == (Fraction(3), True)


def test_hierarchies_of_one_spine_are_added_secret_by_secret(tmp_path: Path) -> None:
    one = rhos(tmp_path, TABLES)
    both = rhos(tmp_path, TABLES + TABLES.replace("1/4", "1/16"))
    for key, (rho, _) in one.items():
        assert rho < both[key][0] <= 2 * rho or rho == both[key][0] == 0
    assert both["attribute:age", "D", 1][0] == Fraction(5, 16)


def test_of_another_spine_the_worst_pair_counts(tmp_path: Path) -> None:
    other = TABLES.replace("SPLIT", "Region").replace("1/2", "1/3")
    both = rhos(tmp_path, TABLES + other)
    assert both["attribute:age", "D", 1][0] == Fraction(1, 4) + Fraction(1, 4)
    assert both["geography:SPLIT within US", "D", 1][0] == Fraction(1, 2) + Fraction(7, 12)


def test_a_release_made_three_times_is_convolved_three_times(tmp_path: Path) -> None:
    """age at the top with sigma squared 4, the total of a state with 2: by hand, each thrice.

    One age: two cells of the first move by 1. Two persons who change state and age alike: two cells
    of each query move by 2.
    """
    thrice = TABLES.replace("- topdown:", "- repeat: 3\n      topdown:")
    found = measures_of(tmp_path, thrice)
    age, total = ("discrete_gaussian", Fraction(4), 1), ("discrete_gaussian", Fraction(2), 1)
    for key, parts, moves, rho in (
        (("attribute:age", "D", 1), [age] * 3, ((1, 1),) * 3, Fraction(3, 4)),
        (
            ("across_states", "D", 2),
            [age, total] * 3,
            ((2, 2),) * 6,
            3 * 4 * (Fraction(1, 4) + Fraction(1, 2)),
        ),
    ):
        measures = found[key]
        assert ZCDP(rho) in [ZCDP(m.rho) for m in measures if isinstance(m, ZCDP)]
        for epsilon in (1, 4):
            told, truth = (
                float(delta_at(measures, Fraction(epsilon))),
                float(delta(parts, moves, epsilon)),
            )
            assert truth * (1 - 1e-9) <= told <= truth * (1 + 1e-5)


def test_beside_another_mechanism_both_are_convolved(tmp_path: Path) -> None:
    """One age moves two cells of the hierarchy, and two of a table with sigma squared 3."""
    beside = (
        "    - discrete_gaussian: {sigma_squared: 3, query: {margins: [[age]]}}\n      repeat: 2"
    )
    measures = measures_of(tmp_path, TABLES + beside)["attribute:age", "D_t", 1]
    parts = [("discrete_gaussian", Fraction(s), 1) for s in (4, 3, 3)]
    for epsilon in (1, 3):
        told = float(delta_at(measures, Fraction(epsilon)))
        truth = float(delta(parts, ((1, 1),) * 3, epsilon))
        assert truth * (1 - 1e-9) <= told <= truth * (1 + 1e-5)


def test_what_another_hierarchy_cannot_see_costs_there_nothing(tmp_path: Path) -> None:
    """All of a person but the village is published; the second release has no villages."""
    spec = SPEC.replace("margin: [state]", "margin: [state, age, sex]")
    villages = TABLES.replace(
        "SPLIT, attribute: state}", "State, attribute: state}, {level: Village}"
    )
    villages = villages.replace("SPLIT, total", "Village, total")
    ages = """
    - topdown:
        spine: [{level: US}]
        queries: {sex: sex}
        allocation: [[level, query, rho], [US, sex, 1]]
"""
    within: list[tuple[str, str, int]] = [("within_state", "D_t", 1), ("within_state", "D_t", 2)]
    village = ("geography:Village within State", "D_t", 1)
    found = measures_of(tmp_path, villages + ages, spec)
    for key in (village, *within):
        assert rho_of(found[key]) == Fraction(key[2] ** 2, 2)
    assert found["attribute:age", "D_t", 1] == ()
    # and the other way round, where the first release sees no places below the state
    states = ages.replace("{level: US}", "{level: US}, {level: State, attribute: state}")
    found = measures_of(tmp_path, states + villages, spec)
    for key in within:
        assert rho_of(found[key]) == Fraction(key[2] ** 2, 2)
    assert found["across_states", "D_t", 1] == found["attribute:age", "D_t", 1] == ()
