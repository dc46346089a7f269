"""Gaussian designs against the moments of normal variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts, Subspace
from semiaudit.mechanisms.designs.gaussian_designs import (
    algorithm_1,
    extended,
    naive,
    projected,
    sized,
)
from semiaudit.mechanisms.designs.intensity import NoDesignError
from semiaudit.model.measure import GDP
from semiaudit.model.results.design import Target
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from tests.mechanisms.designs.known_moves import facts

TARGET = GDP(Fraction(4))  # mu = 2


@pytest.mark.parametrize(
    ("design", "rank", "support", "sharp"),
    [
        (naive, 3, None, False),
        (projected, 2, "null_space", False),
        (algorithm_1, 2, "sensitivity_space", True),
        (extended, 2, "null_space", True),
    ],
)
def test_noise_on_each_coordinate_of_its_space_has_the_moments_of_normal_variables(
    design: Callable[[Facts, Target], DesignDraft], rank: int, support: str | None, sharp: bool
) -> None:
    """Three records move the answer by 3 sqrt(2), and mu is 2: sigma^2 is 18 / 4 either way."""
    draft = design(facts(), TARGET)
    sigma = math.sqrt(4.5)
    assert draft.value >= 0
    assert draft.value**2 >= 4.5
    assert float(draft.value) == pytest.approx(sigma, rel=1e-9)
    assert (draft.rank, draft.sharp, dict(draft.more).get("support")) == (rank, sharp, support)
    mean = math.sqrt(2) * math.gamma((rank + 1) / 2) / math.gamma(rank / 2)
    assert draft.length.value == pytest.approx(sigma * mean, rel=1e-9)
    assert draft.total.value == pytest.approx(4.5 * rank, rel=1e-9)
    share = 1 if support is None else 2 / 3  # the diagonal of the projector
    assert draft.deviation.value == pytest.approx(sigma * math.sqrt(share), rel=1e-9)


def test_noise_for_a_known_size_lives_in_a_smaller_space() -> None:
    """With the size as a row, (1, -1, 0) alone is left; its projector has 1/2 on its diagonal."""
    one = Fraction(1)
    space = AnswerNullSpace(3, (0, 1, 2), ({0: one, 1: one, 2: one}, {2: one}))
    draft = sized(facts(sized=space, sized_step=Fraction(2)), TARGET)
    assert (draft.rank, draft.parameter, draft.value) == (1, "", Fraction(9, 2))
    assert draft.rows()[0] == (Fraction(9, 4), Fraction(-9, 4), Fraction(0))
    assert draft.length.value == pytest.approx(math.sqrt(4.5 * 2 / math.pi), rel=1e-9)
    assert draft.deviation.value == pytest.approx(math.sqrt(4.5 / 2), rel=1e-9)
    assert draft.total.value == pytest.approx(4.5, rel=1e-9)
    assert "μ 0.666667" in draft.all_notes()[-1]  # sqrt(2 / 4.5)


def test_a_size_that_is_unknown_or_leaves_nothing_has_no_design() -> None:
    with pytest.raises(NoDesignError, match="the size of the datasets is not known"):
        sized(facts(), TARGET)
    nothing = AnswerNullSpace(3, (0,), ({0: Fraction(1)},))
    with pytest.raises(NoDesignError, match="no noise is left to add"):
        sized(facts(sized=nothing), TARGET)


def test_noise_in_the_span_of_the_moves_is_not_in_all_of_the_null_space() -> None:
    """Moves along (1, -1, 0) alone: a rank of 1, and a projector with 1/2 on its diagonal."""
    line = facts(span=Subspace(((1, -1, 0),)))
    inside, around = algorithm_1(line, TARGET), extended(line, TARGET)
    assert (inside.rank, around.rank) == (1, 2)
    assert inside.total.value == pytest.approx(4.5, rel=1e-9)
    assert inside.deviation.value == pytest.approx(math.sqrt(4.5 / 2), rel=1e-9)
    assert around.deviation.value == pytest.approx(math.sqrt(4.5 * 2 / 3), rel=1e-9)
