"""The parts of a mechanism, ready to sample: noise, labels, and the answers without noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from semiaudit.commands.sample.rules import Table
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.sampling.sampling_methods import Drawing
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import ListedSpace, ProductSpace
from semiaudit.model.mechanism import Finite, FiniteNoise, Noise, NoisePart, Part
from semiaudit.model.published_invariants import ExampleDataset
from semiaudit.model.query import Query
from semiaudit.universe.explicit.datasets import datasets_of
from semiaudit.universe.sensitivity.answers import Answers, Coordinate, Records
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.sensitivity.subspaces import places_of_answers
from semiaudit.universe.system.components import levels_of

Label = tuple[str, ...]
"""The texts before a number: levels of the attributes, empty if the answer sums over them."""


@dataclass(frozen=True)
class ReadyPart:
    """A part that is ready to sample.

    Attributes:
        labels: labels of the printed coordinates, with their indices in the answer.
        exact: the answers without noise; None without data.
    """

    part: Part
    query: Query | None
    runs: int
    drawing: Drawing
    labels: tuple[tuple[int, Label], ...]
    exact: tuple[int, ...] | None


def parts_to_sample(release: Release) -> list[tuple[Part, int]]:
    """Return the parts with their numbers of runs.

    Raises:
        RefusedError: some cannot be sampled; all of them are named.
    """
    refusals: list[Refusal] = []
    parts = list(flattened(release.mechanism))
    for part, _ in parts:
        try:
            kind_of(part).sampler(part)
        except RefusedError as error:
            refusals += error.refusals
    if refusals:
        raise RefusedError(*refusals)
    return parts


def noise_of_part(
    part: Part, runs: int, distance: int | None, spaces: SensitivitySpaces, table: Table | None
) -> ReadyPart:
    """Set up one part as in the audit.

    Args:
        distance: the distance of semi-adjacency, for which noise is designed.
        table: the confidential table; None without data.

    Raises:
        RefusedError: its noise is unknown or too large, or depends on missing data.
    """
    if isinstance(part, Finite):
        return _outcome(part, runs, spaces, table)
    if not isinstance(part, Noise):
        raise TypeError(f"{part.kind} has a sampler, but is neither noise nor finite")
    made = replace(part, made_for=distance) if part.made_for is None else part
    return _noise(made, runs, spaces, table)


def _outcome(part: Finite, runs: int, spaces: SensitivitySpaces, table: Table | None) -> ReadyPart:
    release, seen = spaces.release, None
    if part.query is not None and table is not None:
        answers = Answers(spaces.table, part.query)
        seen = _answer(answers, places_of_answers(answers), table)
    elif part.query is None and isinstance(release.published, ExampleDataset):
        space = release.dataspace
        if isinstance(space, ProductSpace | ListedSpace):
            seen = (datasets_of(space).index(release.published.records),)
    drawing = kind_of(part).sampler(part)(spaces, seen)
    return ReadyPart(part, part.query, runs, drawing, ((0, ()),), None)


def _answer(answers: Answers, places: Mapping[Coordinate, int], table: Table) -> tuple[int, ...]:
    values = [0] * len(places)
    for levels, count in table.items():
        for coordinate, k in answers.column(levels):
            values[places[coordinate]] += k * count
    return tuple(values)


def _noise(
    part: NoisePart | FiniteNoise, runs: int, spaces: SensitivitySpaces, table: Table | None
) -> ReadyPart:
    query = part.query
    if query is None:
        raise ValueError("noise without a query")
    space = spaces.table
    answers, records = Answers(space, query), Records(space)
    labels: list[tuple[int, Label]] = []
    places = places_of_answers(answers)
    blank = [""] * len(answers.sizes)
    for (at, cell), place in places.items():
        if at == len(answers.margins):
            labels.append((place, (*blank, str(cell + 1))))
            continue
        margin = answers.margins[at]
        levels = levels_of(cell, [answers.sizes[p] for p in margin])
        if len(margin) == len(blank) and not records.possible(levels):
            continue
        label = list(blank)
        for p, level in zip(margin, levels, strict=True):
            label[p] = str(space.attributes[p].label(level))
        labels.append((place, tuple(label)))
    exact = None if table is None else _answer(answers, places, table)
    drawing = kind_of(part).sampler(part)(spaces, exact)
    if drawing.of_answers and exact is None:
        what = f"the noise of {part.kind} depends on the count, but the spec has no data"
        mark = part.mark
        raise RefusedError(Refusal(what, "add --data FILE", "mechanism", mark.line, mark.column))
    return ReadyPart(part, query, runs, drawing, tuple(labels), exact)
