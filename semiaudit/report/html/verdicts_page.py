"""The page of many verdicts: a sortable table of specs, the failures, and the findings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from semiaudit.errors import MOST_NAMED
from semiaudit.frozen import dataclass
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import ApproxPoint, GuaranteeLine
from semiaudit.model.number_text import bound_text
from semiaudit.model.verdict import (
    ERROR,
    NO_BUDGET,
    PRECEDENCE,
    WORDS,
    WORST_FIRST,
    Verdict,
    exit_code_of_run,
)
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.notices import (
    NoticeGroup,
    grouped,
    most_severe_first,
    notices_of,
    severity,
    specs_of,
)
from semiaudit.report.blocks.plain_words import plain_verdicts
from semiaudit.report.blocks.summary import first_problem, line_of
from semiaudit.report.blocks.summary_table import survey_text
from semiaudit.report.blocks.verdict_view import (
    OF_SPECS,
    OF_THE_RUN,
    a_t_text,
    held_text,
    leading_measure,
    loss_text,
    unless_ignored,
    verdict_view,
)
from semiaudit.report.html.addresses import LinkTarget, relative_link, shown_paths
from semiaudit.report.html.blocks import bare, block_of, notes, table
from semiaudit.report.html.findings_list import findings_list, place_of
from semiaudit.report.html.frame import PageSection, page, part, verdict
from semiaudit.report.html.markup import Child, Element, element
from semiaudit.report.text.layout import Grid, Layout, Lines, tone_of

NOTES = (
    "a(t) uses the covering definition. An interval means that it is not exact.",
    "loss, advertised → effective: the mechanism's leading privacy measure (ρ, μ, or ε).",
    "ε: the best conversion, at the largest δ of the spec.",
)

PageOf = Callable[[str], str]
"""A map from a spec's path to the file of its page."""


def verdicts_page(
    verdicts: Sequence[Verdict], layout: Layout, page_of: PageOf | None = None
) -> str:
    """Return the page: the summary first, then every spec, the failures, and the findings.

    Args:
        page_of: gives the page of each spec, to which its name and its findings link; without it
            there are no such links.
    """
    files = {file for spec in verdicts for file in (spec.path, *(p.file for p in spec.problems))}
    shown_as = shown_paths(sorted(files))
    linked = _Linked({shown: path for path, shown in shown_as.items()}, layout, page_of)
    verdicts = [_renamed(spec, shown_as) for spec in verdicts]
    verdicts = verdicts if layout.verbose else plain_verdicts(verdicts)
    view = verdict_view(verdicts, layout)
    shown = [v for v in most_severe_first(verdicts) if v.exit_code or not layout.only_failures]
    budgets = [b for b in view.blocks if isinstance(b, Grid) and b.title != OF_SPECS]
    rest = [b for b in view.blocks if isinstance(b, Lines) and b.title == OF_THE_RUN]
    specs = specs_of(shown)
    parts = [
        part("specs", OF_SPECS, *_specs(specs, linked)) if specs else None,
        part("budgets", "Budgets", *map(block_of, budgets)),
        *_findings(shown, linked),
        *(part("run", block.title, bare(block)) for block in rest),
    ]
    code = exit_code_of_run(verdicts)
    sentence = f"Exit code: {code}."
    if layout.survey and specs_of(verdicts):
        sentence += f" {survey_text(Counter(spec.outcome for spec in specs_of(verdicts)))}"
    word = _word_of_run(verdicts)
    answer = verdict(tone_of(word) or "plain", view.title, element("p", {}, sentence), status=word)
    title = "Privacy audits" if len(verdicts) != 1 else verdicts[0].path
    return page("Summary", title, view.subtitle, answer, parts, wide=True)


def _word_of_run(verdicts: Sequence[Verdict]) -> str:
    codes = {verdict.exit_code: WORDS[verdict.outcome] for verdict in verdicts}
    code = exit_code_of_run([replace(verdict, tolerated=False) for verdict in verdicts])
    return codes.get(code, ERROR if code else NO_BUDGET)


@dataclass(frozen=True, slots=True)
class _Linked:
    """The link targets of file names on a page.

    Attributes:
        paths: the path of each file by the name that the page shows.
        page_of: gives the page of each spec; with None, names of specs are not links.
    """

    paths: Mapping[str, str]
    layout: Layout
    page_of: PageOf | None

    def spec(self, name: str, line: int = 0) -> LinkTarget | None:
        """Return the link target of the name of a spec, or of a line of it."""
        if self.page_of is None or name not in self.paths:
            return None
        return relative_link(self.page_of(self.paths[name]), self.layout, line)


