"""Drift: what an earlier report promised, against what holds now.

Both sides are compared as the doubles that a report prints, rounded outward, so that the same
release twice is never weaker than itself; a change below one unit in the last place is not seen.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from semiaudit.gate.policy import number_name
from semiaudit.model.audit import Audit, BudgetMeasure, Finding, Release, ReportOptions
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING, PER_DISTANCE, FrameworkName
from semiaudit.model.guarantee import Line, Numbers, Row
from semiaudit.model.policy import Earlier
from semiaudit.model.rules import GONE, NOT_IN_BASELINE, WEAKER
from semiaudit.model.source import Mark
from semiaudit.numeric.rationals import float_up, rational_text, shortest_float


@dataclass(frozen=True, slots=True)
class Drift:
    """One number that got weaker.

    Attributes:
        now: what it is; None where it vanished or has no size, so that no waiver can accept it.
    """

    framework: str
    measure: str
    at: Fraction | None
    now: float | None
    finding: Finding


def earlier_of(path: str, baseline: Sequence[Earlier] | None) -> Earlier | None:
    """The earlier report's entry of a path; the last one if it is there several times."""
    wanted = posixpath.normpath(path)
    found = [e for e in baseline or () if posixpath.normpath(e.path) == wanted]
    return found[-1] if found else None


def with_points(release: Release, earlier: Earlier | None) -> Release:
    """The release, asked for epsilon and TPR wherever the earlier report told them."""
    if earlier is None:
        return release
    told = [line.numbers for line in earlier.lines]
    deltas = {point.delta for numbers in told for point in numbers.approx_dp if 0 < point.delta < 1}
    type_i_errors = {
        type_i for numbers in told for type_i, _ in numbers.tpr_at_fpr if 0 < type_i < 1
    }
    options = ReportOptions(
        tuple(sorted({*release.options.deltas, *deltas})),
        tuple(sorted({*release.options.type_i, *type_i_errors})),
    )
    return replace(release, options=options)


def drifts(audit: Audit, earlier: Earlier | None) -> list[Drift]:
    """Everything that is weaker than earlier: a(t), invariants, numbers, coverage, budgets."""
    if earlier is None:
        return []
    mark = audit.release.adjacency.mark
    found = [*_a_t(audit, earlier, mark), *_invariants(audit, earlier)]
    rows = {row.guarantee.framework: row for row in audit.rows}
    for line in earlier.lines:
        found += _of_line(rows.get(line.framework), line, audit, mark)
    return [*found, *_budgets(audit, earlier)]


def unknown(audit: Audit) -> Finding:
    """That the earlier report does not speak of the spec."""
    message = f"the baseline does not speak of {audit.release.path}: there is nothing to compare"
    return Finding(NOT_IN_BASELINE, "warning", message)


def gone(earlier: Earlier) -> Finding:
    """That a spec of the earlier report is no longer there to be judged."""
    message = (
        f"the baseline speaks of {earlier.path}, which is gone: its guarantees vanished unseen; "
        "write a new baseline if that is meant, or run from the directory of the old one"
    )
    return Finding(GONE, "error", message)


def _a_t(audit: Audit, earlier: Earlier, mark: Mark) -> Iterator[Drift]:
    semi, adjacency = audit.universe.semi_adjacency.joint, audit.release.adjacency
    if adjacency.metric != earlier.metric:
        told = f"the metric is {adjacency.metric}, and was {earlier.metric}: not to be compared"
        yield _drift(LEADING, "metric", told, mark)
        return
    if adjacency.reading == "definition_13" and earlier.reading == "covering":
        told = "the reading is definition_13, and was covering"
        yield _drift(LEADING, "reading", told, mark)
    now = semi.covering.value
    if earlier.covering is None or (now is not None and now <= earlier.covering):
        return
    if now is None:
        told = f"covering a(t) has no finite upper end, and had {earlier.covering}"
        if semi.covering.upper is not None:
            told = f"covering a(t) is not established, and was {earlier.covering}"
        yield _drift(LEADING, "a_t", told, mark)
    else:
        told = _by("covering a(t)", float(now), float(earlier.covering))
        yield _drift(LEADING, "a_t", told, mark, now=float(now))


