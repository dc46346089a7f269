"""Some random uses of every kind, and every corner; a thousand uses in the slow profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from tests.fuzz.campaign import Journal, played, scarce, tasks
from tests.fuzz.cases import Case
from tests.fuzz.chance import Chance
from tests.fuzz.corners import CORNERS
from tests.fuzz.covered import given, of_the_command_line, of_the_schema, specs_in, used
from tests.fuzz.damage import misnamed
from tests.fuzz.played import run
from tests.fuzz.serving import Answer, made
from tests.fuzz.uses import KINDS, SHARES

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


CASES = 6_000
"""Of the campaign's 100,000, the first ones."""


@cache
def cases() -> tuple[Case, ...]:
    return tuple(made(kind, number) for kind, number in tasks(CASES))


def test_specs_have_every_key_every_kind_and_every_form_of_the_schema() -> None:
    missing = of_the_schema()
    for spec in specs_in(cases()):
        if not missing:
            break
        missing -= used(spec)
    assert missing == set()


def test_command_lines_have_every_command_option_choice_and_format() -> None:
    found = {one for case in cases() for one in given(case)}
    assert of_the_command_line() - found == set()


def test_every_kind_of_case_has_its_share() -> None:
    assert set(SHARES) <= set(KINDS)
    assert sum(SHARES.values()) == 1000
    there = {kind for kind, _ in tasks(2_000)}
    assert there == set(KINDS)


def test_a_case_is_its_kind_and_its_number() -> None:
    def text(case: Case) -> tuple[object, ...]:
        known = [(k, v) for k, v in case.files.items() if isinstance(v, bytes)]
        return (known, case.lines, case.meant)

    for kind in KINDS:
        assert text(made(kind, 3)) == text(made(kind, 3))
    assert len({repr(text(made("analyze", number))) for number in range(200)}) > 190


def misnamed_texts() -> Iterator[bytes]:
    for number in range(300):
        yield misnamed(Chance(f"{number}"), {"semiaudit": 1, "dataspace": {}, "mechanism": {}})


def test_names_and_near_misses_are_not_all_of_one_sort() -> None:
    assert len(set(misnamed_texts())) > 15
