"""Verify code against a spec: the pair, the claim, the runs, and the tests."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Literal

from semiaudit import deadline, progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import audit_release, problems_of
from semiaudit.commands.verify import PRESENTATION
from semiaudit.commands.verify.judge import (
    CONTROLS,
    Frozen,
    Published,
    exact_result,
    histogram_of,
    is_separated,
    plan_of,
    published_findings,
    sum_findings,
)
from semiaudit.commands.verify.model import (
    Claim,
    Pair,
    PremiseFinding,
    Run,
    RunKind,
    RunOutcome,
    TestResult,
    VerdictWord,
    Verified,
)
from semiaudit.commands.verify.outputs import add_number, cell_name
from semiaudit.commands.verify.pair import (
    attaining_pair,
    noisy_coordinates,
    pair_of_files,
    space_of,
    write_datasets,
)
from semiaudit.commands.verify.power import fewest
from semiaudit.commands.verify.runs import (
    CommandRunner,
    FunctionRunner,
    Journal,
    Runner,
    imported,
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


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What runs, on which data, how often, and how it is judged.

    Attributes:
        command, function, samples: what runs; exactly one of them.
        run_limit: seconds for one run. stop_after: seconds for all of them; None for no limit.
        first: the share of runs that choose the events is 1 in ``FIRST_PART``.
        guesses: of one run; None for all its moves.
    """

    command: str | None = None
    function: str | None = None
    samples: tuple[str, str] | None = None
    import_path: str = ""
    pair: tuple[str, str] | None = None
    data_form: Literal["records", "table"] = "records"
    runs: int = 1000
    jobs: int = 1
    run_limit: float = 60.0
    stop_after: float | None = None
    journal: str | None = None
    confidence: Fraction = Fraction(95, 100)
    score: str | None = None
    one_run: bool = False
    guesses: int | None = None
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


Announce = Callable[[str], None]


