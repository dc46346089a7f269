"""Some of the attacks that docs/trust.md counts, each in a way that is known to matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.attacks.campaign import ATTACKS, wrong_of
from tests.fuzz.attacks.grounds import FAILING, ran, write
from tests.fuzz.attacks.journals import BATCH, forge
from tests.fuzz.chance import Chance
from tests.fuzz.workers import one_process
from tests.samples import sampled

FORGERIES = ("verdict", "line", "fingerprint", "both")
SOME = 1

FOUND = tuple(("few_descriptors", number) for number in (32, 43, 125))
"""Attacks of which a campaign found that the command ended with an internal error."""


@pytest.mark.parametrize("number", sampled(range(30), fast=range(SOME)))
@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_comes_of_an_attack(name: str, number: int) -> None:
    assert wrong_of(name, number) == []


@pytest.mark.parametrize(("name", "number"), FOUND)
def test_an_attack_that_came_through_once_does_not_again(name: str, number: int) -> None:
    assert wrong_of(name, number) == []


@pytest.mark.parametrize("how", FORGERIES)
def test_a_verdict_that_somebody_wrote_into_a_journal_is_not_believed(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("specs/a.yaml", FAILING)
    write("specs/b.yaml", FAILING.replace("1/2", "1"))
    with one_process():
        assert ran(*BATCH).code == 1
        forge(Chance(how), how)
        assert ran(*BATCH).code == 1
