"""Which mutants a seed stands for: statements drawn uniformly, and one change of each."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass
from functools import cache

from tests.mutants.operators import Mutation, mutation_of, number_of_mutations, statements
from tests.places import ROOT

PACKAGES = ("gate", "universe", "privacy", "mechanisms", "frameworks", "numeric")
"""The packages whose numbers and verdicts a release rests on."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutated module.

    Attributes:
        path: of the module, below the tree's root.
        place: of the statement, among those of the module that can be mutated.
    """

    number: int
    path: str
    place: int
    mutation: Mutation


@cache
def places() -> tuple[tuple[str, int], ...]:
    """Every statement that can be mutated: its file, and its place in it."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / "semiaudit" / package).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            name = path.relative_to(ROOT).as_posix()
            found += [(name, place) for place in range(len(statements(tree)))]
    return tuple(found)


def sample(seed: int, number: int) -> list[tuple[int, str, int]]:
    """The first mutants of a seed: their numbers, files, and places; the same for any number."""
    every = list(places())
    random.Random(seed).shuffle(every)
    return [(at, *place) for at, place in enumerate(every[:number])]


def mutant_of(seed: int, number: int, path: str, place: int) -> Mutant:
    """One change of a statement, chosen by the seed and the number."""
    source = (ROOT / path).read_text("utf-8")
    change = random.Random(f"{seed}:{number}").choice(range(number_of_mutations(source, place)))
    return Mutant(number, path, place, mutation_of(source, place, change))
