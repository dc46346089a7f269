"""The fast profile: some random uses of every kind, and a share that must be accepted."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, seed, settings

from tests.fuzz.cases import KINDS, Case
from tests.fuzz.verdicts import run, violations

CASES = {"spec": 60, "check": 40, "batch": 2}
SOME = 15


@pytest.mark.parametrize("kind", KINDS)
def test_random_inputs_end_in_a_verdict_or_an_error_for_people(kind: str) -> None:
    number = CASES.get(kind, SOME)
    accepted: list[bool] = []

    @seed(20260801)
    @settings(max_examples=number, database=None, deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(KINDS[kind])
    def one(case: Case) -> None:
        outcome = run(case)
        accepted.append(outcome.accepted)
        assert violations(case, outcome, timed=False) == [], (case.arguments, case.files)

    one()
    assert sum(accepted) >= len(accepted) / 2
