"""`semiaudit convert`: the guarantee of a mechanism in every privacy measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, assert_never, get_args

import click

from semiaudit import deadline
from semiaudit.cli.answers import SharedOptions, prints_answer
from semiaudit.cli.options import (
    ReadNumbers,
    Texts,
    numbers,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.target_option import target_option
from semiaudit.commands.convert import PRESENTATION
from semiaudit.commands.convert.model import TARGETS, Conversion, ConversionQuestion, Target
from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.answer import Answer
from semiaudit.library.mechanism_guarantee import measures_at
from semiaudit.library.mechanisms import Mechanism, Metric
from semiaudit.library.solving import solve
from semiaudit.mechanisms.parts import for_neighbors
from semiaudit.model.adjacency import Neighbors
from semiaudit.model.bound import Causes, joined, upper
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.inference import success_of_a_guess
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.spec.drafts.mechanism_text import FILE, mechanism_of_text
from semiaudit.spec.python_values import values_of_node
from semiaudit.spec.yaml12 import parse_document

GUESS = "attribute_inference", "docs/theory/attribute-inference.md; Swanberg et al. 2025"


def conversion_of(question: ConversionQuestion, time_limit: float, tolerance: float) -> Conversion:
    """Answer a question about a mechanism.

    Args:
        time_limit: seconds for all numbers together; numbers that are cut short are looser.
        tolerance: the relative bracket width of a composed loss.

    Raises:
        SpecError: with every problem of the mechanism's text, or why it cannot be answered.
    """
    mechanism = mechanism_of_text(question.text, question.metric)
    if question.neighbors is not None:
        mechanism = for_neighbors(mechanism, question.neighbors)
    accuracy = Accuracy(tolerance, TIME_LIMIT)
    try:
        with deadline.running(time_limit) as running:
            measures = measures_at(mechanism, question.distance, question.metric)
            conversion = answer(question, measures, accuracy)
        if question.target and not _is_known(question.target, conversion.numbers):
            what = f"no {question.target} guarantee is known at distance {question.distance}"
            raise RefusedError(Refusal(what, "remove --to to show the known measures"))
    except deadline.OutOfTimeError:
        late = Refusal(
            "the time limit was reached before any number was known", "raise --time-limit"
        )
        raise RefusedError(late).in_file(FILE) from None
    except RefusedError as error:
        raise error.in_file(FILE) from None
    causes: Causes = ("time",) if running.was_reached else ()
    return replace(conversion, incomplete_because=joined(causes, conversion.incomplete_because))


def answer(
    question: ConversionQuestion, measures: tuple[Measure, ...], accuracy: Accuracy
) -> Conversion:
    """Compute every requested number, from measures that hold for the mechanism."""
    asked = _of_target(question)
    row = CertifiedRow(measures, asked.deltas, asked.rates, asked.epsilons, accuracy)

    def delta(epsilon: Fraction) -> Fraction:
        return Fraction(row.delta_at(epsilon).sharpest)

    guesses = tuple(
        (prior, upper(success_of_a_guess(prior, row.type_ii_at, delta), *GUESS))
        for prior in asked.priors
    )
    return Conversion(question, row.numbers, row.profile, guesses, row.numbers.incomplete_because)


def _of_target(question: ConversionQuestion) -> ConversionQuestion:
    target = question.target
    if target is None:
        return question
    return replace(
        question,
        deltas=question.deltas if target == "approx_dp" else (),
        epsilons=question.epsilons if target == "approx_dp" else (),
        rates=question.rates if target == "tradeoff" else (),
        priors=question.priors if target == "guess" else (),
    )


def _is_known(target: Target, numbers: Numbers) -> bool:
    match target:
        case "pure_dp":
            return numbers.pure_dp is not None
        case "zcdp":
            return numbers.zcdp is not None
        case "gdp":
            return numbers.gdp is not None
        case "approx_dp":
            return any(isinstance(p.epsilon.value, Fraction) for p in numbers.approx_dp)
        case "tradeoff" | "guess":
            return numbers.advantage is not None
        case _:
            assert_never(target)


DELTAS = ("1e-6", "1e-10")
RATES = ("0.01", "0.05")
PRIORS = ("0.1", "0.5")


class ConversionAnswer(Answer[Conversion]):
    """The guarantee of a mechanism in every privacy measure."""

    __slots__ = ()

    _presentation = PRESENTATION


_share = numbers("a number above 0 and below 1", lambda value: 0 < value < 1)
_share_as_given = numbers(
    "a number above 0 and below 1", lambda value: 0 < value < 1, as_given=True
)
_least_zero = numbers("at least 0", lambda value: value >= 0)


def _repeatable(
    flag: str, name: str, read: ReadNumbers, help_: str, default: Texts = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        flag,
        name,
        metavar="NUMBER",
        callback=read,
        multiple=True,
        default=default,
        show_default=bool(default),
        help=f"{help_}; repeatable.",
    )


_SYMBOLS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "mu": "μ"}


def _solved(
    text: str,
    parameter: str,
    goal: Mechanism,
    distance: int,
    metric: Metric,
    tolerance: float,
    time_limit: float,
) -> tuple[str, str]:
    """The mechanism with the value that was found, and the sentence on it."""
    mechanism_of_text(text, metric)
    root: Any = parse_document(f"mechanism: {{\n{text}\n}}\n", FILE).root
    section: Any = values_of_node(root["mechanism"])
    limits: Any = {"tolerance": tolerance, "time_limit": time_limit}
    try:
        found = solve(
            Mechanism(section), parameter, goal, distance=distance, metric=metric, **limits
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except RefusedError as error:
        raise error.in_file(FILE) from None
    said = f"the {found.extreme} value" if found.extreme else "a value"
    (numbers_of,) = goal.to_mapping().values()
    name = " at ".join(f"{_SYMBOLS[key]} = {value}" for key, value in numbers_of.items())
    written = _flow(found.mechanism.to_mapping()).removeprefix("{").removesuffix("}")
    return written, f"{parameter} {found.value}: {said}, with six digits, that meets {name}"


def _flow(node: object) -> str:
    if isinstance(node, Mapping):
        return f"{{{', '.join(f'{key}: {_flow(value)}' for key, value in node.items())}}}"
    return f"[{', '.join(map(_flow, node))}]" if isinstance(node, list) else str(node)


@click.command()
@click.argument("mechanism")
@click.option(
    "--distance",
    type=click.IntRange(1, 10**9),
    default=1,
    show_default=True,
    help="Largest distance between the two datasets.",
)
@click.option(
    "--metric",
    type=click.Choice(get_args(Metric)),
    default="hamming",
    show_default=True,
    help="Metric of the distance. Subsampling and randomized reports depend on it.",
)
@click.option(
    "--neighbors",
    type=click.Choice(get_args(Neighbors)),
    help="Neighboring datasets for which the given numbers hold: replace-one, add/remove, or "
    "zero-out. Default: those at distance 1 of the metric.",
)
@_repeatable("--delta", "deltas", _share, "Show ε at this δ", DELTAS)
@_repeatable("--epsilon", "epsilons", _least_zero, "Show δ at this ε")
@_repeatable("--alpha", "alphas", _share, "Show the tradeoff function at this type I error", RATES)
@_repeatable(
    "--prior",
    "priors",
    _share_as_given,
    "Probability that a guess of an attribute is correct without the release",
    PRIORS,
)
@click.option(
    "--solve",
    "parameter",
    metavar="NAME",
    help="Find the value of this parameter at which the mechanism meets --target.",
)
@target_option("goal", "Guarantee that --solve has to meet")
@click.option("--to", "target", type=click.Choice(TARGETS), help="Show only this measure.")
@tolerance_option()
@time_limit_option(
    "Total time limit. Computations that are cut short give looser bounds or no result."
)
@prints_answer(PRESENTATION.renderers)
def convert(
    mechanism: str,
    distance: int,
    metric: Any,
    neighbors: Any,
    deltas: tuple[Fraction, ...],
    epsilons: tuple[Fraction, ...],
    alphas: tuple[Fraction, ...],
    priors: tuple[Fraction, ...],
    parameter: str | None,
    goal: Mechanism | None,
    target: Target | None,
    tolerance: float,
    time_limit: float,
    shared: SharedOptions,
) -> ConversionAnswer:
    """Show the guarantee of MECHANISM in every privacy measure, if nothing is published exactly.

    MECHANISM is the content of a spec's `mechanism` section, in quotes, such as
    'gaussian: {sigma: 2}, repeat: 10'. Without `shifts`, one record changes one coordinate by 1.
    """
    if (parameter is None) != (goal is None):
        raise click.UsageError("--solve and --target go together; give both")
    solved = ""
    if parameter is not None and goal is not None:
        if neighbors is not None:
            raise click.UsageError("with --solve, write neighbors into MECHANISM")
        mechanism, solved = _solved(
            mechanism, parameter, goal, distance, metric, tolerance, time_limit
        )
    question = ConversionQuestion(
        mechanism,
        distance,
        metric,
        deltas,
        epsilons,
        alphas,
        priors,
        target,
        neighbors,
        solved,
    )
    return ConversionAnswer(conversion_of(question, time_limit, tolerance))
