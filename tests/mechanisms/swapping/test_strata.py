"""What a table tells of the strata of a swapping."""

from __future__ import annotations

import pytest

from semiaudit import Spec
from semiaudit.mechanisms.swapping.strata import Strata, strata_of
from semiaudit.model.randomizers import Swapping

SPEC = """\
semiaudit: 1
dataspace: {{unit: home, attributes: {{s: 2, w: 3, r: 3}}}}
data: {{counts: {counts}}}
mechanism: {{swapping: {{rate: 0.4, stratify_by: [s], swap: [w]}}}}
"""
ALL_DIFFER = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
SOME_AGREE = [[2, 0, 0], [0, 1, 0], [0, 0, 0]]
CANNOT_CHANGE = [[2, 1, 3], [0, 0, 0], [0, 0, 0]]
LARGER = [[2, 0, 0], [0, 2, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (ALL_DIFFER, SOME_AGREE, Strata(3, True, known=(3, 3))),
        (SOME_AGREE, ALL_DIFFER, Strata(3, True, known=(3, 3))),
        (SOME_AGREE, SOME_AGREE, Strata(3, False, known=(3, 3))),
        (ALL_DIFFER, LARGER, Strata(4, False, known=(3, 4))),
        (ALL_DIFFER, CANNOT_CHANGE, Strata(3, True, known=(3,))),
        (CANNOT_CHANGE, CANNOT_CHANGE, Strata(0, False, known=())),
    ],
)
def test_one_stratum_of_the_largest_ones_in_which_all_differ_is_enough(
    first: list[list[int]], second: list[list[int]], expected: Strata
) -> None:
    """Two records can only be told apart if both what is exchanged and the rest differ."""
    release = Spec.from_text(SPEC.format(counts=[first, second]))._release
    assert isinstance(release.mechanism, Swapping)
    assert strata_of(release.mechanism, release) == expected


@pytest.mark.parametrize("attributes", ["s: 2, w: 1, r: 3", "s: 2, w: 3, r: 1"])
def test_attributes_of_one_level_leave_nothing_to_change(attributes: str) -> None:
    text = SPEC.replace("s: 2, w: 3, r: 3", attributes).replace("data: {{counts: {counts}}}\n", "")
    release = Spec.from_text(text.format())._release
    assert isinstance(release.mechanism, Swapping)
    assert strata_of(release.mechanism, release) == Strata(0, False)
