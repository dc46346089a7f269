"""Methods that say for which metrics they are proven, and the driver that asks them in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.frameworks import UniverseName

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.question import Question

Answer = TypeVar("Answer")

HAMMING: frozenset[Metric] = frozenset({"hamming", "multiset_hamming"})
SYMMETRIC: frozenset[Metric] = frozenset({"symmetric_difference"})

IN_D: frozenset[UniverseName] = frozenset({"D"})
INSIDE: frozenset[UniverseName] = frozenset({"D_t"})


@dataclass(frozen=True, slots=True)
class Method(Generic[Answer]):
    """One way to answer a question about sensitivities.

    Attributes:
        name: of the method, for people.
        metrics: it is proven for these; it never sees another one.
        universes: it compares datasets of these.
        solve: return the answer, or None if that takes too long.
        applies: whether its other hypotheses hold.
    """

    name: str
    metrics: frozenset[Metric]
    universes: frozenset[UniverseName]
    solve: Callable[[Question], Answer | None]
    applies: Callable[[Question], bool] = lambda question: True


def first_answer(methods: Sequence[Method[Answer]], question: Question) -> Answer | None:
    """Return the answer of the first method that has one; None if none has.

    Raises:
        RefusedError: no method is proven for the metric.
    """
    adjacency = question.release.adjacency
    methods = [method for method in methods if question.universe in method.universes]
    require_metric(adjacency, frozenset().union(*(method.metrics for method in methods)))
    for method in methods:
        if adjacency.metric in method.metrics and method.applies(question):
            answer = method.solve(question)
            if answer is not None:
                return answer
    return None


def require_metric(adjacency: Adjacency, proven: frozenset[Metric]) -> None:
    """Refuse a metric for which nothing is proven.

    Raises:
        RefusedError: the metric is not one of those.
    """
    if adjacency.metric not in proven:
        raise RefusedError(unproven(adjacency, proven))


def unproven(adjacency: Adjacency, proven: frozenset[Metric]) -> Refusal:
    """Make the refusal of a metric; others are proven."""
    metric, mark = adjacency.metric, adjacency.mark
    return Refusal(
        f"the changes of queries are not known under the metric {metric}",
        f"use {' or '.join(sorted(proven - {metric}))}",
        "adjacency.metric",
        mark.line,
        mark.column,
    )
