"""`semiaudit mechanism calibrate`: noise that meets a target, the designs side by side."""

from __future__ import annotations

from collections.abc import Callable

import click

from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.error_options import error_options, fit_options, fitting_of
from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_options,
    time_limit_option,
    tolerance_option,
)
from semiaudit.commands.calibrate import PRESENTATION
from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.designs import Designs
from semiaudit.commands.calibrate.run import calibrate as calibrated
from semiaudit.commands.calibrate.written import demand_one, files_of_design
from semiaudit.model.frameworks import LEADING, NAMES, FrameworkName
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import (
    DESIGN_NAMES,
    SWAP_RATES,
    AnyDesign,
    Calibration,
    Target,
)
from semiaudit.model.results.errors import ErrorQuestion, FitNorm, FitWay
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.report import Layout

SPEC = "spec"
"""What stands for a format where the spec of one design is written."""

_KINDS: dict[str, tuple[int, Callable[..., Target]]] = {
    "gdp": (100, lambda mu: GDP(mu * mu)),
    "pure_dp": (10_000, PureDP),
    "zcdp": (10_000, ZCDP),
    "approx_dp": (10_000, ApproxDP),
}
"""For each kind of target, the largest number that a spec allows, and the measure."""

_FORMS = "gdp:MU, pure_dp:EPSILON, zcdp:RHO, or approx_dp:EPSILON,DELTA"


def read_target(ctx: click.Context, param: click.Parameter, text: str) -> Target:
    """A guarantee in one word, such as ``gdp:1``; its numbers are read exactly."""

    def wrong(what: str) -> click.BadParameter:
        return click.BadParameter(what, ctx, param)

    kind, _, rest = text.partition(":")
    texts = rest.split(",")
    if kind not in _KINDS or len(texts) != (2 if kind == "approx_dp" else 1):
        comma = kind in _KINDS and len(texts) == 2
        number = f"{kind}:{'.'.join(texts)} with a decimal point"
        raise wrong(f"{text!r}: write {number if comma else _FORMS}")
    numbers = []
    for amount in texts:
        try:
            numbers.append(rational_from_text(amount))
        except ValueError as error:
            raise wrong(f"{amount!r}: {error}; write {_FORMS}") from None
    strength = numbers[0]
    largest, measure = _KINDS[kind]
    if not 0 < strength <= largest:
        # An epsilon of 0 is met where delta is above 0, but is no place to start from.
        never = strength == 0 and kind != "approx_dp"
        what = "no noise meets it" if never else "is out of range"
        raise wrong(f"{kind} {texts[0].strip()}: {what}; use a number above 0, at most {largest}")
    if kind == "approx_dp" and not 0 < numbers[1] < 1:
        instead = "" if numbers[1] else f", or pure_dp:{texts[0].strip()} for pure DP"
        raise wrong(f"delta {texts[1]}: is out of range; use a number above 0 and below 1{instead}")
    return measure(*numbers)


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
@click.option(
    "--target",
    metavar="KIND:NUMBER",
    callback=read_target,
    required=True,
    help=f"Guarantee that the noise must meet: {_FORMS}.",
)
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
    target: Target,
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
    question = CalibrationQuestion(spec, target, framework, names, errors)
    calibration = calibrated(question, time_limit, tolerance, shared.access, shared.standard_input)
    return WrittenDesigns(demand_one(calibration), names)
