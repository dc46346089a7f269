"""Verify code against a spec: the pair, the claim, the runs, and the tests."""

from __future__ import annotations

import hashlib
import math
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from itertools import product
from pathlib import Path

from semiaudit import deadline, progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import audit_release, problems_of
from semiaudit.commands.verify import PRESENTATION
from semiaudit.commands.verify.judge import Frozen, histogram_of, published_findings
from semiaudit.commands.verify.model import (
    FACTORS,
    ClaimTest,
    CodeRun,
    PairClaim,
    PremiseFinding,
    RunKind,
    RunOutcome,
    Verified,
    VerifiedPair,
)
from semiaudit.commands.verify.outputs import cell_name, numbers_of
from semiaudit.commands.verify.pair import (
    attaining_pair,
    noisy_coordinates,
    pair_of_files,
    space_of,
    write_datasets,
)
from semiaudit.commands.verify.power import fewest, planned_tests
from semiaudit.commands.verify.runs import (
    CodeRunner,
    RunJournal,
    run_until,
    words_of_command,
    words_of_function,
)
from semiaudit.commands.verify.scores import (
    Outputs,
    Score,
    custom,
    learned,
    likelihood_ratio,
    outputs_of,
)
from semiaudit.data.files import rows_of_file
from semiaudit.errors import Refusal, RefusedError, SemiauditError
from semiaudit.frameworks.context import Context
from semiaudit.frozen import dataclass
from semiaudit.library.answer import EXIT_EXCEEDS, EXIT_HOLDS, EXIT_NOT_AUDITED, Answer
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.bound import Bound
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.frameworks import LEADING
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.numeric.limits import Limits
from semiaudit.private_folders import private_folder
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

FIRST_PART = 4
"""The first part is one run in so many."""

LEAST_RUNS = 40
BATCH = 100
"""Judged runs between two looks at the e-process."""

POINTS = (Fraction(1, 100), Fraction(1, 10))
"""Deltas at which a claim is tested, with those of the spec that are at least ``LEAST_DELTA``."""

LEAST_DELTA = Fraction(1, 1000)
"""Smaller ones need more runs than there are, and would take a share of alpha."""

MOST_SUMMED = 20_000
"""The most cells of a table whose sums are compared with T."""

