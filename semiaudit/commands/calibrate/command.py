"""`semiaudit mechanism calibrate`: noise that meets a target, the designs side by side."""

from __future__ import annotations

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.error_options import error_options, fit_options, fitting_of
from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_options,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.target_option import target_option
from semiaudit.commands.calibrate import PRESENTATION
from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.designs import Designs
from semiaudit.commands.calibrate.run import calibrate as calibrated
from semiaudit.commands.calibrate.written import demand_one, files_of_design
from semiaudit.library.mechanisms import Mechanism
from semiaudit.library.targets import target_of
from semiaudit.model.frameworks import LEADING, NAMES, FrameworkName
from semiaudit.model.results.design import (
    DESIGN_NAMES,
    SWAP_RATES,
    AnyDesign,
    Calibration,
)
from semiaudit.model.results.errors import ErrorQuestion, FitNorm, FitWay
from semiaudit.report import Layout

SPEC = "spec"
"""What stands for a format where the spec of one design is written."""


class WrittenDesigns(Designs):
    """Designs, whose format ``spec`` is the spec of the first requested one."""

    __slots__ = ("_chosen",)

    def __init__(self, result: Calibration, chosen: tuple[AnyDesign, ...]) -> None:
        super().__init__(result)
        self._chosen = chosen

    def _files(self, form: str, path: str, layout: Layout) -> list[tuple[str, str]]:
        if form == SPEC:
            return files_of_design(self._result, self._chosen[0], path)
        return super()._files(form, path, layout)


@click.command()
@click.argument("spec", type=click.Path())
@target_option("goal", "Guarantee that the noise has to meet", required=True)
@click.option(
    "--framework",
    type=click.Choice(NAMES),
    default=LEADING,
    show_default=True,
    help="Privacy definition that the target is for.",
)
@click.option(
    "--design",
    "names",
    type=click.Choice((*DESIGN_NAMES, *SWAP_RATES)),
    multiple=True,
    help="Compute only this design; repeatable. Default: all that do not take long.",
)
@fit_options("Also print the errors of the nearest table")
@error_options()
@prints_answer(
    PRESENTATION.renderers,
    "spec",
    output="Also write a report to a file; spec=FILE writes the spec of one design; repeatable.",
    also_written=(SPEC,),
)
@time_limit_option(
    "Total time limit. Designs that are not checked in time do not count as meeting the target."
)
@tolerance_option()
@access_options()
def calibrate(
    spec: str,
    goal: Mechanism,
    framework: FrameworkName,
    names: tuple[AnyDesign, ...],
    by: tuple[tuple[str, ...], ...],
    runs: int | None,
    norm: FitNorm | None,
    way: FitWay,
    time_limit: float,
    tolerance: float,
    shared: SharedOptions,
) -> WrittenDesigns:
    """Design noise for the query of SPEC that meets a target, given the invariants of SPEC.

    The query is in the section `design: {query: table}`, which replaces the mechanism, or in the
    mechanism. Every design is audited as `analyze` audits its spec. Use
    `--design NAME -o spec=FILE` to write that spec.

    If the mechanism is swapping, the smallest and the largest swap rate that meet the target are
    computed. They replace the rate of the spec, which is optional.

    Exit code 2: no design meets the target, and nothing is written.
    """
    if any(form == SPEC for form, _ in shared.files):
        if len(names) != 1:
            raise click.UsageError("-o spec=FILE: choose one design with --design NAME")
        if spec == STANDARD_INPUT:
            raise click.UsageError("-o spec=FILE: name a file, because its folder matters")
    errors = ErrorQuestion(by, runs, fitting_of(norm, way))
    question = CalibrationQuestion(spec, target_of(goal), framework, names, errors)
    calibration = calibrated(question, time_limit, tolerance, shared.access, shared.standard_input)
    return WrittenDesigns(demand_one(calibration), names)
