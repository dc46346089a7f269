"""The public facade: audits as objects with the numbers and every rendering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semiaudit.model.access import Access
from semiaudit.model.audit import Audit, Release
from semiaudit.model.frameworks import LEADING
from semiaudit.report import RENDERERS, Layout
from semiaudit.spec.build import load_release
from semiaudit.workflow.audit.run import TIME_LIMIT, TOLERANCE, audit_file, audit_release

EXIT_HOLDS, EXIT_EXCEEDS, EXIT_NOT_AUDITED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Report:
    """A finished audit.

    Attributes:
        audit: the whole result as domain objects.
    """

    audit: Audit

    def as_dict(self) -> dict[str, Any]:
        """The JSON report as plain data (docs/report.schema.json)."""
        from semiaudit.report.to_json import report_of

        return report_of(self.audit)

    def render(
        self,
        form: str = "text",
        *,
        width: int = 80,
        color: bool = False,
        explain: bool = False,
        verbose: bool = False,
    ) -> str:
        """The report as ``text``, ``json`` or ``markdown``.

        Args:
            explain: tell the witness record by record (not in JSON, which has the witness itself).
            verbose: text has what is the same in every report too, as Markdown always has.

        Raises:
            ValueError: no such format.
        """
        if form not in RENDERERS:
            raise ValueError(f"no format {form!r}; there are {', '.join(RENDERERS)}")
        return RENDERERS[form](self.audit, Layout(width, color, explain, verbose=verbose))

    @property
    def refusal(self) -> str:
        """Why no semi_dp guarantee can be stated; empty if one is, or nothing is left."""
        semi = next(r.guarantee for r in self.audit.rows if r.guarantee.framework == LEADING)
        disclosed = self.audit.universe.semi_adjacency.covering.upper == 0
        return f"{LEADING} is not stated: {semi.refused}" if semi.refused and not disclosed else ""

    @property
    def exit_code(self) -> int:
        """2 if semi_dp had to be refused, 1 if a budget does not hold, else 0."""
        if self.refusal:
            return EXIT_NOT_AUDITED
        return EXIT_HOLDS if all(b.holds for b in self.audit.budgets) else EXIT_EXCEEDS


def load_spec(path: str | Path, *, root: str | Path = "", show_values: bool = False) -> Release:
    """Read and check a spec. Raises SpecError with every problem in it.

    Args:
        root: a folder in which files may lie that the spec names; else only its own.
        show_values: whether messages may quote values of those files.
    """
    return load_release(path, _access(root, (), show_values))


def audit(
    spec: str | Path | Release,
    *,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | Path = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Report:
    """Audit a spec file or a loaded spec. Raises SpecError or RefusedError.

    Args:
        time_limit: seconds that all computations may take together; what is cut by then stays
            looser, or is refused.
        tolerance: how wide the bracket of a composed loss may be, relative to its upper end.
        root: a folder in which files may lie that the spec names; else only its own.
        allow_engines: schemes of the connection URLs that the spec may read from (docs/data.md).
        show_values: whether messages may quote values of data files.
    """
    access = _access(root, allow_engines, show_values)
    if isinstance(spec, Release):
        return Report(audit_release(spec, time_limit, tolerance, access))
    return Report(audit_file(spec, time_limit, tolerance, access=access))


def audit_many(
    specs: Iterable[str | Path | Release],
    *,
    time_limit: float = TIME_LIMIT,
    root: str | Path = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> list[Report]:
    """Audit several specs, in their order. Raises at the first that cannot be audited."""
    engines = tuple(allow_engines)
    return [
        audit(
            spec,
            time_limit=time_limit,
            root=root,
            allow_engines=engines,
            show_values=show_values,
        )
        for spec in specs
    ]


def audit_or_example(path: str, time_limit: float, tolerance: float, access: Access) -> Report:
    """Audit a spec file, or the shipped example of that name where there is none."""
    return Report(audit_file(path, time_limit, tolerance, access=access, examples=True))


def _access(root: str | Path, allow_engines: Iterable[str], show_values: bool) -> Access:
    return Access(str(root), tuple(allow_engines), show_values)
