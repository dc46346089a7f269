"""The names of variants and of their changes, in all formats."""

from __future__ import annotations

from typing import assert_never

from semiaudit.commands.ablate.model import Ablated, ParameterChange, Variant
from semiaudit.model.semi_adjacency import Disclosed
from semiaudit.report.blocks.universe_view import interval_text

SMALLER = (
    "A smaller a(t), or a smaller number, is not a reason to publish more: fewer datasets agree on "
    "the invariants, and nothing protects what the invariants disclose by themselves."
)


def name_of(place: int) -> str:
    """Return the short name of the invariant at an index, from 0."""
    return f"I{place + 1}"


def variant_name(variant: Variant) -> str:
    """Return what a variant publishes, in a word or two."""
    which = "" if variant.which is None else name_of(variant.which)
    match variant.kind:
        case "all":
            return "all"
        case "without":
            return f"all but {which}"
        case "only":
            return f"{which} only"
        case "none":
            return "none"
        case _:
            assert_never(variant.kind)


def changes_text(ablation: Ablated) -> list[str]:
    """Say which invariants change a(t), added to which, and how: one sentence for equal changes."""
    names_by_effect: dict[tuple[str, str], list[str]] = {}
    for change in ablation.changes:
        added, effect = _change_words(ablation, change)
        names_by_effect.setdefault(effect, []).append(added)
    return [
        f"{listed(names)} {'each ' if len(names) > 1 else ''}"
        f"{verb if len(names) > 1 else f'{verb}s'} a(t) {rest}"
        for (verb, rest), names in names_by_effect.items()
    ]


def change_text(ablation: Ablated, change: ParameterChange) -> str:
    """Say which invariant changes a(t), added to which others, from what to what."""
    added, (verb, rest) = _change_words(ablation, change)
    return f"{added} {verb}s a(t) {rest}"


def _change_words(ablation: Ablated, change: ParameterChange) -> tuple[str, tuple[str, str]]:
    fewer, more = ablation.variants[change.fewer], ablation.variants[change.more]
    (added,) = set(more.kept) - set(fewer.kept)
    context = "with the others" if fewer.kept else "by itself"
    verb = "raise" if change.rises else "lower"
    return name_of(added), (verb, f"{context}: from {a_t_text(fewer)} to {a_t_text(more)}")


def listed(names: list[str]) -> str:
    """Join names, as in "I1, I2, and I3"."""
    *first, last = names
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} and {last}" if first else last


def a_t_text(variant: Variant) -> str:
    """Return a(t) by the definition in use; a dash if the variant is refused."""
    semi = variant.semi_adjacency
    return "-" if semi is None else interval_text(semi.chosen)


def disclosed_text(disclosed: Disclosed) -> str:
    """Return the disclosed levels of all records, or of groups; empty if there are none."""
    disclosures = [
        f"everyone has {name} = {level}" for name, level in disclosed.constant_attributes or ()
    ]
    groups = len(disclosed.constant_groups or ())
    if groups:
        disclosures.append(f"{groups} group{'s' if groups > 1 else ''} alike in an attribute")
    return "; ".join(disclosures)
