"""The result of an ablation for Python and the command: the effect of each invariant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from semiaudit import progress
from semiaudit.auditing.run import TIME_LIMIT, TOLERANCE, problems_of
from semiaudit.commands.ablate import RENDERERS
from semiaudit.commands.ablate.document import DOCUMENT
from semiaudit.commands.ablate.figures import figures_of
from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.run import ablated
from semiaudit.commands.ablate.words import variant_name
from semiaudit.deadline import Deadline
from semiaudit.library.arguments import seconds
from semiaudit.library.figured import Figured
from semiaudit.library.report import EXIT_HOLDS, EXIT_NOT_AUDITED
from semiaudit.library.spec_argument import release_of
from semiaudit.model.data_source import Access
from semiaudit.report import ANSWER_FIGURES, Layout
from semiaudit.report.notebook import html_view
from semiaudit.spec.build import load_release

if TYPE_CHECKING:
    from semiaudit.library.spec import Spec
    from semiaudit.model.audit import Release
    from semiaudit.model.figure import Figure


class Ablation(Figured[Ablated]):
    """A release audited with all, without each, with each, and with none of its invariants."""

    __slots__ = ()

    figures = ANSWER_FIGURES
    _renderers = RENDERERS

    @staticmethod
    def _figures_of(ablation: Ablated) -> tuple[Figure, ...]:
        return figures_of(ablation)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON as plain data (docs/ablate.schema.json)."""
        return DOCUMENT.plain(self._result)

    def render(self, form: str = "text", *, width: int = 80, color: bool = False) -> str:
        """Render the tables: ``text``, ``json``, ``markdown``, ``html``, ``csv`` or ``latex``.

        Raises:
            ValueError: no such format.
        """
        return self._rendered(form, Layout(width, color))

    @property
    def invariants(self) -> tuple[str, ...]:
        """Return the invariants in words, in the order of the spec: I1, I2, ..."""
        return self._result.invariants

    @property
    def a_t(self) -> dict[str, int | None]:
        """Return a(t) of every variant: ``all``, ``all but I1``, ``I1 only``, ``none`` and so on.

        None if it is not established, or the variant cannot be audited.
        """
        return {
            variant_name(variant): None
            if variant.semi_adjacency is None
            else variant.semi_adjacency.value
            for variant in self._result.variants
        }

    @property
    def complete(self) -> bool:
        """Return whether no time limit cut anything short."""
        return self._result.complete

    @property
    def refusals(self) -> tuple[str, ...]:
        """Return every variant without an audit or a semi_dp guarantee, with the reason."""
        return tuple(
            f"{variant_name(variant)}: {variant.refused}"
            for variant in self._result.variants
            if variant.refused
        )

    @property
    def exit_code(self) -> int:
        """Return 2 if a variant has no audit, or no semi_dp; else 0. Budgets are not checked."""
        return EXIT_NOT_AUDITED if self.refusals else EXIT_HOLDS

    def _repr_html_(self) -> str:
        from semiaudit.commands.ablate.view import view_of

        return html_view(view_of(self._result))

    def _repr_markdown_(self) -> str:
        return self.render("markdown")

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name} {'unknown' if a is None else a}" for name, a in self.a_t.items()
        )
        return f"<Ablation {self._result.path}: a(t) {values}>"


def ablate(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    *,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Ablation:
    """Audit a spec with all, without each, with each, and with none of its invariants.

    Args:
        spec, tolerance, root, allow_engines, show_values: as for ``audit``.
        time_limit: seconds, above 0, for all audits together, in equal shares of the remaining
            time.

    Raises:
        SpecError: the complete spec cannot be audited. A variant that cannot be audited has the
            reason.
    """
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    release, allowed = release_of(spec, access)
    return _ablation(release, limit, tolerance, allowed)


def ablate_or_example(
    path: str, time_limit: float, tolerance: float, access: Access, text: bytes | None = None
) -> Ablation:
    """Ablate a spec file, or the shipped example of that name if there is no such file.

    Args:
        text: the spec itself, if it is not a file.
    """
    limit = Deadline(time_limit)
    with problems_of(path, time_limit):
        progress.doing("reading the spec")
        release = load_release(path, access, examples=True, text=text)
    return _ablation(release, limit, tolerance, access)


def _ablation(release: Release, limit: Deadline, tolerance: float, access: Access) -> Ablation:
    with problems_of(release.path, limit.left):
        return Ablation(ablated(release, limit.left, tolerance, access), limit.left)
