"""Link targets of a page: places on it, pages in its folder, and pages of the program.

There are no other addresses. A file name is percent-encoded after ``./``, so it is always a file
name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from urllib.parse import quote

from semiaudit.frozen import dataclass
from semiaudit.model.rules import RULES
from semiaudit.report.text.layout import Layout

_PLACE = re.compile(r"[a-z][a-z0-9-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link."""

    text: str

    def __str__(self) -> str:
        return self.text


def place(name: str) -> LinkTarget:
    """Link to a place on the same page.

    Raises:
        ValueError: the name is not a word.
    """
    if not _PLACE.fullmatch(name):
        raise ValueError(f"{name!r} names no place")
    return LinkTarget(f"#{name}")


def rule_page(rule: str) -> LinkTarget:
    """Link to the page of a rule, in the version of this release.

    Raises:
        KeyError: there is no such rule.
    """
    return LinkTarget(RULES[rule].page)


def spec_line(line: int) -> str:
    """Link to a line of the spec on a page that contains it."""
    return f"spec-{line}"


def relative_link(path: str, layout: Layout, line: int = 0) -> LinkTarget | None:
    """Link to a page in the folder of the page or below it, so that the link moves with both.

    Args:
        path: with ``/``, absolute or seen from ``layout.root``.
        line: of the spec that the page is about, from 1; 0 for the page as a whole.

    Returns:
        None if the page does not know its folder, or the file is not below it: a link would
        name folders of this machine.
    """
    if layout.folder is None or not layout.root:
        return None
    target = posixpath.relpath(posixpath.join(layout.root, path), layout.folder)
    if _leaves(target):
        return None
    encoded = quote(target.encode("utf-8", "surrogateescape"), safe="/")
    return LinkTarget(f"./{encoded}#{spec_line(line)}" if line else f"./{encoded}")


def shown_paths(paths: Iterable[str]) -> dict[str, str]:
    """Return how a page names files: without a folder that lies above all of them.

    A path below the working directory stays as it is; for others, their common folders are omitted.
    """
    named = list(dict.fromkeys(paths))
    outside = [path for path in named if path.startswith("/") or _leaves(posixpath.normpath(path))]
    folders = [posixpath.dirname(posixpath.abspath(path)) for path in outside]
    common = posixpath.commonpath(folders) if folders else ""
    shown = {path: posixpath.relpath(posixpath.abspath(path), common) for path in outside}
    return {path: shown.get(path, path) for path in named}


def _leaves(path: str) -> bool:
    return path == ".." or path.startswith("../")
