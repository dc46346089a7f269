"""Numbers of a spec in messages."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.spec.scalars import within


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (Fraction(1, 10**13), "1e-13 is out of range; give at least 1e-12 and at most 1e24"),
        (Fraction(1, 3 * 10**12), "1/3000000000000 is out of range"),
        (Fraction(-5, 100_000), "-5e-5 is out of range"),
        (-1, "-1 is out of range"),
        (10**25, "1e25 is out of range"),
    ],
)
def test_a_number_out_of_range_is_shown_as_a_spec_has_it(number: Fraction, said: str) -> None:
    with pytest.raises(ValueError, match="range") as caught:
        within(Fraction(1, 10**12), 10**24)(number)
    assert said in str(caught.value)
