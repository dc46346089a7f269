"""The guarantee of a mechanism by itself: what an audit without invariants says of it."""

from __future__ import annotations

from semiaudit import deadline
from semiaudit.mechanisms.loss import loss_at
from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.guarantee import Guarantee as Stated
from semiaudit.model.measure import Measure
from semiaudit.model.mechanism import Mechanism
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.workflow.library.guarantee import Guarantee

GAP = "It does not protect what more records say together than its distance."


def stated_at(
    mechanism: Mechanism, distance: int, metric: Metric, tolerance: float, time_limit: float
) -> Guarantee:
    """The guarantee in all of D up to a distance: the advertised one at 1, group privacy beyond.

    Args:
        mechanism: without a query.
        tolerance: of what is computed from a composed loss.
        time_limit: seconds in which the parts are composed.

    Raises:
        RefusedError: a part is of no known kind, or integer noise meets a fraction.
    """
    with deadline.running(time_limit):
        measures = measures_at(mechanism, distance, metric)
    stated = Stated(
        framework="nominal_dp" if distance == 1 else "group_privacy",
        universe="D",
        metric=metric,
        distance=distance,
        measures=measures,
        covers_joint_release=True,
        not_protected=GAP,
    )
    return Guarantee(stated, Accuracy(tolerance, TIME_LIMIT))


def measures_at(mechanism: Mechanism, distance: int, metric: Metric) -> tuple[Measure, ...]:
    """What holds in all of D between datasets up to a distance, of a mechanism without a query.

    Raises:
        RefusedError: a part is of no known kind, or integer noise meets a fraction.
    """
    spaces = SensitivitySpaces(_release(mechanism, metric))
    return loss_at(mechanism, distance, "D", spaces)


def _release(mechanism: Mechanism, metric: Metric) -> Release:
    """A release of the mechanism's output alone, over records of any kind."""
    return Release(
        path="",
        sha256="",
        title="",
        references=(),
        leaves_out=(),
        dataspace=TableSpace("record", None, ()),
        invariants=(),
        published=None,
        adjacency=Adjacency(metric),
        mechanism=mechanism,
        options=ReportOptions((), ()),
        budgets=(),
    )
