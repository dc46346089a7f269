"""The page of many verdicts: a table of specs that readers sort, what fails, what was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from semiaudit.model.frameworks import ADVERTISED, LEADING, FrameworkName
from semiaudit.model.guarantee import Line
from semiaudit.model.verdict import PRECEDENCE, WORDS, Verdict, exit_code_of_run
from semiaudit.report.html.addresses import file_beside
from semiaudit.report.html.blocks import bare, block_of, notes, scrolling
from semiaudit.report.html.elements import Child, Element, element
from semiaudit.report.html.findings import findings_list, meanings, place_of
from semiaudit.report.html.frame import Part, page, part, verdict
from semiaudit.report.labels import label
from semiaudit.report.layout import Grid, Layout, Lines, Tone
from semiaudit.report.notices import (
    Group,
    grouped,
    most_severe_first,
    notices_of,
    severity,
    specs_of,
)
from semiaudit.report.summary import first_problem, line_of
from semiaudit.report.summary_table import epsilon_text, leading_measure, measure_text
from semiaudit.report.summary_view import NOTES
from semiaudit.report.verdict_view import (
    NAMED_FILES,
    OF_SPECS,
    OF_THE_RUN,
    a_t_text,
    held_text,
    unless_ignored,
    verdict_view,
)

_TONES: dict[int, Tone] = {0: "good", 1: "bad", 2: "bad", 3: "warning", 4: "bad"}

PageOf = Callable[[str], str]
"""From a spec's path to the file of its own page."""


def verdicts_page(
    verdicts: Sequence[Verdict], layout: Layout, page_of: PageOf | None = None
) -> str:
    """The summary first, then every spec, what fails, and what was found.

    Args:
        page_of: gives the page of each spec, to which its name links; without it the name links to
            the spec itself.
    """
    view = verdict_view(verdicts, layout)
    shown = [v for v in most_severe_first(verdicts) if v.exit_code or not layout.only_failures]
    budgets = [b for b in view.blocks if isinstance(b, Grid) and b.title != OF_SPECS]
    rest = [b for b in view.blocks if isinstance(b, Lines) and b.title == OF_THE_RUN]
    specs = specs_of(shown)
    parts = [
        part("specs", OF_SPECS, OF_SPECS, *_specs(specs, layout, page_of)) if specs else None,
        part("budgets", "Budgets", "Budgets", *map(block_of, budgets)),
        *_findings(shown, layout),
        *(part("run", block.title, "Run", bare(block)) for block in rest),
    ]
    code = exit_code_of_run(verdicts)
    told = f"A command over these specs ends with exit code {code}."
    answer = verdict(_TONES[code], view.title, element("p", {}, told))
    title = "Privacy audits" if len(verdicts) != 1 else verdicts[0].path
    return page("Summary", title, view.subtitle, answer, parts, wide=True)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the specs: its text, and by which number it is sorted; None: by the text."""

    name: str
    numeric: bool
    text: Callable[[Verdict], str]
    key: Callable[[Verdict], float | None] | None = None


_COLUMNS = (
    _Column("verdict", False, lambda v: WORDS[v.outcome], lambda v: PRECEDENCE.index(v.exit_code)),
    _Column("a(t)", True, a_t_text, lambda v: _a_t(v)),
    _Column(label(ADVERTISED), True, lambda v: measure_text(_line(v, ADVERTISED)),
            lambda v: _measure(v, ADVERTISED)),
    _Column(label(LEADING), True, lambda v: measure_text(_line(v, LEADING)),
            lambda v: _measure(v, LEADING)),
    _Column("ε (effective)", True, lambda v: epsilon_text(_line(v, LEADING)),
            lambda v: _epsilon(v)),
    _Column("budgets", False, held_text, lambda v: _failing(v)),
    _Column("findings", True, lambda v: str(len(notices_of(v))), lambda v: len(notices_of(v))),
)  # fmt: skip


def _specs(specs: Sequence[Verdict], layout: Layout, page_of: PageOf | None) -> list[Child]:
    heads = [element("th", {"scope": "col"}, "spec")]
    for column in _COLUMNS:
        kind = "number" if column.numeric else None
        heads.append(element("th", {"scope": "col", "class": kind}, column.name))
    rows = [
        element("tr", {}, _named(found, layout, page_of), [_cell(c, found) for c in _COLUMNS])
        for found in specs
    ]
    table = element(
        "table",
        {"class": "sortable"},
        element("thead", {}, element("tr", {}, heads)),
        element("tbody", {}, rows),
    )
    return [scrolling(OF_SPECS, table), *notes(NOTES)]


def _named(found: Verdict, layout: Layout, page_of: PageOf | None) -> Element:
    """The spec's name, its title, and why it did not pass."""
    address = file_beside(page_of(found.path) if page_of is not None else found.path, layout)
    name: Child = found.path
    if address is not None:
        name = element("a", {"href": address}, found.path)
    told: list[Element] = []
    if found.digest is not None:
        told.append(element("div", {"class": "beside"}, found.digest.title))
    problem = first_problem(found)
    if problem:
        told.append(element("div", {"class": "beside"}, problem))
    return element("th", {"scope": "row", "data-sort": found.path}, name, told)


def _cell(column: _Column, found: Verdict) -> Element:
    text = column.text(found)
    kind = "number" if column.numeric else None
    if column.name == "verdict":
        kind = f"tone-{_TONES[found.exit_code]}"
    key = column.key(found) if column.key is not None else None
    if key is not None and math.isinf(key):
        return element("td", {"class": kind, "data-sort": "inf"}, text)
    return element("td", {"class": kind, "data-sort": "-" if key is None else key}, text)


def _line(found: Verdict, framework: FrameworkName) -> Line | None:
    return None if found.digest is None else line_of(found.digest, framework)


def _a_t(found: Verdict) -> float | None:
    if found.digest is None:
        return None
    low, high = found.digest.covering
    return math.inf if high is None else high if found.digest.established else low


def _measure(found: Verdict, framework: FrameworkName) -> float | None:
    _, bound = leading_measure(_line(found, framework))
    return None if bound is None else float(bound)


def _epsilon(found: Verdict) -> float | None:
    line = _line(found, LEADING)
    points = () if line is None or line.refused else line.numbers.tightest
    return float(points[0].epsilon) if points else None


def _failing(found: Verdict) -> float | None:
    """How many budgets failed."""
    return sum(not result.holds for result in found.budgets) if found.budgets else None


def _findings(shown: Sequence[Verdict], layout: Layout) -> list[Part | None]:
    notices = [notice for found in shown for notice in notices_of(found)]
    groups = grouped(sorted(unless_ignored(notices, layout), key=severity))
    if not groups:
        return []
    listed = findings_list([(group.notice, _places(group, layout)) for group in groups])
    return [
        part("findings", f"Findings ({len(groups)})", "Findings", listed),
        meanings(group.notice.rule for group in groups),
    ]


def _places(group: Group, layout: Layout) -> Child:
    if len(group.files) == 1:
        return place_of(group.notice, layout)
    told: list[Child] = [f"{len(group.files)} specs: "]
    for number, file in enumerate(group.files[:NAMED_FILES]):
        told += [", "] if number else []
        address = file_beside(file, layout)
        told.append(file if address is None else element("a", {"href": address}, file))
    more = len(group.files) - NAMED_FILES
    return [*told, f" and {more} more"] if more > 0 else told
