"""The figures of an audit by their names, its curves computed for them."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.audit import Audit
from semiaudit.model.figure import Figure
from semiaudit.report import FIGURES
from semiaudit.report.plots.of_audit import figures_of
from semiaudit.workflow.audit.curves import with_curves


def figures_named(audit: Audit, names: Sequence[str]) -> tuple[Figure, ...]:
    """The figures of some names, in the order of a report; all there are, if none is named.

    Raises:
        ValueError: there is no such figure, or the audit has nothing to draw in it.
    """
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        raise ValueError(f"no figure {unknown[0]!r}; there are {', '.join(FIGURES)}")
    found = tuple(f for f in figures_of(with_curves(audit)) if not names or f.name in names)
    missing = [name for name in names if name not in {figure.name for figure in found}]
    if missing or not found:
        raise ValueError(f"{missing[0] if missing else 'nothing'}: the audit has none to draw")
    return found
