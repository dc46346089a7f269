"""docs/trust.md names commands that exist."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec

import pytest

from tests.places import ROOT

COMMANDS = re.findall(
    r"\| `([^`]+)` \|$", (ROOT / "docs/trust.md").read_text("utf-8"), re.MULTILINE
)


def test_every_campaign_has_one_line() -> None:
    assert COMMANDS
    assert len(COMMANDS) == len(set(COMMANDS))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_of_a_campaign_names_what_there_is(command: str) -> None:
    module, *arguments = shlex.split(command)
    assert find_spec(module) is not None
    for argument in arguments:
        assert not argument.startswith("tests/") or (ROOT / argument).exists()
