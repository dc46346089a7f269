"""a(t) in one sentence, with its reading, its metric and the witness in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from semiaudit.model.adjacency import has_places
from semiaudit.model.audit import Audit
from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.report.layout import ELLIPSIS, Said

LONGEST_NAME = 18
"""Characters of a name where names are shortened."""

_NAMED = 2
"""Attributes that the sentence names."""

Name = Callable[[object], str]


def distance_said(audit: Audit) -> Said:
    """How far apart datasets with the same invariants are, as the head of a report says it."""
    whole = _sentence(audit, str)
    return Said("a(t)", whole, brief=_sentence(audit, _short))


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1].rstrip() + ELLIPSIS


def _sentence(audit: Audit, name: Name) -> str:
    semi = audit.universe.semi_adjacency
    chosen, covering = semi.chosen, semi.covering
    of = "" if semi.own is None else f" for {semi.own.covered}, and {semi.own.not_joint}"
    told = f"{_value(chosen)}{of} (reading {semi.reading}, {semi.metric} distance)"
    if semi.reading != "covering" and _value(chosen) != _value(covering):
        told += f"; {_value(covering)} by covering"
    own = audit.release.adjacency.distance
    if own is not None:
        told += f"; the spec sets distance {own} in its place"
    if covering.upper == 0:
        return f"{told}: no other dataset agrees with the invariants"
    if covering.witness is None:
        return told
    return f"{told}: {_witness(audit, covering.witness, name)}"


def _value(parameter: Parameter) -> str:
    lower, upper = parameter.lower, parameter.upper
    if lower == upper:
        return str(upper)
    if upper is None:
        return f"at least {lower}, no finite end is proven"
    if not parameter.established:
        return f"at least {lower}, not established"
    return f"{lower} to {upper}, of which {upper} is used"


def _witness(audit: Audit, witness: Witness, name: Name) -> str:
    others = witness.distance - 1
    if not has_places(audit.universe.semi_adjacency.metric):
        after = f"the tables are {witness.distance} apart"
    elif others:
        after = f"{others} other record{'s' * (others != 1)} must change with it"
    else:
        after = "no other must change with it"
    joint = ", and " if has_places(audit.universe.semi_adjacency.metric) else "; "
    return f"{_change(audit, witness, name)}{joint}{after}"


def _change(audit: Audit, witness: Witness, name: Name) -> str:
    before, after = witness.record_from, witness.record_to
    attributes = attributes_of(audit, before or after or ())
    if before is None or after is None:
        told = [f"{name(key)} {name(level)}" for key, level in _pairs(attributes, before or after)]
        who = f"a record with {_some(told)}" if told else "a record"
        return f"{who} {'enters' if before is None else 'leaves'}"
    changed = [
        (attribute, first, second)
        for attribute, first, second in zip(attributes, before, after, strict=True)
        if first != second
    ]
    if not changed:
        return "a record changes"
    told = [f"{name(key)} from {name(first)} to {name(second)}" for key, first, second in changed]
    if isinstance(audit.release.dataspace, TableSpace):
        return f"a record changes {_some(told)}"
    return f"record {before[0]} changes {_some(told)}"


def attributes_of(audit: Audit, cell: Cell) -> tuple[str, ...]:
    """What the levels of a cell are levels of, in their order."""
    space = audit.release.dataspace
    match space:
        case TableSpace():
            return tuple(attribute.name for attribute in space.attributes)[: len(cell)]
        case ProductSpace() | ListedSpace():
            return ("place", "value")[: len(cell)]
        case _:
            assert_never(space)


def _pairs(attributes: tuple[str, ...], cell: Cell | None) -> list[tuple[str, object]]:
    return list(zip(attributes, cell or (), strict=True))


def _some(told: list[str]) -> str:
    more = len(told) - _NAMED
    if more <= 0:
        return " and ".join(told)
    return f"{', '.join(told[:_NAMED])} and {more} more attribute{'s' * (more != 1)}"
