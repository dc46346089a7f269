"""Audit one release with all, without each, with each, and with none of its invariants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from semiaudit import deadline, progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import (
    TIME_LIMIT,
    TOLERANCE,
    audit_release,
    options_of,
)
from semiaudit.commands.ablate.model import Ablated, ParameterChange, Variant
from semiaudit.commands.ablate.variants import InvariantSelection, parts_of, publishing
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.library.report import refusal_of
from semiaudit.model.audit import Audit, Release
from semiaudit.model.bound import joined
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.frameworks import LEADING
from semiaudit.model.invariants import known
from semiaudit.model.semi_adjacency import Parameter

ENOUGH_MORE = 1.5
"""The remaining time, relative to the used time, from which a variant that was cut short is audited
again."""


def ablated(
    release: Release,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    access: Access = CONFINED,
) -> Ablated:
    """Audit a release with all, without each, with each, and with none of its invariants.

    Data are counted once, and equal parts are audited once. Each audit gets an equal share of the
    remaining time; audits that were cut short get the time that others did not need.

    Args:
        time_limit: seconds for all audits together.
        tolerance: the relative bracket width of a composed loss.

    Raises:
        RefusedError: the complete release cannot be audited. A variant that cannot be audited has
            the reason.
        SpecError: data in a file or an engine cannot be read, or contradict the spec.
    """
    known(release.invariants)
    with deadline.running(time_limit) as running:
        if release.source is not None:
            progress.doing("counting the data")
            release = replace(counted(release, access), source=None)
        variants = _variants(replace(release, options=options_of(release)), tolerance, access)
    if running.was_reached:
        variants = tuple(
            replace(variant, incomplete_because=joined(["time"], variant.incomplete_because))
            for variant in variants
        )
    return Ablated(
        path=release.path,
        title=release.title,
        sha256=release.sha256,
        invariants=tuple(map(str, release.published_invariants)),
        variants=variants,
        changes=tuple(_changes(variants)),
        budgets=len(release.budgets),
        example=release.example,
        placeholder=release.placeholder_place,
    )


def _variants(release: Release, tolerance: float, access: Access) -> tuple[Variant, ...]:
    """Return every variant; those that were cut short are audited again while others leave time."""
    parts = list(parts_of(len(release.published_invariants)))
    distinct = {part.kept: part for part in reversed(parts)}
    audited: dict[tuple[int, ...], Variant] = {}
    shares: dict[tuple[int, ...], float] = {}
    waiting = list(dict.fromkeys(part.kept for part in parts))
    while waiting:
        cut = []
        for done, kept in enumerate(waiting):
            share = deadline.left() / (len(waiting) - done)
            if kept in shares and share <= ENOUGH_MORE * shares[kept]:
                continue
            shares[kept] = share
            progress.reached(len(distinct) - len(waiting) + done, len(distinct))
            audited[kept] = _variant(release, distinct[kept], share, tolerance, access)
            cut += [kept] if "time" in audited[kept].incomplete_because else []
        waiting = cut
    if audited[parts[0].kept].semi_adjacency is None:
        raise OutOfTimeError
    return tuple(replace(audited[part.kept], kind=part.kind, which=part.which) for part in parts)


def _variant(
    release: Release, part: InvariantSelection, seconds: float, tolerance: float, access: Access
) -> Variant:
    try:
        audit = audit_release(publishing(release, part.kept), seconds, tolerance, access)
    except RefusedError as error:
        late = isinstance(error, OutOfTimeError)
        if part.kind == "all" and not late:
            raise
        return Variant(
            part.kind,
            part.which,
            part.kept,
            None,
            None,
            None,
            str(error),
            ("time",) if late else (),
        )
    return _variant_of_audit(part, audit)


def _variant_of_audit(part: InvariantSelection, audit: Audit) -> Variant:
    return Variant(
        kind=part.kind,
        which=part.which,
        kept=part.kept,
        semi_adjacency=audit.universe.semi_adjacency.joint,
        disclosed=audit.universe.disclosed,
        row=next(row for row in audit.rows if row.guarantee.framework == LEADING),
        refused=refusal_of(audit),
        incomplete_because=audit.incomplete_because,
    )


def _changes(variants: tuple[Variant, ...]) -> Iterator[ParameterChange]:
    last = len(variants) - 1
    steps = [(i, 0) for i, variant in enumerate(variants) if variant.kind == "without"]
    if len(steps) > 1:
        steps += [(last, i) for i, variant in enumerate(variants) if variant.kind == "only"]
    for fewer, more in steps:
        before, after = _parameter(variants[fewer]), _parameter(variants[more])
        if before is None or after is None:
            continue
        if before.upper is not None and after.lower > before.upper:
            yield ParameterChange(fewer, more, rises=True)
        elif after.upper is not None and after.upper < before.lower:
            yield ParameterChange(fewer, more, rises=False)


def _parameter(variant: Variant) -> Parameter | None:
    semi = variant.semi_adjacency
    return None if semi is None else semi.chosen
