"""Some random uses of every kind, and every corner; a thousand uses in the slow profile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fuzz.campaign import Journal, played, scarce, tasks
from tests.fuzz.cases import Case
from tests.fuzz.corners import CORNERS
from tests.fuzz.played import run
from tests.fuzz.serving import Answer, made
from tests.fuzz.uses import KINDS

UNHURRIED = "10"
"""Seconds for each spec: a busy machine refuses nothing that a quiet one audits."""

NUMBERS = {"export": (3, 5), "sqlite": (3, 5)}
"""The cases of kinds whose first two take seconds each; of all others, the first two."""

APART = frozenset({"corner", "hook"})
"""Kinds whose cases the corners below have by name."""

MEGABYTES = 3_072

FOUND = 1
"""The number of the case of each corner that met its fault."""


def unhurried(case: Case) -> Case:
    lines = []
    for line in case.lines:
        words = list(line)
        if "--time-limit" in words:
            words[words.index("--time-limit") + 1] = UNHURRIED
        lines.append(tuple(words))
    return replace(case, lines=tuple(lines))


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - APART))
def test_random_inputs_end_in_a_verdict_or_an_error_for_people(kind: str) -> None:
    for number in NUMBERS.get(kind, (1, 2)):
        case = unhurried(made(kind, number))
        if "--memory-limit" not in str(case.lines):  # which would bound the tests, too
            assert run(case, timed=False).wrong == (), number


@pytest.fixture(scope="module")
def corners() -> dict[str, Answer]:
    """What came of every corner, in a process that nothing can hang."""
    journal = Journal(None)
    played(journal, [(name, FOUND) for name in CORNERS], 600, 1, MEGABYTES)
    return {name: journal.found[name, FOUND] for name in CORNERS}


@pytest.mark.lengthy
@pytest.mark.parametrize("name", CORNERS)
def test_a_corner_ends_as_it_should(name: str, corners: dict[str, Answer]) -> None:
    assert not corners[name]["wrong"]


@pytest.mark.slow
def test_a_thousand_uses_end_as_they_should_and_most_are_accepted() -> None:
    journal = Journal(None)
    played(journal, tasks(1_000), 3_600, 2, MEGABYTES)
    found = list(journal.found.values())
    assert len(found) == 1_000
    assert {f"{one['kind']}:{one['number']}": one["wrong"] for one in found if one["wrong"]} == {}
    assert scarce(found) == []
