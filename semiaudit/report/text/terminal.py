"""A view as text for a terminal, or for a pipe in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semiaudit.report.text.shield import shielded

if TYPE_CHECKING:
    from semiaudit.report.text.layout import Layout, View


def for_terminal(view: View, layout: Layout) -> str:
    """Plain lines, or a table of rich where there are colors or plain ones do not do."""
    from semiaudit.report.text.to_plain import to_plain

    plain = None if layout.color else to_plain(view, width=layout.width)
    if plain is not None:
        return shielded(plain)
    from semiaudit.report.text.to_table import to_table

    return shielded(to_table(view, width=layout.width, color=layout.color))
