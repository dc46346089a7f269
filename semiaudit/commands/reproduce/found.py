"""What an entry finds: numbers of ours by the names of published.csv, figures, and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.model.bound import Bound, exact
from semiaudit.model.figure import Figure

if TYPE_CHECKING:
    from semiaudit.library.report import Report
    from semiaudit.privacy.approximations.approximation import Approximation

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Found:
    """The results of one entry.

    Attributes:
        numbers: every name of the entry's rows, with ours.
    """

    numbers: Mapping[str, Ours]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = field(default=())


def approximated(found: Approximation) -> Estimate:
    """An approximation, with what is known against it."""
    return Estimate(found.estimate, "approximation", f"{found.method}: {found.caveat}")


def floating(value: float, told: str) -> Estimate:
    """A formula evaluated in floating point."""
    return Estimate(float(value), "floating", told)


def simulated(value: float, told: str) -> Estimate:
    """The mean, or a quantile, of a simulation with a fixed seed."""
    return Estimate(float(value), "simulated", told)


def counted(value: Fraction | int | None, method: str, source: str) -> Ours:
    """An exact count; a word where it is not known."""
    return "not known" if value is None else exact(value, method, source)


def answered(holds: bool) -> str:
    """A word for a claim that holds, or does not."""
    return YES if holds else NO


def known(bound: Bound | None) -> Ours:
    """A bound, or a word where there is none."""
    return "none" if bound is None else bound


def audited(dataspace: Mapping[str, Any], mechanism: Mapping[str, Any], **others: Any) -> Report:
    """The audit of a spec that is written here.

    Args:
        others: further sections, such as ``invariants``.
    """
    from semiaudit.library.report import audit

    spec = {"semiaudit": 1, "title": "published", "dataspace": dict(dataspace)}
    return audit(spec | {"mechanism": dict(mechanism)} | others)


@cache
def shipped_report(name: str) -> Report:
    """The audit of an example that ships with the program."""
    from semiaudit.library.report import audit
    from semiaudit.resources import shipped

    path = shipped(f"configs/{name}.yaml")
    if path is None:
        raise FileNotFoundError(f"configs/{name}.yaml does not ship with this program")
    return audit(path)


def a_t(report: Report, reading: str = "covering") -> Ours:
    """a(t) of an audit in one reading: exact where the interval is closed."""
    from semiaudit.library.report import audit_of

    found = audit_of(report).universe.semi_adjacency
    interval = found.covering if reading == "covering" else found.definition_13
    closed = interval.upper is not None and interval.lower == interval.upper
    return counted(
        interval.upper if closed else None, interval.method, "Cho and Awan, Definition 13"
    )
