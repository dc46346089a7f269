"""Bounds compared with limits: true only if it is certified, and never by mistake."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from semiaudit.model.bound import Bound, exact, lower, upper, upper_root
from semiaudit.numeric.intervals import Interval

UPPER = upper(Fraction("3.9"), "m", "s")
LOWER = lower(Fraction("3.9"), "m", "s")
EXACT = exact(Fraction("3.9"), "m", "s")
ABOVE = lower(Fraction(5), "m", "s")
LIMITS = [4, 3, 4.5, Fraction("3.9"), Decimal("3.9"), math.inf, -math.inf, np.int64(4)]
ASKED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
ANSWERS = {"upper": ("<", "<="), "lower": (">", ">="), "exact": tuple(ASKED)}


@pytest.mark.parametrize("sign", ASKED)
@pytest.mark.parametrize("limit", LIMITS, ids=repr)
@pytest.mark.parametrize("bound", [UPPER, LOWER, EXACT], ids=lambda bound: str(bound.side))
def test_a_comparison_is_that_of_the_certified_number_or_says_what_to_write(
    bound: Bound, limit: float | Fraction | Decimal, sign: str
) -> None:
    if sign not in ANSWERS[bound.side]:
        with pytest.raises(TypeError, match=f"write `not bound {OPPOSITE[sign]} "):
            ASKED[sign](bound, limit)
        return
    tenths = round(float(limit) * 10) if math.isfinite(limit) else limit
    expected = ASKED[sign](39, tenths)
    assert ASKED[sign](bound, limit) is expected
    if not isinstance(limit, np.generic):  # numpy answers first
        assert ASKED[MIRRORED[sign]](limit, bound) is expected


def test_an_upper_and_a_lower_bound_are_compared_only_where_their_sides_certify_it() -> None:
    assert UPPER < ABOVE
    assert ABOVE > UPPER
    assert EXACT < ABOVE
    assert exact(3, "m", "s") <= exact(3, "m", "s")
    for compare in (operator.lt, operator.le):
        with pytest.raises(TypeError, match=r"compare float\(\.\.\.\) of both"):
            compare(ABOVE, UPPER)


@pytest.mark.parametrize("side", [upper, lower])
def test_bounds_of_one_side_are_sorted_by_their_values(side: Callable[..., Bound]) -> None:
    values = [Fraction(3), math.inf, Fraction(1, 3), Fraction(2)]
    bounds = [*(side(value, "m", "s") for value in values), exact(1, "m", "s")]
    assert [float(bound) for bound in sorted(bounds)] == sorted(map(float, bounds))
    assert (float(max(bounds)), max(bounds).side) == (math.inf, side(3, "m", "s").side)
    assert float(min(bounds)) == float(side(Fraction(1, 3), "m", "s"))


def test_a_bound_becomes_json() -> None:
    written = json.loads(json.dumps([UPPER.as_dict(), upper(math.inf, "m", "s").as_dict()]))
    assert written[0] == {"value": float(UPPER), "side": "upper", "method": "m", "source": "s"}
    assert written[1]["value"] == "inf"


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
        lambda bound: round(bound),
        lambda bound: round(bound, 3),
    ],
)
def test_arithmetic_says_what_to_use(calculate: Callable[[Bound], object]) -> None:
    with pytest.raises(TypeError, match=r"use float\(bound\), which stays on that side"):
        calculate(UPPER)


def test_what_is_not_a_number_is_not_compared() -> None:
    with pytest.raises(TypeError, match="compare a bound with a number"):
        _ = UPPER < "4"
    assert not math.nan > UPPER


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (Fraction(5, 6), "5/6 (exact, m)"),
        (Fraction(256, 25), "10.24 (exact, m)"),
        (Fraction(1234567, 10**7), "0.1234567 (exact, m)"),
        (Fraction(10**30 + 1, 3 * 10**30), "0.333334 (exact, rounded up, m)"),
        (Fraction(2**70), "1.1806e21 (exact, rounded up, m)"),
        (Fraction(0), "0 (exact, m)"),
    ],
)
def test_what_is_printed_as_exact_is_exact_or_marked(value: Fraction, printed: str) -> None:
    bound = exact(value, "m", "s")
    assert repr(bound) == printed
    assert ("=" in bound._repr_html_().split("<b>")[0]) == ("rounded" not in printed)


@pytest.mark.parametrize(
    ("form", "high", "low"),
    [
        (".3f", "0.334", "0.333"),
        (".1%", "33.4%", "33.3%"),
        ("g", "0.333334", "0.333333"),
        (".2e", "3.34e-1", "3.33e-1"),
        ("08.3f", "0000.334", "0000.333"),
        ("", "0.333334 (upper, m)", "0.333333 (lower, m)"),
        (">20", " 0.333334 (upper, m)", " 0.333333 (lower, m)"),
    ],
)
def test_a_format_rounds_to_the_safe_side(form: str, high: str, low: str) -> None:
    third = Fraction(1, 3)
    assert format(upper(third, "m", "s"), form) == high
    assert format(lower(third, "m", "s"), form) == low
    assert f"{upper(math.inf, 'm', 's'):.3f}" == "inf"
    assert f"{exact(0, 'm', 's'):.2e}" == "0.00e+00"
    assert f"{exact(Fraction(5, 2), 'm', 's'):.3f}" == "2.500"
