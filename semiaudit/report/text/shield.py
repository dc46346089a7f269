"""Words of strangers in places that read commands: logs of builds, spreadsheets, editors.

A title, a level or the name of a file is whatever its author wrote. GitHub's runner takes a line
of a log that begins with ``::``, and ``##[`` anywhere in one, for a command; spreadsheets take
cells for formulas; characters that turn the direction of writing make a text look like another.
"""

from __future__ import annotations

import json
import re
from typing import Any

_AT_START = re.compile(r"((?:^|[\r\n])(?:\s|\x1b\[[0-9;]*m)*):(?=:)")
_UNUSUAL = re.compile("[^\n\x1b -~]")
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a cell begins with that a spreadsheet takes for a formula; the wide forms too."""


def shielded(text: str) -> str:
    """A text of lines in which no log finds a command, and every character can be seen."""
    seen = _UNUSUAL.sub(lambda match: _visible(match[0]), text)
    return _AT_START.sub(r"\1: ", seen).replace("##[", "## [")


def _visible(char: str) -> str:
    return char if char.isprintable() else repr(char)[1:-1]


def visible(text: str) -> str:
    """A text of one line in which every character can be seen; line breaks are blanks."""
    return _UNUSUAL.sub(lambda match: _visible(match[0]), text.replace("\n", " ")).replace(
        "\x1b", "\\x1b"
    )


def json_text(value: Any) -> str:
    """JSON of many lines with sorted keys, in which nothing is invisible and nothing a command."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    text = _UNUSUAL.sub(lambda match: _escaped(match[0]), text)
    return text.replace("##[", "\\u0023#[") + "\n"


def _escaped(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def xml_text(text: str) -> str:
    """XML in which no line is a command; the same to whoever parses it."""
    return _AT_START.sub(r"\1&#58;", text).replace("##[", "#&#35;[")


def cell(text: str) -> str:
    """A cell of a CSV file that no spreadsheet calculates, and no log obeys."""
    guarded = f"'{text}" if text.startswith((*_FORMULA, "::")) else text
    return guarded.replace("##[", "## [")
