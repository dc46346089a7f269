"""Every finding and problem of many verdicts, each with its place."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from semiaudit.errors import Mark, Problem, Quote, listed, one_line
from semiaudit.frozen import dataclass
from semiaudit.model.audit import LEVELS, Finding, Level, Waiver
from semiaudit.model.labels import BUDGET_OF_POLICY, NOT_APPLICABLE, OWN_BUDGET, WAIVED
from semiaudit.model.rules import GONE, NOT_AUDITED
from semiaudit.model.verdict import ERROR, FAILED, PRECEDENCE, WORDS, WORST_FIRST, Outcome, Verdict
from semiaudit.report.text.layout import Layout, Lines

SUBJECTS = (
    (("is ", "has ", "cannot ", "contains "), "the file "),
    (("was ", "took "), "the spec "),
)
"""What a problem of a whole file is about; behind the name of the file, it goes without saying."""


Same = tuple[str, Level, str, Waiver | None]


@dataclass(frozen=True, slots=True)
class Notice:
    """A problem or finding that a verdict reports.

    Attributes:
        file: with ``/``. line: from 1; 1 if it concerns the file as a whole.
        column: from 1, or 0 if there is none.
        key: what it is about inside the file, in no words: as that of a finding, or the place of
            a problem in the spec.
        brief: as that of a finding.
        quote: the line of the spec and a caret, if it can be quoted.
    """

    rule: str
    level: Level
    message: str
    file: str
    line: int
    column: int
    key: str
    waived: Waiver | None = None
    brief: str = ""
    quote: Quote | None = None

    @property
    def same(self) -> Same:
        """The key of notices that say the same, of several files or definitions."""
        said = self.message.partition(NOT_APPLICABLE)[2] or self.message
        return self.rule, self.level, said, self.waived


def notices_of(verdict: Verdict) -> list[Notice]:
    """Return the notices of a verdict: problems first, then its findings in their order."""
    quotes = dict(verdict.quotes)
    notices = [_notice_of_problem(problem) for problem in verdict.problems]
    notices += [notice_of(verdict.path, finding) for finding in verdict.findings]
    return [
        replace(n, quote=quotes.get(Mark(n.line, n.column)) if n.file == verdict.path else None)
        for n in notices
    ]


def worst_first(verdicts: Sequence[Verdict]) -> list[Notice]:
    """Return all notices: what prevents an audit first, then errors, warnings, notes."""
    notices = [notice for verdict in verdicts for notice in notices_of(verdict)]
    return sorted(notices, key=severity)


def most_severe_first(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Sort verdicts by the precedence of their exit codes, and keep the order within each."""
    return sorted(verdicts, key=lambda verdict: PRECEDENCE.index(verdict.exit_code))


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """Notices that say the same: the first of them, and the files that have one."""

    notice: Notice
    files: tuple[str, ...]
    same: Same


def grouped(notices: Iterable[Notice]) -> list[NoticeGroup]:
    """Join notices that say the same, in the order of the first of each.

    Several of one file are counted. What does not apply to several definitions is one sentence.
    """
    alike: dict[Same, list[Notice]] = {}
    for notice in notices:
        alike.setdefault(notice.same, []).append(notice)
    groups = []
    for key, found in alike.items():
        first, files = found[0], tuple(dict.fromkeys(notice.file for notice in found))
        of = list(dict.fromkeys(n.message.removesuffix(f"{NOT_APPLICABLE}{key[2]}") for n in found))
        if len(of) > 1:
            message = f"{', '.join(of)}{NOT_APPLICABLE.replace('does', 'do')}{key[2]}"
            first = replace(first, message=message)
        elif len(found) > len(files):
            first = replace(first, message=f"{first.message} ({len(found)}×)")
        groups.append(NoticeGroup(first, files, key))
    return groups


def severity(notice: Notice) -> int:
    """Return 0 for what could not be audited, then by level; a waived finding counts as a note."""
    if notice.rule == NOT_AUDITED:
        return 0
    return 3 if notice.waived is not None else 1 + LEVELS.index(notice.level)


