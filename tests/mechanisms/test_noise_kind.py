"""What all kinds of noise on a query have in common."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.noise_kind import asked_query
from semiaudit.model.mechanism import Laplace
from semiaudit.model.query import TableQuery


def test_noise_with_shifts_has_no_query_to_be_sampled_for() -> None:
    assert asked_query(Laplace(scale=Fraction(1), query=TableQuery())) == TableQuery()
    with pytest.raises(RefusedError, match="add its query"):
        asked_query(Laplace(scale=Fraction(1), shifts=(Fraction(1),)))
