"""Make and audit designs: from a draft to the audit of its spec section."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from math import exp, inf, isinf, log
from typing import Any, assert_never

from semiaudit import deadline, progress
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError, SpecError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.library.spec import Spec
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.count_errors import ErrorTable, errors_of_fit, errors_of_noise
from semiaudit.mechanisms.designs import Recipe
from semiaudit.mechanisms.designs.balls import Ball, ball_of, contains
from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts
from semiaudit.mechanisms.designs.intensity import NoDesignError, mu_squared_of, root_up, up
from semiaudit.mechanisms.designs.optimal_gaussian import Goal
from semiaudit.mechanisms.parts import flattened, queries_of
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.topdown.fitted_table import FittedTables
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING, FrameworkName
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.mechanism import Mechanism, Noise
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, TableQuery
from semiaudit.model.results.design import (
    AnyDesign,
    Design,
    DesignName,
    SamplingWay,
    Target,
    limit_of,
    text_of,
)
from semiaudit.model.results.errors import NO_MARGIN, CountErrors, ErrorQuestion
from semiaudit.privacy.certified_mu import mu_of
from semiaudit.privacy.epsilons import pure_epsilon, rho_of
from semiaudit.privacy.evaluate import epsilon_at
from semiaudit.privacy.loss import Accuracy

TIGHT = Fraction(1, 10**6)
"""A design is tight if its audit attains the target within this share."""

_CLOSE = Fraction(1, 10**9)
"""A design this close to its target is not changed any more."""

_ROOM = Fraction(1, 2 * 10**6)
"""The extra factor of a stretched design, in addition to the excess of its audit over the
target."""

_ATTEMPTS = 4
"""The most times that a design is made longer until its audit confirms the target."""

_SHORTENINGS = 16
"""The most shorter lengths of a design that are audited."""

NO_NUMBER = "its audit finds no finite number in this measure"


@dataclass(frozen=True, slots=True)
class CalibrationQuestion:
    """The question of a calibration.

    Attributes:
        path: of the spec. target, framework: the guarantee, and its privacy definition.
        names: the names of the requested designs; empty for all.
        errors: the margins whose errors are computed.
    """

    path: str
    target: Target
    framework: FrameworkName = LEADING
    names: tuple[AnyDesign, ...] = ()
    errors: ErrorQuestion = NO_MARGIN


@dataclass(slots=True)
class Auditor:
    """Make and audit designs, all of one release."""

    question: CalibrationQuestion
    context: Context
    spec: Spec
    query: Query
    facts: Facts
    accuracy: Accuracy
    table: ErrorTable | None = None
    fit: FittedTables | None = None
    late: bool = False
    _balls: dict[AnyDesign, Ball] = field(default_factory=dict)

    def design(self, name: DesignName, recipe: Recipe) -> Design:
        """Return one design: drafted, audited, made longer or shorter, and audited again."""
        progress.doing(name)
        blank = Design(name, recipe.description)
        try:
            deadline.check()
            draft = recipe.draft(self.facts, self.question.target)
            return self._confirmed(blank, draft)
        except NoDesignError as none:
            return replace(blank, refused=str(none))
        except RefusedError as refused:
            return replace(blank, refused=refused.refusals[0].message, late=deadline.left() <= 0)
        except SpecError as error:
            return replace(blank, refused=error.problems[0].message)
        except OutOfTimeError:
            self.late = True
            why = "the time limit was reached before its audit; raise --time-limit"
            return replace(blank, refused=why, late=True)

    def _confirmed(self, blank: Design, draft: DesignDraft) -> Design:
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
            # the gain of the last step shows how long the next one must be
            gained = before - excess if before > excess else step
            before, step = excess, excess * step / gained + _ROOM
            draft = draft.stretched(1 + step)
            guarantee = self._audited(draft)
        if draft.sharp:
            draft, guarantee = self._tightened(draft, guarantee)
        return self._audited_design(blank, draft, guarantee)

    def _tightened(
        self, draft: DesignDraft, guarantee: FrameworkGuarantee
    ) -> tuple[DesignDraft, FrameworkGuarantee]:
        """Return the shortest noise in the search whose audit confirms the target.

        The number of an audit need not decrease monotonically with the length of the noise (on a
        lattice, this is not proven), so only audited lengths are returned. The next length is
        between one that meets the target and one that does not, by linear interpolation of the
        logarithms.
        """
        aim = limit_of(self.question.target) * (1 - TIGHT / 2)
        met, factor = self._number(guarantee), Fraction(1)
        short: tuple[float, float] | None = None
        best, best_factor = (draft, guarantee), factor
        for _ in range(_SHORTENINGS):
            if met is None or aim * (1 - TIGHT / 2) <= met:
                break
            long = log(best_factor), log(met / aim)
            factor = Fraction(exp(_between(long, short)))
            shorter = draft.stretched(factor)
            shorter_guarantee = self._audited(shorter)
            number = self._number(shorter_guarantee)
            if number is None or number > limit_of(self.question.target):
                short = log(factor), log(number / aim) if number else inf
            elif number < met:
                break
            else:
                best, best_factor, met = (shorter, shorter_guarantee), factor, number
        return best

    def _number(self, guarantee: FrameworkGuarantee) -> Fraction | None:
        met = self._met(guarantee)
        if met is None or isinf(met.value) or not met.value:
            return None
        return Fraction(met.value)

    def _excess(self, guarantee: FrameworkGuarantee) -> Fraction:
        """Return the relative excess of the audit's number over the target; 0 if there is none."""
        met, limit = self._met(guarantee), limit_of(self.question.target)
        if met is None or isinf(met.value) or met.within(limit):
            return Fraction(0)
        return Fraction(met.value) / limit - 1

    def _audited_design(
        self, blank: Design, draft: DesignDraft, guarantee: FrameworkGuarantee
    ) -> Design:
        met, limit = self._met(guarantee), limit_of(self.question.target)
        finite = met is not None and not isinf(met.value)
        meets = met is not None and finite and met.within(limit)
        why = guarantee.refused
        if not why and not finite:
            why = NO_NUMBER
        elif not why and not meets:
            why = "its audit finds more than the target"
        ball = ball_of(draft, self.facts)
        if ball is not None:
            self._balls[blank.name] = ball
        sampling, not_sampled, errors = self._sampling(draft) if meets else (None, "", ())
        return replace(
            blank,
            mechanism=self.section(draft) if meets else None,
            matrix=replace(draft.matrix, rows=draft.rows()) if draft.matrix and meets else None,
            parameter=draft.parameter,
            scale=draft.value if draft.parameter else None,
            rank=draft.rank,
            expected_l2=draft.length,
            max_sd=draft.deviation,
            total_variance=draft.total,
            of_least_total=self._over_least("total", draft.total.value),
            of_least_largest=self._over_least("largest", draft.deviation.value**2),
            met=met,
            meets=meets,
            tight=meets and met is not None and Fraction(met.value) >= limit * (1 - TIGHT),
            sampling=sampling,
            not_sampled=not_sampled,
            errors=errors,
            notes=draft.all_notes(),
            refused=why,
        )

    def _over_least(self, goal: Goal, variance: float) -> float | None:
        mu_squared = mu_squared_of(self.question.target)
        try:
            least = self.facts.optimum(goal).least if mu_squared else None
        except NoDesignError:
            return None
        return variance * float(mu_squared) / float(least) if mu_squared and least else None

    def preferred(self, designs: Sequence[Design]) -> tuple[Design, ...]:
        """Return the designs with those that each is preferred over (Definition 8)."""
        balls = {d.name: self._balls[d.name] for d in designs if d.meets and d.name in self._balls}
        inside = {
            (inner, outer): contains(balls[outer], balls[inner])
            for inner, outer in permutations(balls, 2)
        }
        strictly = {
            name: tuple(o for o in balls if inside.get((name, o)) and not inside[o, name])
            for name in balls
        }
        return tuple(replace(d, preferred_over=strictly.get(d.name, ())) for d in designs)

    def _sampling(self, draft: DesignDraft) -> tuple[SamplingWay, str, tuple[CountErrors, ...]]:
        """Return how the design is sampled, why not if it is not, and the errors of its counts.

        The sampler samples once, even if the law of the errors is known.
        """
        deadline.check()
        context = replace(self.context, mechanism=self._mechanism(draft))
        ((part, _),) = flattened(context.made)
        errors: list[CountErrors] = []
        try:
            drawing = kind_of(part).sampler(part)(context.spaces, None)
            if not drawing.approximate:
                next(iter(drawing.outputs(None, 1, Randomness(0))))
            if self.table is not None and isinstance(part, Noise):
                asked = self.table, part, self.query, drawing, context.spaces, None
                with suppress(OutOfTimeError):
                    errors += errors_of_noise(*asked)
                    if self.fit is not None:
                        exact = self.table.row_major
                        errors += errors_of_fit(self.table, drawing, exact, self.fit)
        except RefusedError as refused:
            refusal = refused.refusals[0]
            return "impossible", f"{refusal.message}; {refusal.remedy}", ()
        if drawing.approximate:
            return "approximate", "", tuple(errors)
        return "exact" if drawing.whole else "floating_point", "", tuple(errors)

    def _audited(self, draft: DesignDraft) -> FrameworkGuarantee:
        deadline.check()
        mechanism = self._mechanism(draft)
        queries_of(mechanism)
        context = replace(self.context, mechanism=mechanism)
        return FRAMEWORKS[self.question.framework](context)

    def _mechanism(self, draft: DesignDraft) -> Mechanism:
        changed = self.spec.with_(design=None, mechanism=self.section(draft))
        return changed._release.mechanism

    def section(self, draft: DesignDraft) -> dict[str, Any]:
        """Return the spec section of a design."""
        inner: dict[str, Any] = dict(draft.more)
        if draft.parameter:
            inner[draft.parameter] = text_of(draft.value)
        if draft.matrix is not None:
            inner[draft.matrix.key] = [[text_of(x) for x in row] for row in draft.rows()]
        return {draft.kind: inner | {"query": _values_of(self.query)}}

    def _met(self, guarantee: FrameworkGuarantee) -> Bound | None:
        return met_of(self.question.target, guarantee, self.accuracy)


