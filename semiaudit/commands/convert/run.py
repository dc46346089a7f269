"""The calculator: compute the guarantee of one mechanism in every measure, in all of D."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.commands.convert.model import Conversion, ConversionQuestion, Target
from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.stated import measures_at
from semiaudit.mechanisms.parts import for_neighbors
from semiaudit.model.bound import Causes, joined, upper
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.inference import success_of_a_guess
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.spec.drafts.mechanism_text import FILE, mechanism_of_text

GUESS = "attribute_inference", "docs/theory/attribute-inference.md; Swanberg et al. 2025"


def convert(question: ConversionQuestion, time_limit: float, tolerance: float) -> Conversion:
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
