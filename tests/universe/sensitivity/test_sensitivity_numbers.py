"""Moves that dominate a listed sensitivity space, packed by hand."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from semiaudit.model.bound import exact
from semiaudit.universe.sensitivity.sensitivity_numbers import _moves


def test_listed_elements_dominate_more_closely_than_their_norms() -> None:
    """Either coordinate moves by 2 and the other by 1: 2 and 1 are enough, with the square 5."""
    question: Any = SimpleNamespace(answers=SimpleNamespace(matrix=object()))
    vectors = np.array([(2, 1), (1, -2), (1, 1)])
    five = exact(5, "moves", "by hand")
    found = _moves(question, (3, 2), five, 0, vectors)
    assert found.sizes == ((Fraction(2), 1), (Fraction(1), 1))
    assert found.attained
    alone = _moves(question, (3, 2), five, 0, None)
    assert (alone.sizes, alone.attained) == (((Fraction(3), 1),), False)
