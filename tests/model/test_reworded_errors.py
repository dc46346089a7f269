"""Errors that were reworded keep the words that their earlier fingerprints hash."""

from __future__ import annotations

import pytest

from semiaudit.auditing.findings import NOT_PROVEN
from semiaudit.frameworks import context
from semiaudit.mechanisms import subspace_noise, supports
from semiaudit.mechanisms.finite import finite_kind
from semiaudit.mechanisms.swapping import swapping_kind as swapping
from semiaudit.model.reworded_errors import first_words_of_error
from semiaudit.model.wording import Wording


@pytest.mark.parametrize(
    "refusal",
    [
        found
        for module in (context, finite_kind, subspace_noise, supports, swapping)
        for found in vars(module).values()
        if isinstance(found, Wording)
    ],
)
def test_an_error_that_gives_a_refusal_has_its_first_words(refusal: Wording) -> None:
    today = f"{NOT_PROVEN}: {refusal}; see the findings"
    assert (
        first_words_of_error(today) == f"semi_dp is not stated: {refusal.first}; see the findings"
    )


def test_an_error_that_gives_an_interval_has_its_first_words() -> None:
    today = (
        f"{NOT_PROVEN}: a(t) is not established: it is at least 2, and its only upper bound is the "
        "size of the datasets (60); see the findings"
    )
    assert first_words_of_error(today) == (
        "semi_dp is not stated: a(t) is not established: it is at least 2, and nothing but the "
        "size of the datasets bounds it from above (by 60); see the findings"
    )
