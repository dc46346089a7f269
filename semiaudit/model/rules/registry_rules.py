"""The rules of ``registry review``: what a claim in a registry needs in order to mean something.

The text of each rule's page is in semiaudit/model/rules, next to those of the other rules.
"""

from __future__ import annotations

from semiaudit.model.audit import Level
from semiaudit.model.rules import Rule, define

REGISTRY_RULES: dict[str, Rule] = {}
"""The rules of reviews, by their ids and in their order."""


def _registry(id_: str, name: str, level: Level, title: str, varies: str = "") -> str:
    return define(REGISTRY_RULES, Rule(id_, name, level, title, "registry", varies=varies))


NO_DOMAIN = _registry(
    "SR001", "no-domain", "error", "The entry does not say which datasets are possible."
)
NO_UNIT = _registry("SR002", "no-unit", "error", "The entry does not say whose data are protected.")
NO_RELATION = _registry(
    "SR003", "no-relation", "error", "The entry does not say which datasets are compared."
)
DISTANCE_ONE = _registry(
    "SR004",
    "invariants-with-distance-one",
    "error",
    "Exact quantities are combined with a distance of one.",
)
NO_DISTANCE = _registry(
    "SR005",
    "invariants-without-distance",
    "warning",
    "Exact quantities are published, but no distance is given.",
)
INVARIANTS_UNSAID = _registry(
    "SR006",
    "invariants-not-stated",
    "warning",
    "The entry does not say whether anything is published exactly.",
)
NO_PARAMETERS = _registry("SR007", "no-parameters", "error", "The entry has no privacy parameter.")
NO_DELTA = _registry("SR008", "epsilon-without-delta", "error", "An epsilon has no delta.")
UNLIKE_VARIANT = _registry(
    "SR009",
    "parameters-unlike-variant",
    "error",
    "The parameters do not fit the variant, or are out of range.",
)
NO_VARIANT = _registry(
    "SR010", "no-variant", "error", "The entry has parameters, but does not name a variant of DP."
)
SEVERAL_UNITS = _registry(
    "SR011",
    "several-units",
    "error",
    "One set of parameters is given for several units of privacy.",
)
NOT_PROVEN = _registry(
    "SR012",
    "conversion-not-proven",
    "error",
    "An epsilon is smaller than its rho proves at its delta.",
    "warning if rounding may explain it",
)
NO_CONVERSION = _registry(
    "SR013",
    "conversion-not-named",
    "warning",
    "The entry does not say how its epsilon follows from its rho.",
)
UNFILLED = _registry("SR014", "placeholder", "error", "A placeholder is not filled in.")
OTHER_SLUG = _registry(
    "SR015", "slug-unlike-entry", "note", "The url_slug is not the one that the registry computes."
)
