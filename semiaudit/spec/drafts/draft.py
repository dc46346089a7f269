"""A first spec for a table or microdata, from what was found in them: commented YAML text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import prod

from semiaudit.errors import Problem, SpecError
from semiaudit.model.data_source import COUNT
from semiaudit.model.dataspace import MOST_ATTRIBUTES
from semiaudit.model.results.survey import MANY, Survey, SurveyedColumn

MOST_LEFT_OUT = 50
"""Columns that are left out and named, at most; the others are counted."""

MOST_DOUBTS = 20
"""Doubts about the levels of one attribute that are written down, at most."""

_MOST_TEXT = 400_000
"""Characters of all levels together, at most: a spec has at most 1 MB."""

_WIDTH = 96
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ ./-][A-Za-z0-9_]+)*")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_NO_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_BINS = '{"up to 9": [null, 9], "10 and more": [10, null]}'
_NAMES = '["up to 9", "10 and more"]'


class SpecDraft:
    """A first spec.

    Attributes:
        attributes: the columns that are attributes, by the attributes' names.
        left_out: the names of the other columns, each with the reason.
    """

    def __init__(self, survey: Survey, asked: Collection[str] = ()) -> None:
        """Choose the attributes; columns that are asked for come before others."""
        self._survey = survey
        free = MOST_ATTRIBUTES - sum(c.name in asked and not c.left_out for c in survey.columns)
        self.attributes: dict[str, SurveyedColumn] = {}
        self.left_out: list[tuple[SurveyedColumn, str]] = []
        text_size = 0
        for place, column in enumerate(survey.columns, start=1):
            reason = column.left_out
            text_size += 0 if reason else sum(map(len, column.levels)) + 8 * len(column.levels)
            free -= not reason and column.name not in asked
            if not reason and free < 0 and column.name not in asked:
                reason = f"is beyond the {MOST_ATTRIBUTES} attributes that a spec has at most"
            elif not reason and text_size > _MOST_TEXT:
                reason = "has levels beyond what a spec can hold"
            if reason:
                self.left_out.append((column, reason))
            else:
                self.attributes[self._name(column.name, place)] = column

    def _name(self, column: str, place: int) -> str:
        name = "".join(c if c.isprintable() and c not in "*," else " " for c in column)
        name = " ".join(name.split()) if name != column or name != name.strip() else name
        name = name or f"column {place}"
        free_name, number = name, 2
        while free_name in self.attributes:
            free_name, number = f"{name} {number}", number + 1
        return free_name

    def margin(self, file: str, columns: Sequence[str]) -> tuple[str, ...]:
        """The attributes of a margin that is asked for by names of columns or of attributes.

        Raises:
            SpecError: a name is of neither, of a column that is left out, or comes twice.
        """
        by_column = {column.name: name for name, column in self.attributes.items()}
        names_of_margin: list[str] = []
        possible_names = {*by_column, *self.attributes}
        if len(columns) == 1 and columns[0] not in possible_names and "*" in columns[0]:
            columns = [name.strip() for name in columns[0].split("*")]  # as reports write a margin
        for column in columns:
            name = by_column.get(column) or (column if column in self.attributes else None)
            if name is None:
                raise SpecError([self._no_attribute(file, column)])
            if name in names_of_margin:
                what = "is named twice in one margin"
                raise SpecError([Problem(file, 0, 0, column, what, "name it once")])
            names_of_margin.append(name)
        return tuple(names_of_margin)

    def _no_attribute(self, file: str, name: str) -> Problem:
        for column, reason in self.left_out:
            if column.name == name:
                what = f"is not an attribute that a margin could have: it {reason}"
                remedy = "write the spec without this margin, and add it to the spec with its bins"
                if not column.numbers:
                    remedy = "fix the data, or remove the margin"
                return Problem(file, 0, 0, name, what, remedy)
        if name == self._survey.count:
            remedy = "name attributes"
            return Problem(file, 0, 0, name, "is the column of counts", remedy)
        names = ", ".join([*self.attributes][:20]) + ", ..." * (len(self.attributes) > 20)
        return Problem(file, 0, 0, name, "there is no such column", f"there are {names}")

    def cells(self, margin: Iterable[str]) -> int:
        """Return the number of cells of a margin."""
        return prod(len(self.attributes[name].levels) for name in margin)

    def text(self, file: str, title: str, margins: Sequence[Sequence[str]]) -> str:
        """The spec.

        Args:
            file: the data's path as the spec names it.
            title: what the report is called.
            margins: what is published exactly, by names of attributes.
        """
        return "".join(f"{line}\n" for line in self._lines(file, title, margins))

    def _lines(self, file: str, title: str, margins: Sequence[Sequence[str]]) -> Iterator[str]:
        yield "# A first spec, written by `semiaudit init`. Run:  semiaudit analyze THIS_FILE"
        yield "# The levels below are copied from your data. Remove any that are confidential."
        yield "semiaudit: 1"
        yield f"title: {scalar(title)}"
        yield "leaves_out:                       # delete this when you fill in the mechanism"
        yield "  - what was done to the data; the mechanism is a placeholder that init wrote"
        yield ""
        yield "dataspace:"
        yield "  unit: record                    # whose privacy is at stake, such as person"
        yield "  # size: 1000                    # the number of records, if it is public"
        yield "  attributes:"
        for name, column in self.attributes.items():
            yield from self._levels(name, column)
            yield from (f"    # CHECK: {doubt}." for doubt in column.doubts[:MOST_DOUBTS])
        yield from self._left_out()
        yield ""
        yield "# What is published exactly, without noise."
        yield "invariants:" if margins else "# invariants:"
        for margin in margins:
            yield from _listed("  - margin: ", map(scalar, margin))
        yield "#   - total                       # the number of records, if it is published"
        if not margins:
            first = scalar(next(iter(self.attributes)))
            yield f"#   - margin: [{first}]"
        yield ""
        yield "# Where the published values are counted. Only counts leave the data."
        yield "data:"
        yield f"  {self._survey.kind}: {scalar(file)}"
        yield from self._columns()
        yield ""
        yield "# PLACEHOLDER: replace this with your mechanism, and delete leaves_out above."
        yield "mechanism:"
        yield "  discrete_gaussian: {sigma_squared: 2, query: table}   # noise on every count"
        yield ""
        yield "# Limits; `semiaudit analyze` exits with 1 if a certified bound is above one."
        yield "# budgets:"
        yield "#   - {framework: semi_dp, rho: 4.5}"

    def _levels(self, name: str, column: SurveyedColumn) -> Iterator[str]:
        outer = {a.name: (label, a.levels) for label, a in self.attributes.items()}
        if not column.parents or column.within not in outer:
            yield from _listed(f"    {_key(name)} ", map(scalar, column.levels))
            return
        parent, above = outer[column.within]
        yield from (f"    {_key(name)}", f"      within: {scalar(parent)}", "      levels:")
        for at, level in enumerate(above):
            pairs = zip(column.levels, column.parents, strict=True)
            inside = (scalar(inner) for inner, place in pairs if place == at)
            yield from _listed(f"        {_key(level)} ", inside)

    def _left_out(self) -> Iterator[str]:
        for column, reason in self.left_out[:MOST_LEFT_OUT]:
            yield f"    # The column {scalar(short(column.name))} is left out: it {reason}."
        more = len(self.left_out) - MOST_LEFT_OUT
        if more > 0:
            yield f"    # {more} more column{'s are' if more > 1 else ' is'} left out."
        for name in self.can_be_binned[:1]:
            yield f"    # To take {scalar(name)} in, name its bins as levels; see data.columns:"
            yield f"    # {_key(name)} {_NAMES}"

    @property
    def can_be_binned(self) -> list[str]:
        """The columns that are left out and hold numbers, of which bins make levels."""
        return [
            column.name
            for column, _ in self.left_out
            if column.numbers
            and self._name(column.name, 0) == column.name
            and column.left_out == MANY
        ]

    def _columns(self) -> Iterator[str]:
        lines = []
        if self._survey.count and self._survey.count != COUNT:
            lines.append(f"    {_key(self._survey.count)} count")
        for name, column in self.attributes.items():
            if name != column.name or (name == COUNT and self._survey.count):
                entry = f"{{attribute: {scalar(name)}}}" if name == COUNT else scalar(name)
                lines.append(f"    {_key(column.name)} {entry}")
        bins = [f"    # {_key(name)} {{bins: {_BINS}}}" for name in self.can_be_binned[:1]]
        if lines or bins:
            yield "  columns:" if lines else "  # columns:"
        yield from lines
        yield from bins


def _listed(start: str, items: Iterable[str]) -> Iterator[str]:
    line = f"{start}["
    for place, item in enumerate(items):
        if place and len(line) + len(item) > _WIDTH:
            yield f"{line},"
            line = f"{' ' * (len(start) - len(start.lstrip()) + 2)}{item}"
        else:
            line += f"{', ' if place else ''}{item}"
    yield f"{line}]"


def scalar(text: str) -> str:
    """A text as YAML writes it, so that any reader takes it for that very text or whole number."""
    if _WHOLE.fullmatch(text) or (_WORD.fullmatch(text) and text.lower() not in _NO_WORDS):
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """A text in quotes: no reader takes it for a number, a date or a truth value."""
    return f'"{"".join(map(_escaped, text))}"'


def _key(text: str) -> str:
    return f"{scalar(text)}:"


def short(text: str) -> str:
    """A name of a column as comments and messages tell it."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable() and not 0xD800 <= ord(character) <= 0xDFFF:
        return character
    return f"\\U{ord(character):08X}"
