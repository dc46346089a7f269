"""Noise that was drawn, or noisy answers: what was done, and how exactly; not the numbers."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.count_error import CountError


@dataclass(frozen=True, slots=True)
class SampledPart:
    """One part of a mechanism as it was performed.

    Attributes:
        kind: of the noise, as the spec names it.
        query: what it is added to.
        runs: how often the part runs in one performance of the mechanism.
        coordinates: of the answer.
        whole: the numbers are whole.
        method: by what algorithm the noise was drawn.
        exactness: what is exact about the draws.
        measured: how well an approximate sampler did; empty for the others.
    """

    kind: str
    query: str
    runs: int
    coordinates: int
    whole: bool
    method: str
    exactness: str
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn.

    Attributes:
        path, sha256, title: of the spec.
        source: where the randomness came from, in words.
        seed: None where it came from the operating system.
        draws: how often the whole mechanism was performed.
        answers: numbers are noisy answers; else they are noise alone.
        data: where the table was, in words; empty without answers.
        fit: by which norm answers were replaced by whole numbers from 0 on; None: they were not.
        rows: of the table that was drawn.
        distance: of semi-adjacency that the noise is made for; None where none is known.
        parts: of the mechanism.
        notes: what a reader must know.
        errors: by level and query, of a hierarchical release that was drawn with a seed.
    """

    path: str
    sha256: str
    title: str
    source: str
    seed: int | None
    draws: int
    answers: bool
    data: str
    fit: str | None
    rows: int
    distance: int | None
    parts: tuple[SampledPart, ...]
    notes: tuple[str, ...]
    errors: tuple[CountError, ...] = ()
