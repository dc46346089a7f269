"""The semi-adjacent parameter a(t) by itself, without the guarantees of an audit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from semiaudit import deadline
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import TIME_LIMIT, problems_of
from semiaudit.deadline import Deadline
from semiaudit.library.arguments import seconds
from semiaudit.library.spec_argument import release_of
from semiaudit.library.value import Value
from semiaudit.model.data_source import Access
from semiaudit.numeric.limits import Limits
from semiaudit.report.form.to_json import SEMI_ADJACENCY
from semiaudit.universe.semi_adjacency import parameter_of

if TYPE_CHECKING:
    from semiaudit.library.spec import Spec
    from semiaudit.model.semi_adjacency import SemiAdjacency as Described


class SemiAdjacency(Value):
    """a(t) of everything that is published exactly: the same numbers as in a report."""

    __slots__ = ("_found",)

    def __init__(self, found: Described) -> None:
        self._found = found

    @property
    def value(self) -> int | None:
        """Return the upper bound by the spec's definition; None if it is not established."""
        return self._found.joint.value

    @property
    def lower(self) -> int:
        """Return the lower bound by the spec's definition."""
        return self._found.joint.chosen.lower

    @property
    def example_pair(self) -> dict[str, object] | None:
        """Return two datasets that prove the lower bound on covering a(t); None if none are known.

        As in the JSON report: ``start`` and ``end`` with the records of each, their ``distance``,
        ``record_from`` and ``record_to``. They are constructed from the invariants, not from data.
        """
        pair: dict[str, object] | None = self.as_dict()["covering"]["witness"]
        return pair

    def as_dict(self) -> dict[str, Any]:
        """Return ``semi_adjacency`` of the JSON report: both definitions, each with both bounds."""
        plain: dict[str, Any] = SEMI_ADJACENCY.of(self._found)
        return plain

    def __repr__(self) -> str:
        most = "unknown" if self.value is None else self.value
        return f"<a(t): {most if most == self.lower else f'{self.lower} to {most}'}>"


def semi_adjacency(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    *,
    time_limit: float = TIME_LIMIT,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> SemiAdjacency:
    """Compute a(t) of a spec, and nothing else.

    Args:
        spec: as for ``audit``.
        time_limit: seconds, above 0; results that are cut short are wider, or are refused.
        root, allow_engines, show_values: as for ``audit``.

    Raises:
        SpecError: as of ``audit``.
        ValueError: the time limit is out of range.
    """
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    release, allowed = release_of(spec, access, time_limit)
    with problems_of(release.path, time_limit), deadline.running(limit.left):
        return SemiAdjacency(parameter_of(counted(release, allowed), Limits(limit.left)))