def _between(long: tuple[float, float], short: tuple[float, float] | None) -> float:
    """Return the logarithm of the next factor to audit, from those of (factor, number / aim).

    Args:
        long: of noise that meets the target. short: of noise that does not; None if none is known.
    """
    (outer, below) = long
    if short is None:
        return outer + below
    inner, above = short
    share = 0.5 if isinf(above) else min(max(below / (below - above), 0.05), 0.95)
    return outer + (inner - outer) * share


def met_of(target: Target, guarantee: FrameworkGuarantee, accuracy: Accuracy) -> Bound | None:
    """Return the guarantee in a target's measure; None if there is none."""
    measures = guarantee.measures
    if guarantee.refused or not measures:
        return None
    match target:
        case PureDP():
            return pure_epsilon(measures)
        case ZCDP():
            return rho_of(measures)
        case GDP():
            return mu_of(measures, accuracy)[0]
        case ApproxDP(delta=delta):
            return epsilon_at(measures, delta, accuracy)
        case _:
            assert_never(target)


def _factor(draft: DesignDraft, measures: Sequence[Measure]) -> Fraction | None:
    """Return the factor by which the noise must be longer to meet the target, rounded up."""
    strength = min(_strengths(draft, measures), default=None)
    if not strength:
        return None
    ratio = strength / draft.wanted
    match draft.strength:
        case "gdp" | "zcdp":
            return root_up(ratio)
        case "pure_dp":
            return up(ratio)
        case _:
            assert_never(draft.strength)


def _strengths(draft: DesignDraft, measures: Sequence[Measure]) -> list[Fraction]:
    """Return mu^2, epsilon or rho, by the kind of noise."""
    match draft.strength:
        case "gdp":
            return [measure.mu_squared for measure in measures if isinstance(measure, GDP)]
        case "pure_dp":
            return [measure.epsilon for measure in measures if isinstance(measure, PureDP)]
        case "zcdp":
            return [measure.rho for measure in measures if isinstance(measure, ZCDP)]
        case _:
            assert_never(draft.strength)


def _values_of(query: Query) -> object:
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