def _invariants(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    """Another invariant leaves fewer datasets in D_t, and so fewer pairs (Definition 20).

    Other records of the same name can be another table, so that theirs are counted.
    """
    before = Counter(earlier.invariants)
    for found in audit.release.published_invariants:
        known = before[found.key]
        if found.other is not None:
            before[found.key] -= 1
        if known < 1:
            told = f"{found} is published exactly, and was not: D_t is smaller"
            yield _drift(LEADING, "invariants", told, found.mark)


def _of_line(row: Row | None, line: Line, audit: Audit, mark: Mark) -> Iterator[Drift]:
    name = line.framework
    if row is None or row.guarantee.refused:
        yield _drift(name, "guarantee", f"{name} is not stated any more", mark)
        return
    numbers, then = row.numbers, line.numbers
    fitted = numbers.gdp is not None and numbers.own_gdp is None
    weaker = [
        *_number(name, "rho", None, numbers.zcdp, then.zcdp, mark),
        *([] if fitted else _number(name, "mu", None, numbers.gdp, then.gdp, mark)),
        *_number(name, "epsilon", Fraction(0), numbers.pure_dp, then.pure_dp, mark),
    ]
    derived = [*_derived(numbers, line, mark)]
    if weaker and derived:
        brief = [d.finding.message.removeprefix(f"{name} ").split(": weaker")[0] for d in derived]
        told = f"; with it {'; '.join(brief)}"
        first = replace(weaker[0].finding, message=weaker[0].finding.message + told)
        weaker[0] = replace(weaker[0], finding=first)
    yield from weaker or derived
    yield from _coverage(row, line, audit, mark)


def _derived(numbers: Numbers, line: Line, mark: Mark) -> Iterator[Drift]:
    """Numbers that follow from rho, mu or epsilon: with one of them weaker, they are as well."""
    name, then = line.framework, line.numbers
    if numbers.gdp is not None and numbers.own_gdp is None:
        yield from _number(name, "mu", None, numbers.gdp, then.gdp, mark)
    yield from _number(name, "advantage", None, numbers.advantage, then.advantage, mark)
    for before in then.approx_dp:
        points = [point for point in numbers.approx_dp if point.delta <= before.delta]
        best = min(points, key=lambda point: point.epsilon.value, default=None)
        epsilon = best.epsilon if best else None
        for drift in _number(name, "epsilon", before.delta, epsilon, before.epsilon, mark):
            told = drift.finding.message
            if best is not None and best.conversion != before.conversion:
                told += f" (by {best.conversion}, and was by {before.conversion})"
            yield replace(drift, finding=replace(drift.finding, message=told))
    for type_i, power in then.tpr_at_fpr:
        known = [now for at, now in numbers.tpr_at_fpr if at >= type_i]
        lowest = min(known, key=lambda bound: bound.value, default=None)
        yield from _number(name, "tpr", type_i, lowest, power, mark)


def _coverage(row: Row, line: Line, audit: Audit, mark: Mark) -> Iterator[Drift]:
    """A smaller distance covers fewer pairs, unless a(t) itself became smaller."""
    now, then = row.guarantee.distance, line.distance
    covering = audit.universe.semi_adjacency.joint.covering.value
    if now is None or then is None or now >= then or line.framework in PER_DISTANCE:
        return
    if covering is None or now < covering:
        told = f"{line.framework} covers pairs up to distance {now}, and covered up to {then}"
        yield _drift(line.framework, "distance", told, mark)


def _number(
    framework: FrameworkName,
    measure: BudgetMeasure,
    at: Fraction | None,
    bound: Bound | None,
    before: Bound | None,
    mark: Mark,
) -> Iterator[Drift]:
    """Whether a number is larger than it was, or not known any more; both as they are printed."""
    name = number_name(framework, measure, at)
    now, then = _double(bound), _double(before)
    if then is None:
        return
    if now is None:
        told = f"{name} is not known any more, and was {_text(then)}"
        yield _drift(framework, measure, told, mark, at=at)
    elif now > then:
        yield _drift(framework, measure, _by(name, now, then), mark, at=at, now=now)


def _budgets(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    """Budgets that were raised or removed; a policy's stand for a spec's own."""
    for then in earlier.budgets:
        limits = {
            _double_of(budget.limit): budget.mark
            for budget in audit.release.budgets
            if (budget.framework, budget.measure, budget.distance)
            == (then.framework, then.measure, then.distance)
            and budget.at == then.at
        }
        name = f"the budget {number_name(then.framework, then.measure, then.at, then.distance)}"
        if not limits:
            told = f"{name} is gone; its limit was {_text(then.limit)}"
            yield _drift(then.framework, then.measure, told, Mark(), at=then.at)
            continue
        now = min(limits)
        if now > then.limit:
            told = _by(name, now, then.limit)
            yield _drift(then.framework, then.measure, told, limits[now], at=then.at, now=now)


def _drift(
    framework: str,
    measure: str,
    message: str,
    mark: Mark,
    *,
    at: Fraction | None = None,
    now: float | None = None,
) -> Drift:
    finding = Finding(WEAKER, "error", message, mark)
    return Drift(framework, measure, at, now, finding)


def _by(name: str, now: float, then: float) -> str:
    more = f" by {now - then:.6g}" if now < float("inf") else ""
    return f"{name} is {_text(now)}, and was {_text(then, up=False)}: weaker{more}"


def _double(bound: Bound | None) -> float | None:
    if bound is None:
        return None
    return bound.value if isinstance(bound.value, float) else _double_of(bound.value)


def _double_of(value: Fraction) -> float:
    """The double that a report prints of an upper bound."""
    known = shortest_float(value)
    return float_up(value) if known is None else known


def _text(value: float, *, up: bool = True) -> str:
    """A double as it was printed, with six decimals: the new one rounded up, the old one down."""
    return rational_text(Fraction(repr(value)), up=up) if value < float("inf") else "inf"
