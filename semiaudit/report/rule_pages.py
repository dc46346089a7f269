"""The rules' pages, which ship with the program: docs/rules, read where they are shown."""

from __future__ import annotations

import posixpath
import re
from functools import cache

from semiaudit.errors import SemiauditError
from semiaudit.resources import shipped
from semiaudit.version import PAGES

_LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
_MEANING = re.compile(r"^## What it means\n+(.+?)\n+^## ", re.MULTILINE | re.DOTALL)


@cache
def page_of(rule: str) -> str:
    """The page of a rule, in Markdown.

    Raises:
        SemiauditError: it is missing from this installation.
    """
    path = shipped(f"rules/{rule}.md")
    if path is None:
        raise SemiauditError(f"the page of {rule} is missing from this installation")
    return path.read_text(encoding="utf-8")


def linked_page_of(rule: str) -> str:
    """The page with the addresses of the pages it leads to, to be read anywhere."""

    def address(found: re.Match[str]) -> str:
        page, mark, part = found[1].partition("#")
        return f"]({PAGES}/{posixpath.normpath(f'rules/{page}')}{mark}{part})"

    return _LINK.sub(address, page_of(rule))


def meaning_of(rule: str) -> str:
    """What a finding of a rule means, as plain text."""
    found = _MEANING.search(page_of(rule))
    if found is None:
        raise SemiauditError(f"the page of {rule} does not say what it means")
    return plain(found[1])


def plain(markdown: str) -> str:
    """A page without its marks: headings, code and links as their words."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", markdown)
    return re.sub(r"^#+ |`", "", text, flags=re.MULTILINE).strip()
