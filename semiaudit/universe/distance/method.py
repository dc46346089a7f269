"""A method for a(t), and the driver that asks a list of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Release
from semiaudit.model.semi_adjacency import Parameter


class Question(Protocol):
    """What the driver needs of a problem."""

    metric: Metric
    spelled: Release

    @property
    def unanswered(self) -> Refusal:
        """The refusal if all methods are silent."""
        ...

    def check(self, parameter: Parameter) -> None:
        """Raise WitnessError if a witness does not prove the lower bound."""
        ...


P = TypeVar("P", bound=Question)


@dataclass(frozen=True, slots=True)
class Answer:
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


@dataclass(frozen=True, slots=True)
class Method(Generic[P]):
    """One way to bound a(t), and the problems for which it is proven.

    Attributes:
        name: of the method, in errors and for tests.
        metrics: those for which its proof is written. It never sees a problem with another one.
        applies: whether its other hypotheses hold; it may be cheap and generous, because ``solve``
            can be silent.
        solve: returns intervals that contain a(t) by both definitions; None if it proves nothing.
        is_last: if it answers, no later method is asked. Those that remain would search for long,
            and seldom find a tighter bound.
    """

    name: str
    metrics: frozenset[Metric]
    applies: Callable[[P], bool]
    solve: Callable[[P], Answer | None]
    is_last: bool = False


class ContradictoryBoundsError(RuntimeError):
    """Two methods whose proven intervals do not meet: an internal error of the program."""


def ask(methods: Sequence[Method[P]], problem: P) -> Answer:
    """Return the intersection of what the methods prove.

    Every witness is checked. The methods are asked in order, until both definitions are known, or
    one is the last (``Method.is_last``).

    Raises:
        RefusedError: no method is proven for the metric, all are silent, or one refuses t.
        ContradictoryBoundsError: two proven intervals do not meet.
    """
    if not any(problem.metric in method.metrics for method in methods):
        mark = problem.spelled.adjacency.mark
        what = f"no method for a(t) is proven for the metric {problem.metric}"
        proven = sorted({metric for method in methods for metric in method.metrics})
        remedy = f"use {', '.join(proven)}"
        raise RefusedError(Refusal(what, remedy, "adjacency.metric", mark.line, mark.column))
    known: Answer | None = None
    for method in methods:
        if problem.metric not in method.metrics or not method.applies(problem):
            continue
        answer = method.solve(problem)
        if answer is None:
            continue
        for parameter in answer.parameters:
            problem.check(parameter)
        by = (method.name, method.name)
        answer = replace(answer, lower_by=by, upper_by=by)
        known = answer if known is None else _both(known, answer)
        if known.is_exact or method.is_last:
            break
    if known is None:
        raise RefusedError(problem.unanswered)
    return known


def _both(first: Answer, second: Answer) -> Answer:
    covering, *proven = _meet(first, second, 0)
    definition_13, *also = _meet(first, second, 1)
    return replace(
        first,
        covering=covering,
        definition_13=definition_13,
        lower_by=(proven[0], also[0]),
        upper_by=(proven[1], also[1]),
    )


def _meet(first: Answer, second: Answer, at: int) -> tuple[Parameter, str, str]:
    """Return the intersection for one definition, and the methods that proved its bounds."""
    best, other = first.parameters[at], second.parameters[at]
    lower_by, upper_by = first.lower_by[at], first.upper_by[at]
    if other.lower > best.lower:
        best, lower_by = (
            replace(best, lower=other.lower, witness=other.witness),
            second.lower_by[at],
        )
    if other.upper is not None and (
        best.upper is None or (other.upper, other.trivial) < (best.upper, best.trivial)
    ):
        best = replace(other, lower=best.lower, witness=best.witness)
        upper_by = second.upper_by[at]
    if best.upper is not None and best.lower > best.upper:
        raise ContradictoryBoundsError(
            f"{lower_by} proves that a(t) is at least {best.lower}, and {upper_by} that it is at "
            f"most {best.upper}"
        )
    return best, lower_by, upper_by
