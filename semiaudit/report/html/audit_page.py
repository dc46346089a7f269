"""The page of one audit."""

from __future__ import annotations

import operator
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from semiaudit.model.audit import Audit
from semiaudit.model.figure import Figure
from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.blocks.conclusion import status_of
from semiaudit.report.blocks.distance_sentence import attributes_of, levels_of
from semiaudit.report.blocks.guarantees_table import guarantees_block
from semiaudit.report.blocks.headline import headline
from semiaudit.report.blocks.notices import Notice, grouped, notice_of
from semiaudit.report.blocks.plain_words import plain_audit
from semiaudit.report.blocks.semantics_view import semantics_blocks
from semiaudit.report.blocks.universe_view import (
    EXAMPLE_PAIR,
    example_pair_block,
    growth_sentence,
    semi_adjacency_block,
    sensitivity_sentence,
    why_text,
)
from semiaudit.report.blocks.view import (
    budgets_block,
    findings_block,
    left_out_block,
    statement_block,
    view_of,
)
from semiaudit.report.figures.figures_of import figures_of
from semiaudit.report.html.addresses import place, shown_paths, spec_line
from semiaudit.report.html.blocks import bare, block_of, head, notes
from semiaudit.report.html.curve_figures import figures_of_page
from semiaudit.report.html.findings_list import findings_list, place_of
from semiaudit.report.html.frame import PageSection, page, part, verdict
from semiaudit.report.html.markup import Child, Element, element
from semiaudit.report.text.layout import Grid, Head, Layout
from semiaudit.version import __version__

SHOWN_RECORDS = 12
"""The other records that a card of an example pair shows."""

Move = tuple[Cell | None, Cell | None]
"""The cells of a record in the two datasets of an example pair; None where it is missing."""


def moves_of(witness: Witness) -> list[Move]:
    """Return the other records' changes; a leaving record takes the most similar free place."""
    start, end = Counter(dict(witness.start)), Counter(dict(witness.end))
    if witness.record_from is not None:
        start[witness.record_from] -= 1
    if witness.record_to is not None:
        end[witness.record_to] -= 1
    free = list((end - start).elements())
    moves: list[Move] = []
    for cell in (start - end).elements():
        alike = [sum(map(operator.eq, cell, other)) for other in free]
        moves.append((cell, free.pop(alike.index(max(alike))) if free else None))
    return moves + [(None, cell) for cell in free]


def example_pair(witness: Witness, attributes: Sequence[str]) -> Element:
    """Return the records of an example pair that differ: a card for each of the two datasets."""
    first = (witness.record_from, witness.record_to)
    moves = moves_of(witness)
    shown = [first, *moves[:SHOWN_RECORDS]]
    more = len(moves) - SHOWN_RECORDS
    cards = [
        element(
            "li",
            {},
            element("h4", {}, name),
            element("ol", {}, [_record(move, attributes, number) for move in shown]),
            notes([f"and {more} more records"] if more > 0 else []),
        )
        for number, name in enumerate(("One dataset", "The other dataset"))
    ]
    return element("ul", {"class": "cards pair"}, cards)


def _record(move: Move, attributes: Sequence[str], number: int) -> Element:
    """Return a record of one of the datasets; what differs in the other one is bold."""
    cell, other = move[:: -1 if number else 1]
    if cell is None:
        return element("li", {"class": "absent"}, "no such record")
    words: list[Child] = []
    for at, named in enumerate(levels_of(attributes, cell)):
        same = other is not None and cell[at] == other[at]
        words += [" · "] if words else []
        words.append(named if same else element("strong", {}, named))
    return element("li", {}, words)


