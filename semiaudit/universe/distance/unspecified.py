"""a(t) of records that the spec does not describe: a table without attributes."""

from __future__ import annotations

from semiaudit.model.adjacency import compares_sizes, per_record
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameSize
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.universe.distance import closed_form

KEPT = (
    "no record can change alone, because swapping keeps a count that would change; the "
    "spec has no attributes that show how many others must change too"
)


def unspecified(release: Release, space: TableSpace) -> tuple[Parameter, Parameter, bool]:
    """Return both definitions of a(t), and whether neighbors in D can differ in the invariants.

    Any record can change alone, unless an invariant without attributes in the dataspace counts it:
    then another record must change with it, and no more is known.
    """
    metric = release.adjacency.metric
    if any(isinstance(c, SameSize) and c.by_unlisted for c in constraints_of(release.invariants)):
        known = Parameter(2 * per_record(metric), None, "none", KEPT, None)
        return known, known, True
    if compares_sizes(metric) and release.invariants:
        known = Parameter(2, 2, "closed_form", closed_form.COVERING, None)
        return known, known, True
    step = 1 if space.size is None else per_record(metric)
    known = Parameter(step, step, "closed_form", closed_form.COVERING, None)
    definition_13 = Parameter(step, step, "closed_form", closed_form.DEFINITION_13, None)
    return known, definition_13, False
