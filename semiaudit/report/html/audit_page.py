"""The page of one audit.

The example pair of a(t): the records that must change, and the cells whose counts change.

Both are tables whose words wrap, so no name is cut off or overlaps another on any screen.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from semiaudit.model.audit import Audit
from semiaudit.model.bound import describe
from semiaudit.model.building_blocks import BuildingBlocks
from semiaudit.model.frameworks import LEADING, NAMES
from semiaudit.model.labels import DEFINITION, label
from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.model.verdict import NO_BUDGET
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import status_of
from semiaudit.report.blocks.distance_sentence import attributes_of
from semiaudit.report.blocks.explain import SHOWN_STEPS, Move, explained, moves_of
from semiaudit.report.blocks.guarantees_table import guarantees_block
from semiaudit.report.blocks.headline import headline
from semiaudit.report.blocks.key_number import key_number
from semiaudit.report.blocks.notices import Notice, notice_of
from semiaudit.report.blocks.plain_words import plain_audit
from semiaudit.report.blocks.semantics_view import letters_of, merged, name_of, semantics_blocks
from semiaudit.report.blocks.universe_view import TRADED, example_pair_block, semi_adjacency_block
from semiaudit.report.blocks.view import (
    budgets_block,
    findings_block,
    left_out_block,
    statement_block,
    view_of,
)
from semiaudit.report.html.addresses import place, shown_paths, spec_line
from semiaudit.report.html.bars import Bar, bars
from semiaudit.report.html.blocks import bare, block_of, head, notes, scrolling
from semiaudit.report.html.curve_figures import curves_part
from semiaudit.report.html.findings_list import findings_list, meanings, place_of
from semiaudit.report.html.frame import PageSection, commands, page, part, verdict
from semiaudit.report.html.markup import Child, Element, element
from semiaudit.report.text.layout import Grid, Layout, Lines
from semiaudit.version import __version__

_SHOWN_CELLS = 16
_MOST_LEVELS = 8
"""The most levels of an attribute, across or down, in a table of two attributes."""


def drawings(witness: Witness, attributes: Sequence[str]) -> list[Element]:
    """Return the records and the cells of an example pair."""
    return [_records(witness, attributes), *_cells(witness, attributes)]


def _records(witness: Witness, attributes: Sequence[str]) -> Element:
    moves = moves_of(witness)
    first = Move(None, witness.record_from, witness.record_to)
    rows = [
        _move(move, attributes, "first" if not place else None)
        for place, move in enumerate([first, *moves[:SHOWN_STEPS]])
    ]
    heads = [
        element("th", {"scope": "col"}, "in one dataset"),
        element("td", {"class": "arrow"}),
        element("th", {"scope": "col"}, "in the other"),
    ]
    more = len(moves) - SHOWN_STEPS
    rest = [f"and {more} more records"] if more > 0 else []
    return _figure("records", "The records that must change", "moves", heads, rows, rest)


def _move(move: Move, attributes: Sequence[str], kind: str | None) -> Element:
    changed = _changed(move)
    return element(
        "tr",
        {"class": kind},
        element("td", {}, _box(move.before, changed, attributes, "enters")),
        element("td", {"class": "arrow"}, "→"),
        element("td", {}, _box(move.after, changed, attributes, "leaves")),
    )


def _box(
    cell: Cell | None, changed: frozenset[int], attributes: Sequence[str], absent: str
) -> Element:
    if cell is None:
        return element("div", {"class": "box absent"}, absent)
    words: list[Child] = []
    for at, text in enumerate(_levels(cell, attributes)):
        kind = "changed" if at in changed or not changed else None
        words += [" · "] if words else []
        words.append(element("span", {"class": kind}, text))
    return element("div", {"class": "box"}, words)


def _levels(cell: Cell, attributes: Sequence[str]) -> list[str]:
    """Return the levels of a cell; one without a letter has the name of its attribute before it."""
    named = zip(attributes, map(str, cell), strict=True)
    return [
        level if any(map(str.isalpha, level)) else f"{attribute} {level}"
        for attribute, level in named
    ]


def _changed(move: Move) -> frozenset[int]:
    if move.before is None or move.after is None:
        return frozenset()
    pairs = zip(move.before, move.after, strict=True)
    return frozenset(place for place, (a, b) in enumerate(pairs) if a != b)


Moved = dict[Cell, tuple[int, int]]
"""The counts of a cell in both datasets."""


def _cells(witness: Witness, attributes: Sequence[str]) -> list[Element]:
    """Show the counts that differ: a table of two attributes if only two matter, else a list."""
    before, after = dict(witness.start), dict(witness.end)
    moved = {
        cell: (before.get(cell, 0), after.get(cell, 0))
        for cell in {**before, **after}
        if before.get(cell, 0) != after.get(cell, 0)
    }
    if not moved:
        return [element("p", {"class": "note"}, TRADED)]
    varying = [i for i in range(len(attributes)) if len({cell[i] for cell in moved}) > 1]
    same = [f"{a} {next(iter(moved))[i]}" for i, a in enumerate(attributes) if i not in varying]
    rest = [f"Each of them has {', '.join(same)}."] if same and varying else []
    if len(varying) == 2:
        levels = [list(dict.fromkeys(cell[i] for cell in moved)) for i in varying]
        if max(map(len, levels)) <= _MOST_LEVELS:
            return [_two_way_table(moved, varying, levels, attributes, rest)]
    return [_listed(moved, varying or range(len(attributes)), attributes, rest)]


def _two_way_table(
    moved: Moved,
    varying: Sequence[int],
    levels: Sequence[Sequence[int | str]],
    attributes: Sequence[str],
    rest: Sequence[str],
) -> Element:
    down, across = levels
    one, two = varying
    at = {(cell[one], cell[two]): counts for cell, counts in moved.items()}
    heads = [
        element("th", {"scope": "col"}, f"{attributes[one]}, by {attributes[two]}"),
        *(element("th", {"scope": "col"}, str(level)) for level in across),
    ]
    rows = [
        element(
            "tr",
            {},
            element("th", {"scope": "row"}, str(name)),
            [_counts(at.get((name, level))) for level in across],
        )
        for name in down
    ]
    return _figure("cells", _MOVED, "crossed", heads, rows, rest)


def _listed(
    moved: Moved, varying: Iterable[int], attributes: Sequence[str], rest: Sequence[str]
) -> Element:
    places = list(varying)
    rows = []
    for cell, counts in list(moved.items())[:_SHOWN_CELLS]:
        levels = _levels(cell, attributes)
        name = " · ".join(levels[place] for place in places)
        rows.append(element("tr", {}, element("th", {"scope": "row"}, name), _counts(counts)))
    heads = [
        element("th", {"scope": "col"}, " · ".join(attributes[place] for place in places)),
        element("th", {"scope": "col"}, "count"),
    ]
    more = len(moved) - _SHOWN_CELLS
    rest = [*([f"and {more} more cells"] if more > 0 else []), *rest]
    return _figure("cells", _MOVED, "listed", heads, rows, rest)


def _counts(counts: tuple[int, int] | None) -> Element:
    if counts is None:
        return element("td")
    one, two = counts
    return element("td", {"class": "more" if two > one else "less"}, f"{one} → {two}")


_MOVED = "The cells whose counts move"


def _figure(
    name: str,
    title: str,
    kind: str,
    heads: Sequence[Element],
    rows: Sequence[Element],
    rest: Sequence[str],
) -> Element:
    table = element(
        "table",
        {"class": kind},
        element("thead", {}, element("tr", {}, heads)),
        element("tbody", {}, rows),
    )
    return element(
        "figure",
        {"class": "witnesses", "aria-labelledby": f"{name}-title"},
        element("figcaption", {"id": f"{name}-title"}, title),
        scrolling(title, table),
        notes(rest),
    )


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
    placed = [*opening, *distance, compared, *semantics, example_pair_block(audit, caveats=True)]
    parts = [
        None if budgets is None else part("budgets", budgets.title, "Budgets", bare(budgets)),
        _distance(audit, *distance),
        _comparison(audit, compared),
        _curves(audit),
        _semantics(audit, semantics),
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


def _verdict(audit: Audit) -> Element:
    answer = headline(audit)
    first, *others = [said for said in answer.items if said.text != NO_BUDGET]
    below = head(replace(answer, items=tuple(others)))
    number = None if audit.release.placeholder is not None else key_number(audit)
    return verdict(first.tone, first.text, below, status=status_of(audit), key=number)


def _distance(audit: Audit, grid: Grid, lines: Lines | None) -> PageSection | None:
    witness = audit.universe.semi_adjacency.covering.witness
    drawn: list[Element] = []
    if witness is not None:
        cell = witness.record_from or witness.record_to or ()
        drawn = drawings(witness, attributes_of(audit, cell))
    words = None if lines is None else block_of(lines)
    return part("distance", grid.title, "a(t)", bare(grid), words, drawn)


def _comparison(audit: Audit, guarantees: Grid) -> PageSection | None:
    return part(
        "comparison",
        "Privacy definitions compared",
        "Comparison",
        block_of(guarantees),
        _epsilon_bars(audit),
    )


def _epsilon_bars(audit: Audit) -> Element | None:
    delta = max(audit.release.options.deltas, default=None)
    known = [point.delta for row in audit.rows for point in row.numbers.tightest]
    if delta not in known:
        return None
    entries = []
    for row in audit.rows:
        at = {point.delta: point.epsilon for point in row.numbers.tightest}
        name = row.guarantee.framework
        why = "refused" if row.guarantee.refused else "-"
        entries.append(Bar(label(name), at.get(delta), why, leading=name == LEADING))
    text = rational_text(delta)
    return bars(f"ε at δ = {text}", DEFINITION, "ε", entries, _TIGHTEST)


_TIGHTEST = (
    "The tightest conversion of each. Do not rank definitions by ε unless they are listed as "
    "comparable."
)


def _curves(audit: Audit) -> PageSection | None:
    named: dict[str, str] = {name: label(name) for name in NAMES}
    return curves_part(audit.curves, named, label(LEADING), [])


def _semantics(audit: Audit, blocks: Sequence[Grid]) -> PageSection | None:
    """Draw ρ of every kind of secret as bars; equal bars in D and inside Dₜ are merged."""
    letters = letters_of(audit.semantics)
    listed = []
    for group in merged(audit.semantics):
        universes = ", ".join(label(semantic.universe) for semantic in group)
        name = f"{name_of(group[0], letters)} ({universes}; distance {group[0].distance})"
        without = "not known" if group[0].has_pair else "no pair"
        listed.append(Bar(name, group[0].zcdp, without))
    drawn = bars("ρ of each kind of secret", "secret", "ρ", listed, _OF_SECRETS)
    title = "Privacy loss for each kind of secret"
    return part("semantics", title, "Semantics", *[drawn] * bool(listed), *map(block_of, blocks))


_OF_SECRETS = "Upper bounds, rounded up. The tables below define the letters."


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
