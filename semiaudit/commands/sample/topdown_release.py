"""Run a hierarchical release: noise at every level, and a table fitted from the top down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from semiaudit import deadline, progress
from semiaudit.auditing.confidential_table import OWN, Data, rules_of, table_of
from semiaudit.commands.sample.rows import Kinds, free_name, line
from semiaudit.commands.sample.view import SEEDED, SEVERAL
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.count_errors import RUNS, ErrorTable, errors_of_topdown
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.sampling.integers import DiscreteGaussianSampler
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import WHOLE
from semiaudit.mechanisms.sum_laws import Floats
from semiaudit.mechanisms.topdown.fitted_table import NoisyCount, top_down
from semiaudit.mechanisms.topdown.measured_counts import (
    Levels,
    TopDownCount,
    cells_of,
    counts_of,
    is_attribute,
)
from semiaudit.model.audit import Release
from semiaudit.model.data_source import Access
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.results.errors import CountErrors, ErrorQuestion, FitNorm
from semiaudit.model.results.sample import Sample, SampledPart
from semiaudit.model.topdown import TopDown
from semiaudit.report.blocks.count_errors import BIASED, error_notes
from semiaudit.spec.build import Loaded

MOST_NUMBERS = 5_000_000
"""The most numbers of one sample."""

MOST_FITTED = 25_000
"""The most cells of a fitted table; some 20,000 cells take half a minute of processor time."""

METHOD = "Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy, Algorithm 3"
FREE = (
    "the fitted table is computed only from noisy counts and published values: this is "
    "post-processing, which does not change the guarantee"
)


def topdown(
    loaded_spec: Loaded,
    release: Release,
    data: Data,
    source: Randomness,
    draws: int,
    access: Access,
    question: ErrorQuestion,
) -> TopDownRelease:
    """Set up a hierarchical release.

    Raises:
        SpecError: the data cannot be read, or disagree with the spec.
        RefusedError: the data do not determine the units of a level, or there are too many cells.
    """
    (part, _), *_ = flattened(release.mechanism)
    space = release.dataspace
    if not isinstance(part, TopDown) or not isinstance(space, TableSpace):
        raise ValueError("not a hierarchical release of a table")
    progress.doing("the counts of every level")
    cells = cells_of(part, space)
    fit = None if question.fitting is None else question.fitting.norm
    if fit is not None and len(cells) > MOST_FITTED:
        what = f"the table has {len(cells)} cells, and at most {MOST_FITTED} can be fitted"
        raise RefusedError(Refusal(what, "remove --nonnegative-integers", "mechanism"))
    counts = counts_of(part, space, cells)
    table = table_of(loaded_spec, release, data, access, most=None)
    rules: list[SumConstraint] = []
    if fit is not None:
        if table is None:
            what = "--nonnegative-integers needs noisy counts, and the spec has no data"
            raise RefusedError(Refusal(what, "add --data FILE", "data"))
        rules = rules_of(release, space, table, cells)
    exact = None if table is None else [table.get(cell, 0) for cell in cells]
    data_name = "" if table is None else str(data or OWN)
    errors = ErrorTable(space, question, table if access.show_values else None)
    return TopDownRelease(
        release, part, space, cells, counts, exact, data_name, source, draws, fit, rules, errors
    )


@dataclass
class TopDownRelease:
    """A hierarchical release that is set up; ``lines`` samples it once.

    Attributes:
        cells: the records that can occur. counts: the counts of each level.
        exact: the confidential table, by cells; None for noise alone.
        data: its place, in words.
        fit: the norm in which a table is fitted; None to write the noisy counts.
        rules: the rules that a fitted table keeps.
    """

    release: Release
    part: TopDown
    space: TableSpace
    cells: Sequence[Levels]
    counts: Sequence[Sequence[TopDownCount]]
    exact: Sequence[int] | None
    data: str
    source: Randomness
    draws: int
    fit: FitNorm | None
    rules: Sequence[SumConstraint]
    errors: ErrorTable

    def __post_init__(self) -> None:
        if self.rows > MOST_NUMBERS:
            what = f"the sample has {self.rows} numbers, and the limit is {MOST_NUMBERS}"
            raise RefusedError(Refusal(what, "use a smaller --draws", "mechanism"))

    @property
    def rows(self) -> int:
        """Return the number of rows that ``lines`` writes."""
        of_draw = sum(map(len, self.counts)) if self.fit is None else len(self.cells)
        return self.draws * of_draw

    @property
    def columns(self) -> Kinds:
        """Return the columns of the rows that ``lines`` writes, with their kinds."""
        names = [attribute.name for attribute in self.space.attributes]
        kinds = {free_name("draw", names): "integer"}
        if self.fit is None:
            kinds |= {free_name(name, names): "text" for name in ("level", "query")}
        kinds |= dict.fromkeys(names, "text")
        if self.fit is not None:
            return kinds | {free_name("count", names): "integer"}
        kinds[free_name("recodes", names)] = "text"
        return kinds | {free_name("answer" if self.data else "noise", names): "integer"}

    def drawn(self) -> Sequence[str]:
        """Return all sampled lines; see ``lines``."""
        return tuple(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield the noisy counts, or the cells of the fitted tables, as CSV with a header.

        Raises:
            RefusedError: no table was found that keeps the invariants.
            OutOfTimeError: the time limit was reached.
        """
        yield line(list(self.columns))
        for draw in range(1, self.draws + 1):
            progress.doing("drawing")
            noisy = self._noisy(self.source)
            if self.fit is None:
                yield from self._noisy_lines(draw, noisy)
                continue
            progress.doing("fitting from the top down")
            fitted = top_down(noisy, self.rules, len(self.cells), self.fit)
            for levels, value in zip(self.cells, fitted.cells, strict=True):
                yield line([str(draw), *self._labels(levels), str(value)])

    @cached_property
    def _samplers(self) -> dict[Fraction, DiscreteGaussianSampler]:
        variances = {count.sigma_squared for level in self.counts for count in level}
        return {variance: DiscreteGaussianSampler(variance) for variance in variances}

    def _noisy(self, source: Randomness) -> list[list[NoisyCount]]:
        """Sample the noisy counts of each level."""
        deadline.check()
        return [
            [
                NoisyCount(
                    count.cells,
                    self._true(count) + self._samplers[count.sigma_squared].draw(source),
                    count.noisy.rho,
                )
                for count in level
            ]
            for level in self.counts
        ]

    def _true(self, count: TopDownCount) -> int:
        return 0 if self.exact is None else sum(self.exact[cell] for cell in count.cells)

    def _labels(self, levels: Levels) -> list[str]:
        pairs = zip(self.space.attributes, levels, strict=True)
        return [str(attribute.label(level)) for attribute, level in pairs]

    def _noisy_lines(self, draw: int, noisy: Sequence[Sequence[NoisyCount]]) -> Iterator[str]:
        for of_level, answers in zip(self.counts, noisy, strict=True):
            for count, answer in zip(of_level, answers, strict=True):
                level = self.part.spine[count.noisy.level]
                query = self.part.queries[count.noisy.query]
                label = [""] * len(self.space.attributes)
                if level.attribute is not None and count.unit is not None:
                    at = self.space.position(level.attribute)
                    label[at] = str(self.space.attributes[at].label(count.unit))
                recodes = []
                for recode, group in zip(query.tells, count.groups, strict=True):
                    if is_attribute(recode):
                        at = self.space.position(recode.name)
                        label[at] = str(self.space.attributes[at].label(group))
                    else:
                        recodes.append(f"{recode.name}={group + 1}")
                texts = [str(draw), level.name, query.name, *label, " ".join(recodes)]
                yield line([*texts, str(answer.answer)])

    def _count_errors(self) -> Iterator[CountErrors]:
        yield from errors_of_topdown(self.errors, self.cells, self.counts)
        if self.fit is not None:
            yield from self.errors.of_tables("fitted", self._fitted(self.fit))

    def _fitted(self, fit: FitNorm) -> Iterator[Floats]:
        source = Randomness(0)
        for _ in range(self.errors.runs(RUNS)):
            progress.doing("the errors of fitted tables")
            table = top_down(self._noisy(source), self.rules, len(self.cells), fit).cells
            yield self.errors.of_counts(dict(zip(self.cells, table, strict=True)))

    def summary(self) -> Sample:
        """Return what was sampled, and how."""
        release, errors = self.release, tuple(self._count_errors())
        notes = (
            *self._notes(),
            *error_notes(errors, self.errors.margins[1:], confidential=bool(self.data)),
        )
        return Sample(
            release.path,
            release.sha256,
            release.title,
            self.source.origin,
            self.source.seed,
            self.draws,
            bool(self.data),
            self.data,
            self.fit,
            self.rows,
            None,
            tuple(self._parts()),
            notes,
            errors=errors,
        )

    def _parts(self) -> Iterator[SampledPart]:
        for at, level in enumerate(self.part.spine):
            asked = [self.part.queries[n.query].name for n in self.part.noisy if n.level == at]
            if asked:
                what = f"{level.name}: {', '.join(asked)}"
                yield SampledPart("topdown", what, 1, len(self.counts[at]), True, METHOD, WHOLE)

    def _notes(self) -> Iterator[str]:
        if self.fit is not None:
            yield FREE
            yield BIASED
        if self.source.seed is not None and self.data:
            yield SEEDED
        if self.data and self.draws > 1:
            yield SEVERAL.format(draws=self.draws)
