"""Run a mechanism: the spec is read, refused, and set up as for an audit, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from semiaudit import deadline, progress
from semiaudit.auditing.confidential_table import OWN, Data, Table, fitted_tables, table_of
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.commands.sample.rows import Kinds, free_name, line
from semiaudit.commands.sample.swap import NOT_AUDITED, Swapped, swap
from semiaudit.commands.sample.topdown_release import TopDownRelease, topdown
from semiaudit.commands.sample.view import NOT_ADDING_UP, SEEDED, SEVERAL
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frameworks.context import Context
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.count_errors import ErrorTable, errors_of_fit, errors_of_noise
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Drawing
from semiaudit.mechanisms.topdown.fitted_table import FittedTables
from semiaudit.model.audit import ExampleDataset, Release
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.mechanism import (
    DiscreteGaussian,
    DiscreteLaplace,
    Finite,
    FiniteNoise,
    Gaussian,
    Laplace,
    Noise,
    NoisePart,
    Part,
    parts_of,
)
from semiaudit.model.query import Query, width
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.errors import NO_MARGIN, CountErrors, ErrorQuestion
from semiaudit.model.results.sample import CurveQuestion, Sample, SampledPart
from semiaudit.model.topdown import TopDown
from semiaudit.numeric.limits import Limits
from semiaudit.report.blocks.count_errors import BIASED, WALK, error_notes
from semiaudit.spec.build import Loaded, loaded
from semiaudit.universe.explicit import datasets_of
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.answers import Answers, Coordinate, Records, places_of_answers
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.components import levels_of


def breaks_invariants(release: Release) -> bool:
    """Return whether independent noise is added although there are published invariants."""
    kinds = (Gaussian, DiscreteGaussian, Laplace, DiscreteLaplace)
    noises = [part for kind in kinds for part in parts_of(release.mechanism, kind)]
    return bool(release.published_invariants) and any(part.support is None for part in noises)


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


def _check_number(number: int, remedy: str) -> None:
    if number > MOST_NUMBERS:
        what = f"the sample has {number} numbers, and the limit is {MOST_NUMBERS}"
        raise RefusedError(Refusal(what, remedy, "mechanism"))


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
    _check_number(width(query, space), "use a query of fewer numbers")
    answers, records = Answers(space, query), Records(space)
    labels: list[tuple[int, Label]] = []
    active = set(spaces.subspaces.active(query))
    places = places_of_answers(answers)
    blank = [""] * len(answers.sizes)
    for (at, cell), place in places.items():
        if at == len(answers.margins):
            labels.append((place, (*blank, str(cell + 1))))
            continue
        margin = answers.margins[at]
        levels = levels_of(cell, [answers.sizes[p] for p in margin])
        if place not in active or (len(margin) == len(blank) and not records.possible(levels)):
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


AT_ONCE = 1_000
"""The most samples that are kept in memory."""

HELD = 2_000_000
"""The most numbers that are kept in memory, for at least one sample."""

MOST_NUMBERS = 20_000_000
"""The most numbers of one sample."""


class NoiseRelease:
    """A mechanism that is set up; ``lines`` samples its numbers once.

    Attributes:
        columns: the columns of the table that ``lines`` writes, with their kinds.
        rows: the rows of that table.
    """

    def __init__(
        self,
        release: Release,
        distance: int | None,
        parts: Sequence[ReadyPart],
        attributes: Sequence[str],
        source: Randomness,
        draws: int,
        data: str,
        fit: FittedTables | None,
        spaces: SensitivitySpaces,
        errors: ErrorTable | None,
    ) -> None:
        self._release, self._distance, self._parts = release, distance, tuple(parts)
        self._source, self._draws, self._data, self._fit = source, draws, data, fit
        self._spaces, self._errors = spaces, errors
        self.columns = self._columns(attributes)
        self.rows = draws * sum(one.runs * len(one.labels) for one in parts)
        _check_number(self.rows, "use a smaller --draws")

    def _columns(self, attributes: Sequence[str]) -> Kinds:
        whole = self._fit is not None or all(one.drawing.whole for one in self._parts)
        kinds = {free_name(name, attributes): "integer" for name in ("draw", "part", "run")}
        kinds |= dict.fromkeys(attributes, "text")
        longest = max(len(label) for one in self._parts for _, label in one.labels)
        if longest > len(attributes):
            kinds[free_name("row", attributes)] = "integer"
        last = "answer" if self._data else "noise"
        if all(isinstance(one.part, Finite) for one in self._parts):
            last = "outcome"
        return kinds | {free_name(last, attributes): "integer" if whole else "number"}

    def lines(self) -> Iterator[str]:
        """Yield the table as CSV, with a header; every number in full.

        Raises:
            RefusedError: an answer is too large to be printed exactly, or has no nearest table.
        """
        yield line(list(self.columns))
        progress.doing("drawing")
        middle = len(self.columns) - 4
        for at, one in enumerate(self._parts, 1):
            for run in range(1, one.runs + 1):
                at_once = max(1, min(AT_ONCE, HELD // max(1, len(one.labels))))
                for first in range(0, self._draws, at_once):
                    number = min(at_once, self._draws - first)
                    for draw, values in enumerate(self._values(one, number), first + 1):
                        deadline.check()
                        head = [str(draw), str(at), str(run)]
                        for place, label in one.labels:
                            filled = [*label, *[""] * (middle - len(label))]
                            yield line([*head, *filled, _text(values[place])])

    def _values(self, one: ReadyPart, number: int) -> Iterator[Sequence[float | Fraction]]:
        for row in one.drawing.outputs(one.exact, number, self._source):
            yield row if self._fit is None else self._fit.of(row)

    def drawn(self) -> Sequence[str]:
        """Return all sampled lines; see ``lines``."""
        return tuple(self.lines())

    def errors(self) -> Iterator[CountErrors]:
        """Yield the errors of the noisy answers, and of the tables that are fitted to them."""
        table = self._errors
        for at, one in enumerate(self._parts, 1):
            if table is None or one.query is None or not isinstance(one.part, Noise | FiniteNoise):
                continue
            yield from errors_of_noise(
                table, one.part, one.query, one.drawing, self._spaces, one.exact, at
            )
            if self._fit is not None:
                yield from errors_of_fit(table, one.drawing, one.exact, self._fit, at)

    def summary(self) -> Sample:
        """Return what was sampled, and how."""
        errors, table = tuple(self.errors()), self._errors
        walks = not errors and any(one.drawing.approximate for one in self._parts)
        by = () if table is None or walks else table.margins[1:]
        notes = list(error_notes(errors, by, confidential=bool(self._data)))
        if walks and table is not None:
            notes.append(WALK)
        if self._fit is not None:
            notes.append(BIASED)
        if self._source.seed is not None and self._data:
            notes.append(SEEDED)
        if self._data and self._draws > 1:
            notes.append(SEVERAL.format(draws=self._draws))
        release = self._release
        if self._data and self._fit is None and breaks_invariants(release):
            notes.append(NOT_ADDING_UP)
        return Sample(
            release.path,
            release.sha256,
            release.title,
            self._source.origin,
            self._source.seed,
            self._draws,
            bool(self._data),
            self._data,
            None if self._fit is None else self._fit.fitting.norm,
            self.rows,
            self._distance,
            tuple(map(_sampled_part, self._parts)),
            tuple(notes),
            errors=errors,
            totals_first=self._fit is not None and self._fit.fitting.totals_first,
        )


def noise(
    loaded_spec: Loaded,
    release: Release,
    data: Data,
    source: Randomness,
    draws: int,
    access: Access,
    question: ErrorQuestion,
) -> NoiseRelease:
    """Set up the noise of a release.

    Args: as for ``run_mechanism``; if the spec names data, t is counted in the release.

    Raises:
        SpecError: the data cannot be read, or disagree with the spec.
        RefusedError: the mechanism cannot be sampled.
        OutOfTimeError: the time limit was reached.
    """
    progress.doing("a(t)")
    limits = Limits()
    spaces = SensitivitySpaces(release, limits)
    stated = parts_to_sample(release)
    universe = universe_of(release, limits)
    context = Context(universe, release.adjacency, release.mechanism, spaces)
    for part, _ in flattened(context.made):
        if reason := kind_of(part).refusal(part, "semi_dp", spaces):
            raise RefusedError(Refusal(reason, NOT_AUDITED, "mechanism"))
    table = table_of(loaded_spec, release, data, access)
    progress.doing("the noise")
    parts = [noise_of_part(part, runs, context.distance, spaces, table) for part, runs in stated]
    fitted = None
    if question.fitting is not None:
        queries = [None if isinstance(one.part, Finite) else one.query for one in parts]
        fitted = fitted_tables(release, table, queries, question.fitting)
    own = table is not None or isinstance(release.published, ExampleDataset)
    data_name = str(data or (OWN if own else ""))
    space = release.dataspace
    attributes = space.attributes if isinstance(space, TableSpace) else ()
    names = [attribute.name for attribute in attributes]
    errors = None
    if isinstance(space, TableSpace) and attributes:
        errors = ErrorTable(space, question, table if access.show_values else None)
    elif question.by:
        what = "--by needs a dataspace with attributes"
        raise RefusedError(Refusal(what, "remove it", "dataspace"))
    return NoiseRelease(
        release, context.distance, parts, names, source, draws, data_name, fitted, spaces, errors
    )


def _sampled_part(one: ReadyPart) -> SampledPart:
    drawing = one.drawing
    return SampledPart(
        one.part.kind,
        "the dataset" if one.query is None else str(one.query),
        one.runs,
        len(one.labels),
        drawing.whole,
        drawing.method,
        drawing.exactness,
        drawing.measured,
    )


def _text(value: float | Fraction) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(value), "f")
    if value.denominator == 1:
        return str(value.numerator)
    places = value.denominator.bit_length()
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    sign = "-" * (value < 0)
    return f"{sign}{digits[:-places]}.{digits[-places:]}".rstrip("0")


Ready = NoiseRelease | Swapped | TopDownRelease
"""A mechanism that is set up, or the records that it swapped."""


def run_mechanism(
    path: str,
    data: Data,
    seed: int | None,
    draws: int,
    access: Access = CONFINED,
    text: bytes | None = None,
    *,
    curve: CurveQuestion | None = None,
    records: bool = True,
    question: ErrorQuestion = NO_MARGIN,
) -> Ready:
    """Set up a mechanism, or swap; the deadline in force covers all of it.

    Args:
        path: the path of the spec.
        data: a table or microdata for the answers; by default, those of the spec, if it has any.
        seed: None takes randomness from the operating system.
        draws: the number of independent runs.
        text: the spec itself, if it is not a file.
        curve: the requested curve of a table's error by swap rate; None for no curve.
        records: run the swap at the spec's rate; otherwise only its curve is computed.
        question: the margins whose errors are computed, and how noisy tables are fitted.

    Raises:
        SpecError: the spec or the data cannot be read or disagree, or the mechanism cannot be
            sampled.
    """
    with problems_of(path):
        progress.doing("reading the spec")
        loaded_spec = loaded(path, access, text=text)
    return run_loaded(
        loaded_spec,
        data,
        seed,
        draws,
        access,
        curve=curve,
        records=records,
        question=question,
    )


def run_loaded(
    loaded_spec: Loaded,
    data: Data,
    seed: int | None,
    draws: int,
    access: Access,
    *,
    curve: CurveQuestion | None = None,
    records: bool = True,
    question: ErrorQuestion = NO_MARGIN,
) -> Ready:
    """Set up the mechanism of a spec that was read; otherwise like ``run_mechanism``."""
    with problems_of(loaded_spec.release.path):
        release = counted(loaded_spec.release, access)
        part = _swapping_of(release)
        _check_options(part, draws, question, curve)
        ready: Ready
        if part is not None:
            source = Randomness(seed)
            ready = swap(
                loaded_spec, release, part, data, source, curve, access, question, records=records
            )
        elif _is_topdown(release):
            ready = topdown(loaded_spec, release, data, Randomness(seed), draws, access, question)
        else:
            ready = noise(loaded_spec, release, data, Randomness(seed), draws, access, question)
        return ready


def _check_options(
    part: Swapping | None, draws: int, question: ErrorQuestion, curve: CurveQuestion | None
) -> None:
    if part is None:
        if curve is not None:
            what, remedy = "--utility is for swapping", "remove it, or use a spec with swapping"
            raise RefusedError(Refusal(what, remedy, "mechanism"))
        return
    wrong = ["--draws"] * (draws > 1) + ["--nonnegative-integers"] * (question.fitting is not None)
    if wrong:
        what = f"{' and '.join(wrong)}: not for swapping, which writes whole records once"
        raise RefusedError(Refusal(what, "remove it", "mechanism.swapping"))


def _swapping_of(release: Release) -> Swapping | None:
    """Return the swapping of a release; refuse other parts, and several runs."""
    parts = flattened(release.mechanism)
    for part, runs in parts:
        if isinstance(part, Swapping):
            if len(parts) > 1 or runs > 1:
                what = "swapping can run only alone and once, but the mechanism is a composition"
                mark, remedy = part.mark, "use a spec with the swapping alone"
                raise RefusedError(
                    Refusal(what, remedy, "mechanism.swapping", mark.line, mark.column)
                )
            return part
    return None


def _is_topdown(release: Release) -> bool:
    parts = flattened(release.mechanism)
    return len(parts) == 1 and isinstance(parts[0][0], TopDown) and parts[0][1] == 1
