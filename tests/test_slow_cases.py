"""Which selections of tests build slow and lengthy cases, and which files begin."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.places import LONGEST, ROOT
from tests.samples import leave_out_cases, lengthy_cases, sampled

OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
(DEFAULT,) = re.findall("-m '([^']*)'", OPTIONS["ini_options"]["addopts"])


@pytest.mark.parametrize(
    ("selection", "slow", "lengthy"),
    [
        (DEFAULT, False, False),
        ("not slow", False, True),
        ("", True, True),
        ("slow", True, True),
        ("slow or not slow", True, True),
        ("lengthy and not slow", False, True),
        ("not slow and lengthy", False, True),
        ("slow or browser and not slow", True, True),
        ("not (browser and not slow)", True, True),
    ],
)
def test_cases_are_built_unless_no_test_of_their_mark_is_selected(
    selection: str, slow: bool, lengthy: bool, request: pytest.FixtureRequest
) -> None:
    own = request.config.getoption("markexpr")
    request.addfinalizer(lambda: leave_out_cases(own))
    leave_out_cases(selection)
    assert len(sampled(range(3), fast=(1,))) == (3 if slow else 1)
    assert len(lengthy_cases(range(2))) == (2 if lengthy else 0)


def test_the_files_that_begin_exist() -> None:
    assert [name for name in LONGEST if not (ROOT / name).is_file()] == []
