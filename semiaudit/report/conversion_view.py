"""The answer of the calculator, arranged for reading: a table a measure, with sides, sources."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.conversion import Conversion, Target
from semiaudit.report.layout import Grid, Lines, View, heading
from semiaudit.report.numbers import bound_text, rational_text
from semiaudit.version import __version__

_GUESS = (
    "Without the release the best guess of somebody's attribute is right as often as the prior "
    "says; with it at most so often, by whoever knows all other records."
)


def conversion_view(found: Conversion) -> View:
    """Arrange an answer: the leading numbers, then epsilons, deltas, attacks and guesses."""
    question = found.question
    late = heading(found.incomplete_because)
    asked = Lines(
        "What is asked",
        (
            ("mechanism", question.text),
            ("pairs", f"{question.metric} distance up to {question.distance}, in all of D"),
        ),
    )
    blocks = (block for target, block in _blocks(found) if question.target in (None, target))
    shown = {id(block): block for block in blocks if block is not None and block.rows}
    title = "What a mechanism guarantees by itself"
    return View(title, f"semiaudit {__version__}{late}", (asked, *shown.values()))


def _blocks(found: Conversion) -> Iterator[tuple[Target, Grid | None]]:
    """Every block, under each target that it answers."""
    numbers = found.numbers
    measures: dict[Target, list[tuple[str, Bound | None]]] = {
        "pure_dp": [("epsilon, delta 0", numbers.pure_dp)],
        "zcdp": [("rho", numbers.zcdp)],
        "gdp": [("mu", numbers.gdp), ("regret of mu", numbers.gdp_regret)],
        "tradeoff": [("advantage", numbers.advantage)],
    }
    if found.question.target is None:
        every = [bound for bounds in measures.values() for bound in bounds]
        yield "zcdp", _measures([*every])
    else:
        for target, bounds in measures.items():
            yield target, _measures(bounds)
    yield "approx_dp", _epsilons(found)
    yield "approx_dp", _profile(found)
    yield "tradeoff", _attack(found)
    yield "guess", _guesses(found)


def _measures(bounds: list[tuple[str, Bound | None]]) -> Grid:
    rows = tuple(
        (name, "-", "", "none is known")
        if bound is None
        else (name, bound_text(bound), bound.side, bound.source)
        for name, bound in bounds
    )
    columns = ("measure", "value", "side", "from")
    return Grid("Measures", columns, rows, (False, True, False, False))


def _epsilons(found: Conversion) -> Grid:
    rows = tuple(
        (
            rational_text(point.delta),
            bound_text(point.epsilon),
            "" if point.epsilon_lower is None else bound_text(point.epsilon_lower),
            point.conversion,
            point.epsilon.source,
        )
        for point in found.numbers.approx_dp
    )
    columns = ("delta", "epsilon, at most", "at least", "conversion", "from")
    return Grid("epsilon at delta", columns, rows, (True, True, True, False, False))


def _profile(found: Conversion) -> Grid:
    rows = tuple(
        (rational_text(epsilon, up=False), bound_text(bound), bound.method, bound.source)
        for epsilon, bound in found.profile
    )
    columns = ("epsilon", "delta, at most", "conversion", "from")
    return Grid("delta at epsilon", columns, rows, (True, True, False, False))


def _attack(found: Conversion) -> Grid:
    numbers = found.numbers
    power = dict(numbers.tpr_at_fpr)
    rows = tuple(
        (_rate(type_i), bound_text(type_ii), bound_text(power[type_i]))
        for type_i, type_ii in numbers.tradeoff
    )
    columns = ("type I error (FPR)", "type II error, at least", "TPR, at most")
    source = next((bound.source for _, bound in numbers.tradeoff), "")
    notes = (f"From: {source}.",) if source else ()
    return Grid("The best attack on one pair", columns, rows, (True, True, True), notes)


def _guesses(found: Conversion) -> Grid:
    rows = tuple((_rate(prior), bound_text(bound)) for prior, bound in found.guesses)
    source = next((bound.source for _, bound in found.guesses), "")
    return Grid(
        "Guessing an attribute",
        ("prior", "right, at most"),
        rows,
        (True, True),
        (_GUESS, f"From: {source}."),
    )


def _rate(value: Fraction) -> str:
    return rational_text(value, up=False)
