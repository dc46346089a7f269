"""epsilon at the deltas of a report: a table for each of a few deltas, one for many."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import Numbers, Row
from semiaudit.report.layout import Grid
from semiaudit.report.numbers import bound_text, rational_text

FEW = 4
"""Up to so many deltas, or type I errors, each has a table, or a column, of its own."""

BEST = "The tightest conversion of each guarantee at each delta. Upper bounds, rounded up."


def epsilon_grids(rows: Sequence[Row]) -> list[Grid]:
    """The tables of epsilon; no delta and no conversion is left out of those of semi_dp.

    Up to ``FEW`` deltas there is a table a delta, with a row a guarantee and a column a conversion.
    Beyond, one table has all conversions of semi_dp, and another one the tightest epsilon of every
    guarantee, each with a row a delta.
    """
    deltas = list(dict.fromkeys(p.delta for row in rows for p in row.numbers.approx_dp))
    if len(deltas) <= FEW:
        return [_of_delta(rows, delta) for delta in deltas]
    stated = [row for row in rows if row.numbers.approx_dp]
    leading = [row.numbers for row in stated if row.guarantee.framework == LEADING]
    return [*(_of_leading(numbers, deltas) for numbers in leading), _tightest(stated, deltas)]


def _of_delta(rows: Sequence[Row], delta: Fraction) -> Grid:
    names = _conversions([row.numbers for row in rows], [delta])
    return Grid(
        f"epsilon at delta = {rational_text(delta)}, by conversion",
        ("guarantee", *names),
        tuple(
            (row.guarantee.framework, *_by_conversion(row.numbers, delta, names)) for row in rows
        ),
        (False, *(True for _ in names)),
    )


def _of_leading(numbers: Numbers, deltas: Sequence[Fraction]) -> Grid:
    names = _conversions([numbers], deltas)
    return Grid(
        f"epsilon of {LEADING} at {len(deltas)} deltas, by conversion",
        ("delta", *names),
        tuple((rational_text(delta), *_by_conversion(numbers, delta, names)) for delta in deltas),
        (True, *(True for _ in names)),
    )


def _tightest(rows: Sequence[Row], deltas: Sequence[Fraction]) -> Grid:
    found = [{point.delta: point.epsilon for point in row.numbers.tightest} for row in rows]
    return Grid(
        f"epsilon of every guarantee at {len(deltas)} deltas",
        ("delta", *(row.guarantee.framework for row in rows)),
        tuple(
            (rational_text(delta), *(_value(epsilons.get(delta)) for epsilons in found))
            for delta in deltas
        ),
        (True, *(True for _ in rows)),
        (BEST,),
    )


def _conversions(numbers: Sequence[Numbers], deltas: Sequence[Fraction]) -> list[str]:
    """The conversions in use at deltas, in the order of the first row that has them."""
    wanted = set(deltas)
    points = [p for n in numbers for p in n.approx_dp if p.delta in wanted]
    return list(dict.fromkeys(point.conversion for point in points))


def _by_conversion(numbers: Numbers, delta: Fraction, names: Sequence[str]) -> list[str]:
    found = {p.conversion: p.epsilon for p in numbers.approx_dp if p.delta == delta}
    return [_value(found.get(name)) for name in names]


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
