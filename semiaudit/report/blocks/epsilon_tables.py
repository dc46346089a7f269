"""ε at the δs of a report: separate tables for few δs, one table for many."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.text.layout import Grid

FEW = 4
"""Up to this many deltas (type I errors), each has its own table (column)."""

BEST = "The tightest conversion of each guarantee at each δ. Upper bounds, rounded up."


def named_epsilon_grids(
    column: str, named: Sequence[tuple[str, Numbers]], of: str = ""
) -> list[Grid]:
    """Return the tables of epsilon of named items; for more than ``FEW`` deltas, only the tightest.

    Args:
        column: the kind of the named items. of: what ε refers to, for the titles.
    """
    deltas = _deltas(named)
    suffix = f" of {of}" if of else ""
    if len(deltas) <= FEW:
        return [_of_delta(column, named, delta, suffix) for delta in deltas]
    return [_tightest(column, [pair for pair in named if pair[1].approx_dp], deltas, suffix)]


def _deltas(named: Sequence[tuple[str, Numbers]]) -> list[Fraction]:
    return list(dict.fromkeys(p.delta for _, numbers in named for p in numbers.approx_dp))


def _of_delta(
    column: str, named: Sequence[tuple[str, Numbers]], delta: Fraction, suffix: str
) -> Grid:
    names = _conversions([numbers for _, numbers in named], [delta])
    return Grid(
        f"ε{suffix} at δ = {rational_text(delta)}, by conversion",
        (column, *map(label, names)),
        tuple((name, *_by_conversion(numbers, delta, names)) for name, numbers in named),
        (False, *(True for _ in names)),
    )


def _tightest(
    column: str, named: Sequence[tuple[str, Numbers]], deltas: Sequence[Fraction], suffix: str
) -> Grid:
    tightest = [{point.delta: point.epsilon for point in numbers.tightest} for _, numbers in named]
    return Grid(
        f"ε{suffix or f' by {column}'} at {len(deltas)} values of δ",
        ("δ", *(name for name, _ in named)),
        tuple(
            (rational_text(delta), *(_value(epsilons.get(delta)) for epsilons in tightest))
            for delta in deltas
        ),
        (True, *(True for _ in named)),
        (BEST,),
    )


def _conversions(numbers: Sequence[Numbers], deltas: Sequence[Fraction]) -> list[str]:
    requested = set(deltas)
    points = [p for n in numbers for p in n.approx_dp if p.delta in requested]
    return list(dict.fromkeys(point.conversion for point in points))


def _by_conversion(numbers: Numbers, delta: Fraction, names: Sequence[str]) -> list[str]:
    epsilons = {p.conversion: p.epsilon for p in numbers.approx_dp if p.delta == delta}
    return [_value(epsilons.get(name)) for name in names]


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
