"""What is verified: a release with the pair, the claim for its distance, and the code that runs."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path

from semiaudit.auditing.run import audit_release
from semiaudit.commands.verify.model import (
    CodeFile,
    CodeRun,
    PairClaim,
    RunFailure,
    RunKind,
    Verified,
    VerifiedPair,
)
from semiaudit.commands.verify.pair import (
    attaining_pair,
    noisy_coordinates,
    pair_of_files,
    space_of,
)
from semiaudit.commands.verify.runs import (
    CodeRunner,
    RunJournal,
    words_of_command,
    words_of_function,
)
from semiaudit.errors import Refusal, RefusedError, SemiauditError
from semiaudit.frameworks.context import Context
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.bound import Bound
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import LEADING
from semiaudit.numeric.limits import Limits
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

POINTS = (Fraction(1, 100), Fraction(1, 10))
"""Deltas at which a claim is tested, with those of the spec that are at least ``LEAST_DELTA``."""

LEAST_DELTA = Fraction(1, 1000)
"""Smaller ones need more runs than there are, and would take a share of alpha."""

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
    guesses: int | None = None
    code: tuple[str, ...] = ()


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

    def code(self, words: Sequence[str]) -> tuple[CodeFile, ...]:
        """Return the files of the code, from the folder of the spec, with their hashes."""
        module = (self.options.function or "").partition(":")[0].replace(".", os.sep)
        own = [os.path.join(self.options.import_path, f"{module}.py")] if module else words
        folder = os.path.dirname(os.path.abspath(self.release.path))
        files = [w for w in [*own, *self.options.code] if os.path.isfile(w)]
        return tuple(
            CodeFile(
                os.path.relpath(file, folder), hashlib.sha256(Path(file).read_bytes()).hexdigest()
            )
            for file in files
        )

    def runner(self, words: Sequence[str]) -> CodeRunner:
        """Return what runs the code once."""
        names = [attribute.name for attribute in space_of(self.release).attributes]
        return CodeRunner(words, self.options.run_limit, names)

    def journal(self, words: Sequence[str], datasets: object) -> RunJournal:
        """Return the journal of these datasets and this code."""
        about = {"spec": self.release.sha256, "code": repr(self.code(words)), "what": self.what}
        # whoever has seen the verdict may not change how it is found, or how many runs there are
        asked = {**asdict(self.options), "jobs": 0, "stop_after": 0, "journal": ""}
        digest = hashlib.sha256(repr((datasets, sorted(asked.items()))).encode()).hexdigest()
        return RunJournal(self.options.journal, {**about, "datasets": digest})

    def check_unchanged(self, words: Sequence[str], code: tuple[CodeFile, ...]) -> None:
        """Compare the code after the runs with the code before them.

        Raises:
            SemiauditError: it has changed.
        """
        if self.code(words) != code:
            raise SemiauditError("the code changed while it ran; run verify again")

    def verified(self, runs: Sequence[CodeRun], code: tuple[CodeFile, ...] = ()) -> Verified:
        """Return the result, with everything that does not depend on the tests."""
        failed: dict[RunKind, list[CodeRun]] = {}
        for run in runs:
            if run.outcome.kind != "ok":
                failed.setdefault(run.outcome.kind, []).append(run)
        release = self.release
        return Verified(
            *(release.path, release.title, release.sha256, code, self.what),
            *(self.pair, self.claim, float(self.options.confidence), _by_label(runs)),
            tuple(
                RunFailure(kind, *_by_label(some), some[0].outcome.message)
                for kind, some in failed.items()
            ),
            placeholder=release.placeholder_place,
        )


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
    pair = replace(pair, attains=_attains(context, release, pair, claim))
    return Subject(release, context, pair, claim, limits, options)


def _attains(
    context: Context, release: Release, pair: VerifiedPair, claim: PairClaim
) -> bool | None:
    """Return whether the pair has the certified loss: None if the noise has no simple one."""
    if not pair.inside or pair.distance != context.distance:
        return False
    coordinates = noisy_coordinates(context, release, pair)
    if coordinates is None:
        return True
    shifts = [(c.laplace, abs(c.on_x - c.on_y), c.scale) for c in coordinates]
    if all(laplace for laplace, _, _ in shifts):
        loss = sum(shift / scale for _, shift, scale in shifts)
        claimed = next((epsilon for epsilon, delta in claim.points if delta == 0), None)
    else:
        loss, claimed = sum(shift**2 / scale for _, shift, scale in shifts) / 2, claim.rho
    if claimed is None or len({laplace for laplace, _, _ in shifts}) > 1:
        return None
    return loss >= claimed * (1 - 1e-9)


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


def _by_label(runs: Sequence[CodeRun]) -> tuple[int, int]:
    on_x = sum(run.on_x for run in runs)
    return on_x, len(runs) - on_x
