"""Bounds compared with limits: true only if it is certified, and never by mistake."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from semiaudit.model.bound import Bound, exact, lower, upper, upper_root
from semiaudit.numeric import Interval

UPPER = upper(Fraction("3.9"), "m", "s")
LOWER = lower(Fraction("3.9"), "m", "s")
EXACT = exact(Fraction("3.9"), "m", "s")
LIMITS = [
    4,
    3,
    3.9,
    Fraction("3.9"),
    Decimal("3.9"),
    math.inf,
    -math.inf,
    np.int64(4),
    np.float64(3),
]
ASKED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ANSWERS = {"upper": ("<", "<="), "lower": (">", ">="), "exact": tuple(ASKED)}


@pytest.mark.parametrize("sign", ASKED)
@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize("bound", [UPPER, LOWER, EXACT], ids=lambda bound: str(bound.side))
def test_a_comparison_is_that_of_the_certified_number_or_says_what_to_write(
    bound: Bound, limit: object, sign: str
) -> None:
    compare: Callable[[object, object], bool] = ASKED[sign]
    if sign in ANSWERS[bound.side]:
        number = float(limit) if isinstance(limit, Decimal | Fraction) else limit
        at_limit = limit in (Fraction("3.9"), Decimal("3.9"))
        expected = "=" in sign if at_limit else compare(Fraction("3.9"), number)
        assert compare(bound, limit) is expected
        mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[sign]
        if not isinstance(limit, np.generic):
            assert ASKED[mirrored](limit, bound) is expected
    else:
        opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[sign]
        with pytest.raises(TypeError, match=f"write `not bound {opposite} "):
            compare(bound, limit)


def test_two_bounds_are_compared_only_where_their_sides_certify_it() -> None:
    above = lower(5, "m", "s")
    assert above > UPPER
    assert above > UPPER
    assert above > EXACT
    assert exact(3, "m", "s") <= exact(3, "m", "s")
    for ask in (
        lambda: upper(5, "m", "s") > UPPER,
        lambda: EXACT < UPPER,
        lambda: above < UPPER,
        lambda: above < UPPER,
    ):
        with pytest.raises(TypeError, match=r"compare float\(\.\.\.\) of both"):
            ask()


def test_a_root_is_compared_by_its_square() -> None:
    root = upper_root(Fraction(9), Interval(Decimal("2.999"), Decimal("3.001")), "m", "s")
    assert root <= 3
    assert not root <= Fraction("2.9999")


@pytest.mark.parametrize(
    "calculate",
    [
        lambda bound: bound + 1,
        lambda bound: 1 + bound,
        lambda bound: 2 * bound,
        lambda bound: bound / 2,
        lambda bound: 1 - bound,
        lambda bound: -bound,
        lambda bound: sum([bound, bound]),
    ],
)
def test_arithmetic_says_what_to_use(calculate: Callable[[Bound], object]) -> None:
    with pytest.raises(TypeError, match=r"use float\(bound\), which stays on that side"):
        calculate(UPPER)


def test_what_is_not_a_number_is_not_compared() -> None:
    with pytest.raises(TypeError, match="compare a bound with a number"):
        _ = UPPER < "4"
    assert not math.nan > UPPER
