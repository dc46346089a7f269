"""Drift of what guarantees are about: the invariants, their values, the dataspace, and the unit.

Better numbers prove nothing if they are about something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from semiaudit.gate.drift import Drift, drift_of
from semiaudit.model.audit import Audit
from semiaudit.model.building_blocks import Domain, DomainKind, domain_of
from semiaudit.model.frameworks import LEADING
from semiaudit.model.policy import Earlier
from semiaudit.model.semi_adjacency import Disclosed

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
    """An invariant that is gone: the numbers are better, and true only if nobody publishes it."""
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
    for one in dict.fromkeys((*before.restrictions, *now.restrictions)):
        if one not in now.restrictions:
            yield f"the restriction ({one}) is gone"
        elif one not in before.restrictions:
            yield f"the restriction ({one}) is new"


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
