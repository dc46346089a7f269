"""The guarantee of a mechanism by itself: the result of an audit without invariants."""

from __future__ import annotations

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.arguments import seconds
from semiaudit.library.guarantee import Guarantee
from semiaudit.mechanisms.kind import NO_PATHS
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.dataspace import Dataspace, ListedSpace, TableSpace
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.measure import Measure
from semiaudit.model.mechanism import Finite, Mechanism
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.universe.explicit import datasets_of, is_adjacency_metric
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

GAP = "It does not protect what is learned from more records together than its distance."


def guarantee_at(
    mechanism: Mechanism, distance: int, metric: Metric, tolerance: float, time_limit: float
) -> Guarantee:
    """Return the guarantee in all of D: the advertised one at distance 1, else group privacy.

    Args:
        mechanism: a mechanism without a query.
        tolerance: of numbers that are computed from a composed loss.
        time_limit: seconds, above 0, for this call, and for each call of a method of the guarantee.
            Results that are cut short are looser, or are refused.

    Raises:
        ValueError: the time limit is out of range.
        RefusedError: the kind of a part is unknown, or integer noise is added to a fraction.
    """
    with deadline.running(seconds(time_limit)):
        measures = measures_at(mechanism, distance, metric)
    stated = FrameworkGuarantee(
        framework="nominal_dp" if distance == 1 else "group_privacy",
        universe="D",
        metric=metric,
        distance=distance,
        measures=measures,
        covers_joint_release=True,
        not_protected=GAP,
    )
    return Guarantee(stated, Accuracy(tolerance, TIME_LIMIT), time_limit)


def measures_at(mechanism: Mechanism, distance: int, metric: Metric) -> tuple[Measure, ...]:
    """Return the measures in all of D up to a distance, for a mechanism without a query.

    Raises:
        RefusedError: the kind of a part is unknown, integer noise is added to a fraction, or
            nothing holds in D.
    """
    release = release_of_mechanism(mechanism, metric)
    steps = distance == 1 or _steps_lead_on(release)
    spaces = SensitivitySpaces(release)
    loss = loss_at(mechanism, distance, "D", spaces, steps=steps, asked=("nominal_dp",))
    if loss.refused:
        remedy = "audit a spec: `semiaudit analyze`"
        remedy = "ask at distance 1" if loss.refused == NO_PATHS else remedy
        raise RefusedError(Refusal(loss.refused, remedy, "mechanism"))
    return loss.measures


def _steps_lead_on(release: Release) -> bool:
    """Return whether the metric is an adjacency metric on D (Definition 1).

    It is, if D contains all datasets.
    """
    space = release.dataspace
    if isinstance(space, TableSpace):
        return True
    return is_adjacency_metric(datasets_of(space), release.adjacency.metric)


def _dataspace(mechanism: Mechanism) -> Dataspace:
    """Return the datasets of a finite mechanism, which are all of D; else records of any kind."""
    rows = {part.rows for part, _ in flattened(mechanism) if isinstance(part, Finite)}
    if not rows:
        return TableSpace("record", None, ())
    if len({frozenset(listed) for listed in rows}) > 1:
        what = "finite parts have rows of different datasets"
        raise RefusedError(Refusal(what, "list the same datasets in each", "mechanism"))
    return ListedSpace("record", min(rows, key=str))


def release_of_mechanism(mechanism: Mechanism, metric: Metric) -> Release:
    """Return a release without invariants of a mechanism without a query."""
    return Release(
        path="",
        sha256="",
        title="",
        references=(),
        leaves_out=(),
        dataspace=_dataspace(mechanism),
        invariants=(),
        published=None,
        adjacency=Adjacency(metric),
        mechanism=mechanism,
        options=ReportOptions((), ()),
        budgets=(),
    )
