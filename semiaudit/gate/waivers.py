"""Waivers: whether one applies, is still valid, and accepts the number that there is."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_CEILING, Context
from fnmatch import fnmatchcase
from fractions import Fraction

from semiaudit.errors import NOWHERE, Mark
from semiaudit.model.audit import BUDGET_MEASURES, Finding, Waiver, no_protection_from
from semiaudit.model.rules import (
    IN_SPECS,
    NUMBERED,
    WAIVER_EXCEEDED,
    WAIVER_EXPIRED,
    WAIVER_UNUSED,
    finding_of,
)
from semiaudit.numeric.rationals import rational_text

SHOWN = 12
"""Digits of a SHA-256 in messages."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that fails, as a waiver sees it.

    Attributes:
        value: the number that would have to be accepted; None if there is none.
        policy: whether a policy demands what fails; then no waiver inside the spec counts.
    """

    rule: str
    framework: str = ""
    measure: str = ""
    at: Fraction | None = None
    distance: int | None = None
    value: Fraction | float | None = None
    policy: bool = False
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class SpecFile:
    """The identity of a spec's file, under any name.

    Attributes:
        real: its path once all links are resolved, with ``/``.
        is_link: the path is a link to it, so that its own waivers are another file's.
        sha256: as reports print it. digests: those that a waiver may name, the file's own too.
    """

    real: str
    is_link: bool
    sha256: str
    digests: frozenset[str]


@dataclass(slots=True)
class Waivers:
    """The waivers of one spec: its own, and those of waiver files.

    Attributes:
        met: places of the waivers that met a failure, valid or not.
        findings: of numbers above what a waiver accepts, and of waivers for other content.
        of_others: rule, file, and SHA-256 of the waivers for other content.
    """

    own: Sequence[Waiver]
    given: Sequence[Waiver]
    file: SpecFile
    today: date | None
    met: set[int] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    of_others: set[tuple[str, str, str]] = field(default_factory=set)

    def over(self, failure: Failure) -> Waiver | None:
        """The waiver that covers a failure, if a valid one does."""
        above = []
        for place, waiver in enumerate((*self.given, *self.own)):
            if not self._speaks_of(waiver, failure):
                continue
            self.met.add(place)
            if not is_valid(waiver, self.today):
                continue
            if waiver.rule not in NUMBERED:
                return waiver
            least = _limit_of(waiver)
            if least is None and _accepts(waiver, failure.value):
                return waiver
            message = _above(waiver, failure.value, least)
            mark = waiver.mark if waiver.inside else failure.mark
            above.append(finding_of(WAIVER_EXCEEDED, message, mark, waiver.key))
        self.findings += above
        return None

    @property
    def used(self) -> tuple[int, ...]:
        """Return the waivers of files that accepted something."""
        return tuple(sorted(place for place in self.met if place < len(self.given)))

    def of_its_own(self) -> list[Finding]:
        """Return the findings about the spec's own waivers."""
        first = len(self.given)
        return [
            finding
            for place, waiver in enumerate(self.own)
            for finding in _state(waiver, self.today, used=first + place in self.met)
        ]

    def _speaks_of(self, waiver: Waiver, failure: Failure) -> bool:
        if waiver.rule != failure.rule or not self._is_in_force(waiver, failure):
            return False
        conditions = (
            (waiver.framework, failure.framework),
            (waiver.measure, failure.measure),
            (waiver.at, failure.at),
            (waiver.distance, failure.distance),
        )
        return all(required is None or required == actual for required, actual in conditions)

    def _is_in_force(self, waiver: Waiver, failure: Failure) -> bool:
        if waiver.inside:
            return waiver.rule in IN_SPECS and not failure.policy and not self.file.is_link
        if not _names(waiver.spec, self.file.real):
            return False
        if waiver.sha256 not in self.file.digests:
            other = (waiver.rule, waiver.file, waiver.sha256)
            if other not in self.of_others:
                self.of_others.add(other)
                self.findings.append(self._of_other(waiver, failure.mark))
            return False
        return True

    def _of_other(self, waiver: Waiver, mark: Mark) -> Finding:
        message = (
            f"a waiver of {waiver.rule} in {waiver.file} waives nothing: it is for the SHA-256 "
            f"{waiver.sha256[:SHOWN]}..., and this spec has {self.file.sha256[:SHOWN]}..."
        )
        return finding_of(WAIVER_UNUSED, message, mark, _key_of_other(waiver))


