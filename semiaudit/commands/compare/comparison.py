"""Releases side by side, for Python and the command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from semiaudit import progress
from semiaudit.auditing.run import TIME_LIMIT, TOLERANCE, problems_of
from semiaudit.commands.compare import RENDERERS
from semiaudit.commands.compare.document import DOCUMENT
from semiaudit.commands.compare.figures import figures_of
from semiaudit.commands.compare.model import SideBySide
from semiaudit.commands.compare.read_back import compared_from_report, looks_like_a_report
from semiaudit.commands.compare.run import MOST, compared
from semiaudit.deadline import Deadline
from semiaudit.errors import SemiauditError
from semiaudit.library.arguments import seconds
from semiaudit.library.figured import Figured
from semiaudit.library.report import EXIT_HOLDS, EXIT_NOT_AUDITED
from semiaudit.library.spec_argument import AnySpec, release_of
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import LEADING
from semiaudit.report import ANSWER_FIGURES, Layout
from semiaudit.report.form.from_json import bytes_of_report
from semiaudit.report.notebook import html_view
from semiaudit.spec.build import load_release

if TYPE_CHECKING:
    from semiaudit.commands.compare.model import ComparedRelease, Standings
    from semiaudit.commands.compare.run import Input
    from semiaudit.library.spec import Spec
    from semiaudit.model.figure import Figure


class Comparison(Figured[SideBySide]):
    """Two or more releases side by side, named A, B, ... in order."""

    __slots__ = ()

    figures = ANSWER_FIGURES
    _renderers = RENDERERS

    @staticmethod
    def _figures_of(comparison: SideBySide) -> tuple[Figure, ...]:
        return figures_of(comparison)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON as plain data (docs/compare.schema.json)."""
        return DOCUMENT.plain(self._result)

    def render(self, form: str = "text", *, width: int = 80, color: bool = False) -> str:
        """Render the tables: ``text``, ``json``, ``markdown``, ``html``, ``csv`` or ``latex``.

        Raises:
            ValueError: no such format.
        """
        return self._rendered(form, Layout(width, color))

    def order(self, first: str, second: str, framework: str = LEADING) -> str:
        """Return the order of two releases' guarantees for a privacy definition.

        Args:
            first, second: their names, such as ``"A"`` and ``"B"``.

        Returns:
            ``equal``, ``stronger`` (the first is), ``weaker``, or ``none``: no order, or none is
            proven; ``explain`` says why.

        Raises:
            KeyError: there are no such releases, or no such privacy definition.
        """
        turned = {"stronger": "weaker", "weaker": "stronger"}
        standing = self._standing(first, second, framework)
        same = standing.first == first
        return standing.order if same else turned.get(standing.order, standing.order)

    def explain(self, first: str, second: str, framework: str = LEADING) -> str:
        """Return the order in a sentence, or why there is none.

        Raises:
            KeyError: there are no such releases, or no such privacy definition.
        """
        return self._standing(first, second, framework).explanation

    def _standing(self, first: str, second: str, framework: str) -> Standings:
        standings = self._result.standings
        for standing in standings:
            pair = {standing.first, standing.second}
            if standing.framework == framework and pair == {first, second}:
                return standing
        notions = ", ".join(dict.fromkeys(standing.framework for standing in standings))
        releases = ", ".join(release.name for release in self._result.releases)
        raise KeyError(
            f"no order of {first!r} and {second!r} in {framework!r}; "
            f"the releases are {releases}, and the privacy definitions are {notions}"
        )

    @property
    def complete(self) -> bool:
        """Return whether no time limit cut anything short."""
        return self._result.complete

    @property
    def refusals(self) -> tuple[str, ...]:
        """Return every release without a semi_dp guarantee, with the reason.

        A release whose invariants disclose the whole dataset is not included, because nothing is
        left to protect.
        """
        return tuple(
            f"{release.name}: no effective guarantee is proven: {row.guarantee.refused}"
            for release in self._result.releases
            for row in release.rows
            if row.guarantee.framework == LEADING
            and row.guarantee.refused
            and release.semi_adjacency.covering.upper != 0
        )

    @property
    def exit_code(self) -> int:
        """Return 2 if a release has no semi_dp; else 0. Budgets are not checked."""
        return EXIT_NOT_AUDITED if self.refusals else EXIT_HOLDS

    def _repr_html_(self) -> str:
        from semiaudit.commands.compare.view import view_of

        return html_view(view_of(self._result))

    def _repr_markdown_(self) -> str:
        return self.render("markdown")

    def __repr__(self) -> str:
        names = ", ".join(f"{release.name} {release.path}" for release in self._result.releases)
        return f"<Comparison {names}>"


def compare(
    *specs: str | os.PathLike[str] | Mapping[str, object] | Spec,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Comparison:
    """Compare releases, and order their guarantees if there is an order.

    Args:
        specs: from 2 to 26; each as for ``audit``, or the path of a JSON report of ``analyze``.
        time_limit: seconds, above 0, for all audits together, in equal shares of the remaining
            time.
        tolerance, root, allow_engines, show_values: as for ``audit``.

    Raises:
        SpecError: a spec that cannot be audited, or a report that does not fit its schema.
        SemiauditError: fewer than 2 or more than 26 of them.
    """
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    return _comparison([_input(spec, access) for spec in specs], limit, tolerance)


def compare_or_examples(
    paths: Iterable[str],
    time_limit: float,
    tolerance: float,
    access: Access,
    standard_input: bytes | None = None,
) -> Comparison:
    """Compare files, or shipped examples of their names if there are no such files.

    Args:
        standard_input: the content of standard input, for the path ``-``.
    """
    limit = Deadline(time_limit)
    return _comparison([_of_path(path, access, standard_input) for path in paths], limit, tolerance)


def _comparison(inputs: list[Input], limit: Deadline, tolerance: float) -> Comparison:
    if not 2 <= len(inputs) <= MOST:
        raise SemiauditError(f"give from 2 to {MOST} specs or reports; there are {len(inputs)}")
    return Comparison(compared(inputs, limit.left, tolerance), limit.left)


def _input(spec: AnySpec, access: Access) -> Input:
    if isinstance(spec, str | os.PathLike):
        name = os.fspath(spec)
        report = None if "\n" in name else _report(name)
        if report is not None:
            return report
    return release_of(spec, access)


def _of_path(path: str, access: Access, standard_input: bytes | None) -> Input:
    text = standard_input if path == "-" else None
    report = _report(path, text)
    if report is not None:
        return report
    with problems_of(path):
        progress.doing(f"reading {path}")
        return load_release(path, access, examples=True, text=text), access


def _report(path: str, text: bytes | None = None) -> Callable[[str], ComparedRelease] | None:
    """Return the release of a JSON report, as a function of its name; None for other files."""
    if text is None and not os.path.isfile(path):
        return None  # the reader of specs reports what is wrong with it
    data = bytes_of_report(path) if text is None else text
    return partial(compared_from_report, path, data) if looks_like_a_report(data) else None
