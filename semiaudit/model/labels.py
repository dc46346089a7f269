"""The labels that people read in place of identifiers, and the names of numbers and budgets.

JSON, CSV, and specs have the identifiers. Every readable report reads its labels here.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Budget, BudgetMeasure, BudgetResult
from semiaudit.model.verdict import FAILED, PASSED
from semiaudit.numeric.rationals import rational_text


@dataclass(frozen=True, slots=True)
class Label:
    """The label of an identifier, for people.

    Attributes:
        text: as reports show it.
        meaning: one sentence.
    """

    text: str
    meaning: str


PRIVACY_DEFINITIONS: dict[str, Label] = {
    "nominal_dp": Label(
        "Advertised DP",
        "The guarantee of the noisy output alone, for any two neighboring datasets.",
    ),
    "group_privacy": Label(
        "Group privacy",
        "The guarantee of the noisy output alone, for any two datasets that differ in as many "
        "records as the invariants force to change together.",
    ),
    "semi_dp": Label(
        "Semi-DP (effective)",
        "The guarantee of the whole release, noisy output and invariants together, for datasets "
        "that agree on the invariants.",
    ),
    "subspace_dp": Label(
        "Subspace DP",
        "The guarantee of the part of the output that the invariants do not determine.",
    ),
    "invariant_dp": Label(
        "DP subject to invariants",
        "The privacy loss for each unit of distance between datasets that agree on the invariants.",
    ),
}
"""The labels of privacy definitions, by their names."""

CONVERSIONS: dict[str, Label] = {
    "declared": Label("as declared", "The spec declares this number."),
    "pure": Label("pure DP", "ε-DP is (ε, δ)-DP for every δ."),
    "tradeoff_duality": Label(
        "Dong, Roth, Su 2022", "ε follows from a tradeoff function by duality (Proposition 2.12)."
    ),
    "tradeoff_exact": Label(
        "tradeoff function", "The number is read from the vertices of the tradeoff function."
    ),
    "tradeoff_merged": Label(
        "merged tradeoff function",
        "The tradeoff function has too many pieces, so some of them are merged; the number is "
        "looser, and it stays valid.",
    ),
    "gaussian_exact": Label("Balle, Wang 2018", "The exact privacy profile of Gaussian noise."),
    "cks20": Label(
        "Canonne, Kamath, Steinke 2020", "The conversion from zCDP to (ε, δ)-DP (Proposition 12)."
    ),
    "cks20_envelope": Label(
        "all zCDP mechanisms", "The bound that holds for every mechanism with this ρ."
    ),
    "bs16": Label(
        "Bun, Steinke 2016",
        "The older and looser conversion from zCDP to (ε, δ)-DP (Proposition 1.3).",
    ),
    "joint_range": Label(
        "Asoodeh et al. 2021",
        "The smallest ε that ρ implies, from the joint range of two divergences.",
    ),
    "loss_distribution": Label(
        "composed loss distribution",
        "The number is computed from the composed privacy-loss distribution of the noise itself.",
    ),
    "renyi_curve": Label(
        "Rényi orders", "The number follows from the Rényi divergences of all parts."
    ),
    "none": Label("no bound", "No method gives a narrower bound."),
}
"""The labels of conversions, by the method of a certified number."""

DEFINITIONS_OF_A_T: dict[str, Label] = {
    "covering": Label(
        "covering definition",
        "a(t) for the worst starting dataset, so that every change of one record is covered.",
    ),
    "definition_13": Label(
        "Definition 13",
        "a(t) as Cho and Awan print it: for some starting dataset, which may leave changes out.",
    ),
}
"""The labels of the definitions of a(t), by the spec's ``adjacency.reading``."""

METRICS: dict[str, Label] = {
    "hamming": Label(
        "replace-one Hamming distance", "The number of records that differ, place by place."
    ),
    "multiset_hamming": Label(
        "replace-one multiset Hamming distance",
        "The number of records of one dataset that the other lacks, in whatever order.",
    ),
    "symmetric_difference": Label(
        "add/remove symmetric difference",
        "The number of records that must leave or enter to make two datasets equal.",
    ),
}
"""The labels of metrics, by the spec's ``adjacency.metric``."""

NEIGHBORING: dict[str, Label] = {
    "replace_one": Label("replace-one", "One record is replaced by another one."),
    "add_remove": Label("add/remove", "One record enters or leaves."),
    "zero_out": Label("zero-out", "One record is replaced by an empty record."),
}
"""The labels of neighboring datasets, by the spec's ``neighbors`` of a mechanism."""