def counts_of(levels: Iterable[str]) -> str:
    """Return how many findings there are of each level: ``1 error, 2 warnings``."""
    counts = Counter(levels)
    known = [level for level in (*LEVELS, WAIVED) if counts[level]]
    return ", ".join(
        f"{counts[level]} {level}{'s' * (counts[level] > 1 and level != WAIVED)}" for level in known
    )


def finding_lines(
    title: str, notices: Sequence[Notice], *, file: str = "", notes: bool = True
) -> Lines | None:
    """Return findings with their lines, their number, and what explains them; None without any.

    Args:
        file: the file of which the report is, which goes without saying.
        notes: list notes too; without them, they are counted.
    """
    items: list[tuple[str, str]] = []
    quotes: list[tuple[int, Quote]] = []
    for group in grouped(n for n in notices if notes or level_of(n) != "note"):
        first, files = group.notice, group.files
        message = first.message + (f"; waived: {first.waived}" if first.waived else "")
        if first.quote and len(files) == 1 and first.quote not in dict(quotes).values():
            quotes.append((len(items), first.quote))
        place = _place(first, file) if len(files) == 1 else f"{len(files)} specs: {listed(files)}"
        place += ", " * bool(place)
        items.append((level_of(first), f"{message} ({place}{first.rule})"))
    levels, rules = [level_of(notice) for notice in notices], [n.rule for n in notices]
    next_ = f"To read what a rule means: semiaudit rule {rules[0]}" if rules else ""
    if NOT_AUDITED in rules:
        next_ = "Fix the spec, and run the command again."
    hidden = " (listed with --verbose)" if "note" in levels and not notes else ""
    items.append(("", f"{counts_of(levels)}{hidden}. {next_}"))
    return Lines(title, tuple(items), tuple(quotes)) if notices else None


def level_of(notice: Notice) -> str:
    """Return the level of a notice, or that it is waived."""
    return notice.level if notice.waived is None else WAIVED


def _place(notice: Notice, file: str) -> str:
    if notice.file == file:
        return f"line {notice.line}" if notice.column else ""
    return f"{notice.file}:{notice.line}:{notice.column}" if notice.column else notice.file


