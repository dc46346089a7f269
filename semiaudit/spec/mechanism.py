"""The mechanism section: parameters to declared measures, and to noise on queries."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import Composition, Declared, Mechanism, Noise, NoiseKind
from semiaudit.spec.grammar import Section
from semiaudit.spec.mechanism_schema import (
    DiscreteGaussianSection,
    DiscreteLaplaceSection,
    GaussianSection,
    KNormSection,
    LaplaceSection,
    MechanismSection,
    NoiseSection,
)
from semiaudit.spec.query import QueryReader
from semiaudit.spec.randomizers import RANDOMIZERS, RecordsReader, check_total_rho
from semiaudit.spec.scalars import LARGEST_REPEAT
from semiaudit.spec.yaml12 import Document, Path_

Point = tuple[Fraction, Fraction]

KINDS: dict[type[Section], NoiseKind] = {
    GaussianSection: "gaussian",
    DiscreteGaussianSection: "discrete_gaussian",
    LaplaceSection: "laplace",
    DiscreteLaplaceSection: "discrete_laplace",
}


def mechanism_of(
    document: Document,
    section: MechanismSection,
    path: Path_,
    queries: QueryReader,
    records: RecordsReader,
    times: int = 1,
) -> Mechanism | None:
    """The mechanism, or None with its problems in the document."""
    mark = document.mark(path)
    times *= section.repeat
    if times > LARGEST_REPEAT:
        what = f"repeats its parts more than {LARGEST_REPEAT} times in all"
        document.report((*path, "repeat"), what, "repeat less")
        return None
    if section.compose is not None:
        inner = [
            mechanism_of(document, part, (*path, "compose", index), queries, records, times)
            for index, part in enumerate(section.compose)
        ]
        parts = [(part, 1) for part in inner if part is not None]
        if len(parts) < len(inner):
            return None
        composition = Composition(tuple(parts), mark)
        if section.total_rho is not None:
            check_total_rho(document, composition, section.total_rho, (*path, "total_rho"))
        return (
            Composition(((composition, section.repeat),), mark)
            if section.repeat > 1
            else (composition)
        )
    part = records.part(section, path) or _part(document, section, path, queries)
    if part is not None and section.repeat > 1:
        return Composition(((part, section.repeat),), mark)
    return part


def _part(
    document: Document, section: MechanismSection, path: Path_, queries: QueryReader
) -> Declared | Noise | None:
    """A mechanism that is no composition, run once."""
    mark, noise = document.mark(path), getattr(section, section.kind)
    if section.kind in RANDOMIZERS:
        return None
    if isinstance(noise, NoiseSection):
        kind = KINDS[type(noise)]
        if noise.query is None:
            shifts = tuple(Fraction(shift) for shift in noise.shifts or ())
            return Noise(kind, noise.parameter, None, shifts, mark=mark)
        query = queries.query_of(noise.query, (*path, kind, "query"))
        return None if query is None else Noise(kind, noise.parameter, query, mark=mark)
    if isinstance(noise, KNormSection):
        query = queries.query_of(noise.query, (*path, "k_norm", "query"))
        if query is None:
            return None
        return Noise("k_norm", noise.epsilon, query, norm=noise.norm, mark=mark)
    measure = _measure(document, section, path)
    return None if measure is None else Declared(section.kind, measure, mark)


def _measure(document: Document, section: MechanismSection, path: Path_) -> Measure | None:
    if section.pure_dp is not None:
        return PureDP(section.pure_dp.epsilon)
    if section.approx_dp is not None:
        return ApproxDP(section.approx_dp.epsilon, section.approx_dp.delta)
    if section.zcdp is not None:
        return ZCDP(section.zcdp.rho)
    if section.gdp is not None:
        return GDP(section.gdp.mu * section.gdp.mu)
    assert section.tradeoff is not None
    points = [(point[0], point[1]) for point in section.tradeoff.points]
    return _polygon(document, points, (*path, "tradeoff", "points"))


def _polygon(document: Document, points: list[Point], path: Path_) -> Measure | None:
    """Check that the points are a tradeoff function: falling, convex, below perfect privacy."""
    before = len(document.problems)

    def report(index: int, message: str, remedy: str) -> None:
        document.report((*path, index), message, remedy)

    if points[0][0] != 0:
        report(0, "the first type I error is not 0", "begin with [0, ...]")
    if points[-1][1] != 0:
        report(len(points) - 1, "the last type II error is not 0", "end with [..., 0]")
    for index, (x, y) in enumerate(points):
        if x + y > 1:
            report(index, "the errors sum to more than 1", "no tradeoff function lies above 1 - a")
        if index and x <= points[index - 1][0]:
            report(index, "the type I errors do not rise", "order the points by type I error")
        elif index and y > points[index - 1][1]:
            report(index, "the type II errors do not fall", "correct the point")
        elif index > 1 and _bends_up(points[index - 2], points[index - 1], (x, y)):
            report(index - 1, "lies above its neighbours' line: not convex", "leave it out")
    if len(document.problems) > before:
        return None
    if points[-1][0] < 1:
        points = [*points, (Fraction(1), Fraction(0))]
    return PiecewiseLinear(tuple(points), declared=True)


def _bends_up(a: Point, b: Point, c: Point) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) > (c[1] - a[1]) * (b[0] - a[0])
