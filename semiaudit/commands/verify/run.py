"""Verify code against a spec: the pair, the claim, the runs, and the tests."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from itertools import product
from pathlib import Path

from semiaudit import deadline, progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.commands.verify import PRESENTATION
from semiaudit.commands.verify.judge import Frozen, histogram_of, published_findings
from semiaudit.commands.verify.model import (
    FACTORS,
    ClaimTest,
    CodeFile,
    CodeRun,
    PremiseFinding,
    RunOutcome,
    Verified,
)
from semiaudit.commands.verify.one_run import verify_one_run
from semiaudit.commands.verify.outputs import cell_name, numbers_of
from semiaudit.commands.verify.pair import (
    noisy_coordinates,
    space_of,
    write_datasets,
)
from semiaudit.commands.verify.power import fewest, planned_tests
from semiaudit.commands.verify.runs import (
    run_until,
)
from semiaudit.commands.verify.scores import (
    Outputs,
    Score,
    custom,
    learned,
    likelihood_ratio,
    outputs_of,
)
from semiaudit.commands.verify.subject import Announce, Subject, VerifyOptions, subject_of
from semiaudit.data.files import rows_of_file
from semiaudit.errors import SemiauditError
from semiaudit.library.answer import EXIT_EXCEEDS, EXIT_HOLDS, EXIT_NOT_AUDITED, Answer
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.private_folders import private_folder
from semiaudit.spec.build import load_release

FIRST_PART = 4
"""The first part is one run in so many."""

LEAST_RUNS = 40
BATCH = 100
"""Judged runs between two looks at the e-process."""

MOST_SUMMED = 20_000
"""The most cells of a table whose sums are compared with T."""


class Verification(Answer[Verified]):
    """The verdict of a verification, with its tests, in every format of the command."""

    __slots__ = ()

    _presentation = PRESENTATION

    @property
    def exit_code(self) -> int:
        """Return 0 if the claim is consistent with all runs, 1 if violated, otherwise 2."""
        codes = {"consistent": EXIT_HOLDS, "violated": EXIT_EXCEEDS}
        return codes.get(self._result.verdict, EXIT_NOT_AUDITED)


def verify_path(
    path: str,
    options: VerifyOptions,
    time_limit: float,
    access: Access = CONFINED,
    text: bytes | None = None,
    announce: Announce = lambda _: None,
) -> Verification:
    """Read a spec, and verify code against it.

    Args:
        time_limit: seconds of the analysis, without the runs.
        announce: gets a line about the power of the tests before the first run.

    Raises:
        SpecError: the spec is not valid, or has no pair or no claim.
        SemiauditError: an option or a file is wrong.
    """
    with problems_of(path):
        with deadline.running(time_limit):
            progress.doing("the pair and the claim")
            release = counted(load_release(path, access, text=text), access)
            subject = subject_of(release, options, time_limit, access)
        if options.one_run:
            return Verification(verify_one_run(subject, time_limit, announce))
        if options.samples is not None:
            return Verification(_of_samples(subject, options.samples, access))
        return Verification(_of_runs(subject, announce))


def _of_runs(subject: Subject, announce: Announce) -> Verified:
    options, words = subject.options, subject.words()
    runner = subject.runner(words)
    code, test = subject.code(words), CodeTest(subject, coins=True)
    announce(test.power())
    progress.doing("running the code")
    with (
        private_folder() as folder,
        closing(subject.journal(words, (subject.pair.start, subject.pair.end))) as journal,
        deadline.running(options.stop_after or math.inf),
    ):
        datasets = write_datasets(subject.pair, subject.release, options.data_form, folder)
        last = test.first
        while True:
            finished = run_until(journal, runner, datasets, last, options.jobs)
            runs = journal.prefix(last)
            useless = all(run.outcome.kind != "ok" for run in runs)
            if not finished or last >= options.runs or useless or test.crossed(runs):
                break
            last = min(last + BATCH, options.runs)
    subject.check_unchanged(words, code)
    return test.verified(runs, code)


def _of_samples(subject: Subject, paths: tuple[str, str], access: Access) -> Verified:
    parts: tuple[list[CodeRun], list[CodeRun]] = ([], [])
    for path, on_x in zip(paths, (True, False), strict=True):
        names, rows = rows_of_file(Path(path), access)
        if len(rows) < LEAST_RUNS:
            raise SemiauditError(f"{path}: has {len(rows)} samples; give at least {LEAST_RUNS}")
        for at, row in enumerate(rows):
            outcome = RunOutcome("ok", numbers_of(zip(names, row, strict=True)))
            parts[at * FIRST_PART >= len(rows)].append(CodeRun(on_x, outcome))
    first, rest = parts
    return CodeTest(subject, coins=False, first=len(first)).verified([*first, *rest])


class CodeTest:
    """The tests of one verification, fixed before its runs."""

    def __init__(self, subject: Subject, *, coins: bool, first: int | None = None) -> None:
        self.subject, self.coins = subject, coins
        options, alpha = subject.options, float(1 - subject.options.confidence)
        self.first = max(options.runs // FIRST_PART, LEAST_RUNS // 2) if first is None else first
        self.tests = planned_tests(subject.claim, alpha, coins=coins)
        self.share = alpha / (len(self.tests) + 1)
        self._frozen: tuple[Frozen, str] | None = None

    def power(self) -> str:
        """Return how many runs detect a wrong claim, with the first part."""
        share = FIRST_PART / (FIRST_PART - 1)
        texts = [
            "over a million" if n is None else f"{math.ceil(n * share):,}"
            for n in fewest(self.tests) or (None,) * len(FACTORS)
        ]
        return (
            f"{self.subject.options.runs:,} runs. To detect a claim that is wrong by a factor of "
            f"1.5, 2, or 3 with a probability of 90%, use {texts[0]}, {texts[1]}, or {texts[2]}."
        )

    def frozen(self, runs: Sequence[CodeRun]) -> tuple[Frozen, str]:
        """Return what the first part chooses, once, and the name of the score."""
        if self._frozen is None:
            first = outputs_of(runs[: self.first], self.first)
            planned = self.subject.options.runs if self.coins else len(runs)
            score, name = self.score(first)
            judged = max(planned - self.first, 1)
            self._frozen = Frozen(first, score, self.tests, judged), name
        return self._frozen

    def score(self, first: Outputs) -> tuple[Score, str]:
        """Return the score: the caller's, the likelihood ratio, or one that is learned."""
        subject, named = self.subject, self.subject.options.score
        if named is not None:
            module, _, name = named.partition(":")
            try:
                sys.path.insert(0, os.path.abspath(subject.options.import_path))
                function = getattr(import_module(module), name)
            except Exception as error:  # noqa: BLE001 - the module is the caller's
                raise SemiauditError(f"--score {named}: {error}; correct the name") from None
            return custom(function, first.names), f"your function {named}"
        coordinates = noisy_coordinates(subject.context, subject.release, subject.pair)
        why = "the noise is not known"
        if coordinates is not None:
            score, missing = likelihood_ratio(first, coordinates)
            if score is not None:
                return score, "log-likelihood ratio of the noise of the spec"
            why = f"the output has no number {missing}"
        return learned(first), f"learned on the first part: {why}"

    def crossed(self, runs: Sequence[CodeRun]) -> bool:
        """Return whether an e-process refutes the claim after these runs."""
        if len(runs) <= self.first:
            return False
        judged = outputs_of(runs, self.first).part(slice(self.first, None))
        return self.frozen(runs)[0].crossed(judged)

    def verified(self, runs: Sequence[CodeRun], code: tuple[CodeFile, ...] = ()) -> Verified:
        """Judge runs in the order of their index."""
        progress.doing("judging the runs")
        subject = self.subject
        first = min(self.first, len(runs))
        base = replace(subject.verified(runs, code), first=first, coins=self.coins)
        if all(run.outcome.kind != "ok" for run in runs):
            return base
        if len(runs) < self.first + LEAST_RUNS // 2:
            note = f"{len(runs)} runs are too few; use at least {self.first + LEAST_RUNS // 2}."
            return replace(base, verdict="undecided", notes=(note,))
        (frozen, name), outputs = self.frozen(runs), outputs_of(runs, self.first)
        base, judged = replace(base, score=name), outputs.part(slice(self.first, None))
        if not subject.pair.inside:
            return _outside(base, frozen, judged)
        findings = premise_findings(subject, outputs)
        tests = self._tests(frozen, outputs, judged)
        seen = judged
        if self.coins and len(runs) < subject.options.runs:
            # the number of runs depends on what they showed, or how long they took: only the
            # e-process may be looked at then, and the exact number in a first fixed number of runs
            tests = [test for test in tests if test.kind == "e_process"]
            seen = judged.part(slice(0, BATCH))
            base = replace(
                base,
                notes=("The runs stopped early: only the curve and exact numbers are judged.",),
            )
        exact = frozen.exact_result(seen, subject.claim, self.share)
        if seen is not judged and len(seen.values) < BATCH:
            exact = None
        tests += [] if exact is None else [exact]
        proven = exact is not None and exact.rejects
        if frozen.exact is not None and (proven or frozen.separates(judged)):
            text = f"{frozen.exact.text}: this has no noise that hides it"
            findings.append(PremiseFinding(frozen.exact.cell, text, proven=proven))
        able = any(
            test.detectable is not None and test.detectable <= FACTORS[-1] and test.controls[-1]
            for test in tests
        )
        result = replace(base, tests=tuple(tests), findings=tuple(findings), verdict="undecided")
        if any(test.rejects for test in tests) or any(found.proven for found in findings):
            result = replace(result, verdict="violated")
        elif able and not findings and judged.failed.mean() <= 0.5:
            result = replace(result, verdict="consistent")
        histogram = histogram_of(frozen.scores(judged), judged.on_x)
        return replace(result, histogram=histogram)

    def _tests(self, frozen: Frozen, outputs: Outputs, judged: Outputs) -> list[ClaimTest]:
        controls = []
        for factor in FACTORS:
            quiet = outputs.with_less_noise(factor)
            first, rest = quiet.part(slice(0, self.first)), quiet.part(slice(self.first, None))
            control = Frozen(first, self.score(first)[0], self.tests, len(rest.values))
            controls.append([result.rejects for result in control.results(rest)])
        number = len(judged.values)
        results = zip(frozen.results(judged), self.tests, zip(*controls, strict=True), strict=True)
        return [
            replace(
                result,
                detectable=planned.detectable(number),
                needed=planned.needed(),
                controls=found,
            )
            for result, planned, found in results
        ]


