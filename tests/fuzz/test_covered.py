"""The cases use all that the schema and the command line have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.fuzz.campaign import tasks
from tests.fuzz.cases import Case
from tests.fuzz.chance import Chance
from tests.fuzz.covered import given, of_the_command_line, of_the_schema, specs_in, used
from tests.fuzz.damage import misnamed
from tests.fuzz.serving import made
from tests.fuzz.uses import KINDS, SHARES

CASES = 6_000
"""Of the campaign's 100,000, the first ones."""


@cache
def cases() -> tuple[Case, ...]:
    return tuple(made(kind, number) for kind, number in tasks(CASES))


def test_specs_have_every_key_every_kind_and_every_form_of_the_schema() -> None:
    found: set[str] = set()
    for spec in specs_in(cases()):
        found |= used(spec)
    assert of_the_schema() - found == set()


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
