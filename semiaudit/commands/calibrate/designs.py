"""Noise designs for a target, for Python."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy

from semiaudit import progress
from semiaudit.auditing.run import TIME_LIMIT, TOLERANCE
from semiaudit.commands.calibrate import PRESENTATION
from semiaudit.commands.calibrate.view import meeting
from semiaudit.deadline import Deadline
from semiaudit.library.answer import EXIT_HOLDS, EXIT_NOT_AUDITED, Answer
from semiaudit.library.arguments import seconds
from semiaudit.library.error_question import error_question
from semiaudit.library.mechanisms import Mechanism
from semiaudit.library.spec import Spec
from semiaudit.library.spec_argument import loaded_of
from semiaudit.library.targets import target_of
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import LEADING, NAMES, FrameworkName
from semiaudit.model.results.design import (
    DESIGN_NAMES,
    SWAP_RATES,
    AnyDesign,
    Calibration,
    target_text,
)
from semiaudit.model.results.errors import FitNorm, FitWay


class Designs(Answer[Calibration]):
    """Designs of noise for the query of a spec, calibrated to one target and audited.

    ``designs["algorithm_1"]`` is the mechanism section of a design that meets the target, for
    ``spec.with_(design=None, mechanism=...)``.
    """

    __slots__ = ()

    _presentation = PRESENTATION

    @property
    def names(self) -> tuple[AnyDesign, ...]:
        """Return the designs that meet the target, in the order of ``render()``.

        The cheapest is first, and those that cannot be sampled are last.
        """
        return tuple(design.name for design in meeting(self._result))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[AnyDesign]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def to_columns(self) -> dict[str, list[str]]:
        """Return the rows of ``render("csv")`` as columns of text, for a table of any library."""
        columns, *rows = csv.reader(self.render("csv").splitlines())
        return {name: [row[place] for row in rows] for place, name in enumerate(columns)}

    def __getitem__(self, name: str) -> dict[str, object]:
        """Return the mechanism section of a design that meets the target.

        Raises:
            KeyError: there is no such design, or it does not meet the target; with the reason.
        """
        design = next((design for design in self._result.designs if design.name == name), None)
        if design is None or not design.meets or design.mechanism is None:
            why = "there is no such design" if design is None else design.refused
            known = ", ".join(self.names) or "none"
            raise KeyError(f"no design {name!r}: {why}; those that meet the target: {known}")
        return deepcopy(design.mechanism)

    @property
    def exit_code(self) -> int:
        """Return 2 if no design meets the target; else 0."""
        return EXIT_HOLDS if self.names else EXIT_NOT_AUDITED

    def __repr__(self) -> str:
        names = ", ".join(self.names) or "none"
        return f"<Designs {self._result.path}, {target_text(self._result.target)}: {names}>"


def calibrate(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    target: Mechanism,
    *,
    design: AnyDesign | Iterable[AnyDesign] = (),
    framework: FrameworkName = LEADING,
    by: Iterable[Iterable[str]] = (),
    runs: int | None = None,
    nonnegative_integers: FitNorm | None = None,
    fit: FitWay = "nearest",
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Designs:
    """Design noise for the query of a spec that meets a target, or find its swap rates.

    Args:
        spec: as for ``audit``. The query is in its section ``design``, which can replace the
            mechanism, or in its mechanism.
        target: the guarantee that the noise must meet: ``PureDP``, ``ApproxDP``, ``ZCDP``, ``GDP``.
        design: the name of a design, or several names: only these are computed. By default, all
            that do not take long.
        framework: the privacy definition that the target is for.
        by, runs: as for ``sample``: the margins whose errors are in ``as_dict()``.
        nonnegative_integers, fit: as for ``sample``: also compute the errors of fitted tables. They
            need ``show_values``.
        time_limit: seconds, above 0, for all computations together.
        tolerance, root, allow_engines, show_values: as for ``audit``.

    Raises:
        SpecError: the spec, its data, or its query cannot be used.
        ValueError: no noise can have the target, such as an epsilon of 0, or there is no such
            privacy definition or design.
    """
    from semiaudit.commands.calibrate.auditor import CalibrationQuestion  # loads numpy
    from semiaudit.commands.calibrate.run import calibrated

    if framework not in NAMES:
        raise ValueError(f"framework: there is no {framework}; known are {', '.join(NAMES)}")
    names = (design,) if isinstance(design, str) else tuple(design)
    strange = next((name for name in names if name not in (*DESIGN_NAMES, *SWAP_RATES)), None)
    if strange is not None:
        known = ", ".join((*DESIGN_NAMES, *SWAP_RATES))
        raise ValueError(f"design: there is no {strange}; known are {known}")
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    progress.doing("reading the spec")
    read, allowed = loaded_of(spec, access, time_limit, designs=True)
    errors = error_question(by, runs, nonnegative_integers, fit)
    question = CalibrationQuestion(read.release.path, target_of(target), framework, names, errors)
    return Designs(calibrated(question, read, limit.left, tolerance, allowed))
