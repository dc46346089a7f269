"""Designs for one query and one target, each audited as a spec that states it would be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from semiaudit import deadline, under_way
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Problem, Refusal, RefusedError, SpecError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import ONE_DATASET, Context
from semiaudit.mechanisms.designs import DESIGNS, NAIVE, Recipe
from semiaudit.mechanisms.designs.draft import Draft, Facts
from semiaudit.mechanisms.designs.facts import facts_of
from semiaudit.mechanisms.designs.intensity import NoDesignError, root_up, up
from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.access import Access
from semiaudit.model.audit import Release
from semiaudit.model.bound import Bound
from semiaudit.model.design import (
    Calibration,
    Design,
    DesignName,
    Target,
    limit_of,
    target_text,
    text_of,
)
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import Guarantee
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.mechanism import Mechanism
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, TableQuery
from semiaudit.privacy.evaluate import epsilon_at, mu_of, pure_epsilon, rho_of
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.resources import shipped
from semiaudit.spec.build import loaded
from semiaudit.spec.named_files import named_files, words_of
from semiaudit.spec.restated import with_mechanism
from semiaudit.spec.yaml12 import read_file
from semiaudit.spec.yaml12 import text_of as text_of_file
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.solver.integer_program import Limits
from semiaudit.workflow.audit.run import problems_of
from semiaudit.workflow.library.spec import Origin, Spec

TIGHT = Fraction(1, 10**6)
"""A design is tight if its audit finds the target but for this share."""

_CLOSE = Fraction(1, 10**9)
"""A design that is that close to its target is not made again."""

_ROOM = Fraction(1, 2 * 10**6)
"""By how much more a design is made longer than what its audit finds is above the target."""

_ATTEMPTS = 4
"""How often a design is made longer until its audit confirms the target."""

NO_NUMBER = "its audit finds no finite number in this measure"

NOT_AUDITED = (
    "Every number of what is met is found by auditing the design's own section as `semiaudit "
    "analyze` would; a design that cannot be audited is not shown as meeting the target."
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        path: of the spec. target: of the guarantee. framework: whose guarantee it is.
        names: of the designs that are asked for; empty for all.
    """

    path: str
    target: Target
    framework: FrameworkName = "semi_dp"
    names: tuple[DesignName, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The designs, and whether the spec is one that ships with the program."""

    calibration: Calibration
    example: bool = False


def calibrate(question: Question, time_limit: float, tolerance: float, access: Access) -> Answer:
    """Design noise for the query of a spec.

    Args:
        time_limit: seconds that all computations may take together.
        tolerance: how wide the bracket of a composed loss may be, relative to its upper end.
        access: what the caller allows the spec to reach and messages to quote.

    Raises:
        SpecError: the spec, its data, or a question that has no answer, such as one about a query
            where the spec names none.
    """
    with problems_of(question.path):
        under_way.doing("reading the spec")
        read = loaded(question.path, access, examples=True, designs=True)
        spec = Spec(read, Origin(read.release.path, access))
        try:
            with deadline.running(time_limit) as running:
                found = _calibrated(question, read.release, spec, time_limit, tolerance, access)
        except OutOfTimeError:
            what = "the time limit struck before the query's moves were known"
            raise RefusedError(Refusal(what, "raise --time-limit")) from None
    return Answer(
        replace(found, complete=found.complete and not running.struck), read.release.example
    )


def demand_one(calibration: Calibration) -> Calibration:
    """The same designs, if one of them meets the target.

    Raises:
        SpecError: none does; with the reason of each.
    """
    if any(design.meets for design in calibration.designs):
        return calibration
    reasons: dict[str, list[str]] = {}
    for design in calibration.designs:
        reasons.setdefault(design.refused, []).append(design.name)
    target = target_text(calibration.target)
    raise SpecError(
        [
            Problem(calibration.path, 0, 0, target, f"not met by {', '.join(names)}: {why}")
            for why, names in reasons.items()
        ]
    )


def files_of_design(answer: Answer, name: DesignName, path: str) -> list[tuple[str, str]]:
    """The files that state one design: the spec, and before it the matrix that it names.

    Args:
        path: of the spec that is to be written.

    Raises:
        SpecError: the design does not meet the target, or the spec names files relative to
            another folder than the one that it is written to.
    """
    design = next(design for design in answer.calibration.designs if design.name == name)
    if not design.meets or design.mechanism is None:
        demand_one(replace(answer.calibration, designs=(design,)))
        return []
    source = shipped(answer.calibration.path) if answer.example else None
    file = source or Path(answer.calibration.path)
    data = read_file(file)
    beside = named_files(words_of(data), file.parent)
    target = Path(path)
    if beside and target.resolve().parent != file.resolve().parent:
        what = f"names files of its own folder, such as {beside[0].name}"
        remedy = "write the new spec into that folder"
        raise SpecError([Problem(answer.calibration.path, 0, 0, "", what, remedy)])
    found, section = [], design.mechanism
    if design.matrix is not None:
        named = target.with_name(f"{target.stem}.{design.matrix.key}.csv")
        rows = "".join(",".join(map(text_of, row)) + "\n" for row in design.matrix.rows)
        found.append((str(named), rows))
        section = {
            kind: parameters | {design.matrix.key: named.name}
            for kind, parameters in section.items()
        }
    text = with_mechanism(text_of_file(data, str(file)), answer.calibration.path, section)
    return [*found, (path, text)]


def _calibrated(
    question: Question,
    release: Release,
    spec: Spec,
    time_limit: float,
    tolerance: float,
    access: Access,
) -> Calibration:
    if release.source is not None:
        from semiaudit.workflow.audit.counting import counted

        under_way.doing("counting the data")
        release = counted(release, access)
    query = _query_of(release)
    under_way.doing("a(t)")
    limits = Limits(time_limit)
    context = Context(
        universe_of(release, limits),
        release.adjacency,
        release.mechanism,
        SensitivitySpaces(release, limits),
    )
    distance = _distance(context, question.framework)
    under_way.doing("what the query can move by")
    facts = facts_of(context.spaces, query, question.framework, distance)
    auditor = _Auditor(question, context, spec, query, Accuracy(tolerance, TIME_LIMIT))
    wanted = {*question.names, *(NAIVE if question.names else ())} or {*DESIGNS}
    designs = [
        auditor.design(name, recipe, facts) for name, recipe in DESIGNS.items() if name in wanted
    ]
    naive = next((d for n in NAIVE for d in designs if d.name == n and d.meets), None)
    shown = tuple(
        _beside(design, naive)
        for design in designs
        if not question.names or design.name in question.names
    )
    return Calibration(
        path=release.path,
        title=release.title,
        query=str(query),
        framework=question.framework,
        distance=distance if NAMED[question.framework].up_to_a_t else 1,
        target=question.target,
        designs=shown,
        naive=naive.name if naive else "",
        notes=(NOT_AUDITED,),
        complete=not auditor.late,
    )


def _query_of(release: Release) -> Query:
    """The query of the design, or that of the noise that the mechanism adds.

    Raises:
        RefusedError: the spec names no query, or several.
    """
    found = (release.design,) if release.design is not None else queries_of(release.mechanism)
    if len(found) == 1 and found[0] is not None:
        return found[0]
    what = f"names {len(found)} queries" if found else "names no query to add noise to"
    remedy = "give one, such as design: {query: table}, in place of the mechanism"
    mark = release.mechanism.mark
    raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


def _distance(context: Context, framework: FrameworkName) -> int:
    """The distance of semi-adjacency; 1 where it is not established and not asked for.

    Raises:
        RefusedError: the framework's pairs are not known, or there are none.
    """
    distance = context.distance
    if context.universe.semi_adjacency.covering.upper == 0:
        raise RefusedError(Refusal(ONE_DATASET, "publish less exactly", "invariants"))
    if distance is None and NAMED[framework].up_to_a_t:
        what = context.no_distance
        raise RefusedError(Refusal(what, "give adjacency.distance", "adjacency"))
    return distance or 1


def _beside(design: Design, naive: Design | None) -> Design:
    """A design with its error as a ratio to the naive one's."""
    if design.expected_l2 is None or naive is None or naive.expected_l2 is None:
        return design
    return replace(design, ratio=design.expected_l2.value / naive.expected_l2.value)


@dataclass(slots=True)
class _Auditor:
    """Makes designs and audits them, all of one release."""

    question: Question
    context: Context
    spec: Spec
    query: Query
    accuracy: Accuracy
    late: bool = False

    def design(self, name: DesignName, recipe: Recipe, facts: Facts) -> Design:
        """One design: drafted, audited, made longer or shorter, and audited again."""
        under_way.doing(name)
        blank = Design(name, recipe.told)
        try:
            deadline.check()
            draft = recipe.draft(facts, self.question.target)
            return self._confirmed(blank, draft)
        except NoDesignError as none:
            return replace(blank, refused=str(none))
        except RefusedError as refused:
            return replace(blank, refused=refused.refusals[0].message)
        except SpecError as error:
            return replace(blank, refused=error.problems[0].message)
        except OutOfTimeError:
            self.late = True
            return replace(blank, refused="the time limit struck before its audit; raise it")

    def _confirmed(self, blank: Design, draft: Draft) -> Design:
        guarantee = self._audited(draft)
        if draft.sharp:
            factor = _factor(draft, guarantee.measures)
            if factor is not None and not 1 - _CLOSE <= factor <= 1:
                draft = draft.stretched(factor)
                guarantee = self._audited(draft)
        before, step = Fraction(0), Fraction(1)
        for _ in range(_ATTEMPTS):
            excess = self._excess(guarantee)
            if excess <= 0:
                break
            # what the last step gained tells how long the next one must be
            gained = before - excess if before > excess else step
            before, step = excess, excess * step / gained + _ROOM
            draft = draft.stretched(1 + step)
            guarantee = self._audited(draft)
        return self._told(blank, draft, guarantee)

    def _excess(self, guarantee: Guarantee) -> Fraction:
        """By what part the audit's number lies above the target; 0 where it does not, or none is
        known."""
        met, limit = self._met(guarantee), limit_of(self.question.target)
        if met is None or math.isinf(met.value) or met.within(limit):
            return Fraction(0)
        return Fraction(met.value) / limit - 1

    def _told(self, blank: Design, draft: Draft, guarantee: Guarantee) -> Design:
        met, limit = self._met(guarantee), limit_of(self.question.target)
        finite = met is not None and not math.isinf(met.value)
        meets = met is not None and finite and met.within(limit)
        why = guarantee.refused
        if not why and not finite:
            why = NO_NUMBER
        elif not why and not meets:
            why = "its audit finds more than the target"
        return replace(
            blank,
            mechanism=self.section(draft) if meets else None,
            matrix=replace(draft.matrix, rows=draft.rows()) if draft.matrix and meets else None,
            parameter=draft.parameter,
            scale=draft.value if draft.parameter else None,
            rank=draft.rank,
            expected_l2=draft.length,
            max_sd=draft.deviation,
            met=met,
            meets=meets,
            tight=meets and met is not None and Fraction(met.value) >= limit * (1 - TIGHT),
            notes=draft.notes,
            refused=why,
        )

    def _audited(self, draft: Draft) -> Guarantee:
        """What the framework states of the design's own section, as an audit would find it."""
        deadline.check()
        mechanism = self._mechanism(draft)
        queries_of(mechanism)
        context = replace(self.context, mechanism=mechanism)
        return FRAMEWORKS[self.question.framework](context)

    def _mechanism(self, draft: Draft) -> Mechanism:
        changed = self.spec.with_(design=None, mechanism=self.section(draft))
        return changed._release.mechanism

    def section(self, draft: Draft) -> dict[str, Any]:
        """The section of a spec that states a design."""
        inner: dict[str, Any] = dict(draft.more)
        if draft.parameter:
            inner[draft.parameter] = text_of(draft.value)
        if draft.matrix is not None:
            inner[draft.matrix.key] = [[text_of(x) for x in row] for row in draft.rows()]
        return {draft.kind: inner | {"query": _values_of(self.query)}}

    def _met(self, guarantee: Guarantee) -> Bound | None:
        """What is guaranteed in the target's measure."""
        measures = guarantee.measures
        if guarantee.refused or not measures:
            return None
        match self.question.target:
            case PureDP():
                return pure_epsilon(measures)
            case ZCDP():
                return rho_of(measures)
            case GDP():
                return mu_of(measures, self.accuracy)[0]
            case ApproxDP(delta=delta):
                return epsilon_at(measures, delta, self.accuracy)
            case _:
                assert_never(self.question.target)


def _factor(draft: Draft, measures: Sequence[Measure]) -> Fraction | None:
    """By how much the noise must be longer for its strength to be what is wanted, rounded up."""
    found = min(_strengths(draft, measures), default=None)
    if not found:
        return None
    ratio = found / draft.wanted
    match draft.strength:
        case "gdp" | "zcdp":
            return root_up(ratio)
        case "pure_dp":
            return up(ratio)
        case _:
            assert_never(draft.strength)


def _strengths(draft: Draft, measures: Sequence[Measure]) -> Iterator[Fraction]:
    """mu^2, epsilon or rho, as the kind of noise is measured."""
    for measure in measures:
        match draft.strength, measure:
            case "gdp", GDP():
                yield measure.mu_squared
            case "pure_dp", PureDP():
                yield measure.epsilon
            case "zcdp", ZCDP():
                yield measure.rho


def _values_of(query: Query) -> object:
    """A query as plain values of a spec."""
    match query:
        case TableQuery():
            return "table"
        case MarginsQuery():
            return {"margins": [list(names) for names in query.margins]}
        case MatrixQuery():
            inline = query.name == "matrix"
            return {"matrix": [list(row) for row in query.rows] if inline else query.name}
        case _:
            assert_never(query)