def audit_page(audit: Audit, layout: Layout) -> str:
    """Return the page: the answer first, then every block of the report, and drawings."""
    path = audit.release.path
    audit = replace(audit, release=replace(audit.release, path=shown_paths([path])[path]))
    verbose = layout.verbose
    audit = audit if verbose else plain_audit(audit)
    view = view_of(audit, caveats=True, verbose=verbose)
    if audit.release.placeholder is not None:
        return page("Privacy audit", view.title, view.subtitle, _verdict(audit), [_spec(audit)])
    budgets, left_out = budgets_block(audit), left_out_block(audit, sources=True)
    distance = semi_adjacency_block(audit)
    compared = guarantees_block(audit, caveats=True, verbose=verbose)
    semantics = semantics_blocks(audit, caveats=True)
    statement = statement_block(audit)
    opening = [headline(audit), statement, findings_block(audit), budgets, left_out]
    pair = example_pair_block(audit, caveats=True)
    placed = [*opening, distance, compared, *semantics, pair]
    others = [one for one in view.blocks if one not in placed and not isinstance(one, Head)]
    drawn = _figures(audit)
    parts = [
        part("attack", "What an attacker can learn", *figures_of_page(drawn["attack"])),
        None if budgets is None else part("budgets", budgets.title, bare(budgets)),
        _distance(audit, distance),
        part("comparison", compared.title, bare(compared)),
        part("curves", "Curves", *figures_of_page(drawn["curves"])),
        _semantics(drawn["semantics"], semantics_blocks(audit, caveats=False), semantics),
        part("statement", statement.title, bare(statement)),
        *(part(f"part-{at}", block.title, bare(block)) for at, block in enumerate(others)),
        _findings(audit),
        None if left_out is None else part("sources", left_out.title, bare(left_out)),
        _reproduce(audit),
        _spec(audit),
    ]
    return page("Privacy audit", view.title, view.subtitle, _verdict(audit), parts)


def _figures(audit: Audit) -> dict[str, list[Figure]]:
    """Return the figures of each part of the page."""
    parts: dict[str, list[Figure]] = {"attack": [], "curves": [], "semantics": []}
    for figure in figures_of(audit):
        parts[figure.name if figure.name in parts else "curves"].append(figure)
    return parts


def _verdict(audit: Audit) -> Element:
    answer = headline(audit)
    first, *others = answer.items
    below = head(replace(answer, items=tuple(others)))
    return verdict(first.tone, first.text, below, status=status_of(audit))


def _distance(audit: Audit, grid: Grid) -> PageSection | None:
    witness = audit.universe.semi_adjacency.covering.witness
    growth = sensitivity_sentence(audit) or growth_sentence(audit)
    shown: list[Child] = []
    if witness is not None:
        cell = witness.record_from or witness.record_to or ()
        shown = [element("h3", {}, EXAMPLE_PAIR), example_pair(witness, attributes_of(audit, cell))]
        shown += notes([why_text(audit.universe.semi_adjacency)])
    shown += notes([growth] if growth else [])
    pair = [element("div", {"class": "block"}, shown)] if shown else []
    return part("distance", grid.title, *pair, bare(grid))


def _semantics(
    figures: Sequence[Figure], short: Sequence[Grid], every: Sequence[Grid]
) -> PageSection | None:
    """Return the largest losses, and, closed, a figure and those of every place and universe."""
    several = len(every) > 1
    below = [block_of(block) for block in (short if several else every)]
    if figures or several:
        summary = "Every place, D and Dₜ, and guesses" if several else "The same as a figure"
        more = [*figures_of_page(figures), *(map(block_of, every) if several else ())]
        below.append(element("details", {}, element("summary", {}, summary), more))
    return part("semantics", "Privacy loss for each kind of secret", *below)


def _findings(audit: Audit) -> PageSection | None:
    release = audit.release
    notices: list[tuple[Notice, Child]] = []
    for group in grouped(notice_of(release.path, finding) for finding in audit.findings):
        notice = group.notice
        shown = notice.column and notice.line <= len(release.lines)
        address = place(spec_line(notice.line)) if shown else None
        where = place_of(notice, address) if notice.column else ""
        notices.append((notice, where))
    listed = findings_list(notices) if notices else element("p", {}, "None.")
    return part("findings", f"Findings ({len(audit.findings)})", listed)


def _reproduce(audit: Audit) -> PageSection | None:
    release = audit.release
    path = shlex.quote(release.path)
    commands = (
        f"pip install semiaudit=={__version__}",
        f"semiaudit analyze {path} -o html=report.html --format json",
    )
    return part(
        "reproduce",
        "Reproduce this report",
        *(element("pre", {}, element("code", {}, line)) for line in commands),
        *notes([f"SHA-256 of the public part of the spec, as in JSON: {release.sha256}"]),
    )


def _spec(audit: Audit) -> PageSection | None:
    """Show the text of the spec, so that links work if the page is sent without it."""
    lines = audit.release.lines
    shown = [
        element("span", {"id": spec_line(number), "class": "line"}, text)
        for number, text in enumerate(lines, 1)
    ]
    summary = element("summary", {}, f"{audit.release.path}, {len(lines)} lines")
    held = element("details", {}, summary, element("pre", {"class": "spec"}, shown))
    return part("spec", "The spec", held) if lines else None
