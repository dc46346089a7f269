"""The rules of ``registry review``: what a claim in a registry needs in order to mean something.

Each has a page under docs/rules/ of the id's name; a test holds the two lists together.
"""

from __future__ import annotations

from semiaudit.model.rules import Rule

NO_DOMAIN = "SR001"
NO_UNIT = "SR002"
NO_RELATION = "SR003"
DISTANCE_ONE = "SR004"
NO_DISTANCE = "SR005"
INVARIANTS_UNSAID = "SR006"
NO_PARAMETERS = "SR007"
NO_DELTA = "SR008"
UNLIKE_VARIANT = "SR009"
NO_VARIANT = "SR010"
SEVERAL_UNITS = "SR011"
NOT_PROVEN = "SR012"
NO_CONVERSION = "SR013"
UNFILLED = "SR014"
OTHER_SLUG = "SR015"

_ALL = (
    Rule(NO_DOMAIN, "no-domain", "error", "The entry does not say which datasets are possible."),
    Rule(NO_UNIT, "no-unit", "error", "The entry does not say whose data are protected."),
    Rule(
        NO_RELATION, "no-relation", "error", "The entry does not say which datasets are compared."
    ),
    Rule(
        DISTANCE_ONE,
        "invariants-beside-distance-one",
        "error",
        "Quantities are published exactly, and the datasets compared are at a distance of one.",
    ),
    Rule(
        NO_DISTANCE,
        "invariants-without-distance",
        "warning",
        "Quantities are published exactly, and no distance of the datasets compared is stated.",
    ),
    Rule(
        INVARIANTS_UNSAID,
        "invariants-not-stated",
        "warning",
        "The entry does not say whether anything is published exactly.",
    ),
    Rule(NO_PARAMETERS, "no-parameters", "error", "The entry has no privacy parameter."),
    Rule(NO_DELTA, "epsilon-without-delta", "error", "An epsilon has no delta that belongs to it."),
    Rule(
        UNLIKE_VARIANT,
        "parameters-unlike-variant",
        "error",
        "The parameters are not those of the variant, or out of their range.",
    ),
    Rule(NO_VARIANT, "no-variant", "error", "The entry has parameters and names no variant of DP."),
    Rule(
        SEVERAL_UNITS,
        "several-units",
        "error",
        "One set of parameters, or one conversion of it, stands for several units.",
    ),
    Rule(
        NOT_PROVEN,
        "conversion-not-proven",
        "error",
        "An epsilon lies below what its rho proves at its delta.",
    ),
    Rule(
        NO_CONVERSION,
        "conversion-not-named",
        "warning",
        "An epsilon stands beside a rho, and the entry does not say by which conversion.",
    ),
    Rule(UNFILLED, "placeholder", "error", "A field is still to be filled."),
    Rule(
        OTHER_SLUG,
        "slug-unlike-entry",
        "note",
        "The url_slug is not the one that the registry makes of name, curators and year.",
    ),
)

REGISTRY_RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}
