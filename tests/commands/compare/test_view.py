"""Which of two noises is smaller, and when nothing shows it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semiaudit import Comparison, audit, compare
from semiaudit.commands.compare.view import Relation, relation_of
from semiaudit.model.bound import Bound

SPACE = {"size": 5, "attributes": {"sex": 2, "degree": 2}}


def spec(mechanism: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {"semiaudit": 1, "dataspace": SPACE, "mechanism": mechanism, **sections}


def noise(found: Comparison) -> str:
    """The lines on noise, without their heading and their note."""
    text = " ".join(found.render("text", width=400).split())
    head, note = "by the advertised numbers", "note Noise is measured relative"
    return text[text.index(head) + len(head) + 1 : text.index(note) - 1]


GDP, PURE = {"gdp": {"mu": 1}}, {"pure_dp": {"epsilon": 1}}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (GDP, {"gdp": {"mu": 2}}, "the noise of B: ρ 0.5 for A, 2 for B."),
        (GDP, {"zcdp": {"rho": "1/2"}}, "equal: ρ 0.5 for A, 0.5 for B."),
        # rho of pure DP is at most tanh(1/2) = 0.4621, which is below 0.5, the exact one of A
        (GDP, PURE, "the noise of A: ρ 0.5 for A, at most 0.462118 for B."),
        (PURE, {"pure_dp": {"epsilon": 2}}, "the noise of B: ε at δ = 0 1 for A, 2 for B."),
        # rho is exactly 0.4 for A and at most 0.4621 for B, and no other number is of both
        (
            {"zcdp": {"rho": "0.4"}},
            PURE,
            "not proven: ρ 0.4 for A, at most 0.462118 for B. These upper bounds prove no order.",
        ),
        (
            {"approx_dp": {"epsilon": 1, "delta": "1e-6"}},
            GDP,
            "not comparable, because the advertised guarantees have different privacy measures.",
        ),
    ],
)
def test_the_smaller_noise_is_named_only_if_it_is_proven(
    first: dict[str, Any], second: dict[str, Any], said: str
) -> None:
    assert noise(compare(spec(first), spec(second))) == f"A, B {said}"


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        (
            {"adjacency": {"metric": "symmetric_difference"}},
            "different metrics (hamming; symmetric_difference: erratum E38)",
        ),
        ({"dataspace": {**SPACE, "unit": "household"}}, "different units (record; household)"),
        ({"dataspace": {**SPACE, "size": 6}}, "different domains"),
    ],
)
def test_noises_of_different_things_are_not_compared(sections: dict[str, Any], said: str) -> None:
    found = compare(spec(GDP), spec({"gdp": {"mu": 2}}, **sections))
    assert noise(found) == f"A, B not comparable: {said}."


def test_a_proven_order_of_the_advertised_guarantees_is_one_of_the_noises() -> None:
    """Two binary responses with odds 3 to 1 and 2 to 1: their rho are known from above only."""
    bit = {"unit": "person", "product": {"size": 1, "values": [0, 1]}}
    sharp, blunt = (
        spec({"finite": {"probabilities": [[p, q], [q, p]]}}, dataspace=bit)
        for p, q in (("3/4", "1/4"), ("2/3", "1/3"))
    )
    assert noise(compare(blunt, sharp)) == (
        "A, B the noise of B: its advertised guarantee is weaker."
    )


def test_a_report_has_upper_bounds_which_prove_no_order(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(audit(spec(GDP)).as_dict()), "utf-8")
    said = "not proven: ρ at most 0.5 for A, 0.5 for B. These upper bounds prove no order."
    assert noise(compare(path, spec(GDP))) == f"A, B {said}"
    assert noise(compare(path, spec({"gdp": {"mu": 2}}))).startswith(
        "A, B the noise of B: ρ at most"
    )


ONE, TWO = (Fraction(value) for value in (1, 2))


def bound(value: Fraction, side: Any, squared: Fraction | None = None) -> Bound:
    return Bound(value, side, "", "", squared=squared)


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        (bound(ONE, "exact"), bound(TWO, "exact"), "less"),
        (bound(TWO, "exact"), bound(TWO, "exact"), "equal"),
        (bound(ONE, "upper"), bound(TWO, "exact"), "less"),
        (bound(ONE, "upper"), bound(TWO, "lower"), "less"),
        (bound(TWO, "exact"), bound(ONE, "upper"), "greater"),
        (bound(ONE, "upper"), bound(TWO, "upper"), None),
        (bound(ONE, "exact"), bound(TWO, "upper"), None),
        (bound(ONE, "exact"), bound(ONE, "upper"), None),
        # the root of 2, known by its square
        (bound(Fraction("1.4143"), "upper", TWO), bound(ONE, "exact"), "greater"),
        (bound(Fraction("1.4143"), "upper", TWO), bound(Fraction("1.42"), "upper", TWO), "equal"),
    ],
)
def test_two_numbers_are_ordered_by_what_their_sides_prove(
    one: Bound, other: Bound, relation: Relation | None
) -> None:
    assert relation_of(one, other) == relation