LARGEST = 500.0
"""Larger numbers are no claim that runs can refute."""

Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What runs, on which data, how often, and how it is judged: the options of the command."""

    command: str | None = None
    function: str | None = None
    samples: tuple[str, str] | None = None
    import_path: str = ""
    pair: tuple[str, str] | None = None
    data_form: str = "records"
    runs: int = 1000
    jobs: int = 1
    run_limit: float = 60.0
    stop_after: float | None = None
    journal: str | None = None
    confidence: Fraction = Fraction(95, 100)
    score: str | None = None
    one_run: bool = False
    code: tuple[str, ...] = ()


class Verification(Answer[Verified]):
    """The verdict of a verification, with its tests, in every format of the command."""

    __slots__ = ()

    _presentation = PRESENTATION

    @property
    def exit_code(self) -> int:
        """Return 0 if the claim is consistent with all runs, 1 if violated, otherwise 2."""
        codes = {"consistent": EXIT_HOLDS, "violated": EXIT_EXCEEDS}
        return codes.get(self._result.verdict, EXIT_NOT_AUDITED)


@dataclass(frozen=True)
class Subject:
    """A release, with the pair and the claim that is tested on it."""

    release: Release
    context: Context
    pair: VerifiedPair
    claim: PairClaim
    limits: Limits
    options: VerifyOptions

    @property
    def what(self) -> str:
        """Return what runs, as the caller named it."""
        options = self.options
        return options.command or options.function or " and ".join(options.samples or ())

    def words(self) -> list[str]:
        """Return the command that runs the code."""
        options = self.options
        if options.command is not None:
            return words_of_command(options.command)
        return words_of_function(options.function or "", options.import_path)

    def code(self, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return the files of the code, from the folder of the spec, with their hashes."""
        module = (self.options.function or "").partition(":")[0].replace(".", os.sep)
        own = [os.path.join(self.options.import_path, f"{module}.py")] if module else words
        folder = os.path.dirname(os.path.abspath(self.release.path))
        files = [w for w in [*own, *self.options.code] if os.path.isfile(w)]
        return tuple(
            (os.path.relpath(file, folder), hashlib.sha256(Path(file).read_bytes()).hexdigest())
            for file in files
        )

    def runner(self, words: Sequence[str]) -> CodeRunner:
        """Return what runs the code once."""
        names = [attribute.name for attribute in space_of(self.release).attributes]
        return CodeRunner(words, self.options.run_limit, names)

    def journal(self, words: Sequence[str], datasets: object) -> RunJournal:
        """Return the journal of these datasets and this code."""
        about = {"spec": self.release.sha256, "code": repr(self.code(words)), "what": self.what}
        digest = hashlib.sha256(repr((datasets, self.options.data_form)).encode()).hexdigest()
        return RunJournal(self.options.journal, {**about, "datasets": digest})

    def verified(
        self, runs: Sequence[CodeRun], code: tuple[tuple[str, str], ...] = (), **found: object
    ) -> Verified:
        """Return the result, with everything that does not depend on the tests."""
        failed: dict[RunKind, list[CodeRun]] = {}
        for run in runs:
            if run.outcome.kind != "ok":
                failed.setdefault(run.outcome.kind, []).append(run)
        release = self.release
        result = Verified(
            *(release.path, release.title, release.sha256, code, self.what),
            *(self.pair, self.claim, float(self.options.confidence), _by_label(runs)),
            tuple((k, *_by_label(some), some[0].outcome.message) for k, some in failed.items()),
            placeholder=release.placeholder_place,
        )
        return replace(result, **found)  # type: ignore[arg-type]


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
            from semiaudit.commands.verify.one_run import verify_one_run

            return Verification(verify_one_run(subject, time_limit, announce))
        if options.samples is not None:
            return Verification(_of_samples(subject, options.samples, access))
        return Verification(_of_runs(subject, announce))


def subject_of(
    release: Release, options: VerifyOptions, time_limit: float, access: Access
) -> Subject:
    """Return the pair and the claim for its distance."""
    space_of(release)
    limits = Limits(time_limit)
    spaces, universe = SensitivitySpaces(release, limits), universe_of(release, limits)
    context = Context(universe, release.adjacency, release.mechanism, spaces)
    if options.pair is not None:
        pair = pair_of_files(options.pair, release, access)
    else:
        pair = attaining_pair(context, release, limits)
    if not pair.distance:
        raise RefusedError(Refusal("the datasets of the pair are equal", "use two other ones"))
    claim = claim_at(release, pair.distance, time_limit) if pair.inside else PairClaim()
    return Subject(release, context, pair, claim, limits, options)


def claim_at(release: Release, distance: int, time_limit: float) -> PairClaim:
    """Return the certified numbers inside D_t for one distance.

    Raises:
        RefusedError: there are none.
    """
    stated = release.options
    deltas = sorted({*(d for d in stated.deltas if d >= LEAST_DELTA), *POINTS})
    at = replace(
        release,
        adjacency=replace(release.adjacency, distance=distance),
        budgets=(),
        options=ReportOptions(tuple(deltas), stated.type_i, stated.priors),
    )
    rows = audit_release(at, time_limit).rows
    row = next(row for row in rows if row.guarantee.framework == LEADING)
    numbers, reason = row.numbers, row.guarantee.refused or "no number is finite"
    found = [(0.0, numbers.pure_dp), *((float(p.delta), p.epsilon) for p in numbers.tightest)]
    points = sorted((d, e) for d, bound in found if (e := _finite(bound)) is not None)
    claim = PairClaim(_finite(numbers.gdp), _finite(numbers.zcdp), tuple((e, d) for d, e in points))
    if row.guarantee.refused or claim == PairClaim():
        what = f"the spec claims nothing at distance {distance}: {reason}"
        raise RefusedError(Refusal(what, "declare a guarantee, or noise on a query", "mechanism"))
    return claim


