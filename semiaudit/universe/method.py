"""Methods that name the metrics for which they are proven, and what asks a list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.audit import Release
from semiaudit.model.semi_adjacency import Parameter


class Asked(Protocol):
    """A problem about a release."""

    @property
    def release(self) -> Release:
        """Return the release."""
        ...


P = TypeVar("P")
Q = TypeVar("Q", bound=Asked)
A = TypeVar("A")

ORDERED: frozenset[Metric] = frozenset({"hamming"})
EQUAL_SIZES: frozenset[Metric] = frozenset({"hamming", "multiset_hamming"})
UNORDERED: frozenset[Metric] = frozenset({"multiset_hamming", "symmetric_difference"})
OF_SETS: frozenset[Metric] = frozenset({"symmetric_difference"})
ALL_THREE: frozenset[Metric] = frozenset({"hamming", "multiset_hamming", "symmetric_difference"})

CHANGES = "the changes of queries"


@dataclass(frozen=True, slots=True)
class Method(Generic[P, A]):
    """One way to answer a question, and the problems for which it is proven.

    Attributes:
        name: of the method, in errors and for tests.
        metrics: those for which its proof is written. It never sees a problem with another one.
        applies: whether its other hypotheses hold; it may be cheap and generous, because ``solve``
            can be silent.
        solve: returns the answer; None if it proves nothing, or if that takes too long.
        is_last: if it answers, no later method is asked. Those that remain would search for long,
            and seldom find a tighter bound.
    """

    name: str
    metrics: frozenset[Metric]
    applies: Callable[[P], bool]
    solve: Callable[[P], A | None]
    is_last: bool = False


def answers(
    methods: Sequence[Method[Q, A]], problem: Q, subject: str = CHANGES
) -> Iterator[tuple[Method[Q, A], A]]:
    """Ask the methods in order, and yield those that answer, with their answers.

    Raises:
        RefusedError: no method is proven for the metric.
    """
    adjacency = problem.release.adjacency
    require_metric(adjacency, frozenset().union(*(method.metrics for method in methods)), subject)
    for method in methods:
        if adjacency.metric in method.metrics and method.applies(problem):
            answer = method.solve(problem)
            if answer is not None:
                yield method, answer


def first_answer(methods: Sequence[Method[Q, A]], problem: Q) -> A | None:
    """Return the answer of the first method that has one; None if none has.

    Raises:
        RefusedError: as ``answers``.
    """
    return next((answer for _, answer in answers(methods, problem)), None)


def require_metric(adjacency: Adjacency, proven: frozenset[Metric], subject: str = CHANGES) -> None:
    """Refuse a metric for which nothing is proven.

    Raises:
        RefusedError: the metric is not one of those.
    """
    if adjacency.metric not in proven:
        raise RefusedError(unproven(adjacency, proven, subject))


def unproven(adjacency: Adjacency, proven: frozenset[Metric], subject: str = CHANGES) -> Refusal:
    """Make the refusal of a metric; others are proven."""
    metric, mark = adjacency.metric, adjacency.mark
    return Refusal(
        f"no method for {subject} is proven for the metric {metric}",
        f"use {' or '.join(sorted(proven - {metric}))}",
        "adjacency.metric",
        mark.line,
        mark.column,
    )


class HasDistance(Asked, Protocol):
    """A problem of a(t)."""

    @property
    def unanswered(self) -> Refusal:
        """The refusal if all methods are silent."""
        ...

    def check(self, parameter: Parameter) -> None:
        """Raise WitnessError if a witness does not prove the lower bound."""
        ...


D = TypeVar("D", bound=HasDistance)


@dataclass(frozen=True, slots=True)
class ProvenBounds:
    """Intervals that contain a(t), with witnesses.

    Attributes:
        covering, definition_13: the two definitions of a(t).
        a_min, a_maxmin: Remark 14's values; None for one dataset, and if they are not computed.
        theorem_16_bound: as in ``SemiAdjacency``.
        lower_by, upper_by: for each definition, the name of the method that proved the bound.
    """

    covering: Parameter
    definition_13: Parameter
    a_min: int | None = None
    a_maxmin: int | None = None
    theorem_16_bound: int | None = None
    lower_by: tuple[str, str] = ("", "")
    upper_by: tuple[str, str] = ("", "")

    @property
    def parameters(self) -> tuple[Parameter, Parameter]:
        """Both definitions."""
        return self.covering, self.definition_13

    @property
    def is_exact(self) -> bool:
        """Whether both definitions are known."""
        return all(p.lower == p.upper for p in self.parameters)


class ContradictoryBoundsError(RuntimeError):
    """Two methods whose proven intervals do not meet: an internal error of the program."""


def ask(methods: Sequence[Method[D, ProvenBounds]], problem: D) -> ProvenBounds:
    """Return the intersection of what the methods prove.

    Every witness is checked. The methods are asked in order, until both definitions are known, or
    one is the last (``Method.is_last``).

    Raises:
        RefusedError: no method is proven for the metric, all are silent, or one refuses t.
        ContradictoryBoundsError: two proven intervals do not meet.
    """
    known: ProvenBounds | None = None
    for method, answer in answers(methods, problem, "a(t)"):
        for parameter in answer.parameters:
            problem.check(parameter)
        by = (method.name, method.name)
        named = replace(answer, lower_by=by, upper_by=by)
        known = named if known is None else _both(known, named)
        if known.is_exact or method.is_last:
            break
    if known is None:
        raise RefusedError(problem.unanswered)
    return known


def _both(first: ProvenBounds, second: ProvenBounds) -> ProvenBounds:
    covering, *proven = _meet(first, second, 0)
    definition_13, *also = _meet(first, second, 1)
    return replace(
        first,
        covering=covering,
        definition_13=definition_13,
        lower_by=(proven[0], also[0]),
        upper_by=(proven[1], also[1]),
    )


def _meet(first: ProvenBounds, second: ProvenBounds, at: int) -> tuple[Parameter, str, str]:
    """Return the intersection for one definition, and the methods that proved its bounds."""
    one, other = first.parameters[at], second.parameters[at]
    low, lower_by = one, first.lower_by[at]
    if other.lower > one.lower:
        low, lower_by = other, second.lower_by[at]
    high, upper_by = one, first.upper_by[at]
    if other.upper is not None and (
        one.upper is None or (other.upper, other.trivial) < (one.upper, one.trivial)
    ):
        high, upper_by = other, second.upper_by[at]
    # What another method proves is established, also where the size proves a smaller number.
    trivial = all(known.trivial for known in (one, other) if known.upper is not None)
    trivial = trivial and high.upper is not None
    best = replace(other, lower=low.lower, witness=low.witness, upper=high.upper, trivial=trivial)
    if best.upper is not None and best.lower > best.upper:
        raise ContradictoryBoundsError(
            f"{lower_by} proves that a(t) is at least {best.lower}, and {upper_by} that it is at "
            f"most {best.upper}"
        )
    return best, lower_by, upper_by
