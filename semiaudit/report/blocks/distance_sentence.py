"""a(t) in one sentence, with its definition, its metric, and an example in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from semiaudit.model.adjacency import assumed_neighbors, has_places
from semiaudit.model.audit import Audit, only_margin
from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.labels import label
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.report.text.layout import ELLIPSIS, Said

LONGEST_NAME = 18
"""The most characters of a shortened name."""

_NAMED = 2
"""Attributes that the sentence names."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

Name = Callable[[object], str]


def distance_said(audit: Audit) -> Said:
    """Return a(t) for the head of a report."""
    whole = _sentence(audit, str)
    return Said("a(t)", whole, brief=_sentence(audit, shortened_name))


def shortened_name(name: object) -> str:
    """Return a short name of an attribute or a level."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1].rstrip() + ELLIPSIS


def _sentence(audit: Audit, name: Name) -> str:
    semi = audit.universe.semi_adjacency
    chosen, covering = semi.chosen, semi.covering
    of = "" if semi.own is None else f" for {semi.own.covered}"
    sentence = (
        f"{_value(chosen)}{of} ({label(semi.reading)}, {label(assumed_neighbors(semi.metric))})"
    )
    if semi.reading != "covering" and _value(chosen) != _value(covering):
        sentence += f"; {_value(covering)} by the {label('covering')}"
    sentence += "" if semi.own is None else f"; {semi.own.not_joint}"
    specified = audit.release.adjacency.distance
    if specified is not None:
        sentence += f"; the spec sets the distance to {specified} instead"
    if covering.upper == 0:
        return f"{sentence}: no other dataset agrees with the invariants"
    if covering.witness is None:
        return sentence
    return f"{sentence}: {_witness(audit, covering.witness, name)}"


def _value(parameter: Parameter) -> str:
    lower, upper = parameter.lower, parameter.upper
    if lower == upper:
        return str(upper)
    if upper is None:
        return f"at least {lower}, no finite upper bound is proven"
    if not parameter.established:
        return f"at least {lower}, not established"
    return f"{lower} to {upper}, the guarantees use {upper}"


def _witness(audit: Audit, witness: Witness, name: Name) -> str:
    others = witness.distance - 1
    change = _change(audit, witness, name)
    if not has_places(audit.universe.semi_adjacency.metric):
        nearest = f"the nearest table with the same invariants is at distance {witness.distance}"
        return f"in the worst case, if {change}, {nearest}"
    if not others:
        return f"if {change}, no other record must change"
    # for a single margin, every record that moves needs another one, in any dataset
    alone = others == 1 and only_margin(audit.release.published_invariants)
    worst = "" if alone else "in the worst case, "
    number = number_word(others)
    also = f"at least {number} other record{'s' * (others != 1)} must change too"
    return f"{worst}if {change}, {also}"


def _change(audit: Audit, witness: Witness, name: Name) -> str:
    before, after = witness.record_from, witness.record_to
    if before is None or after is None:
        return f"a record {'enters' if before is None else 'leaves'}"
    attributes = zip(attributes_of(audit, before), before, after, strict=True)
    changed = [name(attribute) for attribute, first, second in attributes if first != second]
    if not isinstance(audit.release.dataspace, TableSpace):
        return f"record {before[0]} changes" if before else "a record changes"
    return f"one record moves to another {_some(changed)}" if changed else "one record changes"


def number_word(number: int) -> str:
    """Return an integer in words up to ten."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def attributes_of(audit: Audit, cell: Cell) -> tuple[str, ...]:
    """Return the attributes of the levels of a cell, in order."""
    space = audit.release.dataspace
    match space:
        case TableSpace():
            return tuple(attribute.name for attribute in space.attributes)[: len(cell)]
        case ProductSpace() | ListedSpace():
            return ("place", "value")[: len(cell)]
        case _:
            assert_never(space)


def _some(changes: list[str]) -> str:
    more = len(changes) - _NAMED
    if more <= 0:
        return " and ".join(changes)
    return f"{', '.join(changes[:_NAMED])} and {more} more attribute{'s' * (more != 1)}"
