"""The first sentence of a report is its verdict, whatever the spec is."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from semiaudit import audit
from semiaudit.library.report import audit_of
from semiaudit.report.blocks.conclusion import conclusion
from semiaudit.report.blocks.distance_sentence import plural
from semiaudit.report.blocks.headline import headline
from semiaudit.report.text.layout import Tone
from tests.audits import shipped_report
from tests.places import CONFIGS

TABLE = {
    "semiaudit": 1,
    "dataspace": {"size": 10, "attributes": {"a": 2, "b": ["x", "y", "z"]}},
    "invariants": [{"margin": ["a"]}],
    "mechanism": {"zcdp": {"rho": 2.56}},
}
LESS = "The release protects less than advertised: ρ is 10.24, not 2.56 (4×). "
FORCED = "To keep the published counts by a, two records must change together, not one."


def verdict(**changes: object) -> tuple[Tone, str]:
    said = conclusion(audit_of(audit({**TABLE, **changes})))
    return said.tone, said.text


def budget(framework: str, rho: float) -> dict[str, object]:
    return {"framework": framework, "rho": rho}


def test_a_spec_without_a_budget_is_compared_with_what_it_advertises() -> None:
    assert verdict() == ("warning", f"{LESS}{FORCED}")


def test_a_release_that_publishes_nothing_exactly_protects_as_advertised() -> None:
    assert verdict(invariants=[]) == ("good", "The release protects as advertised: ρ is 2.56.")


@pytest.mark.parametrize(
    ("budgets", "told"),
    [
        ([budget("semi_dp", 11)], "Passed: ρ is 10.24, within the limit 11."),
        ([budget("semi_dp", 11), budget("nominal_dp", 3)], "Passed all 2 budgets."),
    ],
)
def test_budgets_that_pass_are_said_first(budgets: list[object], told: str) -> None:
    assert verdict(budgets=budgets) == ("warning", f"{told} {LESS}{FORCED}")


def test_a_budget_that_fails_is_the_verdict_with_the_number_and_the_limit() -> None:
    why = "ρ of Semi-DP (effective) is 10.24, above the limit 10.2."
    assert verdict(budgets=[budget("semi_dp", 10.2)]) == (
        "bad",
        f"The release fails its budget: {why}",
    )
    several = [budget("nominal_dp", 3), budget("semi_dp", 10.2)]
    assert verdict(budgets=several)[1] == f"The release fails 1 of its 2 budgets: {why}"


def test_a_number_close_to_its_limit_has_the_digits_that_show_the_order() -> None:
    (_, said) = verdict(budgets=[budget("semi_dp", 10.2399999)])
    assert "is 10.24, above the limit 10.239999" in said


def test_noise_that_keeps_the_invariants_advertises_nothing() -> None:
    kept = "configs/gao_campus_wifi.yaml"
    report = shipped_report(CONFIGS.parent / kept)
    text = report.render()
    assert "protects datasets that agree on the invariants: " in " ".join(text.split())
    assert "Between datasets whose invariants differ, there is no guarantee." in " ".join(
        text.split()
    )
    assert "the advertised guarantee does not" not in text
    assert "not known ->" not in text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        # Group privacy of zCDP: d^2 rho = 4 * 2.56; of pure DP: d epsilon = 2 * 0.5.
        (
            {},
            "ρ grows with the square of the number of records: 2² × 2.56 = 10.24.",
        ),
        (
            {"mechanism": {"pure_dp": {"epsilon": 0.5}}},
            "ε grows in proportion to the number of records: 2 × 0.5 = 1.",
        ),
        # Group privacy of GDP: d mu = 2 * 1.
        (
            {"mechanism": {"gdp": {"mu": 1}}},
            "μ grows in proportion to the number of records: 2 × 1 = 2.",
        ),
        ({"mechanism": {"zcdp": {"rho": "1/3"}}}, "the number of records: the factor is 2²."),
        ({"mechanism": {"gdp": {"mu": "1/3"}}}, "the number of records: the factor is 2."),
    ],
)
def test_the_factor_is_explained_if_group_privacy_gives_the_number(
    changes: dict[str, object], sentence: str
) -> None:
    text = " ".join(audit({**TABLE, **changes}).render().split())
    assert sentence in text


@pytest.mark.parametrize(
    "changes",
    [
        {"invariants": []},
        {"adjacency": {"distance": 2}},
        {"adjacency": {"metric": "multiset_hamming"}},
        {"mechanism": {"approx_dp": {"epsilon": 1, "delta": "1e-9"}}},
    ],
)
def test_the_factor_is_not_explained_where_the_explanation_is_not_exact(
    changes: dict[str, object],
) -> None:
    assert "grows" not in " ".join(audit({**TABLE, **changes}).render().split())


def test_one_possible_dataset_is_no_protection() -> None:
    found = audit_of(shipped_report(CONFIGS / "example3_all_zero.yaml"))
    head = headline(found)
    assert head.items[0].text == (
        "The release protects nothing: the invariants disclose the whole dataset."
    )
    assert not any("SA003" in said.text for said in head.items)


def test_a_public_table_leaves_only_who_has_which_record() -> None:
    found = audit_of(shipped_report(CONFIGS / "example2_three_bits.yaml"))
    labels = [said.label for said in headline(found).items]
    assert headline(found).items[0].text == (
        "The release protects only which record belongs to whom: the invariants disclose the "
        "whole table."
    )
    assert labels[1:3] == ["μ", "ε"]


def test_a_distance_that_the_spec_sets_is_the_reason() -> None:
    (_, said) = verdict(adjacency={"distance": 3})
    assert said == (
        "The release protects less than advertised: ρ is 23.04, not 2.56 (9×). The spec "
        "compares datasets at distance 3."
    )


def noisy(**noise: dict[str, object]) -> dict[str, object]:
    """Noise on the table, with a margin published exactly: two records change it by l2 2, l1 4."""
    (kind,) = noise
    return {**TABLE, "mechanism": {kind: {**noise[kind], "query": "table"}}}


@pytest.mark.parametrize(
    ("spec", "formula"),
    [
        (noisy(discrete_gaussian={"sigma_squared": 4}), "√8 in the l2 norm: ρ = 8 / (2 × 4) = 1."),
        (noisy(gaussian={"sigma": 4}), "√8 in the l2 norm: μ = √8 / 4 = 0.7072."),
        (noisy(laplace={"scale": 8}), "4 in the l1 norm: ε = 4 / 8 = 0.5."),
        (noisy(discrete_laplace={"scale": 8}), "4 in the l1 norm: ε = 4 / 8 = 0.5."),
    ],
)
def test_the_number_of_noise_is_derived_from_the_sensitivity(
    spec: dict[str, object], formula: str
) -> None:
    text = " ".join(audit(spec).render().split())
    change = "datasets that differ in up to two records change the answer of the query (table) by"
    assert f"Inside Dₜ, {change} at most {formula}" in text
    assert "grows" not in text


@pytest.mark.parametrize(
    "spec",
    [
        TABLE,
        {**TABLE, "mechanism": {"gaussian": {"sigma": 4, "query": "table"}, "repeat": 2}},
        {**TABLE, "mechanism": {"k_norm": {"epsilon": 1, "query": "table"}}},
    ],
)
def test_another_number_has_no_such_derivation(spec: dict[str, object]) -> None:
    assert "change the answer of the query" not in audit(spec).render()


def test_noise_that_nobody_advertised_is_compared_with_itself() -> None:
    found = audit(noisy(discrete_gaussian={"sigma_squared": 4}))
    (said, numbers, *_) = headline(audit_of(found)).items
    assert said.text == (
        "The release protects less than its noise alone: ρ is 1, not 0.25 (4×). In the worst pair, "
        "two unrelated records change freely; for an exchange of a, ρ is 0.5."
    )
    assert "3.293 for the noise alone" in numbers.text
    head, _, _ = found.render().partition("Guarantees")
    assert "than advertised" not in head


def test_what_does_not_apply_is_not_called_refused() -> None:
    text = " ".join(
        audit(noisy(gaussian={"sigma": 4, "support": "null_space"})).render(verbose=True).split()
    )
    assert "2 notes (SA001, SA008)" in text
    assert "note Advertised DP, Group privacy do not apply: " in text
    assert "is refused" not in text


@pytest.mark.parametrize(
    ("unit", "units"),
    [
        ("person", "persons"),
        ("housing unit", "housing units"),
        ("birth", "births"),
        ("country", "countries"),
        ("survey day", "survey days"),
        ("person with the household they live in", "persons with the household they live in"),
        ("with", "withs"),
    ],
)
def test_the_plural_of_a_unit_is_that_of_its_noun(unit: str, units: str) -> None:
    assert plural(unit) == units


@pytest.mark.lengthy
def test_the_worst_pair_of_a_hierarchy_is_named_if_the_invariants_do_not_force_it() -> None:
    """Within a state, both change everything, 4 times the rho of one; across states, they swap."""
    report = shipped_report(CONFIGS / "census2020_pl94_persons.yaml")
    within, across = (
        max(
            float(secret["zcdp"]["rho"])
            for secret in report.as_dict()["semantics"]
            if secret["name"] == name and secret["universe"] == "D_t" and secret["distance"] == 2
        )
        for name in ("within_state", "across_states")
    )
    assert across < within
    said = conclusion(audit_of(report)).text
    assert "In the worst pair, two unrelated persons of one state" in said
    assert "must change together" not in said
    assert Decimal(re.findall(r"another must move too, and ρ is ([\d.]+)\.", said)[0]) >= Decimal(
        str(across)
    )


def test_a_budget_between_two_bounds_is_undecided_and_fails() -> None:
    """a(t) is 3 or 4 here, so rho is 9 or 16 times 0.1."""
    attributes = dict.fromkeys("abcdefg", 2)
    spec = {
        "semiaudit": 1,
        "dataspace": {"size": 10, "attributes": attributes},
        "invariants": [{"margin": [name]} for name in attributes],
        "data": {"margins": {name: [5, 5] for name in attributes}},
        "mechanism": {"zcdp": {"rho": 0.1}},
        "budgets": [budget("semi_dp", 1)],
    }
    said = conclusion(audit_of(audit(spec))).text
    assert said.startswith("Undecided, so failed: the certified ρ is between 0.9 and 1.6, and the")


def test_bounded_noise_has_no_guarantee_below_a_delta() -> None:
    said = conclusion(audit_of(shipped_report(CONFIGS / "cell_key_census.yaml"))).text
    assert said == "There is no guarantee for δ below 0.937 (0.73 advertised)."
