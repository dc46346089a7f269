"""Drift: what an earlier report promised, against what holds now.

Both sides are compared as the doubles that a report prints, rounded outward, so that the same
release twice is never weaker than itself; a change below one unit in the last place is not seen.
Numbers that are computed from others may end in other digits in another version of the program.

Drift of what guarantees are about: the invariants, their values, the dataspace, and the unit.

Better numbers prove nothing if they are about something else.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from semiaudit.errors import Mark
from semiaudit.gate.drift import Drift, drift_of
from semiaudit.model.audit import (
    Audit,
    BudgetMeasure,
    Finding,
    Release,
    ReportOptions,
    number_key,
)
from semiaudit.model.bound import Bound
from semiaudit.model.building_blocks import Domain, DomainKind, domain_of
from semiaudit.model.frameworks import ADVERTISED, LEADING, PER_DISTANCE, FrameworkName
from semiaudit.model.guarantee import GuaranteeLine, GuaranteeRow, Numbers
from semiaudit.model.labels import label, measure_name, number_name
from semiaudit.model.policy import Earlier
from semiaudit.model.rules import GONE, NOT_IN_BASELINE, finding_of
from semiaudit.model.semi_adjacency import Disclosed
from semiaudit.numeric.rationals import float_up, rational_text, shortest_float
from semiaudit.version import __version__

KINDS: dict[DomainKind, str] = {
    "product": "all datasets over some values",
    "listed": "a list of datasets",
    "table": "a table",
}
"""The kinds of dataspaces in words."""


def of_subject(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    """Yield what an earlier report was about, and an audit is not; and the reverse."""
    yield from _invariants(audit, earlier)
    yield from _not_listed(audit, earlier)
    yield from _domain(audit, earlier)
    yield from _unit_and_values(audit, earlier)


def _invariants(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    """Another invariant leaves fewer datasets in D_t, and so fewer pairs (Definition 20).

    Other records of the same name can be another table, so that theirs are counted.
    """
    before = Counter(earlier.invariants)
    for entry in audit.release.published_invariants:
        known = before[entry.key] > 0
        if entry.other is not None:
            before[entry.key] -= 1
        if not known:
            message = f"{entry} is published exactly, and was not: Dₜ is smaller"
            yield drift_of(LEADING, "invariants", message, entry.mark, key=f"invariant {entry.key}")


def _not_listed(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    """Report removed invariants: the better numbers are true only if they are unpublished."""
    now = {entry.key for entry in audit.release.published_invariants}
    for key in dict.fromkeys(earlier.invariants):
        if key not in now:
            message = (
                f"{key} was published exactly, and is not listed any more; add it again, or write "
                "a new baseline if nobody publishes it"
            )
            gone_key = f"invariant {key} gone"
            yield drift_of(
                LEADING, "invariants", message, audit.release.adjacency.mark, key=gone_key
            )


def _domain(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    """Another set of possible datasets: fewer records or levels make numbers look better."""
    if earlier.domain is None:
        return
    changes = [*_changes_of_domain(domain_of(audit.release.dataspace), earlier.domain)]
    if changes:
        message = (
            f"the dataspace changed: {'; '.join(changes)}; the two audits are about other "
            "datasets, so write a new baseline if the change is intended"
        )
        yield drift_of(LEADING, "domain", message, audit.release.dataspace.mark)


def _changes_of_domain(now: Domain, before: Domain) -> Iterator[str]:
    if now.kind != before.kind:
        yield f"{KINDS[before.kind]} → {KINDS[now.kind]}"
        return
    for name, new, old in (
        ("size", now.size, before.size),
        ("datasets", now.datasets, before.datasets),
    ):
        if new != old:
            yield f"{name} {_or_none(old)} → {_or_none(new)}"
    levels, levels_before = dict(now.attributes), dict(before.attributes)
    for name in dict.fromkeys((*levels_before, *levels)):
        new, old = levels.get(name), levels_before.get(name)
        if new is None:
            yield f"attribute {name} is gone"
        elif old is None:
            yield f"attribute {name} is new"
        elif new != old:
            yield f"levels of {name} {old} → {new}"
    for restriction in dict.fromkeys((*before.restrictions, *now.restrictions)):
        if restriction not in now.restrictions:
            yield f"the restriction ({restriction}) is gone"
        elif restriction not in before.restrictions:
            yield f"the restriction ({restriction}) is new"


def _or_none(number: int | None) -> str:
    return "not fixed" if number is None else str(number)


def _unit_and_values(audit: Audit, earlier: Earlier) -> Iterator[Drift]:
    mark = audit.release.adjacency.mark
    unit = audit.release.dataspace.unit
    if earlier.unit and unit != earlier.unit:
        message = f"the unit is {unit}, and was {earlier.unit}: the two audits cannot be compared"
        yield drift_of(LEADING, "unit", message, mark)
    known = audit.release.published is not None or audit.universe.disclosed != Disclosed()
    if earlier.values_given and not known:
        message = (
            "the values of the invariants were given, and are not any more, so that nobody checks "
            "what they disclose; add `data` again, or write a new baseline"
        )
        yield drift_of(LEADING, "data", message, mark)


ROUNDING, TOLERANCE = 1e-12, 1e-6
"""The relative difference of two computed upper bounds that says nothing about the release. Both
are valid: versions of the program round differently, and bracket composed losses by other grids,
to this width."""

COMPOSED = "loss_distribution"
"""The method of numbers that are bracketed."""


def earlier_of(path: str, baseline: Sequence[Earlier] | None) -> Earlier | None:
    """The earlier report's entry of a path; the last one if it is there several times."""
    normalized_path = posixpath.normpath(path)
    matches = [e for e in baseline or () if posixpath.normpath(e.path) == normalized_path]
    return matches[-1] if matches else None


