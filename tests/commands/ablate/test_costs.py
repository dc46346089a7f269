"""The answer of an ablation: which invariant raises the number most, and by what factor."""

from __future__ import annotations

from typing import Any

import pytest

from semiaudit import ablate
from tests.places import CONFIGS

TABLE: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"a": 2, "b": 2, "c": 2}, "size": 100},
    "mechanism": {"zcdp": {"rho": "2.56"}},
}


def answer(changes: dict[str, Any]) -> str:
    """The lines of the answer, which is the first block of the report."""
    lines = ablate({**TABLE, **changes}, time_limit=3600).render().splitlines()
    after = lines[lines.index("Answer") + 1 :]
    return " ".join(" ".join(after[: after.index("")]).split())


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        # A margin makes two records change together: d^2 rho = 4 * 2.56.
        (
            {"invariants": [{"margin": ["a"]}]},
            "I1 (margin [a]) raises ρ from 2.56 to 10.24 (4×).",
        ),
        # The size is known, so that no other record must change.
        (
            {"invariants": ["total"], "mechanism": {"gdp": {"mu": 1}}},
            "I1 (total) does not change μ, which is 1.",
        ),
        # Theorem 16: p + 1 records for p margins, and mu grows in proportion.
        (
            {
                "invariants": [{"margin": ["a"]}, {"margin": ["b"]}],
                "mechanism": {"gdp": {"mu": 1}},
            },
            "Added to the others, I1 (margin [a]) and I2 (margin [b]) each raise μ from 2 to 3 "
            "(1.5×). Together, the invariants raise μ from 1 to 3 (3×). "
            "μ: 1 with neither, 2 with I1 alone, 2 with I2 alone, 3 with both.",
        ),
        # The size adds nothing to the margin.
        (
            {"invariants": ["total", {"margin": ["a"]}]},
            "Added to the others, I2 (margin [a]) raises ρ most: from 2.56 to 10.24 (4×). "
            "Together, the invariants raise ρ from 2.56 to 10.24 (4×). "
            "ρ: 2.56 with neither, 2.56 with I1 alone, 10.24 with I2 alone, 10.24 with both.",
        ),
        # The margin of two levels follows from the size and one count: neither adds anything.
        (
            {"invariants": [{"margin": ["a"]}, {"count": {"where": {"a": 0}}}]},
            "No invariant raises ρ if it is added to the others: ρ is 10.24 with all of them. "
            "Together, the invariants raise ρ from 2.56 to 10.24 (4×). "
            "ρ: 2.56 with neither, 10.24 with I1 alone, 10.24 with I2 alone, 10.24 with both.",
        ),
        # Five margins: more than a sentence names.
        (
            {
                "dataspace": {"attributes": dict.fromkeys("abcde", 2), "size": 100},
                "invariants": [{"margin": [name]} for name in "abcde"],
                "mechanism": {"pure_dp": {"epsilon": 1}},
            },
            "Added to the others, 5 invariants each raise ε at δ = 0 from 5 to 6 (1.2×). "
            "Together, the invariants raise ε at δ = 0 from 1 to 6 (6×).",
        ),
        ({}, "Nothing is published exactly, so there is no invariant to leave out."),
    ],
)
def test_the_answer_says_which_invariant_raises_the_number_most(
    changes: dict[str, Any], sentences: str
) -> None:
    assert answer(changes) == sentences


def test_noise_that_shrinks_with_the_universe_can_be_lower_with_all_invariants() -> None:
    """Gaussian noise on margins that are published: nothing of them is left to protect."""
    query = {"margins": [["a"]]}
    changes: dict[str, Any] = {
        "invariants": [{"margin": ["a"]}],
        "mechanism": {"gaussian": {"sigma": 1, "query": query}},
    }
    assert answer(changes).startswith("I1 (margin [a]) lowers μ from ")
    # Without it, two records may change a: the counts move by (2, -2), so that mu is sqrt(8).
    changes["invariants"] += [{"margin": ["b"]}]
    assert "Added to the others, I1 (margin [a]) lowers μ from 2.829 to 0 (0×)." in answer(changes)


def test_swapping_is_proven_only_with_all_invariants() -> None:
    lines = ablate(CONFIGS / "swapping_1940_households.yaml").render()
    assert "An effective guarantee is proven only with all invariants." in lines


def test_the_page_begins_with_the_answer() -> None:
    page = ablate({**TABLE, "invariants": [{"margin": ["a"]}]}).render("html")
    assert "I1 (margin [a]) raises ρ from 2.56 to 10.24 (4×)." in page.partition("<table")[0]


def test_a_smaller_number_is_shown_with_the_reason_not_to_publish_more_for_it() -> None:
    noise = {"discrete_gaussian": {"sigma_squared": 4, "query": "table"}}
    margins = [{"margin": ["a"]}, {"margin": ["b", "c"]}]
    said = answer({"invariants": margins, "mechanism": noise})
    assert "I1 (margin [a]) and I2 (margin [b, c]) each lower ρ from 1 to " in said
    assert "ρ: 0.25 with neither, 1 with I1 alone, 1 with I2 alone, " in said
    assert "is not a reason to publish more" in said
    raised = {"invariants": margins, "mechanism": {"zcdp": {"rho": 1}}}
    assert "is not a reason to publish more" not in answer(raised)