def specs_of(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts on specs, without those on waiver files."""
    return [verdict for verdict in verdicts if verdict.kind == "spec"]


def is_missing(verdict: Verdict) -> bool:
    """Return whether this is a spec of a baseline that no longer exists: it was not audited."""
    return any(finding.rule == GONE for finding in verdict.findings)


def summary_of(verdicts: Sequence[Verdict], *, incomplete: bool) -> str:
    """Return one sentence: how many specs were audited, and how many have each verdict."""
    specs = specs_of(verdicts)
    waived = sum(result.waived is not None for verdict in specs for result in verdict.budgets)
    missing = sum(map(is_missing, specs))
    text = counted(Counter(WORDS[verdict.outcome] for verdict in specs), len(specs), missing)
    text += f"; {waived} waived" if waived else ""
    failing = [v.path for v in verdicts if v.kind == "waivers" and WORDS[v.outcome] == FAILED]
    text += f"; expired waivers in {', '.join(failing)}" if failing else ""
    return text + ("; INCOMPLETE: the run was interrupted" if incomplete else "")


def outcomes_text(counts: Mapping[Outcome | str, int]) -> str:
    """Return the result of a batch: the number of specs with each outcome, "" for not reached."""
    words: Counter[str] = Counter()
    for outcome, word in WORDS.items():
        words[word] += counts.get(outcome, 0)
    text = counted(words, sum(counts.values()))
    text = text[0].upper() + text[1:]
    if counts.get(""):
        text += f"; INCOMPLETE: the run was interrupted; {counts['']} specs were not audited"
    return text


def counted(counts: Mapping[str, int], total: int, missing: int = 0) -> str:
    """Return the result of many audits: ``12 of 29 specs audited, 1 failed, 11 passed``.

    Args:
        counts: how many specs have each verdict of ``WORDS``.
        total: the number of specs, including those that an interrupted run did not reach.
        missing: how many specs of a baseline no longer exist; they failed without an audit.
    """
    if not total:
        return "no spec found"
    audited = sum(counts.values()) - counts.get(ERROR, 0) - missing
    plural = {ERROR: "s" * (counts.get(ERROR, 0) > 1)}
    words = (f"{counts[w]} {w}{plural.get(w, '')}" for w in WORST_FIRST if counts.get(w))
    return ", ".join([f"{audited} of {total} spec{'' if total == 1 else 's'} audited", *words])


def in_repository(path: str, layout: Layout) -> str:
    """Return a path relative to the repository, or without one to ``layout.root``.

    A path that is not inside is absolute.
    """
    if not layout.root:
        return posixpath.normpath(path)
    base = layout.repository or layout.root
    full = posixpath.normpath(posixpath.join(layout.root, path))
    folder, name = posixpath.split(full)
    for place in (full, posixpath.join(os.path.realpath(folder), name)):
        if posixpath.commonpath([place, base]) == base:
            return posixpath.relpath(place, base)
    return full


def _notice_of_problem(problem: Problem) -> Notice:
    message = _joined(problem.path, problem.message, problem.remedy)
    subject = next((s for verbs, s in SUBJECTS if message.startswith(verbs)), "")
    return Notice(
        NOT_AUDITED,
        "error",
        subject + message,
        one_line(problem.file),
        problem.line or 1,
        problem.column,
        problem.path,
    )


def notice_of(path: str, finding: Finding) -> Notice:
    """Return a finding at its place in a file."""
    mark = finding.mark
    return Notice(
        finding.rule,
        finding.level,
        one_line(finding.message),
        path,
        mark.line or 1,
        mark.column,
        finding.key,
        finding.waived,
        one_line(finding.brief),
    )


def of_both(notices: Sequence[Notice]) -> list[Notice]:
    """Notices of one file, with a failed budget of the spec and the same of the policy as one."""

    def rest(notice: Notice, whose: str) -> tuple[str, Waiver | None, str]:
        return notice.rule, notice.waived, notice.message.removeprefix(whose)

    of_policy = [n for n in notices if n.message.startswith(BUDGET_OF_POLICY)]
    own_budgets = {rest(n, OWN_BUDGET): n for n in notices if n.message.startswith(OWN_BUDGET)}
    repeated = {id(n): rest(n, BUDGET_OF_POLICY) for n in of_policy}
    repeated = {place: same for place, same in repeated.items() if same in own_budgets}
    shown_twice = {id(own_budgets[same]) for same in repeated.values()}
    shown = [notice for notice in notices if id(notice) not in repeated]
    return [
        replace(n, message=f"{OWN_BUDGET} (spec and policy){n.message.removeprefix(OWN_BUDGET)}")
        if id(n) in shown_twice
        else n
        for n in shown
    ]


def listed_together(notices: Sequence[Notice]) -> list[Notice]:
    """Notices of one file, with those that have a brief form as one, where the first of them is."""
    briefs: dict[tuple[str, Waiver | None], list[Notice]] = {}
    for notice in notices:
        if notice.brief:
            briefs.setdefault((notice.rule, notice.waived), []).append(notice)
    shown = []
    for notice in notices:
        others = briefs.get((notice.rule, notice.waived), [])
        if not notice.brief or len(notices) == 1:
            shown.append(notice)
        elif notice is others[0]:
            message = f"also weaker: {'; '.join(other.brief for other in others)}"
            shown.append(replace(notice, message=message))
    return shown


def _joined(path: str, message: str, remedy: str) -> str:
    what = f"{path}: {message}" if path else message
    return one_line(f"{what}; {remedy}" if remedy else what)
