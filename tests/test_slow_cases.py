"""Which selections of tests build the slow cases, and which files begin."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.places import LONGEST, ROOT
from tests.samples import leave_out_cases, lengthy_cases, sampled

OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
(DEFAULT,) = re.findall("-m '([^']*)'", OPTIONS["ini_options"]["addopts"])


@pytest.mark.parametrize(
    ("selection", "built"),
    [
        (DEFAULT, 1),
        ("not slow", 1),
        ("", 3),
        ("slow", 3),
        ("slow or not slow", 3),
        ("lengthy and not slow", 1),
        ("not slow and lengthy", 1),
        ("slow or browser and not slow", 3),
        ("not (browser and not slow)", 3),
    ],
)
def test_slow_cases_are_built_unless_no_slow_test_is_selected(
    selection: str, built: int, request: pytest.FixtureRequest
) -> None:
    own = request.config.getoption("markexpr")
    request.addfinalizer(lambda: leave_out_cases(own))
    leave_out_cases(selection)
    assert len(sampled(range(3), fast=(1,))) == built


@pytest.mark.parametrize(
    ("selection", "built"),
    [(DEFAULT, 0), ("slow", 2), ("lengthy and not slow", 2), ("slow or not slow", 2)],
)
def test_lengthy_cases_are_built_unless_no_lengthy_test_is_selected(
    selection: str, built: int, request: pytest.FixtureRequest
) -> None:
    own = request.config.getoption("markexpr")
    request.addfinalizer(lambda: leave_out_cases(own))
    leave_out_cases(selection)
    assert len(lengthy_cases(range(2))) == built


def test_the_files_that_begin_exist() -> None:
    assert [name for name in LONGEST if not (ROOT / name).is_file()] == []
