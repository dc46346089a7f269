"""Run a mechanism from Python, and return its rows."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from semiaudit import deadline, progress
from semiaudit.auditing.run import TIME_LIMIT, problems_of
from semiaudit.commands.sample import PRESENTATION
from semiaudit.commands.sample.rows import Kinds
from semiaudit.deadline import Deadline
from semiaudit.library.answer import Answer
from semiaudit.library.arguments import Array, Table, seconds, whole
from semiaudit.library.error_question import error_question
from semiaudit.library.spec import Origin, Spec
from semiaudit.library.spec_argument import loaded_of
from semiaudit.model.data_source import Access, HeldTable
from semiaudit.model.results.errors import FitNorm, FitWay
from semiaudit.model.results.sample import Sample

Value: TypeAlias = int | Decimal | str
"""A value of a sample, exact in any column."""

MOST_DRAWS = 1_000_000


class Samples(Answer[Sample]):
    """The rows of a spec's mechanism, and how it was run.

    The rows are those of the files of ``semiaudit mechanism sample``: noise or noisy answers, one
    row for each draw, part, run, and coordinate; or the records of a swap. ``as_dict`` and
    ``render`` describe how the mechanism was run, without the rows.
    """

    __slots__ = ("_columns", "_lines")

    _presentation = PRESENTATION

    def __init__(self, result: Sample, lines: Sequence[str], columns: Kinds) -> None:
        super().__init__(result)
        self._lines, self._columns = lines, columns

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return tuple(self._columns)

    @property
    def seed(self) -> int | None:
        """Return the seed; None for randomness from the operating system."""
        return self._result.seed

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes for the reader of the rows, such as what must not be published."""
        return self._result.notes

    def to_columns(self) -> dict[str, list[Value]]:
        """Return the rows as columns, for any data-frame library.

        Returns:
            A list for each column, all of one length: whole numbers as ``int``, other numbers as
            ``Decimal`` with all digits, and levels of attributes as text; empty for a coordinate
            that has no such attribute. ``numpy.array(column, dtype=float)`` rounds to doubles.
        """
        head, *rows = csv.reader(self._lines)
        columns = zip(*rows, strict=True) if rows else [() for _ in head]
        kinds = self._columns.values()
        return {
            name: [_value(text, kind) for text in column]
            for name, kind, column in zip(head, kinds, columns, strict=True)
        }

    def to_csv(self) -> str:
        """Return the rows as CSV with a header: the bytes of the file that the command writes."""
        return "".join(self._lines)

    def __len__(self) -> int:
        return self._result.rows

    def __repr__(self) -> str:
        return f"<Samples {self._result.path}: {len(self)} rows of {', '.join(self.columns)}>"


def sample(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    *,
    data: str | os.PathLike[str] | Table | Array | Sequence[object] | None = None,
    seed: int | None = None,
    draws: int = 1,
    nonnegative_integers: FitNorm | None = None,
    fit: FitWay = "nearest",
    by: Iterable[Iterable[str]] = (),
    runs: int | None = None,
    time_limit: float = TIME_LIMIT,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Samples:
    """Run the mechanism of a spec: sample its noise, sample noisy answers, or swap records.

    Args:
        spec: as for ``audit``. Its mechanism is noise on a query, a ``finite`` mechanism, swapping,
            or a hierarchical release.
        data: to compute the noisy answers from: a CSV or Parquet file, a table, or an array of all
            counts; None for the data of the spec. Without data, the sample is the noise alone.
        seed: 0 or more, makes the sample repeatable: for tests, never for a release. None takes
            randomness from the operating system.
        draws: independent runs of the mechanism, from 1 to 1,000,000; 1 for swapping.
        nonnegative_integers: replace each noisy table by the nearest one, in the l1 or l2 norm, of
            nonnegative whole numbers that keeps the invariants; None keeps the noisy answers.
        fit: the nearest table, or ``topdown``: totals first.
        by: margins, each by its attributes, whose errors are described in addition to the cells'.
        runs: of the mechanism, for errors whose law is not known, from 1 to 10,000.
        time_limit: seconds, above 0, for everything; if the limit is reached, there is no sample.
        root, allow_engines, show_values: as of ``audit``.

    Returns:
        The rows of the files of ``semiaudit mechanism sample`` with the same seed.

    Raises:
        SpecError: the spec or the data cannot be read, the mechanism cannot be sampled, or the time
            limit was reached.
        ValueError: an argument is out of range.

    Source:
        The sampler of each kind, with how exact it is: docs/sampling.md.
    """
    # These load numpy.
    from semiaudit.auditing.confidential_table import Data, require_agreement
    from semiaudit.auditing.counting import counted
    from semiaudit.commands.sample.run import run_loaded

    question = error_question(by, runs, nonnegative_integers, fit)
    if whole(draws, "draws") > MOST_DRAWS:
        raise ValueError(f"draws: {draws} is out of range; give at most {MOST_DRAWS:,}")
    given_seed = None if seed is None else whole(seed, "seed", 0)
    limit = Deadline(seconds(time_limit))
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    progress.doing("reading the spec")
    read, allowed = loaded_of(spec, access, time_limit)
    with problems_of(read.release.path, time_limit), deadline.running(limit.left):
        given: Data = None
        if isinstance(data, str | os.PathLike):
            given = os.fspath(data)
        elif hasattr(type(data), "__arrow_c_stream__"):
            given = HeldTable(data)
        elif data is not None:
            counts = Spec(read, Origin(read.release.path, allowed)).with_(data={"counts": data})
            require_agreement(counted(read.release, allowed), counts._release, "data")
            read = counts._loaded
        # All rows are made inside the time limit, before the object exists: a sample is never cut
        # short.
        ready = run_loaded(
            read,
            given,
            given_seed,
            draws,
            allowed,
            question=question,
        )
        return Samples(ready.summary(), tuple(ready.drawn()), ready.columns)


def _value(text: str, kind: str) -> Value:
    if kind == "integer":
        return int(text)
    return Decimal(text) if kind == "number" else text
