"""The answer of the calculator for reading: the verdict, then a table for each measure."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.commands.convert.model import Conversion, ConversionQuestion, Target
from semiaudit.model.adjacency import steps_between
from semiaudit.model.bound import Bound, Side
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text, sentence_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.guarantees_table import cut_short_notes
from semiaudit.report.text.layout import Grid, Lines, View, heading
from semiaudit.version import __version__

_GUESS = (
    "Without the release, the best guess of a person's attribute succeeds with the prior "
    "probability. With it, this bound holds even for an attacker who knows all other records."
)
_SIDES: dict[Side, str] = {"exact": "exact", "upper": "upper bound", "lower": "lower bound"}


def view_of(conversion: Conversion) -> View:
    """Arrange an answer: the verdict, the measures, then epsilons, deltas, attacks and guesses."""
    question = conversion.question
    late = heading(conversion.incomplete_because)
    asked = Lines(
        "Question",
        (
            ("mechanism", question.text),
            *((("solved", question.solved),) if question.solved else ()),
            (
                "datasets",
                f"any two possible datasets up to distance {question.distance} "
                f"({label(question.metric)}); nothing is published exactly",
            ),
            *_given_for(question),
            *(("cut short", note) for note in cut_short_notes([("", conversion.numbers)])),
        ),
    )
    blocks = (block for target, block in _blocks(conversion) if question.target in (None, target))
    shown = {id(block): block for block in blocks if block is not None and block.rows}
    return View(verdict(conversion), f"semiaudit {__version__}{late}", (*shown.values(), asked))


def _given_for(question: ConversionQuestion) -> Iterator[tuple[str, str]]:
    if question.neighbors is not None:
        steps = steps_between(question.neighbors, question.metric, question.distance)
        yield "numbers for", f"{label(question.neighbors)}: {steps} steps lead to that distance"


def verdict(conversion: Conversion) -> str:
    """Return the leading number of each requested measure, in one sentence."""
    known = list(_leading(conversion))
    if known:
        *first, last = known
        joined = f"{', '.join(first)}{',' * (len(first) > 1)} and {last}" if first else last
        return f"The mechanism provides {joined}."
    if conversion.question.target == "guess" and conversion.guesses:
        prior, success = conversion.guesses[0]
        return (
            f"A guess of an attribute that succeeds with probability {_rate(prior)} without the "
            f"release succeeds with probability {sentence_text(success)} at most with it."
        )
    if conversion.numbers.advantage is not None:
        most = sentence_text(conversion.numbers.advantage)
        return f"The optimal membership attack has an advantage of {most} at most."
    return "No finite guarantee of this mechanism is known."


def _leading(conversion: Conversion) -> Iterator[str]:
    numbers, target = conversion.numbers, conversion.question.target
    pure = None if numbers.pure_dp is None else sentence_text(numbers.pure_dp)
    if pure is not None and target in (None, "pure_dp"):
        yield f"ε = {pure} (pure DP)"
    if numbers.zcdp is not None and target in (None, "zcdp"):
        yield f"ρ = {sentence_text(numbers.zcdp)}"
    if numbers.gdp is not None and target in (None, "gdp"):
        yield f"μ = {sentence_text(numbers.gdp)}"
    finite = [p for p in numbers.approx_dp if isinstance(p.epsilon.value, Fraction)]
    if finite and target in (None, "approx_dp"):
        point = min(finite, key=lambda p: (p.delta, p.epsilon.sharpest))
        if target is not None or sentence_text(point.epsilon) != pure:
            yield f"ε = {sentence_text(point.epsilon)} at δ = {rational_text(point.delta)}"


def _blocks(conversion: Conversion) -> Iterator[tuple[Target, Grid | None]]:
    numbers = conversion.numbers
    regret = [] if numbers.gdp is None else [("regret of μ", numbers.gdp_regret)]
    measures: dict[Target, list[tuple[str, Bound | None]]] = {
        "pure_dp": [("ε at δ = 0", numbers.pure_dp)],
        "zcdp": [("ρ", numbers.zcdp)],
        "gdp": [("μ", numbers.gdp), *regret],
        "tradeoff": [("advantage", numbers.advantage)],
    }
    if conversion.question.target is None:
        every = [bound for bounds in measures.values() for bound in bounds]
        yield "zcdp", _measures([*every])
    else:
        for target, bounds in measures.items():
            yield target, _measures(bounds)
    yield "approx_dp", _epsilons(conversion)
    yield "approx_dp", _profile(conversion)
    yield "tradeoff", _attack(conversion)
    yield "guess", _guesses(conversion)


def _measures(bounds: list[tuple[str, Bound | None]]) -> Grid:
    rows = tuple(
        (name, "-", "no bound is known")
        if bound is None
        else (name, bound_text(bound), _SIDES[bound.side])
        for name, bound in bounds
    )
    return Grid("Measures", ("measure", "value", "kind of number"), rows, (False, True, False))


def _epsilons(conversion: Conversion) -> Grid:
    rows: dict[tuple[str, str], tuple[str, ...]] = {}
    for point in conversion.numbers.approx_dp:
        shown = rational_text(point.delta), bound_text(point.epsilon)
        lower = "" if point.epsilon_lower is None else bound_text(point.epsilon_lower)
        rows.setdefault(shown, (*shown, lower, label(point.conversion)))
    columns = ("δ", "ε, at most", "ε, at least", "conversion")
    return Grid("ε at each δ", columns, tuple(rows.values()), (True, True, True, False))


def _profile(conversion: Conversion) -> Grid:
    rows = tuple(
        (rational_text(epsilon, up=False), bound_text(bound), label(bound.method))
        for epsilon, bound in conversion.profile
    )
    columns = ("ε", "δ, at most", "conversion")
    return Grid("δ at each ε", columns, rows, (True, True, False))


def _attack(conversion: Conversion) -> Grid:
    numbers = conversion.numbers
    power = dict(numbers.tpr_at_fpr)
    rows = tuple(
        (_rate(type_i), bound_text(type_ii), bound_text(power[type_i]))
        for type_i, type_ii in numbers.tradeoff
    )
    columns = ("type I error (FPR)", "type II error, at least", "TPR, at most")
    return Grid("Optimal membership attack on one pair", columns, rows, (True, True, True))


def _guesses(conversion: Conversion) -> Grid:
    rows = tuple((_rate(prior), bound_text(bound)) for prior, bound in conversion.guesses)
    return Grid(
        "Guess of an attribute",
        ("prior", "success probability, at most"),
        rows,
        (True, True),
        (_GUESS,),
    )


def _rate(value: Fraction) -> str:
    return rational_text(value, up=False)
