"""Designs or swap rates for one target, each audited like a spec with that design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import isinf
from typing import Any

from semiaudit import deadline, progress
from semiaudit.auditing.confidential_table import error_table, fitted_tables
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.commands.calibrate.auditor import (
    NO_NUMBER,
    TIGHT,
    Auditor,
    CalibrationQuestion,
    met_of,
)
from semiaudit.commands.calibrate.view import found_text
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import ONE_DATASET, Context
from semiaudit.frozen import dataclass
from semiaudit.library.spec import Origin, Spec
from semiaudit.mechanisms.count_errors import MOST_CELLS, ErrorTable, errors_of_part
from semiaudit.mechanisms.designs import DESIGNS, NAIVE, Recipe
from semiaudit.mechanisms.designs.design_inputs import facts_of
from semiaudit.mechanisms.parts import flattened, queries_of
from semiaudit.mechanisms.swapping.rates import (
    FARTHEST,
    best_log_odds,
    rate_of_log_odds,
    short_rate,
)
from semiaudit.mechanisms.swapping.strata import Strata, strata_of
from semiaudit.mechanisms.swapping.stratum_loss import unit_loss
from semiaudit.mechanisms.topdown.fitted_table import FittedTables
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.bound import Bound, Causes, joined
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.mechanism import Mechanism, Noise, Swapping, parts_of
from semiaudit.model.query import Query
from semiaudit.model.results.design import (
    DESIGN_NAMES,
    SWAP_RATES,
    AnyDesign,
    Calibration,
    Design,
    DesignName,
    SwapRate,
    limit_of,
    text_of,
)
from semiaudit.model.results.errors import CountErrors
from semiaudit.numeric.limits import Limits
from semiaudit.numeric.rationals import decimal_text_up
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.report.blocks.count_errors import error_notes
from semiaudit.spec.build import Loaded, loaded
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

_STEPS = 44
"""Bisection steps of an interval of ln o."""

_TOLD: dict[SwapRate, str] = {
    "smaller_swap_rate": "the smallest swap rate that meets the target: few records move",
    "larger_swap_rate": "the largest swap rate that meets the target: few records stay",
}
_SOURCE = "Bailie, Gong and Meng; docs/swapping.md"

NOTHING = "no record is ever exchanged, so the swap rate has no effect"
_NO_END: dict[SwapRate, str] = {
    "smaller_swap_rate": "a small swap rate: every smaller one, to 1e-59, meets the target too",
    "larger_swap_rate": "a large swap rate: every larger one, to 1 - 1e-59, meets the target too",
}
_NEAR = Fraction(1, 10**9)
"""A rate, or 1 minus a rate, that replaces a bound that is not found."""


def swapping_of(release: Release) -> Swapping:
    """Return the swapping if it is the whole mechanism.

    Raises:
        RefusedError: the mechanism does more.
    """
    parts = flattened(release.mechanism)
    if len(parts) == 1 and isinstance(parts[0][0], Swapping) and parts[0][1] == 1:
        return parts[0][0]
    mark = release.mechanism.mark
    what = "is more than one swapping, so the target does not determine the swap rate"
    remedy = "calibrate the swapping alone, and compose it afterward"
    raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


@dataclass(frozen=True, slots=True)
class RateAuditor:
    """The search for swap rates, with their audits.

    Attributes:
        part: the swapping; if it has a rate, that is replaced.
    """

    question: CalibrationQuestion
    context: Context
    spec: Spec
    part: Swapping
    accuracy: Accuracy
    table: ErrorTable | None = None

    def designs(self) -> tuple[Design, ...]:
        """Return the smallest and the largest rate that meet the target, or why there is none.

        The loss decreases with the rate up to the optimal rate, and increases after.

        Raises:
            RefusedError: nothing is exchanged, so no target determines a rate.
        """
        progress.doing("the swap rate with the smallest loss")
        strata = strata_of(self.part, self.context.spaces.release)
        best = best_log_odds(self.part, strata.sizes)
        why = self._none_at(best, strata)
        if not why and not strata.largest:
            mark = self.part.mark
            remedy = (
                "exchange attributes that differ inside a stratum, or stratify by fewer attributes"
            )
            raise RefusedError(Refusal(NOTHING, remedy, "mechanism", mark.line, mark.column))
        if why:
            return tuple(replace(_blank(name), refused=why) for name in SWAP_RATES)
        return self._end("smaller_swap_rate", best), self._end("larger_swap_rate", best)

    def _none_at(self, best: float, strata: Strata) -> str:
        """Return why the optimal rate does not meet the target; empty if it does."""
        rate = rate_of_log_odds(best)
        guarantee = self._guarantee_at(rate)
        met = self._met(guarantee)
        if guarantee.refused or met is None or isinf(met.value):
            return guarantee.refused or NO_NUMBER
        if met.within(limit_of(self.question.target)):
            return ""
        least = decimal_text_up(Fraction(met.value), 6)
        at = text_of(short_rate(rate, up=False))
        why = f"the smallest number of any swap rate is {least}, at {at}"
        part = self.part
        own = unit_loss(rate, strata.sizes, part.variant, reselection=part.reselection)
        return why if own.attained and strata.all_differ else f"according to our bound, {why}"

    def _end(self, name: SwapRate, best: float) -> Design:
        progress.doing(name)
        outside = -FARTHEST if name == "smaller_swap_rate" else FARTHEST
        inside, blank = best, _blank(name)
        if inside == outside or self._meets(rate_of_log_odds(outside)):
            return self._open(name, outside)
        for _ in range(_STEPS):
            deadline.check()
            middle = (inside + outside) / 2
            if self._meets(rate_of_log_odds(middle)):
                inside = middle
            else:
                outside = middle
        rate = short_rate(rate_of_log_odds(inside), up=name == "smaller_swap_rate")
        return self._audited(blank, rate)

    def _open(self, name: SwapRate, outside: float) -> Design:
        blank = replace(_blank(name), description=f"{_NO_END[name]} ({_SOURCE})")
        near = self._audited(blank, _NEAR if outside < 0 else 1 - _NEAR)
        if near.meets:
            return near
        return self._audited(blank, short_rate(rate_of_log_odds(outside), up=outside < 0))

    def _audited(self, blank: Design, rate: Fraction) -> Design:
        section = section_of(self.part, rate)
        changed = self.spec.with_(design=None, mechanism=section)
        guarantee = self._of_mechanism(changed._release.mechanism)
        met, limit = self._met(guarantee), limit_of(self.question.target)
        meets = met is not None and met.within(limit)
        design = replace(blank, parameter="rate", scale=rate, met=met, meets=meets)
        if met is None or not meets:
            why = guarantee.refused or "its audit finds more than the target"
            return replace(design, refused=why)
        tight = Fraction(met.value) >= limit * (1 - TIGHT)
        errors: list[CountErrors] = []
        if self.table is not None:
            with suppress(RefusedError, OutOfTimeError):
                part = replace(self.part, rate=rate)
                errors += errors_of_part(self.table, part, self.context.spaces)
        return replace(design, mechanism=section, tight=tight, errors=tuple(errors))

    def _meets(self, rate: Fraction) -> bool:
        met = self._met(self._guarantee_at(rate))
        return met is not None and met.within(limit_of(self.question.target))

    def _guarantee_at(self, rate: Fraction) -> FrameworkGuarantee:
        return self._of_mechanism(replace(self.part, rate=rate))

    def _of_mechanism(self, mechanism: Mechanism) -> FrameworkGuarantee:
        context = replace(self.context, mechanism=mechanism)
        return FRAMEWORKS[self.question.framework](context)

    def _met(self, guarantee: FrameworkGuarantee) -> Bound | None:
        return met_of(self.question.target, guarantee, self.accuracy)


def section_of(part: Swapping, rate: Fraction) -> dict[str, Any]:
    """Return the spec section of a swapping at a rate."""
    inner: dict[str, Any] = {"rate": text_of(rate)}
    if not part.by_sizes:
        inner["stratify_by"] = list(part.stratify_by)
    if part.strata:
        inner["strata"] = list(part.strata)
    if part.largest_stratum is not None:
        inner["largest_stratum"] = part.largest_stratum
    if part.swap:
        inner["swap"] = list(part.swap)
    inner["variant"] = part.variant
    inner["reselection"] = part.reselection
    return {part.kind: inner}


def swapping_text(part: Swapping) -> str:
    """Describe what is exchanged."""
    names = ", ".join(part.swap) or "values"
    where = f"strata of {', '.join(part.stratify_by)}" if part.stratify_by else "strata"
    return f"{names} exchanged inside {where}"


def asked_of(designs: Sequence[Design], names: Sequence[str]) -> tuple[Design, ...]:
    """Return the designs with some names; all without names."""
    return tuple(design for design in designs if not names or design.name in names)


def _blank(name: SwapRate) -> Design:
    return Design(name, f"{_TOLD[name]} ({_SOURCE})")


NOT_AUDITED = (
    "Every number is that of an audit of the design, as by `semiaudit analyze`. A design "
    "that cannot be audited does not count as meeting the target."
)


def calibrate(
    question: CalibrationQuestion,
    time_limit: float,
    tolerance: float,
    access: Access,
    text: bytes | None = None,
) -> Calibration:
    """Design noise for the query of a spec.

    Args:
        time_limit: seconds for all computations together.
        tolerance: the relative bracket width of a composed loss.
        access: the caller's permissions for data access and for quotes in messages.
        text: the spec itself, if the path is only a name.

    Raises:
        SpecError: the spec or its data are not valid, or the question has no answer, for example if
            the spec names no query.
    """
    with problems_of(question.path):
        progress.doing("reading the spec")
        read = loaded(question.path, access, designs=True, text=text)
    return calibrated(question, read, time_limit, tolerance, access)


def calibrated(
    question: CalibrationQuestion,
    read: Loaded,
    time_limit: float,
    tolerance: float,
    access: Access,
) -> Calibration:
    """Design noise for the query of a spec that was read; otherwise like ``calibrate``."""
    with problems_of(question.path):
        _one_mechanism(read)
        spec = Spec(read, Origin(read.release.path, access))
        try:
            with deadline.running(time_limit) as running:
                calibration = _calibrated(question, read, spec, time_limit, tolerance, access)
        except OutOfTimeError:
            what = "the time limit was reached before the changes of the query were known"
            raise RefusedError(Refusal(what, "raise --time-limit")) from None
    late: Causes = ("time",) if running.was_reached else ()
    causes = joined(late, calibration.incomplete_because)
    return replace(calibration, incomplete_because=causes)


def _calibrated(
    question: CalibrationQuestion,
    read: Loaded,
    spec: Spec,
    time_limit: float,
    tolerance: float,
    access: Access,
) -> Calibration:
    # a(t) and what the query can change inside D_t depend on t, so the data are counted first.
    release = read.release
    if release.source is not None:
        progress.doing("counting the data")
        release = counted(release, access)
    swapped = release.design is None and bool(parts_of(release.mechanism, Swapping))
    query = None if swapped else _query_of(release)
    _check_names(question, release, SWAP_RATES if query is None else DESIGN_NAMES)
    progress.doing("a(t)")
    limits = Limits(time_limit)
    context = Context(
        universe_of(release, limits),
        release.adjacency,
        release.mechanism,
        SensitivitySpaces(release, limits),
    )
    distance = _distance(context, question.framework)
    accuracy = Accuracy(tolerance, TIME_LIMIT)
    blank = Calibration(
        path=release.path,
        title=release.title,
        query="",
        framework=question.framework,
        distance=distance if NAMED[question.framework].up_to_a_t else 1,
        target=question.target,
        designs=(),
        notes=(NOT_AUDITED,),
    )
    table = error_table(read, release, question.errors, access)
    if query is None:
        part = swapping_of(release)
        if question.errors.fitting is not None:
            what = "--nonnegative-integers is for noise, but the mechanism is swapping"
            raise RefusedError(Refusal(what, "remove it", "mechanism.swapping"))
        by_rate = RateAuditor(question, context, spec, part, accuracy, table).designs()
        asked_rates = asked_of(by_rate, question.names)
        notes = (*blank.notes, *_error_notes(question, asked_rates, release))
        return replace(blank, query=swapping_text(part), designs=asked_rates, notes=notes)
    progress.doing("the changes of the query")
    known = facts_of(context.spaces, query, question.framework, distance)
    facts = replace(known, named=bool(question.names))
    fit = _fit(question, release, query, table, access)
    auditor = Auditor(question, context, spec, query, facts, accuracy, table, fit)
    # A recipe only proposes noise: each number is that of an audit of this noise. The plain designs
    # are always made, because errors are compared with theirs.
    wanted = {*question.names, *(NAIVE if question.names else ())} or {*DESIGNS}
    recipes = sorted((pair for pair in DESIGNS.items() if pair[0] in wanted), key=_is_slow)
    found: dict[AnyDesign, Design] = {}
    for place, (name, recipe) in enumerate(recipes):
        progress.reached(place, len(recipes))
        share = 1 / (len(recipes) - place) if recipe.slow else 1
        with deadline.part(share):
            found[name] = auditor.design(name, recipe)
        progress.found(found_text(found[name]))
    designs = [found[name] for name in DESIGNS if name in found]
    naive = next((d for n in NAIVE for d in designs if d.name == n and d.meets), None)
    asked = [d for d in designs if not question.names or d.name in question.names]
    shown = tuple(_relative_to_naive(design, naive) for design in auditor.preferred(asked))
    return replace(
        blank,
        query=str(query),
        designs=shown,
        notes=(*blank.notes, *_error_notes(question, shown, release)),
        naive=naive.name if naive else "",
        own=next((design.name for design in shown if _is_own(design, release)), None),
        incomplete_because=("time",) if auditor.late else (),
    )


def _error_notes(
    question: CalibrationQuestion, designs: Sequence[Design], release: Release
) -> Iterator[str]:
    errors = [error for design in designs for error in design.errors]
    has_table = release.source is not None or isinstance(release.published, PublishedCounts)
    swapped = any(design.name in SWAP_RATES for design in designs)
    hidden = has_table and swapped and not errors
    return error_notes(errors, question.errors.by, confidential=has_table, hidden=hidden)


def _fit(
    question: CalibrationQuestion,
    release: Release,
    query: Query,
    table: ErrorTable | None,
    access: Access,
) -> FittedTables | None:
    fitting = question.errors.fitting
    if fitting is None:
        return None
    if not access.show_values:
        what = "the errors of fitted tables are functions of the confidential table"
        raise RefusedError(Refusal(what, "add --show-values, or remove --nonnegative-integers"))
    if table is not None and not table.fits:
        what = f"--nonnegative-integers is for tables with at most {MOST_CELLS:,} possible cells"
        raise RefusedError(Refusal(what, "remove it", "dataspace"))
    return fitted_tables(release, None if table is None else table.table, [query], fitting)


def _is_slow(named: tuple[DesignName, Recipe]) -> bool:
    return named[1].slow


def _check_names(
    question: CalibrationQuestion, release: Release, known: Sequence[AnyDesign]
) -> None:
    strange = [name for name in question.names if name not in known]
    if strange:
        mark = release.mechanism.mark
        what = f"{strange[0]} is not a design for the mechanism of this spec"
        remedy = f"choose one of {', '.join(known)}"
        raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


def _one_mechanism(read: Loaded) -> None:
    """Refuse several releases: a design must be one release."""
    if not isinstance(read.root, dict) or "releases" not in read.root:
        return
    what = "have several mechanisms, but a design is noise for one query of one mechanism"
    remedy = (
        "write a separate spec with the invariants of all releases and design: {query: ...}; then "
        "run `semiaudit analyze` with the design as one of the releases"
    )
    mark = read.document.mark(("releases",))
    raise RefusedError(Refusal(what, remedy, "releases", mark.line, mark.column))


def _query_of(release: Release) -> Query:
    queries = (release.design,) if release.design is not None else queries_of(release.mechanism)
    if len(queries) == 1 and queries[0] is not None:
        return queries[0]
    what = f"names {len(queries)} queries" if queries else "names no query to add noise to"
    remedy = "replace `mechanism:` with `design: {query: table}`"
    mark = release.mechanism.mark
    raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


def _distance(context: Context, framework: FrameworkName) -> int:
    """Return the distance of semi-adjacency; 1 if it is not established and not needed."""
    distance = context.distance
    if context.universe.semi_adjacency.covering.upper == 0:
        raise RefusedError(Refusal(ONE_DATASET, "publish less exactly", "invariants"))
    if distance is None and NAMED[framework].up_to_a_t:
        what = context.no_distance
        raise RefusedError(Refusal(what, "add adjacency.distance", "adjacency"))
    return distance or 1


def _is_own(design: Design, release: Release) -> bool:
    parts = parts_of(release.mechanism, Noise)
    if len(parts) != 1 or not design.tight or design.mechanism is None or design.matrix:
        return False
    section = design.mechanism.get(parts[0].kind)
    return section is not None and ("support" in section) == (parts[0].support is not None)


def _relative_to_naive(design: Design, naive: Design | None) -> Design:
    if design.expected_l2 is None or naive is None or naive.expected_l2 is None:
        return design
    return replace(design, ratio=design.expected_l2.value / naive.expected_l2.value)
