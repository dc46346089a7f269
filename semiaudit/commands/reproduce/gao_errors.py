"""Gao, Gong and Yu: errors of projected and extended noise, composition, ends of Lemma 3.4."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from semiaudit.commands.reproduce.found import Found, a_t, answered, counted, known
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import exact, upper
from semiaudit.model.design import DesignName

SOURCE = "Gao, Gong and Yu"
Names = tuple[DesignName, ...]
POWERS = (*range(2, 11), 12, 15)
"""Of ten, in the deltas at which Lemma 3.4's end is looked for."""

LEAST, MOST, STEPS = Fraction(1, 1000), Fraction(20), 40
"""Epsilons between which it is looked for, and halvings of the interval."""


def subspaces() -> Found:
    """Sections 2 to 4: dependent constraints, composition, and errors of designs."""
    from semiaudit.library.mechanisms import Finite
    from semiaudit.library.null_space import NullSpace
    from semiaudit.library.specification import lipschitz

    constraints = [[int(at // 24 == row) for at in range(336)] for row in range(14)]
    constraints += [[int(at % 24 == column) for at in range(336)] for column in range(24)]
    first, second = (1, 2, 4), (4, 2, 4)
    same = Finite([first, second], [["1/2", "1/2"], ["1/2", "1/2"]])
    odd = [sum(value in (1, 3) for value in data) for data in (first, second)]
    (told,) = lipschitz(same, published=odd)
    space = {"size": 100, "attributes": {"age": 3, "zip": 4}}
    both = [
        {"invariants": [{"margin": [name]}], "mechanism": {"pure_dp": {"epsilon": epsilon}}}
        for name, epsilon in (("age", "0.5"), ("zip", "0.7"))
    ]
    composed = _of_releases(space, both)
    projected = NullSpace([[1, 1]]).projected([[2, 0], [0, 2]])
    return Found(
        {
            "rank_of_a_location": counted(
                336 - NullSpace(constraints).dimension, "null_space", SOURCE
            ),
            "epsilon_of_example_2_4": told.lower,
            "epsilon_of_proposition_2_9": known(composed.subspace_dp.pure_epsilon),
            "a_t_of_proposition_2_9": a_t(composed),
            "variance_of_projected_laplace": exact(projected[0][0], "null_space", SOURCE),
            **_errors(),
        }
    )


def _of_releases(space: dict[str, Any], releases: list[dict[str, Any]]) -> Any:
    from semiaudit.library.report import audit

    return audit({"semiaudit": 1, "title": "published", "dataspace": space, "releases": releases})


def _errors() -> dict[str, Ours]:
    """Squared errors of designs for one target, as `mechanism calibrate` finds them."""
    steep = "{matrix: [[3, 0, 0], [0, 1, 0], [0, 0, 1]]}"
    gaussian: Names = ("projected_gaussian", "extended_gaussian")
    laplace: Names = ("projected_laplace", "extended_laplace")
    numbers: dict[str, Ours] = {}
    for name, cells, query, kept, target, designs in (
        ("steep", 3, steep, "{linear: [[1, 0, 0]]}", "gdp", gaussian),
        ("odd", 4, "table", "{linear: [[1, 0, 1, 0]]}", "gdp", gaussian),
        ("pair", 2, "table", "total", "pure", laplace),
        ("five", 5, "table", "total", "pure", laplace[:1]),
    ):
        for design in _designs(cells, query, kept, target, designs):
            numbers[f"{design.name}_{name}"] = _squared_error(design)
    numbers["cell_of_projected_laplace_five"] = _cell(numbers["projected_laplace_five"], 5)
    del numbers["projected_laplace_five"]
    return numbers | _correlated()


def _designs(cells: int, query: str, kept: str, target: str, names: Names) -> tuple[Any, ...]:
    """Designs of noise on a histogram under a linear invariant, for mu or epsilon of 1."""
    from semiaudit.commands.calibrate.auditor import Question
    from semiaudit.commands.calibrate.run import calibrate
    from semiaudit.model.access import Access
    from semiaudit.model.measure import GDP, PureDP

    text = (
        f"semiaudit: 1\ndataspace: {{size: 9, attributes: {{a: {cells}}}}}\n"
        f"invariants: [{kept}]\ndesign: {{query: {query}}}\n"
    )
    aim = GDP(Fraction(1)) if target == "gdp" else PureDP(Fraction(1))
    asked = Question("<published>", aim, "subspace_dp", names)
    return calibrate(asked, 60, 1e-6, Access(), text.encode()).calibration.designs


def _squared_error(design: Any) -> Ours:
    """The expected squared error: the rank, times the variance in every direction."""
    if design.scale is None or design.rank is None:
        return "none"
    variance = (2 if "laplace" in design.name else 1) * design.scale**2
    return upper(Fraction(design.rank * variance), design.name, SOURCE)


def _cell(error: Ours, cells: int) -> Ours:
    """The same of one of several cells that are alike."""
    return (
        "none" if isinstance(error, str) else upper(Fraction(error.value) / cells, "cells", SOURCE)
    )


def _correlated() -> dict[str, Ours]:
    """Correlated against extended Gaussian noise on twelve prefix sums, total kept."""
    rows = [[int(column <= row) for column in range(12)] for row in range(12)]
    names: Names = ("extended_gaussian", "correlated_gaussian")
    found = {
        design.name: design for design in _designs(12, f"{{matrix: {rows}}}", "total", "gdp", names)
    }
    costs = {name: found[name].expected_l2 for name in names}
    less = all(costs.values()) and costs[names[1]].value < costs[names[0]].value
    return {"correlated_costs_less": answered(bool(less))}


def limits_of_lemma_3_4() -> Found:
    """Where the printed constant stops being (epsilon, delta)-DP (erratum E4)."""
    from semiaudit.mechanisms.designs.lemma_3_4 import realised_delta, unchecked_constant
    from semiaudit.model.measure import ApproxDP

    def excess(epsilon: Fraction, delta: Fraction) -> bool:
        constant = unchecked_constant(ApproxDP(epsilon, delta))
        return realised_delta(constant, epsilon).upper_rational > delta

    numbers: dict[str, Ours] = {}
    for power in POWERS:
        delta, low, high = Fraction(1, 10**power), LEAST, MOST
        for _ in range(STEPS):
            middle = (low + high) / 2
            if excess(middle, delta):
                high = middle
            else:
                low = middle
        numbers[f"limit_at_1e-{power}"] = upper(high, "gaussian_exact", "Balle and Wang 2018")
    for epsilon, power in (("1", 15), ("1/2", 15)):
        target = ApproxDP(Fraction(epsilon), Fraction(1, 10**power))
        found = realised_delta(unchecked_constant(target), target.epsilon)
        numbers[f"delta_of_{float(target.epsilon):g}_1e-{power}"] = upper(
            found, "gaussian_exact", "Balle and Wang 2018"
        )
    shrunk = ApproxDP(Fraction(1, 10), Fraction(1, 1000))
    numbers["too_long_at_0.1_1e-3"] = _too_long(shrunk)
    return Found(numbers)


def _too_long(target: Any) -> Ours:
    """By which factor the printed constant is longer than need be."""
    from semiaudit.commands.reproduce.found import floating
    from semiaudit.mechanisms.designs.intensity import mu_squared_of
    from semiaudit.mechanisms.designs.lemma_3_4 import unchecked_constant

    mu_squared = mu_squared_of(target)
    if mu_squared is None:
        return "none"
    factor = float(unchecked_constant(target).high) * math.sqrt(mu_squared)
    return floating(factor, "the printed constant over the exact one")