def with_points(release: Release, earlier: Earlier | None) -> Release:
    """Return the release with every point of epsilon and TPR that the earlier report has."""
    if earlier is None:
        return release
    past = [line.numbers for line in earlier.lines]
    deltas = {point.delta for numbers in past for point in numbers.approx_dp if 0 < point.delta < 1}
    type_i_errors = {
        type_i for numbers in past for type_i, _ in numbers.tpr_at_fpr if 0 < type_i < 1
    }
    options = ReportOptions(
        tuple(sorted({*release.options.deltas, *deltas})),
        tuple(sorted({*release.options.type_i, *type_i_errors})),
    )
    return replace(release, options=options)


def drifts(audit: Audit, earlier: Earlier | None) -> list[Drift]:
    """Everything that is weaker than earlier, or that the earlier guarantees were not about."""
    if earlier is None:
        return []
    mark = audit.release.adjacency.mark
    weaker = [*_a_t(audit, earlier, mark), *of_subject(audit, earlier)]
    rows = {row.guarantee.framework: row for row in audit.rows}
    for line in earlier.lines:
        weaker += _of_line(rows.get(line.framework), line, audit, earlier.version)
    return [*weaker, *_budgets(audit, earlier)]


def why_not_comparable(audit: Audit, earlier: Earlier | None) -> str:
    """Return why the earlier report has nothing to compare the leading guarantee with.

    It refused the guarantee. A new refusal alone makes the spec an error.
    """
    rows = {row.guarantee.framework: row for row in audit.rows}
    if earlier is None or not earlier.refused or rows[LEADING].guarantee.refused:
        return ""
    return f"the baseline has no number of {label(LEADING)} to compare: it was refused"


def unknown(audit: Audit) -> Finding:
    """Return the finding that the earlier report does not contain the spec."""
    path = audit.release.path
    message = f"the baseline does not cover {path}, so there is nothing to compare"
    return finding_of(NOT_IN_BASELINE, message)


def gone(earlier: Earlier, why_not: str = "") -> Finding:
    """Return the finding that a spec of the earlier report is not audited any more.

    Args:
        why_not: why a file that exists is not among the specs; empty if it does not exist.
    """
    path = earlier.path
    message = (
        f"the baseline covers {path}, which no longer exists; write a new baseline if you removed "
        "it on purpose, or run from the directory of the old baseline"
    )
    if why_not:
        message = (
            f"the baseline covers {path}, but it is not among the audited specs ({why_not}); "
            "correct it, or write a new baseline if it is no spec any more on purpose"
        )
    return finding_of(GONE, message)


def _a_t(audit: Audit, earlier: Earlier, mark: Mark) -> Iterator[Drift]:
    semi, adjacency = audit.universe.semi_adjacency.joint, audit.release.adjacency
    if adjacency.metric != earlier.metric:
        message = (
            f"the metric is {adjacency.metric}, and was {earlier.metric}: the two audits cannot be "
            "compared"
        )
        yield drift_of(LEADING, "metric", message, mark)
        return
    if adjacency.reading == "definition_13" and earlier.reading == "covering":
        message = "the reading is definition_13, and was covering"
        yield drift_of(LEADING, "reading", message, mark)
    now = semi.covering.value
    if earlier.covering is None or (now is not None and now <= earlier.covering):
        return
    if now is None:
        before = earlier.covering
        message = f"covering a(t) has no proven finite upper bound, and was {before}"
        if semi.covering.upper is not None:
            message = f"covering a(t) is not established, and was {before}"
        yield drift_of(LEADING, "a_t", message, mark)
    else:
        message = _change("covering a(t)", float(now), float(earlier.covering))
        yield drift_of(LEADING, "a_t", message, mark, now=float(now))


def _of_line(
    row: GuaranteeRow | None, line: GuaranteeLine, audit: Audit, version: str
) -> Iterator[Drift]:
    name, mark = line.framework, audit.release.adjacency.mark
    if row is None or row.guarantee.refused:
        gone_now = f"{label(name)} is refused, and was not"
        yield drift_of(name, "guarantee", gone_now, mark)
        return
    numbers, then = row.numbers, line.numbers
    fitted = numbers.gdp is not None and numbers.own_gdp is None
    weaker = [
        *_number(name, "rho", None, numbers.zcdp, then.zcdp, mark),
        *([] if fitted else _number(name, "mu", None, numbers.gdp, then.gdp, mark)),
        *_number(name, "epsilon", Fraction(0), numbers.pure_dp, then.pure_dp, mark),
    ]
    derived = [*_derived(numbers, line, mark, version)]
    if weaker and derived:
        weaker[0] = _worded(weaker[0], _with_it(weaker[0].finding.message, derived))
    yield from weaker or derived
    yield from _coverage(row, line, audit, mark)


