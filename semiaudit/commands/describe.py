"""`semiaudit mechanism describe`: the noise of a spec and its sensitivity spaces, in numbers.

A spec's noise in numbers: distributions, sensitivity spaces, and vectors as tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import click

from semiaudit import deadline
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.cli.options import access_of, access_options, time_limit_option
from semiaudit.cli.output import write_stdout
from semiaudit.cli.status_line import watching
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.k_norm_density import Hull, NormBall, density, normalizing_constant
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.bound import root_of
from semiaudit.model.data_source import Access
from semiaudit.model.mechanism import DiscreteGaussian, DiscreteLaplace, KNorm, Noise
from semiaudit.model.number_text import bound_text
from semiaudit.model.query import Query, TableQuery, width
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.limits import Limits
from semiaudit.numeric.rationals import exact_sqrt
from semiaudit.privacy.special.discrete_noise import (
    gaussian_pmf,
    gaussian_variance,
    laplace_pmf,
    laplace_variance,
)
from semiaudit.spec.build import loaded
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

MOST_LISTED = 40
"""The most vectors that are listed, one of each pair of opposite signs."""

MOST_DRAWN = 3
"""The most vectors that are shown as tables: the first of each size of the largest entries."""

VALUES = range(4)
"""Values of discrete noise whose probabilities are shown."""


def description_of(path: str, time_limit: float, access: Access) -> str:
    """Describe every part of a spec that is noise on a query.

    Raises:
        SpecError: the spec cannot be read, or has no noise on a query.
    """
    with problems_of(path):
        release = counted(loaded(path, access).release, access)
        limits = Limits(time_limit)
        spaces = SensitivitySpaces(release, limits)
        parts = [part for part, _ in flattened(release.mechanism) if isinstance(part, Noise)]
        asked = [(part, part.query) for part in parts if part.query is not None]
        if not asked:
            mark = release.mechanism.mark
            what = "specifies no noise on a query"
            remedy = (
                "name the noise and its query, for example `gaussian: {sigma: 2, query: table}`"
            )
            raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
        universe = universe_of(release, limits)
        distance = release.adjacency.distance or universe.semi_adjacency.value
        lines: list[str] = []
        for number, (part, query) in enumerate(asked, 1):
            lines.append(f"Part {number}: {part.kind} on {query}")
            lines.append(f"  coordinates: {width(query, spaces.table)}")
            lines += (f"  {line}" for line in _noise(part, query, distance, spaces))
            lines += (f"  {line}" for line in _space(query, distance, spaces))
            lines.append("")
    return "\n".join(lines)


def _noise(
    part: Noise, query: Query, distance: int | None, spaces: SensitivitySpaces
) -> Iterator[str]:
    match part:
        case DiscreteGaussian(support=None):
            yield f"variance of a coordinate: {_number(gaussian_variance(part.sigma_squared))}"
            for value in VALUES:
                yield f"P(noise = {value}) = {_number(gaussian_pmf(part.sigma_squared, value))}"
        case DiscreteLaplace():
            yield f"variance of a coordinate: {_number(laplace_variance(part.scale))}"
            for value in VALUES:
                yield f"P(noise = {value}) = {_number(laplace_pmf(part.scale, value))}"
        case KNorm(support=None):
            yield from _k_norm(part, query, distance, spaces)
        case _:
            return


def _k_norm(
    part: KNorm, query: Query, distance: int | None, spaces: SensitivitySpaces
) -> Iterator[str]:
    ball, size = _ball(part, query, distance, spaces)
    if ball is None or size is None:
        yield "the unit ball of its norm is not listed, or has an irrational size"
        return
    yield f"dimension of the span: {ball.dimension}"
    scale = size / part.epsilon
    try:
        yield f"normalizing constant: {_number(normalizing_constant(ball, scale))}"
        still = (Fraction(0),) * width(query, spaces.table)
        yield f"density at 0: {_number(density(ball, scale, still))}"
    except RefusedError as refused:
        yield f"normalizing constant: {refused.refusals[0].message}"


def _ball(
    part: KNorm, query: Query, distance: int | None, spaces: SensitivitySpaces
) -> tuple[NormBall | Hull | None, Fraction | None]:
    """Return K, and Delta: the largest norm at distance 1 in D, which is 1 for a hull."""
    if part.norm == "hull":
        vectors = spaces.subspaces.steps(query)
        if part.hull_of == "D_t":
            changes = spaces.subspaces.changes(query, distance) if distance else None
            vectors = changes.vectors if changes is not None and changes.whole else None
        return (Hull(vectors), Fraction(1)) if vectors else (None, None)
    moved = spaces.everywhere(query, 1)
    numbers = {"l1": moved.l1.value, "linf": moved.linf.value, "l2": moved.l2_squared.value}
    size = numbers[part.norm]
    if not isinstance(size, Fraction) or not size:
        return None, None
    known = exact_sqrt(size) if part.norm == "l2" else size
    return NormBall(part.norm, width(query, spaces.table)), known


def _space(query: Query, distance: int | None, spaces: SensitivitySpaces) -> Iterator[str]:
    if not distance:
        yield "sensitivity space inside Dₜ: a(t) is 0, or not established"
        return
    sensitivity = spaces.within(query, distance)
    norms = f"l1 {bound_text(sensitivity.l1)}, l2 {bound_text(root_of(sensitivity.l2_squared))}"
    yield f"sensitivity space inside Dₜ, up to distance {distance}:"
    yield f"  norms {norms}, linf {bound_text(sensitivity.linf)}"
    rank = "" if sensitivity.rank is None else f"rank {sensitivity.rank}, "
    elements = "not counted" if sensitivity.elements is None else str(sensitivity.elements)
    yield f"  {rank}elements {elements} (0 included)"
    changes = spaces.subspaces.changes(query, distance)
    if changes is None or not changes.whole:
        yield "  its vectors are too many to list"
        return
    vectors = sorted({max(v, tuple(-k for k in v)) for v in changes.vectors}, reverse=True)
    shape = tuple(attribute.size for attribute in spaces.table.attributes)
    if isinstance(query, TableQuery) and len(shape) == 2:
        yield from _drawn(vectors, shape[1])
    if len(vectors) <= MOST_LISTED:
        yield f"  vectors, one of each pair of opposite signs ({len(vectors)}):"
        yield from (f"    {' '.join(map(str, vector))}" for vector in vectors)


def _drawn(vectors: list[tuple[int, ...]], columns: int) -> Iterator[str]:
    first: dict[int, tuple[int, ...]] = {}
    for vector in vectors:
        first.setdefault(sum(map(abs, vector)), vector)
    for size in sorted(first)[:MOST_DRAWN]:
        yield f"  a vector of l1 norm {size}:"
        vector = first[size]
        for start in range(0, len(vector), columns):
            cells = vector[start : start + columns]
            drawn = ("." if not k else f"{k:+d}" for k in cells)
            yield "    " + " ".join(text.rjust(2) for text in drawn)


def _number(value: Interval) -> str:
    """Return seven digits; the enclosure is far narrower."""
    return f"{float((value.low + value.high) / 2):.7g}"


@click.command()
@click.argument("spec", type=click.Path())
@time_limit_option("Total time limit. Results that are not computed in time are refused.")
@access_options()
def describe(spec: str, time_limit: float, **given: Any) -> int:
    """Describe the noise of SPEC: its distribution, and the sensitivity space of its query.

    For discrete noise: probabilities and the variance. For K-norm noise: the dimension, the
    normalizing constant, and the density at 0. For every query: the number of vectors by which it
    can change inside D_t, and, if they are few, the vectors; those of a table of two attributes are
    shown as tables.

    Exit code 2: no part of the mechanism is noise on a query.
    """
    access = access_of(given)
    with watching("starting"):
        try:
            with deadline.running(time_limit):
                text = description_of(spec, time_limit, access)
        except OutOfTimeError:
            what = f"{spec}: the time limit was reached before the noise was described"
            raise click.ClickException(f"{what}; raise --time-limit") from None
    write_stdout(text)
    return 0