def _key_of_other(waiver: Waiver) -> str:
    return f"waiver {waiver.rule} {waiver.file} {waiver.sha256}"


def _names(spec: str, real: str) -> bool:
    name = spec.removeprefix("./")
    return f"/{real}".endswith(f"/{name}") or fnmatchcase(f"/{real}", f"*/{name}")


def is_valid(waiver: Waiver, today: date | None) -> bool:
    """Return whether a waiver is still valid; without a day, none is."""
    return today is not None and today <= waiver.expires


def of_files(
    waivers: Sequence[Waiver],
    used: Iterable[int],
    today: date | None,
    specs: Collection[str],
    findings: Iterable[Finding] = (),
) -> dict[str, tuple[Finding, ...]]:
    """Return the findings about the waivers of files after all specs, by file; errors fail.

    Args:
        specs: the resolved paths of the audited specs.
        findings: those of the specs; a waiver that one is about needs no other.
    """
    met, keys = set(used), {f.key for f in findings if f.rule == WAIVER_UNUSED}
    by_file: dict[str, list[Finding]] = {}
    for place, waiver in enumerate(waivers):
        is_used = place in met or _key_of_other(waiver) in keys
        is_for_one = is_used or any(_names(waiver.spec, real) for real in specs)
        states = _state(waiver, today, used=is_used, is_for_one=is_for_one)
        by_file.setdefault(waiver.file, []).extend(states)
    return {file: tuple(file_waivers) for file, file_waivers in by_file.items()}


def _state(
    waiver: Waiver, today: date | None, *, used: bool, is_for_one: bool = True
) -> list[Finding]:
    if not is_valid(waiver, today):
        message = f"a waiver of {waiver.rule} has expired: {waiver}"
        return [finding_of(WAIVER_EXPIRED, message, waiver.mark, waiver.key)]
    if not used:
        only = ""
        if waiver.inside and waiver.rule not in IN_SPECS:
            only = "; only a file given by --waivers can waive this rule"
        because = "" if is_for_one else f", because no audited spec matches {waiver.spec}"
        message = f"a waiver of {waiver.rule} waives nothing{because}: {waiver}{only}"
        return [finding_of(WAIVER_UNUSED, message, waiver.mark, waiver.key)]
    return []


def _text(value: Fraction | float | None) -> str:
    if value is None:
        return "unknown"
    return rational_text(value) if isinstance(value, Fraction) else repr(value)


def _text_above(value: Fraction | float | None, accepted: Fraction | None) -> str:
    """A number that is not accepted, with as many digits as show that it is above.

    The shortest text of a double can be below it. 17 digits, rounded up, are not.
    """
    text = _text(value)
    if not isinstance(value, float) or math.isinf(value) or accepted is None:
        return text
    if Fraction(text) > accepted:
        return text
    digits = Context(prec=17, rounding=ROUND_CEILING).create_decimal_from_float(value)
    return str(digits).lower()


def _limit_of(waiver: Waiver) -> int | None:
    """The least number that is no limit of a budget, if the waiver accepts it; else None."""
    measures = [measure for measure in BUDGET_MEASURES if measure == waiver.measure]
    leasts = [least for m in measures if (least := no_protection_from(m)) is not None]
    return next((least for least in leasts if (waiver.accepted or 0) >= least), None)


def _above(waiver: Waiver, value: Fraction | float | None, least: int | None) -> str:
    """Say that a number is not accepted: it is above, or the waiver would accept any."""
    if least is not None:
        return (
            f"a waiver accepts {least} or more, which is no limit (SA033), so it waives nothing; "
            f"make accepted smaller: {waiver}"
        )
    return (
        f"the number is {_text_above(value, waiver.accepted)}, above what its waiver accepts: "
        f"{waiver}"
    )


def _accepts(waiver: Waiver, value: Fraction | float | None) -> bool:
    return waiver.accepted is not None and value is not None and value <= waiver.accepted