def _outside(base: Verified, frozen: Frozen, judged: Outputs) -> Verified:
    """Judge a pair with different invariants: the output must show that they differ."""
    if frozen.separates(judged):
        note = "The datasets have different invariants, and the output shows it, as specified."
        return replace(base, verdict="consistent", notes=(note,))
    if base.failures or base.first < len(judged.names) + 20:
        note = "The first part is too short, or has too many failures, to find exact sums."
        return replace(base, verdict="undecided", notes=(note,))
    text = (
        "no exact number of the output differs between X and Y, although their invariants do: the "
        "code does not publish T as specified"
    )
    return replace(base, verdict="violated", findings=(PremiseFinding("T", text, proven=True),))


def premise_findings(subject: Subject, outputs: Outputs) -> list[PremiseFinding]:
    """Compare exact numbers of the output with the published margins and the size."""
    release, pair = subject.release, subject.pair
    space = space_of(release)
    if space.cells > MOST_SUMMED:
        return []
    margins = [
        constraint.attributes if isinstance(constraint, SameMargin) else ()
        for constraint in constraints_of(known(release.invariants))
        if isinstance(constraint, SameMargin | SameSize)
    ]
    table, published = dict(pair.start), dict[str, tuple[int, list[str]]]()
    for labels in product(*(map(a.label, range(a.size)) for a in space.attributes)):
        named = {a.name: str(label) for a, label in zip(space.attributes, labels, strict=True)}
        for margin in margins:
            name = cell_name({key: text for key, text in named.items() if key in margin})
            count, cells = published.get(name, (0, []))
            published[name] = count + table.get(labels, 0), [*cells, cell_name(named)]
    coordinates = noisy_coordinates(subject.context, release, pair)
    parts = flattened(subject.context.made)
    must = any(getattr(part, "support", None) is not None for part, _ in parts)
    noisy = None if coordinates is None else frozenset(c.name for c in coordinates)
    return published_findings(outputs, published, noisy, must=must)
