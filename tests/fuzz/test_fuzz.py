"""The fast profile: some random uses of every kind, and a share that must be accepted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, seed, settings

from tests.fuzz.cases import KINDS, Case
from tests.fuzz.verdicts import run, violations
from tests.samples import sampled

CASES = {"spec": 60, "check": 80, "batch": 4}
SOME = 15
FAST = {"spec": 12, "check": 40, "batch": 2}
SOME_FAST = 6
"""What the fast suite has of them."""


UNHURRIED = 10.0
"""Seconds for each spec: a busy machine refuses nothing that a quiet one audits."""


def unhurried(case: Case) -> Case:
    arguments = list(case.arguments)
    arguments[arguments.index("--time-limit") + 1] = f"{UNHURRIED:g}"
    return replace(case, arguments=tuple(arguments), limit=UNHURRIED)


@pytest.mark.parametrize("whole", sampled([False, True], fast=(0,)))
@pytest.mark.parametrize("kind", KINDS)
def test_random_inputs_end_in_a_verdict_or_an_error_for_people(kind: str, whole: bool) -> None:
    number = CASES.get(kind, SOME) if whole else FAST.get(kind, SOME_FAST)
    accepted: list[bool] = []

    @seed(20260801)
    @settings(max_examples=number, database=None, deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(KINDS[kind])
    def one(case: Case) -> None:
        outcome = run(unhurried(case))
        accepted.append(outcome.accepted)
        assert violations(case, outcome, timed=False) == [], (case.arguments, case.files)

    one()
    assert sum(accepted) >= len(accepted) / 2
