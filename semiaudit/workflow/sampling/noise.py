"""Noise that is about to be drawn: set up part by part, and then drawn once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from semiaudit import deadline, under_way
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.sampling.drawing import Drawing
from semiaudit.mechanisms.sampling.grid import check_exact
from semiaudit.mechanisms.sampling.nonnegative import Fit, Rule, nearest
from semiaudit.mechanisms.sampling.performance import drawing_of, noise_on_a_query
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.access import Access
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.mechanism import Noise, NoisePart
from semiaudit.model.query import Query, TableQuery
from semiaudit.model.sample import Sample, SampledPart
from semiaudit.spec.build import Loaded
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.sensitivity.subspaces import places_of_answers
from semiaudit.universe.solver.integer_program import Limits
from semiaudit.universe.system.components import levels_of
from semiaudit.workflow.sampling.rows import Kinds, free_name, line
from semiaudit.workflow.sampling.rules import Table, rules_of
from semiaudit.workflow.sampling.table import OWN, table_of

AT_ONCE = 1_000
"""Draws that are held in memory."""

MOST_NUMBERS = 20_000_000
"""Numbers of one sample at most."""

SEEDED = (
    "whoever knows the seed can take the noise out again: a sample with a seed is for tests, not "
    "for publication"
)
SEVERAL = (
    "the audit of the spec is that of one draw; {draws} draws from the same data are a composition "
    "of so many, which repeat says in a spec"
)

Label = tuple[str, ...]
"""The texts before a number: levels of the attributes, empty where the answer sums over them."""


@dataclass(frozen=True)
class _Performed:
    """One part, ready to be drawn.

    Attributes:
        labels: of the coordinates that are printed, with their places in the answer.
        exact: the answers without noise; None without data.
    """

    part: Noise
    query: Query
    runs: int
    drawing: Drawing
    labels: tuple[tuple[int, Label], ...]
    exact: tuple[int, ...] | None


class Performance:
    """A mechanism that is about to be performed; the numbers are drawn once, by ``lines``.

    Attributes:
        columns: of the table that ``lines`` writes, with their kinds.
        rows: of that table.
    """

    def __init__(
        self,
        release: Release,
        distance: int | None,
        parts: Sequence[_Performed],
        attributes: Sequence[str],
        source: Randomness,
        draws: int,
        data: str,
        fit: tuple[Fit, Sequence[Rule]] | None,
    ) -> None:
        self._release, self._distance, self._parts = release, distance, tuple(parts)
        self._source, self._draws, self._data, self._fit = source, draws, data, fit
        self.columns = self._columns(attributes)
        self.rows = draws * sum(one.runs * len(one.labels) for one in parts)
        if self.rows > MOST_NUMBERS:
            what = f"{self.rows} numbers are more than {MOST_NUMBERS}"
            raise RefusedError(Refusal(what, "ask for fewer draws", "mechanism"))

    def _columns(self, attributes: Sequence[str]) -> Kinds:
        whole = self._fit is not None or all(one.drawing.whole for one in self._parts)
        found = {free_name(name, attributes): "integer" for name in ("draw", "part", "run")}
        found |= dict.fromkeys(attributes, "text")
        longest = max(len(label) for one in self._parts for _, label in one.labels)
        if longest > len(attributes):
            found[free_name("row", attributes)] = "integer"
        last = "answer" if self._data else "noise"
        return found | {free_name(last, attributes): "integer" if whole else "number"}

    def lines(self) -> Iterator[str]:
        """The table as CSV, with a header; every number in full.

        Raises:
            RefusedError: an answer is too large to be printed exactly, or has no nearest table.
        """
        yield line(list(self.columns))
        under_way.doing("drawing")
        middle = len(self.columns) - 4
        for at, one in enumerate(self._parts, 1):
            for run in range(1, one.runs + 1):
                for first in range(0, self._draws, AT_ONCE):
                    number = min(AT_ONCE, self._draws - first)
                    for draw, values in enumerate(self._values(one, number), first + 1):
                        deadline.check()
                        head = [str(draw), str(at), str(run)]
                        for place, label in one.labels:
                            filled = [*label, *[""] * (middle - len(label))]
                            yield line([*head, *filled, _text(values[place])])

    def _values(self, one: _Performed, number: int) -> Iterator[list[float]]:
        noise = one.drawing.draw(number, self._source)
        if one.exact is not None:
            noise = noise + one.exact
        check_exact(noise, one.drawing.step)
        for row in noise.tolist():
            yield row if self._fit is None else list(map(float, nearest(row, *self._fit[::-1])))

    def drawn(self) -> Sequence[str]:
        """The lines, all drawn; see ``lines``."""
        return tuple(self.lines())

    def told(self) -> Sample:
        """What was drawn, and how."""
        notes = []
        if self._source.seed is not None and self._data:
            notes.append(SEEDED)
        if self._data and self._draws > 1:
            notes.append(SEVERAL.format(draws=self._draws))
        release = self._release
        return Sample(
            release.path,
            release.sha256,
            release.title,
            self._source.told,
            self._source.seed,
            self._draws,
            bool(self._data),
            self._data,
            None if self._fit is None else self._fit[0],
            self.rows,
            self._distance,
            tuple(map(_told, self._parts)),
            tuple(notes),
        )


def noise(
    found: Loaded,
    release: Release,
    data: str | None,
    source: Randomness,
    draws: int,
    fit: Fit | None,
    access: Access,
) -> Performance:
    """Set the noise of a release up.

    Args: as those of ``perform``; the release has t counted, where the spec names data.

    Raises:
        SpecError: the data cannot be read, or disagree with the spec.
        RefusedError: the spec states what cannot be drawn.
        OutOfTimeError: the time limit struck.
    """
    under_way.doing("a(t)")
    limits = Limits()
    spaces = SensitivitySpaces(release, limits)
    stated = _noise_of(release, spaces)
    universe = universe_of(release, limits)
    context = Context(universe, release.adjacency, release.mechanism, spaces)
    reason = context.unstated("semi_dp")
    if reason:
        remedy = "what is not audited is not performed; see semiaudit analyze"
        raise RefusedError(Refusal(reason, remedy, "mechanism"))
    table = table_of(found, release, data, access)
    under_way.doing("the noise")
    made = [
        replace(part, made_for=context.distance) if part.made_for is None else part
        for part, _ in stated
    ]
    parts = [
        _performed(part, runs, spaces, table) for part, (_, runs) in zip(made, stated, strict=True)
    ]
    rules = None if fit is None else (fit, _rules(release, parts, spaces.table, table))
    told = "" if table is None else (data or OWN)
    names = [attribute.name for attribute in spaces.table.attributes]
    return Performance(release, context.distance, parts, names, source, draws, told, rules)


def _noise_of(release: Release, spaces: SensitivitySpaces) -> list[tuple[NoisePart, int]]:
    """The parts, which are all noise on a query; others are refused together."""
    refusals: list[Refusal] = []
    found: list[tuple[NoisePart, int]] = []
    for part, runs in flattened(release.mechanism):
        try:
            found.append((noise_on_a_query(part), runs))
        except RefusedError as error:
            refusals += error.refusals
    if refusals:
        raise RefusedError(*refusals)
    return found


def _performed(
    part: NoisePart, runs: int, spaces: SensitivitySpaces, table: Table | None
) -> _Performed:
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
    exact = None
    if table is not None:
        values = [0] * len(places)
        for levels, count in table.items():
            for coordinate, k in answers.column(levels):
                values[places[coordinate]] += k * count
        exact = tuple(values)
    return _Performed(part, query, runs, drawing_of(part, spaces), tuple(labels), exact)


def _rules(
    release: Release, parts: Sequence[_Performed], space: TableSpace, table: Table | None
) -> list[Rule]:
    """The rules of the nearest table.

    Raises:
        RefusedError: there are no data, or a query is not the table.
    """
    if table is None:
        what = "--nonnegative-integers replaces noisy answers, and there are no data"
        raise RefusedError(Refusal(what, "give --data FILE", "data"))
    if not all(isinstance(one.query, TableQuery) for one in parts):
        what = "--nonnegative-integers is for noisy tables, and a query is none"
        raise RefusedError(Refusal(what, "leave it out, or ask for query: table", "mechanism"))
    return rules_of(release, space, table)


def _told(one: _Performed) -> SampledPart:
    drawing = one.drawing
    return SampledPart(
        one.part.kind,
        str(one.query),
        one.runs,
        len(one.labels),
        drawing.whole,
        drawing.method,
        drawing.exactness,
        drawing.measured,
    )


def _text(value: float) -> str:
    """A double as the decimal number that it is, with all its digits."""
    if value.is_integer():
        return str(int(value))
    return format(Decimal(value), "f")
