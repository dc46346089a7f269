"""The subspaces in which designs look for noise."""

from __future__ import annotations

import pytest

from semiaudit import Spec
from semiaudit.mechanisms.designs.design_inputs import facts_of
from semiaudit.model.query import TableQuery
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

SPEC = """\
semiaudit: 1
dataspace: {{attributes: {{level: [a, b, c]}}{size}}}
invariants: [count: {{where: {{level: a}}}}]
adjacency: {{metric: {metric}}}
mechanism: {{gaussian: {{sigma: 1, query: table}}}}
"""


@pytest.mark.parametrize(
    ("size", "metric", "dimension"),
    [
        (", size: 10", "hamming", 1),
        ("", "symmetric_difference", None),
    ],
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