def _renamed(spec: Verdict, shown_as: Mapping[str, str]) -> Verdict:
    problems = tuple(replace(p, file=shown_as[p.file]) for p in spec.problems)
    return replace(spec, path=shown_as[spec.path], problems=problems)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the specs: its text, and the number that sorts it (None to sort by the text)."""

    name: str
    numeric: bool
    text: Callable[[Verdict], str]
    key: Callable[[Verdict], float | None] | None = None


_COLUMNS = (
    _Column("verdict", False, lambda v: WORDS[v.outcome], lambda v: PRECEDENCE.index(v.exit_code)),
    _Column("a(t)", True, a_t_text, lambda v: _a_t(v)),
    _Column("loss", True, loss_text, lambda v: _measure(v)),
    _Column("ε (effective)", True, lambda v: _epsilon_text(v),
            lambda v: _epsilon(v)),
    _Column("budgets", False, held_text, lambda v: _failing(v)),
    _Column("findings", True, lambda v: str(len(notices_of(v))), lambda v: len(notices_of(v))),
)  # fmt: skip


def _specs(specs: Sequence[Verdict], linked: _Linked) -> list[Child]:
    """Return the table of all specs, with the controls that filter them by verdict.

    The style makes each row a grid, so that a browser lays out only the rows that are on the
    screen.
    """
    head = {"scope": "col"}
    heads = [element("th", head, "spec")]
    for column in _COLUMNS:
        heads.append(element("th", {**head, "class": _kind(column)}, column.name))
    rows = [
        element(
            "tr",
            {"data-status": WORDS[spec.outcome]},
            _named(spec, linked),
            [_cell(c, spec) for c in _COLUMNS],
        )
        for spec in specs
    ]
    shown = table(OF_SPECS, heads, rows, kind="sortable", titled=False)
    return [_filter(specs), shown, *notes(NOTES)]


def _filter(specs: Sequence[Verdict]) -> list[Element]:
    """Return the control that filters rows by verdict; without the script, there is none."""
    counts = Counter(WORDS[spec.outcome] for spec in specs)
    if len(counts) < 2:
        return []
    choices = {"": f"all ({len(specs)})"}
    choices |= {word: f"{word} ({counts[word]})" for word in WORST_FIRST if counts[word]}
    radios = [
        element(
            "label",
            {},
            element("input", {"type": "radio", "name": "status", "value": word,
                              "checked": not word}),
            f" {text}",
        )
        for word, text in choices.items()
    ]  # fmt: skip
    legend = element("legend", {}, "show")
    return [element("fieldset", {"class": "filter", "hidden": True}, legend, radios)]


def _named(spec: Verdict, linked: _Linked) -> Element:
    address = linked.spec(spec.path)
    name: Child = spec.path
    if address is not None:
        name = element("a", {"href": address}, spec.path)
    lines: list[Element] = []
    if spec.digest is not None:
        lines.append(element("div", {"class": "minor"}, spec.digest.title))
    problem = first_problem(spec)
    if problem:
        lines.append(element("div", {"class": "minor"}, problem))
    named = {"scope": "row", "data-sort": spec.path}
    return element("th", named, name, lines)


def _cell(column: _Column, spec: Verdict) -> Element:
    text = column.text(spec)
    kind = f"tone-{tone_of(text)}" if column.name == "verdict" else _kind(column)
    key = column.key(spec) if column.key is not None else None
    sort = "-" if key is None else "inf" if math.isinf(key) else key
    return element("td", {"class": kind, "data-sort": sort}, text)


def _kind(column: _Column) -> str | None:
    return "number" if column.numeric else None


def _a_t(spec: Verdict) -> float | None:
    if spec.digest is None:
        return None
    low, high = spec.digest.covering
    return math.inf if high is None else high if spec.digest.established else low


def _measure(spec: Verdict) -> float | None:
    _, bound = leading_measure(_line(spec))
    return None if bound is None else float(bound)


def _point(spec: Verdict) -> ApproxPoint | None:
    line = _line(spec)
    points = () if line is None or line.refused else line.numbers.tightest
    return points[0] if points else None


def _epsilon(spec: Verdict) -> float | None:
    point = _point(spec)
    return None if point is None else float(point.epsilon)


def _epsilon_text(spec: Verdict) -> str:
    point = _point(spec)
    return "-" if point is None else f"{bound_text(point.epsilon)} at {rational_text(point.delta)}"


def _line(spec: Verdict) -> GuaranteeLine | None:
    return None if spec.digest is None else line_of(spec.digest, LEADING)


def _failing(spec: Verdict) -> float | None:
    return sum(not result.holds for result in spec.budgets) if spec.budgets else None


def _findings(shown: Sequence[Verdict], linked: _Linked) -> list[PageSection | None]:
    notices = [notice for spec in shown for notice in notices_of(spec)]
    groups = grouped(sorted(unless_ignored(notices, linked.layout), key=severity))
    if not groups:
        return []
    listed = findings_list([(group.notice, _places(group, linked)) for group in groups])
    return [part("findings", f"Findings ({len(groups)})", listed)]


def _places(group: NoticeGroup, linked: _Linked) -> Child:
    notice = group.notice
    if len(group.files) == 1:
        return place_of(notice, linked.spec(notice.file, notice.line if notice.column else 0))
    children: list[Child] = [f"{len(group.files)} specs: "]
    for number, file in enumerate(group.files[:MOST_NAMED]):
        children += [", "] if number else []
        address = linked.spec(file)
        children.append(file if address is None else element("a", {"href": address}, file))
    more = len(group.files) - MOST_NAMED
    return [*children, f" and {more} more"] if more > 0 else children
