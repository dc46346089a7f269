"""Values as the Python that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from semiaudit.report.notebook import markdown_text


class ShownAsCode:
    """A value that notebooks show as code: its ``repr``."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code>"

    def _repr_markdown_(self) -> str:
        return markdown_text(repr(self))


def python_text(section: Mapping[str, Any], classes: Mapping[str, type]) -> str:
    """Return the Python code of a mechanism; for other kinds, the section itself."""
    kind = next((key for key in section if key not in ("repeat", "total_rho")), "")
    repeat = section.get("repeat", 1)
    if kind == "compose" and "total_rho" not in section:
        text = " + ".join(python_text(part, classes) for part in section["compose"])
        return f"({text}) * {repeat}" if repeat != 1 else text
    if kind not in classes:
        return f"Mechanism({dict(section)!r})"
    known = section[kind].items()
    arguments = ", ".join(f"{k}={v!r}" for k, v in known)
    text = f"{classes[kind].__name__}({arguments})"
    return f"{text} * {repeat}" if repeat != 1 else text
