"""A release, and what all questions about its queries share."""

from __future__ import annotations

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import known
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.system.invariant_normal_form import in_one_spelling
from semiaudit.universe.system.plain_system import PlainSystem, plain_system


class QueriedRelease:
    """A release, and what all questions about its queries share, computed on demand and cached.

    Args:
        limits: the limits of integer programs; by default, 60 seconds in total.

    Attributes:
        release: the release with its invariants in normal form, which have the same D_t.
        stated: the release with its invariants as written, which are the rows of C in T = C phi. If
            the size of the datasets is known, the normal form can have more rows than C, and then a
            smaller null space, on which less is visible.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """

    def __init__(self, release: Release, limits: Limits | None = None) -> None:
        known(release.invariants)

        self.release = in_one_spelling(release)
        self.stated = release
        self._limits = limits
        self._plain: dict[int | None, PlainSystem | None] = {}

    @property
    def table(self) -> TableSpace:
        """Return the table of attributes for the queries.

        Raises:
            RefusedError: the dataspace has no table.
        """
        space = self.release.dataspace
        if not isinstance(space, TableSpace) or not space.attributes:
            raise RefusedError(
                Refusal(
                    "a query needs a table over attributes",
                    "add dataspace.attributes, or use shifts instead of a query",
                    path="mechanism",
                )
            )
        return space

    @cached_property
    def limits(self) -> Limits:
        """Return the limits of integer programs; without given ones, the time starts now."""
        return self._limits or Limits()

    @cached_property
    def records(self) -> Records:
        """Return the records that can occur."""
        return Records(self.table)

    def plain_system(self, size: int | None) -> PlainSystem | None:
        """Return the invariants' own system, or None if it is too large; cached."""
        if size not in self._plain:
            self._plain[size] = plain_system(self.release, self.table, size)
        return self._plain[size]