@dataclass(frozen=True)
class Subject:
    """A release with the pair and the claim that is tested on it."""

    release: Release
    context: Context
    pair: Pair
    claim: Claim
    limits: Limits


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
        announce: gets a line about the power of the test before the first run.

    Raises:
        SpecError: the spec is not valid, or has no pair or no claim.
        SemiauditError: an option or a file is wrong.
    """
    with problems_of(path), deadline.running(time_limit):
        progress.doing("reading the spec")
        release = counted(load_release(path, access, text=text), access)
        subject = subject_of(release, options, time_limit, access)
        if options.one_run:
            from semiaudit.commands.verify.one_run import verify_one_run

            return Verification(verify_one_run(subject, options, time_limit, announce))
        if options.samples is not None:
            return Verification(_of_samples(subject, options, access))
        return Verification(_of_runs(subject, options, announce))


def subject_of(
    release: Release, options: VerifyOptions, time_limit: float, access: Access
) -> Subject:
    """Return the pair and the claim for its distance."""
    space_of(release)
    progress.doing("the pair")
    limits = Limits(time_limit)
    spaces, universe = SensitivitySpaces(release, limits), universe_of(release, limits)
    context = Context(universe, release.adjacency, release.mechanism, spaces)
    if options.pair is not None:
        pair = pair_of_files(options.pair, release, access)
    else:
        pair = attaining_pair(context, release, limits)
    if not pair.distance:
        raise RefusedError(Refusal("the datasets of the pair are equal", "use two other ones"))
    progress.doing("the claim")
    claim = claim_at(release, pair.distance, time_limit) if pair.inside else Claim(None, None, None)
    return Subject(release, context, pair, claim, limits)


def claim_at(release: Release, distance: int, time_limit: float) -> Claim:
    """Return the certified numbers inside D_t for one distance.

    Raises:
        RefusedError: there are none.
    """
    stated = release.options
    deltas = tuple(sorted({*(d for d in stated.deltas if d >= LEAST_DELTA), *POINTS}))
    at = replace(
        release,
        adjacency=replace(release.adjacency, distance=distance),
        budgets=(),
        options=ReportOptions(deltas, stated.type_i, stated.priors),
    )
    row = next(r for r in audit_release(at, time_limit).rows if r.guarantee.framework == LEADING)
    if row.guarantee.refused:
        what = f"the spec claims nothing at distance {distance}: {row.guarantee.refused}"
        raise RefusedError(Refusal(what, "declare a guarantee, or noise on a query", "mechanism"))
    numbers = row.numbers
    points = tuple(
        (epsilon, float(point.delta))
        for point in sorted(numbers.tightest, key=lambda point: point.delta)
        if point.delta and (epsilon := _finite(point.epsilon)) is not None
    )
    claim = Claim(_finite(numbers.pure_dp), _finite(numbers.gdp), _finite(numbers.zcdp), points)
    if claim == Claim(None, None, None):
        what = f"the spec claims no finite number at distance {distance}"
        raise RefusedError(Refusal(what, "use a spec with a finite guarantee", "mechanism"))
    return claim


def _finite(bound: Bound | None) -> float | None:
    value = None if bound is None else float(bound.value)
    return None if value is None or value > 500 else value


def runner_of(options: VerifyOptions, names: Sequence[str]) -> CommandRunner | FunctionRunner:
    """Return what runs the code."""
    if options.command is not None:
        return CommandRunner(options.command, options.run_limit, names)
    if options.function is not None:
        return FunctionRunner(options.function, options.import_path, options.run_limit)
    raise SemiauditError("name the code: --command, --function, or --samples")


def code_sha256(files: Sequence[str]) -> str:
    """Return the hash of the files of the code, in the order of their contents; empty for none."""
    digests = []
    for file in files:
        try:
            digests.append(hashlib.sha256(Path(file).read_bytes()).hexdigest())
        except OSError as error:
            raise SemiauditError(f"{file}: cannot be read ({error.strerror})") from None
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest() if digests else ""


def _of_runs(subject: Subject, options: VerifyOptions, announce: Announce) -> Verified:
    release, pair = subject.release, subject.pair
    names = [attribute.name for attribute in space_of(release).attributes]
    runner = runner_of(options, names)
    code = code_sha256([*runner.files, *options.code])
    what = options.command or options.function or ""
    about = {
        "spec": release.sha256,
        "pair": hashlib.sha256(repr((pair.start, pair.end)).encode()).hexdigest(),
        "code": code,
        "runs": what,
        "form": options.data_form,
    }
    journal = Journal(options.journal, about)
    judgement = Judgement(subject, options, coins=True)
    judgement.announce(announce)
    try:
        with private_folder() as folder, deadline.running(options.stop_after or float("inf")):
            datasets = write_datasets(pair, release, options.data_form, folder)
            runs = _runs(journal, runner, datasets, judgement)
    finally:
        runner.close()
    return judgement.verified(runs, what, code)


def _runs(
    journal: Journal, runner: Runner, datasets: tuple[str, str], judgement: Judgement
) -> list[Run]:
    """Do the runs; stop early only if an e-process refutes the claim."""
    options, first = judgement.options, judgement.first
    progress.doing("running the code")
    last = first
    while True:
        finished = run_until(journal, runner, datasets, last, options.runs, options.jobs)
        runs = journal.prefix(last)
        if not finished or last >= options.runs or judgement.crossed(runs):
            return runs
        if last == first and all(run.outcome.kind != "ok" for run in runs):
            return runs  # the code does not work: more runs would not say more
        last = min(last + BATCH, options.runs)


def _of_samples(subject: Subject, options: VerifyOptions, access: Access) -> Verified:
    if options.samples is None:
        raise SemiauditError("--samples: name two files")
    sides = [_samples(path, access) for path in options.samples]
    share = 1 / FIRST_PART
    cuts = [int(len(side) * share) for side in sides]
    first = [
        Run(on_x, outcome)
        for on_x, side, cut in zip((True, False), sides, cuts, strict=True)
        for outcome in side[:cut]
    ]
    rest = [
        Run(on_x, outcome)
        for on_x, side, cut in zip((True, False), sides, cuts, strict=True)
        for outcome in side[cut:]
    ]
    judgement = Judgement(subject, options, coins=False, first=len(first))
    return judgement.verified([*first, *rest], " and ".join(options.samples), "")


def _samples(path: str, access: Access) -> list[RunOutcome]:
    names, rows = rows_of_file(Path(path), access)
    outcomes = []
    for row in rows:
        values: dict[str, float] = {}
        for name, cell in zip(names, row, strict=True):
            add_number(values, name, cell)
        outcomes.append(RunOutcome("ok", values))
    if len(outcomes) < LEAST_RUNS // 2:
        what = f"{path}: has {len(outcomes)} samples; give at least {LEAST_RUNS // 2}"
        raise SemiauditError(what)
    return outcomes


class Judgement:
    """The tests of one verification, fixed before its runs."""

    def __init__(
        self, subject: Subject, options: VerifyOptions, *, coins: bool, first: int | None = None
    ) -> None:
        self.subject, self.options, self.coins = subject, options, coins
        self.first = max(options.runs // FIRST_PART, LEAST_RUNS // 2) if first is None else first
        self.alpha = float(1 - options.confidence)
        self.plan = plan_of(subject.claim, self.alpha, coins=coins, inside=subject.pair.inside)
        self.score_name = ""
        self._frozen: Frozen | None = None

    def announce(self, announce: Announce) -> None:
        """Say how many runs detect a wrong claim."""
        if not self.plan.questions:
            return
        needed = fewest(self.plan.alone)
        # judged runs, and the first part with them
        texts = [
            "more than a million" if n is None else f"{-(-n * FIRST_PART // (FIRST_PART - 1)):,}"
            for n in needed
        ]
        announce(
            f"{self.options.runs:,} runs. To detect a claim that is wrong by a factor of 1.5, 2, "
            f"or 3 with a probability of 90 %, use {texts[0]}, {texts[1]}, or {texts[2]}."
        )

    def frozen(self, runs: Sequence[Run]) -> Frozen:
        """Return the score and the events that the first part chooses, once."""
        if self._frozen is None:
            first = outputs_of(runs[: self.first], self.first)
            score, self.score_name = self._score(first)
            judged = max(self.options.runs if self.coins else len(runs), len(runs)) - self.first
            self._frozen = Frozen(first, score, self.plan, max(judged, 1))
        return self._frozen

    def _score(self, first: Outputs) -> tuple[Score, str]:
        subject, options = self.subject, self.options
        if options.score is not None:
            module, _, name = options.score.partition(":")
            try:
                function = imported(options.import_path, module, name)
            except (ImportError, AttributeError, ValueError) as error:
                raise SemiauditError(f"--score {options.score}: {error}") from None
            return custom(function, first.names), f"your function {options.score}"
        coordinates = noisy_coordinates(subject.context, subject.release, subject.pair)
        if coordinates is None:
            return learned(first), "learned on the first part: the noise is not known"
        score, missing = likelihood_ratio(first.names, coordinates)
        if score is None:
            return learned(first), f"learned on the first part: the output has no number {missing}"
        return score, "log-likelihood ratio of the noise of the spec"

    def crossed(self, runs: Sequence[Run]) -> bool:
        """Return whether an e-process refutes the claim after these runs."""
        if len(runs) <= self.first or not self.plan.questions:
            return False
        judged = outputs_of(runs, self.first).part(slice(self.first, None))
        return self.frozen(runs).crossed(judged) is not None

    def verified(self, runs: Sequence[Run], what: str, code: str) -> Verified:
        """Judge runs in the order of their index."""
        progress.doing("judging the runs")
        labels = [run.on_x for run in runs]
        sizes = sum(labels), len(labels) - sum(labels)
        subject, release = self.subject, self.subject.release
        base = Verified(
            path=release.path,
            title=release.title,
            sha256=release.sha256,
            spec_sha256=release.sha256,
            code_sha256=code,
            what=what,
            pair=subject.pair,
            claim=subject.claim,
            confidence=float(self.options.confidence),
            verdict="not run",
            score="none",
            runs=sizes,
            first=min(self.first, len(runs)),
            tests=(),
            findings=(),
            failures=failures_of(runs),
            coins=self.coins,
            placeholder=release.placeholder_place,
        )
        if all(run.outcome.kind != "ok" for run in runs):
            return replace(base, notes=("No run wrote numbers.",))
        if len(runs) < self.first + LEAST_RUNS // 2:
            note = f"{len(runs)} runs are too few; use at least {self.first + LEAST_RUNS // 2}."
            return replace(base, verdict="undecided", notes=(note,))
        frozen = self.frozen(runs)
        outputs = outputs_of(runs, self.first)
        judged = outputs.part(slice(self.first, None))
        findings = premise_findings(subject, runs, outputs)
        if not subject.pair.inside:
            return self._outside(replace(base, score=self.score_name), frozen, judged)
        tests = self._tests(frozen, outputs, judged)
        findings += self._exact_findings(frozen, judged, tests)
        return replace(
            base,
            verdict=verdict_of(tests, findings, judged),
            score=self.score_name,
            tests=tuple(tests),
            findings=tuple(findings),
            histogram=histogram_of(frozen.scores(judged), judged.on_x),
        )

    def _tests(self, frozen: Frozen, outputs: Outputs, judged: Outputs) -> list[TestResult]:
        controls = []
        first = outputs.part(slice(0, self.first))
        for factor in CONTROLS:
            score, _ = self._score(first.with_less_noise(factor))
            quiet = outputs.with_less_noise(factor)
            parts = quiet.part(slice(0, self.first)), quiet.part(slice(self.first, None))
            control = Frozen(parts[0], score, self.plan, len(parts[1].values))
            controls.append([result.rejects for result in control.results(parts[1])])
        number = len(judged.values)
        tests = [
            replace(
                result,
                detectable=question.detectable(number),
                needed=question.needed(),
                controls=tuple(rejected[at] for rejected in controls),
            )
            for at, (result, (_, question)) in enumerate(
                zip(frozen.results(judged), self.plan.questions, strict=True)
            )
        ]
        share = self.alpha / (len(self.plan.questions) + 1)
        exact = exact_result(frozen, judged, self.subject.claim, share)
        return tests if exact is None else [*tests, exact]

    def _exact_findings(
        self, frozen: Frozen, judged: Outputs, tests: Sequence[TestResult]
    ) -> list[PremiseFinding]:
        if frozen.exact is None or not is_separated(frozen, judged):
            return []
        proven = any(test.kind == "exact" and test.rejects for test in tests)
        message = f"{frozen.exact.text}, in all runs: the spec does not list it as published"
        return [PremiseFinding(frozen.exact.cell, message, proven=proven)]

    @staticmethod
    def _outside(base: Verified, frozen: Frozen, judged: Outputs) -> Verified:
        if is_separated(frozen, judged):
            note = "The datasets have different invariants, and the output shows it, as specified."
            return replace(base, verdict="consistent", notes=(note,))
        message = (
            "no exact number of the output differs between X and Y, although their invariants do: "
            "the code does not publish T as specified"
        )
        finding = PremiseFinding("T", message, proven=True)
        return replace(base, verdict="violated", findings=(finding,))


def verdict_of(
    tests: Sequence[TestResult], findings: Sequence[PremiseFinding], judged: Outputs
) -> VerdictWord:
    """Return the verdict: consistent only if a claim that is wrong by 3 would be detected."""
    if any(test.rejects for test in tests) or any(finding.proven for finding in findings):
        return "violated"
    detectable = [test.detectable for test in tests if test.detectable is not None]
    able = bool(detectable) and min(detectable) <= 3
    return "consistent" if able and not findings and judged.failed.mean() <= 0.5 else "undecided"


def failures_of(runs: Sequence[Run]) -> tuple[tuple[RunKind, int, int, str], ...]:
    """Return how often each kind of failure happened, by label, with its first message."""
    found: dict[RunKind, list[Run]] = {}
    for run in runs:
        if run.outcome.kind != "ok":
            found.setdefault(run.outcome.kind, []).append(run)
    return tuple(
        (kind, *_by_label(failed), failed[0].outcome.message) for kind, failed in found.items()
    )


def _by_label(runs: Sequence[Run]) -> tuple[int, int]:
    on_x = sum(run.on_x for run in runs)
    return on_x, len(runs) - on_x


def premise_findings(
    subject: Subject, runs: Sequence[Run], outputs: Outputs
) -> list[PremiseFinding]:
    """Compare exact numbers of the output with T, for pairs with one T."""
    release, pair = subject.release, subject.pair
    if not pair.inside:
        return []
    coordinates = noisy_coordinates(subject.context, release, pair) or ()
    published, sums = published_of(release, pair)
    noisy = frozenset(c.name for c in coordinates)
    must = any(
        getattr(part, "support", None) is not None for part, _ in flattened(subject.context.made)
    )
    return [
        *published_findings(runs, published, noisy, outputs),
        *sum_findings(outputs, sums, must=must),
    ]


def published_of(
    release: Release, pair: Pair
) -> tuple[Published, Mapping[str, tuple[float, list[str]]]]:
    """Return the published counts by the names of their numbers, and of the cells of each."""
    space = space_of(release)
    counts: Counter[str] = Counter()
    cells: dict[str, list[str]] = {}
    if space.cells > MOST_SUMMED:
        return {}, {}
    table = dict(pair.start)
    margins: list[tuple[str, ...]] = []
    for constraint in constraints_of(known(release.invariants)):
        match constraint:
            case SameMargin():
                margins.append(constraint.attributes)
            case SameSize():
                margins.append(())
    for labels in product(*([a.label(k) for k in range(a.size)] for a in space.attributes)):
        named = {a.name: str(label) for a, label in zip(space.attributes, labels, strict=True)}
        full = cell_name(named)
        for margin in margins:
            name = cell_name({key: text for key, text in named.items() if key in margin})
            counts[name] += table.get(labels, 0)
            cells.setdefault(name, []).append(full)
    sums = {name: (float(counts[name]), places) for name, places in cells.items()}
    published = {name or "total": float(count) for name, count in counts.items()}
    return published, sums
