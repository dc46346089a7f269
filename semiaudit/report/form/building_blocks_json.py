"""The building blocks of a report as JSON."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.building_blocks import BuildingBlocks, Domain, InvariantRole, Lipschitz
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.forms import (
    DELTA,
    FIRST,
    LIMIT,
    SECOND,
    TEXT,
    WHOLE,
    JsonForm,
    itself,
    list_of,
    object_of,
)

_RESTRICTIONS = JsonForm(list_of(TEXT).schema, lambda domain: [*domain.restrictions]).described(
    "the structural zeros of a table, and its attributes within others"
)
_LEVELS = WHOLE.described("the number of levels"), SECOND
_ATTRIBUTE = object_of({"name": (TEXT, FIRST), "levels": _LEVELS})
DOMAIN = object_of(
    keys_of(Domain, "kind size datasets attributes", {tuple[str, int]: _ATTRIBUTE}),
    restrictions=(_RESTRICTIONS, itself),
).described("the set of possible datasets")
"""Every report has ``restrictions``; ``from_json`` refuses one that lacks them."""
_LIPSCHITZ = object_of(
    {
        **keys_of(Lipschitz, "universe divergence"),
        **keys_of(Lipschitz, "delta", {Fraction: DELTA}),
        **keys_of(Lipschitz, "lower upper pair distance"),
        **keys_of(Lipschitz, "order", {Fraction: LIMIT}),
        **keys_of(Lipschitz, "reason"),
    }
)
_FORMS = {
    Domain: DOMAIN,
    InvariantRole: object_of(keys_of(InvariantRole, "invariant=key redundant needed")),
    Lipschitz: _LIPSCHITZ,
}
BUILDING_BLOCKS = object_of(
    keys_of(BuildingBlocks, "domain multiverse unit standard intensity theorems", _FORMS)
)
