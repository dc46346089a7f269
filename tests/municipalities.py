"""Persons of a small country: 30 municipalities of 3 states, by age, sex, and ethnicity.

The records are drawn: municipalities differ in size, and minorities are few. Nothing is measured in
them.
"""

from __future__ import annotations

from itertools import product

import numpy as np

PERSONS, STATES, OTHERS = 40_859, 3, {"age": 10, "sex": 2, "ethnicity": 5}


def _states(municipalities: int) -> list[list[str]]:
    """The municipalities of each state: neighbors in their list are in one state."""
    states: list[list[str]] = [[] for _ in range(STATES)]
    for at in range(municipalities):
        states[at * STATES // municipalities].append(f"m{at}")
    return states


def flat(municipalities: int = 30, more: str = "", **others: int) -> str:
    """A spec without states: their totals are counts. ``more`` are its other sections."""
    states = [", ".join(names) for names in _states(municipalities)]
    counts = "".join(f"  - count: {{where: {{municipality: [{names}]}}}}\n" for names in states)
    inside = f"municipality: [{', '.join(states)}]{_others(others)}"
    return _spec(inside, f"\n{counts}", more)


def nested(municipalities: int = 30, more: str = "", **others: int) -> str:
    """A spec with municipalities within states, whose margin is published."""
    states = enumerate(_states(municipalities))
    within = ", ".join(f"s{at}: [{', '.join(names)}]" for at, names in states)
    levels = ", ".join(f"s{at}" for at in range(STATES))
    inside = f"state: [{levels}], municipality: {{within: state, levels: {{{within}}}}}"
    return _spec(inside + _others(others), " [margin: [state]]\n", more)


def _others(others: dict[str, int]) -> str:
    return "".join(f", {name}: {size}" for name, size in (others or OTHERS).items())


def _spec(attributes: str, invariants: str, more: str) -> str:
    space = f"{{unit: person, size: {PERSONS}, attributes: {{{attributes}}}}}"
    return f"semiaudit: 1\ndataspace: {space}\ninvariants:{invariants}{more}"


def as_csv(municipalities: int = 30, seed: int = 56) -> str:
    """The table of the nested spec: a row for each possible cell, with its count."""
    source = np.random.default_rng(seed)
    shares = (
        source.pareto(1.2, municipalities) + 0.1,
        np.linspace(1.2, 0.4, OTHERS["age"]),
        np.array([0.51, 0.49]),
        0.3 ** np.arange(OTHERS["ethnicity"]),
    )
    weights = np.einsum("i,j,k,l", *shares).ravel()
    counts = source.multinomial(PERSONS, weights / weights.sum())
    places = [
        (f"s{at}", name) for at, names in enumerate(_states(municipalities)) for name in names
    ]
    others = [",".join(map(str, levels)) for levels in product(*map(range, OTHERS.values()))]
    rows = (f"{state},{name},{levels}" for state, name in places for levels in others)
    lines = (f"{row},{count}\n" for row, count in zip(rows, counts.tolist(), strict=True))
    return f"state,municipality,{','.join(OTHERS)},count\n{''.join(lines)}"
