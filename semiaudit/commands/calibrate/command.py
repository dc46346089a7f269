"""`semiaudit mechanism calibrate`: noise that meets a target, the designs side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from semiaudit.cli.options import (
    access_of,
    access_options,
    format_option,
    output_option,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.output import Rendering, parse_outputs, put, rendered
from semiaudit.cli.status_line import watching
from semiaudit.commands.calibrate import RENDERERS
from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate as calibrated
from semiaudit.commands.calibrate.written import demand_one, files_of_design
from semiaudit.model.frameworks import LEADING, NAMES, FrameworkName
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import DESIGN_NAMES, SWAP_RATES, AnyDesign, Target
from semiaudit.numeric.rationals import rational_from_text

FORMATS = tuple(RENDERERS)
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
        raise wrong(f"{text!r}: write {_FORMS}")
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
    help="Use only this design; repeatable.",
)
@format_option(FORMATS)
@output_option(
    "Also write a report to a file; spec=FILE writes the spec of one design; repeatable."
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
    form: str,
    outputs: tuple[str, ...],
    time_limit: float,
    tolerance: float,
    **given: Any,
) -> int:
    """Design noise for the query of SPEC that meets a target, given the invariants of SPEC.

    The query is in the section `design: {query: table}`, which replaces the mechanism, or in the
    mechanism. Every design is audited as `analyze` audits its spec. Use
    `--design NAME -o spec=FILE` to write that spec.

    If the mechanism is swapping, the smallest and the largest swap rate that meet the target are
    computed. They replace the rate of the spec, which is optional.

    Exit code 2: no design meets the target, and nothing is written.
    """
    files = parse_outputs(outputs, spec, formats=(*FORMATS, SPEC))
    specs = [path for name, path in files if name == SPEC]
    if specs and len(names) != 1:
        raise click.UsageError("-o spec=FILE: choose one design with --design NAME")
    access = access_of(given)
    with watching("starting"):
        question = CalibrationQuestion(spec, target, framework, names)
        answer = calibrated(question, time_limit, tolerance, access)
        calibration = demand_one(answer.calibration)
        written = [file for path in specs for file in files_of_design(answer, names[0], path)]
        reports = [(name, path) for name, path in files if name != SPEC]
        text, texts = rendered(Rendering(RENDERERS, calibration), form, reports)
    put(text, [*written, *texts])
    return 0
