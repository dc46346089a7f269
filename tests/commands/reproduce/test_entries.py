"""The names of the entries of `reproduce`, their beginnings, and near misses."""

from __future__ import annotations

import pytest

from semiaudit.cli import main
from semiaudit.commands.reproduce.published_results import names_of, tasks

Capture = pytest.CaptureFixture[str]


def test_a_name_is_an_entry_or_the_beginning_of_several(capsys: Capture) -> None:
    assert names_of(["gao", "su-clt"]) == [
        "su-clt",
        "gao-errors",
        "gao-5-1",
        "gao-5-2",
    ]
    assert names_of([]) == [*tasks()]
    assert main(["reproduce", "--list", "bailie"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == [
        "bailie-swapping",
        "bailie-strata",
        "bailie-topdown",
        "bailie-specifications",
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("su-tabel-1", "su-table-1"),
        ("su_table_1", "su-table-1"),
        ("SU-CENSUS", "su-census"),
        ("gao-erors", "gao-errors"),
        ("cho_awan", "cho-awan"),
        ("buraeu", "bureau"),
        ("bailie-stratum", "bailie-strata"),
    ],
)
def test_a_near_miss_of_a_name_is_answered_with_the_name(
    name: str, meant: str, capsys: Capture
) -> None:
    assert main(["reproduce", name]) == 2
    message = capsys.readouterr().err
    assert f"there is no entry {name!r}" in message
    assert f"did you mean {meant}?" in message
    assert names_of([meant])


def test_a_name_that_is_near_to_none_is_answered_with_all_names(capsys: Capture) -> None:
    assert main(["reproduce", "fermat"]) == 2
    message = capsys.readouterr().err
    assert "there is no entry 'fermat'" in message
    assert "did you mean" not in message
    assert "su-dp-sgd" in message