def _with_it(message: str, derived: Sequence[Drift]) -> str:
    others = "; ".join([drift.brief for drift in derived])
    return f"{message}; with it {others}"


def _worded(drift: Drift, message: str) -> Drift:
    return replace(drift, finding=replace(drift.finding, message=message))


def _derived(numbers: Numbers, line: GuaranteeLine, mark: Mark, version: str) -> Iterator[Drift]:
    """Numbers that follow from rho, mu or epsilon: with one of them weaker, they are as well."""
    name, then = line.framework, line.numbers

    def rounding(bound: Bound | None) -> float:
        composed = bound is not None and bound.method == COMPOSED
        return TOLERANCE if composed and version not in ("", __version__) else ROUNDING

    if numbers.gdp is not None and numbers.own_gdp is None:
        yield from _number(name, "mu", None, numbers.gdp, then.gdp, mark, ROUNDING)
    advantage = numbers.advantage
    yield from _number(
        name, "advantage", None, advantage, then.advantage, mark, rounding(advantage)
    )
    for before in then.approx_dp:
        points = [point for point in numbers.approx_dp if point.delta <= before.delta]
        best = min(points, key=lambda point: point.epsilon.value, default=None)
        epsilon = best.epsilon if best else None
        for drift in _number(
            name, "epsilon", before.delta, epsilon, before.epsilon, mark, rounding(epsilon)
        ):
            if best is None or best.conversion == before.conversion:
                yield drift
                continue
            conversions = f"by {label(best.conversion)}, before by {label(before.conversion)}"
            yield _worded(drift, f"{drift.finding.message} ({conversions})")
    for type_i, power in then.tpr_at_fpr:
        powers = [now for at, now in numbers.tpr_at_fpr if at >= type_i]
        lowest = min(powers, key=lambda bound: bound.value, default=None)
        yield from _number(name, "tpr", type_i, lowest, power, mark, rounding(lowest))


def _coverage(row: GuaranteeRow, line: GuaranteeLine, audit: Audit, mark: Mark) -> Iterator[Drift]:
    """A smaller distance covers fewer pairs, unless a(t) itself became smaller."""
    now, then = row.guarantee.distance, line.distance
    covering = audit.universe.semi_adjacency.joint.covering.value
    if now is None or then is None or now >= then or line.framework in PER_DISTANCE:
        return
    if covering is None or now < covering:
        message = (
            f"{label(line.framework)} covers pairs up to distance {now}, and covered up to {then}"
        )
        yield drift_of(line.framework, "distance", message, mark)


def _number(
    framework: FrameworkName,
    measure: BudgetMeasure,
    at: Fraction | None,
    bound: Bound | None,
    before: Bound | None,
    mark: Mark,
    rounding: float = 0,
) -> Iterator[Drift]:
    """Yield a drift if a number is larger than before, or no longer known; compare as printed.

    Args:
        rounding: the relative difference that is no difference.
    """
    now, then = _double(bound), _double(before)
    if then is None or (now is not None and now <= then * (1 + rounding)):
        return
    message = _change(number_name(framework, measure, at), now, then)
    brief = _change(measure_name(measure, at), now, then)
    drift = drift_of(framework, measure, message, mark, at=at, now=now, brief=brief)
    of_other = "" if framework in (LEADING, ADVERTISED) else message
    yield replace(drift, finding=replace(drift.finding, brief=of_other))


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
        number = number_name(then.framework, then.measure, then.at, then.distance)
        name = f"the budget for {number}"
        key = f"budget {number_key(then.framework, then.measure, then.at, then.distance)}"
        if not limits:
            limit = _text(then.limit)
            message = f"{name} is gone; its limit was {limit}"
            if then.policy:
                message = (
                    f"the policy's budget for {number} is not demanded any more; its limit was "
                    f"{limit}; give the same --policy"
                )
            yield drift_of(then.framework, then.measure, message, Mark(), at=then.at, key=key)
            continue
        now = min(limits)
        if now > then.limit:
            message = _change(name, now, then.limit)
            mark = limits[now]
            yield drift_of(
                then.framework, then.measure, message, mark, at=then.at, now=now, key=key
            )


def _change(name: str, now: float | None, then: float) -> str:
    return f"{name} {_text(then, up=now is None)} → {'unknown' if now is None else _text(now)}"


def _double(bound: Bound | None) -> float | None:
    if bound is None:
        return None
    return bound.value if isinstance(bound.value, float) else _double_of(bound.value)


def _double_of(value: Fraction) -> float:
    """The double that a report prints of an upper bound."""
    double = shortest_float(value)
    return float_up(value) if double is None else double


def _text(value: float, *, up: bool = True) -> str:
    """A double as it was printed, with six decimals: the new one rounded up, the old one down."""
    return rational_text(Fraction(repr(value)), up=up) if value < float("inf") else "inf"
