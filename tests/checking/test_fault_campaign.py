"""Faults at random moments: a few runs of the campaign whose figures are in docs/trust.md."""

from __future__ import annotations

import sys

import pytest

from tests.checking.fault_campaign import run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes and limits as Linux has them")
def test_no_fault_hides_a_verdict_hangs_or_leaves_half_a_file() -> None:
    assert run(seed=2, runs=10, specs=500).wrong == []
