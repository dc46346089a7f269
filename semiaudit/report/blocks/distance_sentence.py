"""a(t) in one sentence, with its definition, its metric, and an example in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from semiaudit.model.adjacency import Reading, assumed_neighbors, has_places
from semiaudit.model.audit import Audit, only_margin
from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.labels import label
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.report.text.layout import Said

_NAMED = 2
"""Attributes that the sentence names."""

_ENOUGH: dict[Reading, str] = {
    "covering": "any record of any dataset",
    "definition_13": "any record of some dataset",
}
"""What the two definitions of a(t) compare, for the shortest text."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def distance_said(audit: Audit, *, explained: bool = False) -> Said:
    """Return a(t) for the head of a report.

    Args:
        explained: the verdict says what the invariants force.
    """
    semi = audit.universe.semi_adjacency
    chosen, covering = semi.chosen, semi.covering
    of = "" if semi.own is None else f" for {semi.own.covered}"
    enough = f", enough to change {_ENOUGH[semi.reading]}" if explained else ""
    by = f"({label(semi.reading)}, {label(assumed_neighbors(semi.metric))})"
    sentence = f"{_value(chosen)}{of}{enough} {by}"
    if semi.reading != "covering" and _value(chosen) != _value(covering):
        sentence += f"; {_value(covering)} by the {label('covering')}"
    sentence += "" if semi.own is None else f"; {semi.own.not_joint}"
    specified = audit.release.adjacency.distance
    if specified is not None:
        sentence += f"; the spec sets the distance to {specified} instead"
    if covering.upper == 0:
        sentence += ": no other dataset agrees with the invariants"
    elif covering.witness is not None and not explained:
        sentence += f": {_witness(audit, covering.witness)}"
    return Said("a(t)", sentence)


def _value(parameter: Parameter) -> str:
    lower, upper = parameter.lower, parameter.upper
    if lower == upper:
        return str(upper)
    if upper is None:
        return f"at least {lower}, no finite upper bound is proven"
    if not parameter.established:
        return f"at least {lower}, not established"
    return f"between {lower} and {upper}, and {upper} is used"


def _witness(audit: Audit, witness: Witness) -> str:
    others = witness.distance - 1
    change = _change(audit, witness)
    if not has_places(audit.universe.semi_adjacency.metric):
        nearest = f"the nearest table with the same invariants is at distance {witness.distance}"
        return f"at worst, if {change}, {nearest}"
    if not others:
        return f"if {change}, no other must change"
    # for a single margin, every record that moves needs another one, in any dataset
    alone = others == 1 and only_margin(audit.release.published_invariants)
    worst = "" if alone else "at worst, "
    least = "at least " * (audit.universe.semi_adjacency.covering.upper != witness.distance)
    return f"{worst}if {change}, {least}{others_text(others)} must change too"


def _change(audit: Audit, witness: Witness) -> str:
    before, after, unit = witness.record_from, witness.record_to, audit.release.dataspace.unit
    if before is None or after is None:
        return f"one {unit} {'enters' if before is None else 'leaves'}"
    if not isinstance(audit.release.dataspace, TableSpace):
        return f"record {before[0]} changes" if before else f"one {unit} changes"
    names = attributes_of(audit, before)
    attributes = zip(names, before, after, strict=True)
    changed = [attribute for attribute, first, second in attributes if first != second]
    if 0 < len(changed) <= _NAMED:
        return f"one {unit} moves to another {' and '.join(changed)}"
    in_all = "all " * (len(changed) == len(names))
    where = f" in {in_all}{number_word(len(changed))} attributes" if changed else ""
    return f"one {unit} changes{where}"


_LINKS = {"with", "of", "in", "among", "per", "for", "at", "from", "who"}
"""Words behind the noun of a unit of privacy, such as of *person with a household*."""


def plural(unit: str) -> str:
    """Return the plural of a unit of privacy, by the regular rules of English."""
    words = unit.split()
    at = next((place - 1 for place, word in enumerate(words) if place and word in _LINKS), -1)
    noun = words[at]
    if noun.endswith(("s", "x", "ch", "sh")):
        words[at] = f"{noun}es"
    elif noun[-1:] == "y" and noun[-2:-1] not in "aeou":
        words[at] = f"{noun[:-1]}ies"
    else:
        words[at] = f"{noun}s"
    return " ".join(words)


def others_text(number: int) -> str:
    """Return a number of others in words: *one other*, *two others*."""
    return f"{number_word(number)} other{'s' * (number != 1)}"


def number_word(number: int) -> str:
    """Return an integer in words up to ten."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def levels_of(attributes: Sequence[str], cell: Cell) -> list[str]:
    """Return the levels of a cell for a reader: a number follows the name of its attribute."""
    named = zip(attributes, map(str, cell), strict=True)
    return [level if any(map(str.isalpha, level)) else f"{name} {level}" for name, level in named]


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