def _finite(bound: Bound | None) -> float | None:
    """Return a claim, rounded up."""
    if bound is None or bound.value > LARGEST:
        return None
    number = float(bound.value)
    return number if number >= bound.value else math.nextafter(number, math.inf)


def _of_runs(subject: Subject, announce: Announce) -> Verified:
    options, words = subject.options, subject.words()
    runner = subject.runner(words)
    test = CodeTest(subject, coins=True)
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
    return test.verified(runs, subject.code(words))


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
            except (ImportError, AttributeError, ValueError) as error:
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

    def verified(self, runs: Sequence[CodeRun], code: tuple[tuple[str, str], ...] = ()) -> Verified:
        """Judge runs in the order of their index."""
        progress.doing("judging the runs")
        subject = self.subject
        first = min(self.first, len(runs))
        base = subject.verified(runs, code, first=first, coins=self.coins)
        if all(run.outcome.kind != "ok" for run in runs):
            return base
        if len(runs) < self.first + LEAST_RUNS // 2:
            note = f"{len(runs)} runs are too few; use at least {self.first + LEAST_RUNS // 2}."
            return replace(base, verdict="undecided", notes=(note,))
        (frozen, name), outputs = self.frozen(runs), outputs_of(runs, self.first)
        base, judged = replace(base, score=name), outputs.part(slice(self.first, None))
        if not subject.pair.inside:
            return _outside(base, shown=frozen.separates(judged))
        findings = premise_findings(subject, outputs)
        tests = self._tests(frozen, outputs, judged)
        if self.coins and len(runs) < subject.options.runs and any(t.at_run for t in tests):
            # the runs stopped because of what they showed: no other test may be looked at then
            tests = [replace(t, rejects=t.at_run is not None) for t in tests]
            base = replace(base, notes=("The runs stopped early: only the curve is judged.",))
        exact = frozen.exact_result(judged, subject.claim, self.share)
        tests += [] if exact is None else [exact]
        proven = exact is not None and exact.rejects
        if frozen.exact is not None and (proven or frozen.separates(judged)):
            text = f"{frozen.exact.text}: this has no noise that hides it"
            findings.append(PremiseFinding(frozen.exact.cell, text, proven=proven))
        able = any(test.detectable is not None and test.detectable <= 3 for test in tests)
        result = replace(base, tests=tuple(tests), findings=tuple(findings), verdict="undecided")
        if any(test.rejects for test in tests) or any(found.proven for found in findings):
            result = replace(result, verdict="violated")
        elif able and not findings and judged.failed.mean() <= 0.5:
            result = replace(result, verdict="consistent")
        histogram = histogram_of(frozen.scores(judged), judged.on_x)
        return replace(result, histogram=histogram)

    def _tests(self, frozen: Frozen, outputs: Outputs, judged: Outputs) -> list[ClaimTest]:
        controls = []
        for factor in FACTORS[:2]:
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


def _outside(base: Verified, *, shown: bool) -> Verified:
    """Judge a pair with different invariants: the output must show that they differ."""
    if shown:
        note = "The datasets have different invariants, and the output shows it, as specified."
        return replace(base, verdict="consistent", notes=(note,))
    text = (
        "no exact number of the output differs between X and Y, although their invariants do: the "
        "code does not publish T as specified"
    )
    return replace(base, verdict="violated", findings=(PremiseFinding("T", text, proven=True),))


def _by_label(runs: Sequence[CodeRun]) -> tuple[int, int]:
    on_x = sum(run.on_x for run in runs)
    return on_x, len(runs) - on_x


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