METHODS_OF_A_T: dict[str, Label] = {
    "closed_form": Label("closed form", "A formula gives a(t)."),
    "set_cover": Label("minimum set cover", "a(t) is 1 plus the size of a minimum set cover."),
    "enumeration": Label("enumeration of Dₜ", "All datasets of Dₜ were compared."),
    "supremum_over_t": Label(
        "worst case over all values of the invariants",
        "a(t) is bounded for every value of the invariants.",
    ),
    "integer_program": Label("integer programs", "Integer programs bound a(t)."),
}
"""The labels of methods, by the method that computed a(t)."""

WAYS: dict[str, Label] = {
    "composition_first": Label(
        "composition, then distance",
        "Parts are composed first, and the result is taken to the distance (Proposition 21).",
    ),
    "published_bound": Label(
        "published bound", "The bound that the literature gives for a part of the mechanism."
    ),
    "proposition_15": Label(
        "a(t) steps of distance 1",
        "The guarantee at distance 1, composed a(t) times (Proposition 15).",
    ),
    "corollary_18": Label(
        "one step per invariant, plus one",
        "The guarantee at distance 1, composed p + 1 times for p invariants (Corollary 18).",
    ),
}
"""The labels of alternatives, by their names; ``distance_K`` is the guarantee at distance K."""

UNIVERSES: dict[str, Label] = {
    "D": Label("D", "All possible datasets."),
    "D_t": Label("Dₜ", "The datasets that agree on the invariants."),
}
"""The labels of universes, by the datasets that a guarantee compares."""

LABELS: dict[str, Label] = {
    **PRIVACY_DEFINITIONS,
    **CONVERSIONS,
    **DEFINITIONS_OF_A_T,
    **METRICS,
    **NEIGHBORING,
    **METHODS_OF_A_T,
    **WAYS,
    **UNIVERSES,
}
"""Every label by its identifier."""

DEFINITION = "privacy definition"
"""The heading of a column of privacy definitions."""

_AT_DISTANCE = re.compile(r"distance_(\d+)")


_PLACES = re.compile(r"(within|across|exchange_within)_(.+)")


def secret_label(name: str) -> str:
    """Return the kind of secret as people read it.

    Names of attributes and of levels are the spec's own, and stay as they are.
    """
    kind, colon, attribute = name.partition(":")
    if colon:
        kinds = {"attribute": f"attribute {attribute}", "exchange": f"exchange of {attribute}"}
        return kinds.get(kind, attribute)
    match = _PLACES.fullmatch(name)
    return name.replace("_", " ") if match is None else f"{match[1].replace('_', ' ')} {match[2]}"


def label(identifier: str) -> str:
    """Return the label of an identifier.

    Raises:
        KeyError: it has none.
    """
    match = _AT_DISTANCE.fullmatch(identifier)
    return f"distance {match[1]}" if match else LABELS[identifier].text


def percent(rate: Fraction) -> str:
    """Return a rate as a percentage, rounded down; a rate below 1e-5 as a number."""
    if rate < Fraction(1, 10**5):
        return rational_text(rate, up=False)
    return f"{rational_text(100 * rate, up=False)}%"


def measure_name(measure: BudgetMeasure, at: Fraction | None, distance: int | None = None) -> str:
    """Name a number with its δ, rate, or distance: ``ε at δ = 1e-10``."""
    return "".join(_symbol_and_place(measure, at, distance))


def number_name(
    framework: str, measure: BudgetMeasure, at: Fraction | None, distance: int | None = None
) -> str:
    """The number of a privacy definition, with its label."""
    symbol, place = _symbol_and_place(measure, at, distance)
    return f"{symbol} of {label(framework)}{place}"


def _symbol_and_place(
    measure: BudgetMeasure, at: Fraction | None, distance: int | None
) -> tuple[str, str]:
    at_distance = "" if distance is None else f" at distance {distance}"
    point = at or Fraction(0)
    match measure:
        case "epsilon":
            return "ε", f" at δ = {rational_text(point)}{at_distance}"
        case "tpr":
            return "TPR", f" at FPR {percent(point)}{at_distance}"
        case "a_t":
            return "a(t)", at_distance
        case "rho":
            return "ρ", at_distance
        case "mu":
            return "μ", at_distance
        case "advantage":
            return "advantage", at_distance
        case _:
            assert_never(measure)


NOT_APPLICABLE = " does not apply: "
"""Behind the name of a privacy definition, and before the reason."""

WAIVED = "waived"
OPEN = "undecided: "
"""The beginning of the reason of a budget that a tighter bound could pass."""

OWN_BUDGET, BUDGET_OF_POLICY = "the budget", "the policy's budget"
"""The beginnings of a message on a budget that failed: one of the spec, and one of a policy."""


def budget_name(budget: Budget) -> str:
    """A budget in words: ``ε of Semi-DP (effective) at δ = 1e-10``."""
    return number_name(budget.framework, budget.measure, budget.at, budget.distance)


def budget_word(result: BudgetResult) -> str:
    """Return the verdict on a budget in one word."""
    if result.holds:
        return PASSED
    return FAILED if result.waived is None else WAIVED
