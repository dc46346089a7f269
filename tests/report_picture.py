"""docs/_static/report.svg, the picture of a report: ``python -m tests.report_picture``.

It is the output of ``semiaudit analyze`` as text, so that it loads nothing and can be searched.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from html import escape
from io import StringIO

from semiaudit.cli import main
from tests.places import ROOT

PICTURE = ROOT / "docs" / "_static" / "report.svg"
COMMAND = ("analyze", "configs/census2020_pl94.yaml")
BLOCKS = 3
LINE_HEIGHT, FONT_SIZE, MARGIN, COLUMNS = 18, 13, 14, 80
STYLE = f"font: {FONT_SIZE}px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre;"


def picture() -> str:
    """Return the picture: the command, and the first blocks that it prints."""
    printed = StringIO()
    with redirect_stdout(printed):
        main(COMMAND)
    shown = "\n\n".join(printed.getvalue().split("\n\n")[:BLOCKS])
    lines = [f"$ semiaudit {' '.join(COMMAND)}", *shown.splitlines(), " ..."]
    width = 2 * MARGIN + round(COLUMNS * FONT_SIZE * 0.61)
    height = 2 * MARGIN + len(lines) * LINE_HEIGHT
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + FONT_SIZE + number * LINE_HEIGHT}"'
        f' xml:space="preserve"{_weight(number)}>{escape(line)}</text>'
        for number, line in enumerate(lines)
        if line
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img" style="{STYLE}">',
            "<title>The first screen of a report on the 2020 Census</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#fbfbfd" stroke="#c9ccd6"/>',
            '<g fill="#1f2330">',
            *rows,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _weight(number: int) -> str:
    return ' font-weight="bold"' if number <= 1 else ""


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
