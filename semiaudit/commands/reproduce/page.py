"""Published numbers beside ours as one page: a file that loads nothing and runs nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from html import escape

from semiaudit.commands.reproduce.model import Reproduced, Reproduction, ReproductionEntry
from semiaudit.commands.reproduce.words import (
    BASES,
    NOT_PROVEN,
    method_text,
    ours_text,
    side_text,
    summary_text,
    verdict_text,
)
from semiaudit.version import __version__

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
COLUMNS = ("what", "place", "published", "ours", "ours is", "verdict")
TITLE = "Published numbers, and ours"
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1rem; font-size: .9rem; }
caption { text-align: left; font-weight: bold; padding: .3rem 0; }
th, td { border-bottom: 1px solid #8888; padding: .25rem .5rem; text-align: left;
  vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr:is(.wrong, .looser, .incomparable) td:last-child { font-style: italic; }
tr.differs td:last-child { font-weight: bold; outline: 2px solid; }
img { max-width: 100%; background: white; }
.scroll { overflow-x: auto; }
@media print { body { font-size: 11px; max-width: none; } .scroll { overflow: visible; } }
"""


def page_of(reproduction: Reproduction, pictures: Mapping[str, bytes]) -> str:
    """The page.

    Args:
        pictures: of the entries that have figures, by their names, as SVG.
    """
    return "\n".join(_lines(reproduction, pictures)) + "\n"


def _lines(reproduction: Reproduction, pictures: Mapping[str, bytes]) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(TITLE)}</title>"
    yield f"<style>{STYLE}</style></head>"
    yield f"<body><main><h1>{escape(TITLE)}</h1>"
    yield f"<p>semiaudit {escape(__version__)}. {escape(summary_text(reproduction))}.</p>"
    yield f"<p>{escape(NOT_PROVEN)}</p>"
    yield '<nav aria-label="Entries"><ul>'
    for entry in reproduction.entries:
        yield f'<li><a href="#{escape(entry.name)}">{escape(entry.title)}</a></li>'
    yield "</ul></nav>"
    for entry in reproduction.entries:
        yield from _entry(entry, pictures.get(entry.name))
    yield "</main></body></html>"


def _entry(entry: ReproductionEntry, picture: bytes | None) -> Iterator[str]:
    yield f'<section id="{escape(entry.name)}"><h2>{escape(entry.title)}</h2>'
    yield f"<p>{escape(entry.source)}.</p>"
    for note in entry.notes:
        yield f"<p>{escape(note)}</p>"
    if picture is not None:
        titles = "; ".join(figure.title for figure in entry.figures)
        data = b64encode(picture).decode("ascii")
        yield f'<p><img alt="{escape(titles)}" src="data:image/svg+xml;base64,{data}"></p>'
    yield '<div class="scroll" role="region" tabindex="0"'
    yield f' aria-label="{escape(entry.title)}"><table><caption>{escape(entry.name)}</caption>'
    yield "<thead><tr>"
    yield "".join(f'<th scope="col">{escape(name)}</th>' for name in COLUMNS)
    yield "</tr></thead><tbody>"
    for result in entry.results:
        yield _row(result)
    yield "</tbody></table></div></section>"


def _row(result: Reproduced) -> str:
    published = result.published
    cells = (
        f'<th scope="row">{escape(published.what)}</th>',
        f"<td>{escape(published.place)}<br><small>{escape(BASES[published.basis])}</small></td>",
        f'<td class="number">{escape(published.text)}</td>',
        f'<td class="number">{escape(ours_text(result))}</td>',
        f"<td>{escape(side_text(result.ours))}<br><small>{escape(method_text(result.ours))}"
        "</small></td>",
        f"<td>{escape(verdict_text(result))}</td>",
    )
    return f'<tr class="{escape(result.verdict)}">{"".join(cells)}</tr>'
