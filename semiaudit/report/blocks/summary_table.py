"""The table of a batch, for a terminal or a pipe: one line per spec, and reasons for failures."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import wrap

from semiaudit.errors import listed
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import GuaranteeLine
from semiaudit.model.number_text import bound_text
from semiaudit.model.rules import OF_THE_AUDIT, PLACEHOLDER
from semiaudit.model.verdict import ERROR, FAILED, NO_BUDGET, PASSED, WORDS, Digest, Verdict
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.notices import counted, grouped, notices_of
from semiaudit.report.blocks.plain_words import plain
from semiaudit.report.blocks.summary import first_problem, line_of
from semiaudit.report.text.layout import Layout, skipped_lines

HEADER = ("verdict", "a(t)", "advertised", "effective", "effective ε", "budgets", "spec")
STYLES = {PASSED: "32", FAILED: "31", ERROR: "35", NO_BUDGET: "33"}
"""The colors of the verdicts on a terminal."""

_NARROWEST = 24


def summary_lines(
    verdicts: Sequence[Verdict], places: Sequence[int], layout: Layout
) -> Iterator[str]:
    """Yield the table, line by line. Only the texts of its cells are kept, to compute their widths.

    Args:
        verdicts: of all specs.
        places: which of them to show, in order.
        layout: if its columns are too narrow, the spec's name gets its own line, and its problems
            have several; nothing is ever cut.
    """
    widths = [len(name) for name in HEADER[:-1]]
    rows: list[tuple[tuple[str, ...], list[str], str]] = []
    longest = 0
    for place in places:
        verdict = verdicts[place]
        if layout.only_failures and not verdict.exit_code:
            continue
        cells = tuple(map(sys.intern, cells_of(verdict)))
        style = STYLES[WORDS[verdict.outcome]]
        rows.append((cells, _problem_lines(verdict, layout), style if layout.color else ""))
        widths = [max(w, len(cell)) for w, cell in zip(widths, cells, strict=False)]
        longest = max(longest, len(cells[-1]))
    if not rows:
        return
    fits = sum(widths) + 2 * len(widths) + min(longest, _NARROWEST) <= layout.width
    yield _laid_out(HEADER, widths, fits=fits)
    rule = _laid_out(tuple("-" * len(name) for name in HEADER), widths, fits=fits)
    yield rule if fits else rule.partition("\n")[2]
    for cells, problem, style in rows:
        yield _laid_out(cells, widths, fits=fits, style=style)
        yield from (f"    {line}\n" for line in problem)


def _problem_lines(verdict: Verdict, layout: Layout) -> list[str]:
    """Return why a spec did not pass, with the line of the spec and a caret."""
    text, more = first_problem(verdict), len(verdict.problems) - 1
    if more > 0:
        text += f" ({more} more: `semiaudit check {verdict.path}`)"
    room = max(layout.width, _NARROWEST) - 4
    lines = wrap(text, room, break_long_words=False, break_on_hyphens=False)
    return [*lines, *(notices_of(verdict)[0].quote or ())] if verdict.problems else lines


def finding_lines(
    verdicts: Sequence[Verdict], places: Sequence[int], layout: Layout
) -> Iterator[str]:
    """Yield the audits' findings of level error, each sentence once, with its specs.

    What budgets and the gate's rules say is listed with the specs. A placeholder is a rule of the
    gate only if a policy has the spec fail.
    """
    notices = (
        notice
        for place in places
        for notice in notices_of(verdicts[place])
        if notice.level == "error" and notice.waived is None
        if notice.rule in OF_THE_AUDIT
        or (
            notice.rule == PLACEHOLDER
            and (verdicts[place].tolerated or verdicts[place].outcome != "exceeds")
        )
    )
    for group in grouped(notices):
        if group.notice.rule not in layout.ignored:
            message = group.notice.message if layout.verbose else plain(group.notice.message)
            yield f"error: {message} ({listed(group.files)}, {group.notice.rule})\n"


def opening_lines(counts: dict[str, int]) -> list[str]:
    """Return the result of a batch: the number of specs with each outcome, "" for not reached."""
    total = sum(counts.values())
    words: Counter[str] = Counter()
    for outcome, word in WORDS.items():
        words[word] += counts.get(outcome, 0)
    summary = counted(words, total)
    lines = [f"{summary[0].upper()}{summary[1:]}."]
    if counts.get(""):
        lines.append(f"INCOMPLETE: the run was interrupted; {counts['']} specs were not audited.")
    return lines


def closing_lines(counts: dict[str, int], reused: int, layout: Layout) -> list[str]:
    """Return how many specs did not change, which files were skipped, and what a gate would say."""
    lines = [f"{reused} of them unchanged since an earlier run."] if reused else []
    lines += [f"Skipped {line}." for line in skipped_lines(layout)]
    return [*lines, survey_text(counts)] if any(counts.values()) else lines


def survey_text(counts: Mapping[str, int]) -> str:
    """Return how many specs `check` would fail; ``counts`` are those of each outcome."""
    total, without = sum(counts.values()), counts.get("audited", 0)
    fails = total - without - counts.get("holds", 0)
    return (
        f"This is a survey, not a gate: `semiaudit check` would fail {fails} of {total} "
        f"spec{'s' * (total > 1)}"
        + f", and {without} {'have' if without > 1 else 'has'} no budget" * (without > 0)
        + "."
    )


def cells_of(verdict: Verdict) -> tuple[str, ...]:
    """Return the row of a spec, under ``HEADER``."""
    digest = verdict.digest
    numbers = ("-", "-", "-", "-") if digest is None else _numbers(digest)
    held = sum(result.holds for result in verdict.budgets)
    budgets = f"{held}/{len(verdict.budgets)}" if verdict.budgets else "-"
    return (WORDS[verdict.outcome], *numbers, budgets, _printable(verdict.path))


def _numbers(digest: Digest) -> tuple[str, str, str, str]:
    lower, upper = digest.covering
    exact = lower == upper
    a = str(upper) if exact else f"{lower} to {upper}" if digest.established else f"≥ {lower}"
    nominal, leading = (line_of(digest, name) for name in (ADVERTISED, LEADING))
    return a, measure_text(nominal), measure_text(leading), epsilon_text(leading)


def measure_text(line: GuaranteeLine | None) -> str:
    """Return the leading measure with its number; ``-`` if there is none."""
    name, bound = leading_measure(line)
    return "-" if bound is None else f"{name} = {bound_text(bound)}"


def leading_measure(line: GuaranteeLine | None) -> tuple[str, Bound | None]:
    """Return the most informative measure of a guarantee, and its number; None if there is none."""
    if line is None or line.refused:
        return "", None
    numbers = line.numbers
    own_mu = numbers.gdp if numbers.gdp and numbers.gdp.method == "gdp" else None
    kinds = (("ε", numbers.pure_dp), ("μ", own_mu), ("ρ", numbers.zcdp))
    return next(((name, bound) for name, bound in kinds if bound), ("", None))


def epsilon_text(line: GuaranteeLine | None) -> str:
    """Return ε at the first δ; ``-`` if there is none."""
    if line is None or line.refused or not line.numbers.tightest:
        return "-"
    first = line.numbers.tightest[0]
    return f"{bound_text(first.epsilon)} at {rational_text(first.delta)}"


def _laid_out(cells: Sequence[str], widths: Sequence[int], *, fits: bool, style: str = "") -> str:
    pads: list[Callable[[str, int], str]] = [str.ljust, str.rjust, *[str.ljust] * (len(widths) - 2)]
    row = "  ".join(pad(cell, w) for pad, cell, w in zip(pads, cells, widths, strict=False))
    if style:
        row = f"\x1b[{style}m{cells[0]}\x1b[0m{row[len(cells[0]) :]}"
    return f"{row}  {cells[-1]}\n" if fits else f"{cells[-1]}\n  {row.rstrip()}\n"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
