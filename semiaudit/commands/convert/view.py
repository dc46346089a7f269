"""The answer of the calculator, arranged for reading: a table a measure, with sides, sources."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.commands.convert.model import Conversion, Target
from semiaudit.model.bound import Bound
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.text.layout import Grid, Lines, View, heading
from semiaudit.version import __version__

_GUESS = (
    "Without the release, the best guess of a person's attribute succeeds with the prior "
    "probability. With it, this bound holds even for an attacker who knows all other records."
)


def view_of(conversion: Conversion) -> View:
    """Arrange an answer: the leading numbers, then epsilons, deltas, attacks and guesses."""
    question = conversion.question
    late = heading(conversion.incomplete_because)
    asked = Lines(
        "Question",
        (
            ("mechanism", question.text),
            ("pairs", f"{label(question.metric)} up to {question.distance}, in all of D"),
        ),
    )
    blocks = (block for target, block in _blocks(conversion) if question.target in (None, target))
    shown = {id(block): block for block in blocks if block is not None and block.rows}
    title = f"Guarantee of {question.text}"
    subtitle = f"semiaudit {__version__}{late}"
    return View(title, subtitle, (*shown.values(), asked), _verdict(conversion))


def _verdict(conversion: Conversion) -> str:
    """The ε at the largest δ, if that is asked for."""
    points = conversion.numbers.approx_dp
    if not points or conversion.question.target not in (None, "approx_dp"):
        return ""
    most = max(points, key=lambda point: point.delta)
    return f"ε is at most {bound_text(most.epsilon)} at δ = {rational_text(most.delta)}."


def _blocks(conversion: Conversion) -> Iterator[tuple[Target, Grid | None]]:
    """Every block, under each target that it answers."""
    numbers = conversion.numbers
    measures: dict[Target, list[tuple[str, Bound | None]]] = {
        "pure_dp": [("ε at δ = 0", numbers.pure_dp)],
        "zcdp": [("ρ", numbers.zcdp)],
        "gdp": [("μ", numbers.gdp), ("regret of μ", numbers.gdp_regret)],
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
        (name, "-", "", "no bound is known")
        if bound is None
        else (name, bound_text(bound), bound.side, bound.source)
        for name, bound in bounds
    )
    columns = ("measure", "value", "side", "source")
    return Grid("Measures", columns, rows, (False, True, False, False))


def _epsilons(conversion: Conversion) -> Grid:
    rows = tuple(
        (
            rational_text(point.delta),
            bound_text(point.epsilon),
            "" if point.epsilon_lower is None else bound_text(point.epsilon_lower),
            label(point.conversion),
            point.epsilon.source,
        )
        for point in conversion.numbers.approx_dp
    )
    columns = ("δ", "ε, at most", "at least", "conversion", "source")
    return Grid("ε at each δ", columns, rows, (True, True, True, False, False))


def _profile(conversion: Conversion) -> Grid:
    rows = tuple(
        (rational_text(epsilon, up=False), bound_text(bound), bound.method, bound.source)
        for epsilon, bound in conversion.profile
    )
    columns = ("ε", "δ, at most", "conversion", "source")
    return Grid("δ at each ε", columns, rows, (True, True, False, False))


def _attack(conversion: Conversion) -> Grid:
    numbers = conversion.numbers
    power = dict(numbers.tpr_at_fpr)
    rows = tuple(
        (_rate(type_i), bound_text(type_ii), bound_text(power[type_i]))
        for type_i, type_ii in numbers.tradeoff
    )
    columns = ("type I error (FPR)", "type II error, at least", "TPR, at most")
    source = next((bound.source for _, bound in numbers.tradeoff), "")
    notes = (f"Source: {source}.",) if source else ()
    return Grid("Optimal membership attack on one pair", columns, rows, (True, True, True), notes)


def _guesses(conversion: Conversion) -> Grid:
    rows = tuple((_rate(prior), bound_text(bound)) for prior, bound in conversion.guesses)
    source = next((bound.source for _, bound in conversion.guesses), "")
    return Grid(
        "Guess of an attribute",
        ("prior", "success probability, at most"),
        rows,
        (True, True),
        (_GUESS, f"Source: {source}."),
    )


def _rate(value: Fraction) -> str:
    return rational_text(value, up=False)
