"""The result of a batch for reading: a row for each spec, and what fails, each sentence once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from semiaudit.model.verdict import Outcome, Verdict
from semiaudit.report.blocks.notices import (
    Notice,
    finding_lines,
    notices_of,
    outcomes_text,
    severity,
)
from semiaudit.report.blocks.plain_words import plain_verdicts
from semiaudit.report.blocks.verdict_view import OF_THE_RUN, specs_grid, unless_ignored
from semiaudit.report.text.layout import Layout, Lines, View, skipped_lines
from semiaudit.version import __version__


def batch_view(
    verdicts: Sequence[Verdict],
    places: Sequence[int],
    counts: Mapping[Outcome | str, int],
    reused: int,
    layout: Layout,
) -> View:
    """Arrange a batch. Of a verdict, only its row and what fails are kept.

    Args:
        verdicts: of all specs.
        places: which of them to show, in order.
        counts: the number of specs with each outcome, "" for not reached.
        reused: how many did not change since an earlier run.
    """
    failures: list[Notice] = []

    def shown() -> Iterator[Verdict]:
        for place in places:
            verdict = verdicts[place]
            if verdict.exit_code or not layout.only_failures:
                (read,) = [verdict] if layout.verbose else plain_verdicts([verdict])
                failures.extend(notice for notice in notices_of(read) if severity(notice) < 2)
                yield verdict

    specs = specs_grid(shown())
    items = [("reused", f"{reused} of them unchanged since an earlier run.")] if reused else []
    items += [("skipped", text) for text in skipped_lines(layout)]
    items += [("gate", survey_text(counts))] if any(counts.values()) else []
    blocks = (
        specs if specs.rows else None,
        finding_lines("Failures", unless_ignored(failures, layout)),
        Lines(OF_THE_RUN, tuple(items)) if items else None,
    )
    kept = tuple(block for block in blocks if block is not None)
    return View(outcomes_text(counts), f"semiaudit {__version__}", kept)


def survey_text(counts: Mapping[Outcome | str, int]) -> str:
    """Return how many specs `check` would fail; ``counts`` are those of each outcome."""
    total, without = sum(counts.values()), counts.get("audited", 0)
    fails = total - without - counts.get("holds", 0)
    return (
        f"This is a survey, not a gate: `semiaudit check` would fail {fails} of {total} "
        f"spec{'s' * (total > 1)}"
        + f", and {without} {'have' if without > 1 else 'has'} no budget" * (without > 0)
        + "."
    )
