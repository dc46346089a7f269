"""The text that people read has no word that the language of the program rejects."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.imports import parsed
from tests.pages import BLOCK, PAGES
from tests.places import ROOT

REJECTED = re.compile(
    r"\b(told|gravest|mend(s|ed|ing)?|struck|passed over|(upper|lower) ends?|beside)\b",
    re.IGNORECASE,
)

SOURCES = sorted((ROOT / "semiaudit").rglob("*.py"))


@pytest.mark.parametrize("path", [*PAGES, *SOURCES], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_has_a_rejected_word(path: Path) -> None:
    """Prose of pages, and strings and docstrings of the program without the names of code."""
    text = BLOCK.sub("", path.read_text("utf-8"))
    if path.suffix == ".py":
        nodes = ast.walk(parsed(path.read_text("utf-8")))
        strings = [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
        text = "\n".join(s for s in strings if " " in s.strip())
    names = r"\]\([^)]*\)|``[^`]*``|^ *[\w, *]+:(?= )"
    assert not REJECTED.search(re.sub(names, "", text, flags=re.MULTILINE))
