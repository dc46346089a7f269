"""What designs are made from, for a query whose moves are known without a dataspace."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.designs.design_draft import Facts, NullSpace, Subspace
from semiaudit.mechanisms.noise import sensitivity_of_shifts
from semiaudit.mechanisms.sampling.sampling_methods import Drawing
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace

DIFFERENCES = Subspace(((1, -1, 0), (0, 1, -1)))
"""The answers over three coordinates whose sum is 0."""

NULL = NullSpace(AnswerNullSpace(3, (0, 1, 2), (dict.fromkeys(range(3), Fraction(1)),)))
"""The same space, by the sum."""


def no_hull() -> Drawing:
    """No noise of the hull can be sampled."""
    raise RefusedError(Refusal("it is not sampled", "use another one"))


def facts(**changes: Any) -> Facts:
    """Three counts of a known sum: (1, -1, 0) is one record's move, and 3 records move at most.

    The l2 sensitivity is sqrt(2) in D, and 3 sqrt(2) inside D_t.
    """
    step = (Fraction(1), Fraction(-1))
    vectors = np.array([(1, -1, 0), (0, 1, -1), (1, 0, -1)], dtype=np.int64)
    known = Facts(
        framework="semi_dp", active=(0, 1, 2), steps=3,
        unit=sensitivity_of_shifts(step, 1), moved=sensitivity_of_shifts(step, 3),
        span=DIFFERENCES, enclosing=None, null=NULL, no_null="no null space", sized=None,
        no_sized="the size is not known", sized_step=lambda: None,
        vectors=3 * vectors, hull_noise=no_hull,
    )  # fmt: skip
    return replace(known, **changes)


NOTHING = sensitivity_of_shifts((), 1)
"""Of a query that does not move."""
