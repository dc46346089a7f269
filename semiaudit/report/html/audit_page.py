"""The page of one audit."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from semiaudit.model.audit import Audit
from semiaudit.model.bound import describe
from semiaudit.model.building_blocks import BuildingBlocks
from semiaudit.model.figure import Figure
from semiaudit.model.semi_adjacency import Witness
from semiaudit.model.verdict import NO_BUDGET
from semiaudit.report.blocks.conclusion import status_of
from semiaudit.report.blocks.distance_sentence import attributes_of
from semiaudit.report.blocks.explain import SHOWN_STEPS, Move, explained, moves_of
from semiaudit.report.blocks.guarantees_table import guarantees_block
from semiaudit.report.blocks.headline import headline
from semiaudit.report.blocks.key_number import key_number
from semiaudit.report.blocks.notices import Notice, notice_of
from semiaudit.report.blocks.plain_words import plain_audit
from semiaudit.report.blocks.semantics_view import semantics_blocks
from semiaudit.report.blocks.universe_view import (
    example_pair_block,
    growth_sentence,
    semi_adjacency_block,
    sensitivity_sentence,
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
from semiaudit.report.html.curve_figures import figures_part
from semiaudit.report.html.findings_list import findings_list, meanings, place_of
from semiaudit.report.html.frame import PageSection, commands, page, part, verdict
from semiaudit.report.html.markup import Child, Element, element
from semiaudit.report.text.layout import Grid, Layout, Lines
from semiaudit.version import __version__


def example_pair(witness: Witness, attributes: Sequence[str]) -> Element:
    """Return the records of an example pair that differ: a card for each of the two datasets."""
    first = Move(None, witness.record_from, witness.record_to)
    moves = moves_of(witness)
    shown = [first, *moves[:SHOWN_STEPS]]
    more = len(moves) - SHOWN_STEPS
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
    cell, other = (move.before, move.after)[:: -1 if number else 1]
    if cell is None:
        return element("li", {"class": "absent"}, "no such record")
    words: list[Child] = []
    for at, (attribute, level) in enumerate(zip(attributes, map(str, cell), strict=True)):
        named = level if any(map(str.isalpha, level)) else f"{attribute} {level}"
        same = other is not None and cell[at] == other[at]
        words += [" · "] if words else []
        words.append(named if same else element("strong", {}, named))
    return element("li", {}, words)


def audit_page(audit: Audit, layout: Layout) -> str:
    """Return the page: the answer first, then the parts of the report as text, tables and drawings.

    Other blocks of the view are under its details, so no block is lost.
    """
    path = audit.release.path
    audit = replace(audit, release=replace(audit.release, path=shown_paths([path])[path]))
    verbose = layout.verbose
    audit = audit if verbose else plain_audit(audit)
    view = view_of(audit, explain=True, caveats=True, verbose=verbose)
    if audit.release.placeholder is not None:
        return page("Privacy audit", view.title, view.subtitle, _verdict(audit), [_spec(audit)])
    budgets, left_out = budgets_block(audit), left_out_block(audit, sources=True)
    distance = semi_adjacency_block(audit, verbose=verbose), explained(audit)
    compared = guarantees_block(audit, caveats=True, verbose=verbose)
    semantics = semantics_blocks(audit, guesses=True)
    opening = [headline(audit), statement_block(audit), findings_block(audit), budgets, left_out]
    pair = example_pair_block(audit, caveats=True)
    placed = [*opening, *distance, compared, *semantics, pair]
    drawn = _figures(audit)
    parts = [
        figures_part(drawn["attack"], "attack", "What an attacker can learn", "Attack"),
        None if budgets is None else part("budgets", budgets.title, "Budgets", bare(budgets)),
        _distance(audit, *distance),
        _comparison(audit, compared),
        figures_part(drawn["curves"], "curves", "Curves", "Curves"),
        _semantics(drawn["semantics"], semantics),
        _statement(audit),
        part(
            "details",
            "Basis of the numbers",
            "Details",
            *(block_of(block) for block in view.blocks if block not in placed),
        ),
        *_findings(audit),
        None if left_out is None else part("sources", left_out.title, "Sources", bare(left_out)),
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
    first, *others = [said for said in answer.items if said.text != NO_BUDGET]
    below = head(replace(answer, items=tuple(others)))
    number = None if audit.release.placeholder is not None else key_number(audit)
    return verdict(first.tone, first.text, below, status=status_of(audit), key=number)


def _distance(audit: Audit, grid: Grid, lines: Lines | None) -> PageSection | None:
    witness = audit.universe.semi_adjacency.covering.witness
    growth = sensitivity_sentence(audit) or growth_sentence(audit)
    shown: list[Child] = []
    if witness is not None and lines is not None:
        cell = witness.record_from or witness.record_to or ()
        shown = [element("h3", {}, lines.title), example_pair(witness, attributes_of(audit, cell))]
        shown += notes([text for label, text in lines.items if label == "so"])
    shown += notes([growth] if growth else [])
    pair = [element("div", {"class": "block"}, shown)] if shown else []
    return part("distance", grid.title, "a(t)", *pair, bare(grid))


def _comparison(audit: Audit, guarantees: Grid) -> PageSection | None:
    return part(
        "comparison",
        "Privacy definitions compared",
        "Comparison",
        block_of(guarantees),
    )


def _semantics(figures: Sequence[Figure], blocks: Sequence[Grid]) -> PageSection | None:
    title = "Privacy loss for each kind of secret"
    return figures_part(figures, "semantics", title, "Semantics", *map(block_of, blocks))


def _statement(audit: Audit) -> PageSection | None:
    statement = audit.statement
    blocks = {
        "domain": statement.domain,
        "scope": statement.scope,
        "unit": statement.unit,
        "standard": statement.standard,
        "intensity": statement.intensity,
    }
    cards = [
        element("li", {}, element("h3", {}, name), element("p", {}, text))
        for name, text in blocks.items()
    ]
    structure = audit.building_blocks
    return part(
        "statement",
        "Privacy specification: the five building blocks",
        "Building blocks",
        element("ul", {"class": "cards"}, cards),
        _structure(structure) if structure is not None else None,
    )


def _structure(structure: BuildingBlocks) -> list[Element]:
    words = {True: "yes", False: "no", None: "not known"}
    rows = tuple(
        (role.invariant, words[role.redundant], words[role.needed])
        for role in structure.multiverse.invariants
    )
    columns = ("published exactly", "redundant given the others", "needed for a finite guarantee")
    elements: list[Element] = []
    if rows:
        elements.append(
            block_of(
                Grid("Invariants that every finite guarantee needs", columns, rows, (False,) * 3)
            )
        )
    theorems = tuple(("", theorem.says) for theorem in structure.theorems if theorem.applies)
    if theorems:
        elements.append(block_of(Lines("Consequences for the universes", theorems)))
    return elements


def _findings(audit: Audit) -> list[PageSection | None]:
    release = audit.release
    notices: list[tuple[Notice, Child]] = []
    for finding in audit.findings:
        notice = notice_of(release.path, finding)
        shown = notice.column and notice.line <= len(release.lines)
        address = place(spec_line(notice.line)) if shown else None
        where = place_of(notice, address) if finding.mark.line else ""
        notices.append((notice, where))
    counts = Counter(finding.level for finding in audit.findings)
    title = f"Findings ({sum(counts.values())})"
    listed = findings_list(notices) if notices else element("p", {}, "None.")
    return [
        part("findings", title, "Findings", listed),
        meanings(finding.rule for finding in audit.findings),
    ]


def _reproduce(audit: Audit) -> PageSection | None:
    release = audit.release
    path = shlex.quote(release.path)
    lines = [
        f"pip install semiaudit=={__version__}",
        f"semiaudit analyze {path} -o html=report.html --format json",
    ]
    facts = [
        ("spec", release.path),
        ("SHA-256", f"{release.sha256} (of what the spec makes public; the JSON report has it)"),
        ("version", f"semiaudit {__version__}"),
        ("complete", _completeness(audit)),
    ]
    entries = [(element("dt", {}, label), element("dd", {}, text)) for label, text in facts]
    return part(
        "reproduce",
        "Reproduce this report",
        "Reproduce",
        commands(lines),
        element("dl", {"class": "lines"}, entries),
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
    return part("spec", "The spec", "Spec", held) if lines else None


def _completeness(audit: Audit) -> str:
    """Say whether the same spec gives the same page: curves have their own time limit."""
    if not audit.complete:
        return f"no: {describe(audit.incomplete_because)}; some numbers are looser, and certified"
    if not all(curve.complete for curve in audit.curves):
        return (
            "yes: the same spec gives the same numbers again, but not always the same "
            "points of the curves, because a time limit left out some"
        )
    return "yes: the same spec gives the same numbers and curves again"
