"""Make untrusted texts safe for places that run commands: build logs, spreadsheets, editors.

A title, a level or a file name can be any text. GitHub's runner runs a log line that begins with
``::``, or ``##[`` anywhere in one, as a command; spreadsheets run cells as formulas; characters
that change the writing direction make a text look like another.
"""

from __future__ import annotations

import json
import re
from typing import Any

_AT_START = re.compile(r"((?:^|[\r\n])(?:\s|\x1b\[[0-9;]*m)*):(?=:)")
_UNUSUAL = re.compile("[^\n\x1b -~]")
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""The first characters of a cell that a spreadsheet runs as a formula; the wide forms too."""


def shielded(text: str) -> str:
    """Return lines in which no log finds a command, and every character is visible."""
    seen = _UNUSUAL.sub(lambda match: _visible(match[0]), text)
    return _AT_START.sub(r"\1: ", seen).replace("##[", "## [")


def _visible(char: str) -> str:
    return char if char.isprintable() else repr(char)[1:-1]


def visible(text: str) -> str:
    """Return one line in which every character is visible; line breaks become blanks."""
    return _UNUSUAL.sub(lambda match: _visible(match[0]), text.replace("\n", " ")).replace(
        "\x1b", "\\x1b"
    )


def json_text(value: Any) -> str:
    """Return JSON in lines with sorted keys, without invisible characters and commands."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    text = _UNUSUAL.sub(lambda match: _escaped(match[0]), text)
    return text.replace("##[", "\\u0023#[") + "\n"


def _escaped(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def xml_text(text: str) -> str:
    """Return XML in which no line is a command; its parsed content is unchanged."""
    return _AT_START.sub(r"\1&#58;", text).replace("##[", "#&#35;[")


def cell(text: str) -> str:
    """Return a CSV cell that no spreadsheet evaluates, and no log runs."""
    guarded = f"'{text}" if text.startswith((*_FORMULA, "::")) else text
    return guarded.replace("##[", "## [")
