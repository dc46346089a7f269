"""What designs are made from: subspaces, what they refuse, and how they grow."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from semiaudit import Spec
from semiaudit.mechanisms.designs.design_draft import DesignDraft, NullSpace, Parameter, finite
from semiaudit.mechanisms.designs.design_inputs import facts_of
from semiaudit.mechanisms.designs.intensity import NoDesignError
from semiaudit.model.query import TableQuery
from semiaudit.model.results.design import Cost, Named
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.designs.known_moves import facts

DRAFT = DesignDraft(
    kind="laplace",
    parameter="scale",
    value=Fraction(4),
    strength="pure_dp",
    wanted=Fraction(1),
    rank=3,
    length=Cost(5.0),
    deviation=Cost(7.0),
    total=Cost(11.0),
    sharp=True,
)


@pytest.mark.parametrize(
    ("parameter", "value"), [("scale", 12), ("sigma", 12), ("sigma_squared", 36), ("", 36)]
)
def test_noise_that_is_three_times_as_long_has_nine_times_the_squares(
    parameter: Parameter, value: int
) -> None:
    longer = replace(DRAFT, parameter=parameter).stretched(Fraction(3))
    assert longer.value == value
    assert (longer.length, longer.deviation) == (Cost(15.0), Cost(21.0))
    assert longer.total == Cost(99.0)


def test_a_smaller_epsilon_makes_noise_longer() -> None:
    assert replace(DRAFT, parameter="epsilon").stretched(Fraction(4)).value == 1


@pytest.mark.parametrize("factor", [0, -1])
def test_noise_is_not_stretched_by_nothing(factor: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        DRAFT.stretched(Fraction(factor))


def test_a_covariance_is_multiplied_and_other_matrices_are_not() -> None:
    matrix = Named("covariance", ((Fraction(1), Fraction(2)),))
    assert replace(DRAFT, matrix=matrix, parameter="").rows() == ((Fraction(4), Fraction(8)),)
    assert replace(DRAFT, matrix=matrix).rows() == ((Fraction(1), Fraction(2)),)
    assert DRAFT.rows() == ()


def test_noise_is_set_against_a_finite_sensitivity_above_0() -> None:
    assert finite(Fraction(1, 3), "length") == Fraction(1, 3)
    with pytest.raises(NoDesignError, match="length has no finite bound"):
        finite(float("inf"), "length")
    with pytest.raises(NoDesignError, match="does not move"):
        finite(Fraction(0), "length")


def test_a_space_is_taken_from_moves_that_are_listed_and_not_empty() -> None:
    assert facts().span_of_changes().rank == 2
    with pytest.raises(NoDesignError, match="too many to be listed"):
        facts(vectors=None).span_of_changes()
    with pytest.raises(NoDesignError, match="does not move inside Dₜ"):
        facts(vectors=np.zeros((0, 3), dtype=np.int64)).span_of_changes()


def test_the_null_space_must_be_known_and_not_0() -> None:
    assert facts().null_space().rank == 2
    with pytest.raises(NoDesignError, match="no null space"):
        facts(null=None).null_space()
    with pytest.raises(NoDesignError, match="determine the whole answer"):
        facts(null=NullSpace(AnswerNullSpace(1, (0,), ({0: Fraction(1)},)))).null_space()


SPEC = """\
semiaudit: 1
dataspace: {{attributes: {{level: [a, b, c]}}{size}}}
invariants: [count: {{where: {{level: a}}}}]
adjacency: {{metric: {metric}}}
mechanism: {{gaussian: {{sigma: 1, query: table}}}}
"""


@pytest.mark.parametrize(
    ("size", "metric", "dimension"),
    [(", size: 10", "hamming", 1), ("", "symmetric_difference", None)],
)
def test_a_known_size_takes_a_direction_from_the_null_space_of_one_count(
    size: str, metric: str, dimension: int | None
) -> None:
    # null([1, 0, 0]) has two dimensions; with the row (1, 1, 1) it is that of (0, 1, -1).
    release = Spec.from_text(SPEC.format(size=size, metric=metric))._release
    found = facts_of(SensitivitySpaces(release), TableQuery(), "semi_dp", 1)
    assert found.null is not None
    assert found.null.rank == 2
    assert (None if found.sized is None else found.sized.dimension) == dimension
