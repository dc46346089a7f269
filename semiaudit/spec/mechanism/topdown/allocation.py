"""The allocation of a hierarchical release: how much of rho each query has at each level, exactly.

A CSV file, or rows in the spec. The heading names the columns: ``level`` and ``query``; in addition
``level_share`` and ``query_share`` (each level's shares sum to 1, and the levels'), ``share`` (all
sum to 1), or ``rho``. ``histogram`` may be a column too, and is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.dataspace import TableSpace
from semiaudit.model.topdown import NoisyQuery, SpineLevel, TopDownQuery
from semiaudit.numeric.rationals import rational_text
from semiaudit.spec.matrix import RawRow, rows_at
from semiaudit.spec.mechanism.mechanism_reader import SpecPlace
from semiaudit.spec.mechanism.topdown.checks import is_one_unit
from semiaudit.spec.scalars import LARGEST_LOSS, rational, shown

if TYPE_CHECKING:
    from semiaudit.spec.mechanism.topdown.topdown_schema import TopDownSection

ALLOCATION = "allocation"
AMOUNTS = (("level_share", "query_share"), ("share",), ("rho",))
_FORMS = "level, query, and level_share and query_share, or share, or rho"


def noisy_of(
    section: TopDownSection,
    place: SpecPlace,
    spine: Sequence[SpineLevel],
    queries: Sequence[TopDownQuery],
) -> tuple[NoisyQuery, ...] | None:
    """What was measured with how much of rho; None with the problems in the document."""
    document = place.setting.document
    before = len(document.problems)
    path = (*place.path, ALLOCATION)
    rows = rows_at(document, place.setting.queries.files, path, _FORMS, "a list of them")
    table = _Table(place, spine, queries)
    for row in rows:
        table.add(row)
    if not table.entries and len(document.problems) == before:
        place.report((ALLOCATION,), "has no rows", f"give a heading with {_FORMS}, and rows")
    if len(document.problems) > before:
        return None
    return table.noisy(section)


@dataclass
class _Entry:
    level: int
    query: int
    amounts: tuple[Fraction, ...]
    row: RawRow


@dataclass
class _Table:
    place: SpecPlace
    spine: Sequence[SpineLevel]
    queries: Sequence[TopDownQuery]
    columns: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    entries: list[_Entry] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def add(self, row: RawRow) -> None:
        if not self.columns:
            self._heading(row)
            return
        if not self.amounts:
            return
        if len(row.cells) != len(self.columns):
            what = f"has {len(row.cells)} entries, but the heading has {len(self.columns)}"
            row.report(what, "give one entry for each column", what)
            return
        entry = dict(zip(self.columns, row.cells, strict=True))
        reporters = dict(zip(self.columns, row.entries, strict=True))
        level = _place_of([one.name for one in self.spine], str(entry["level"]))
        query = _place_of([one.name for one in self.queries], str(entry["query"]))
        for key, at, known in (("level", level, "spine"), ("query", query, "queries")):
            if at is None:
                what = f"is not in {known}"
                reporters[key](
                    f"the {key} {what}", f"add it to {known}", f"{shown(entry[key])} {what}"
                )
        read = [self._amount(entry[key], reporters[key]) for key in self.amounts]
        if level is None or query is None or None in read:
            return
        if (level, query) in self.seen:
            what = "repeats the level and query of an earlier row"
            row.report(what, "give one row for each level and query", what)
            return
        self.seen.add((level, query))
        histogram = self.queries[query].histogram
        if "histogram" in entry and str(entry["histogram"]) != histogram:
            what = f"the histogram is not that of the query, {histogram}"
            reporters["histogram"](what, "correct one of them", what)
        if self._is_size(level, query):
            shares = (
                "the top level" if level == 0 else f"{self.spine[level].name}, which is one unit,"
            )
            what = (
                f"does not distinguish any records: the total of {shares} is the number of records"
            )
            row.report(what, "remove it: it has no privacy loss", what)
        amounts = tuple(amount for amount in read if amount is not None)
        self.entries.append(_Entry(level, query, amounts, row))

    def _is_size(self, level: int, query: int) -> bool:
        asked, space = self.queries[query], self.place.setting.queries.space
        if asked.tells or asked.where or not isinstance(space, TableSpace):
            return False
        return is_one_unit(space, self.spine, level)

    def _heading(self, row: RawRow) -> None:
        self.columns = tuple(str(cell) for cell in row.cells)
        known = {"level", "query", "histogram", *(name for form in AMOUNTS for name in form)}
        forms = [form for form in AMOUNTS if set(form) & set(self.columns)]
        good = {"level", "query"} <= set(self.columns) <= known
        good = good and len(set(self.columns)) == len(self.columns)
        if not good or len(forms) != 1 or not set(forms[0]) <= set(self.columns):
            row.report("is not a heading of an allocation", f"name {_FORMS}", "is not a heading")
            return
        self.amounts = forms[0]

    def _amount(self, cell: object, report: Callable[[str, str, str], None]) -> Fraction | None:
        most = LARGEST_LOSS if self.amounts == ("rho",) else 1
        try:
            value = rational(cell)
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            report("is not a number", remedy, quoted)
            return None
        if not 0 < value <= most:
            what = f"is not above 0 and at most {most}"
            report(what, "leave rows of 0 out", f"{shown(rational_text(value))} {what}")
            return None
        return value

    def noisy(self, section: TopDownSection) -> tuple[NoisyQuery, ...] | None:
        """Shares become rho, and must sum to 1; amounts of rho sum to what is stated."""
        before = len(self.place.setting.document.problems)
        if self.amounts == ("rho",):
            factor: Fraction | None = Fraction(1)
            self._check_rho(section)
        else:
            factor = self._factor(section)
            self._check_shares()
        if len(self.place.setting.document.problems) > before or factor is None:
            return None
        noisy = []
        for entry in self.entries:
            rho = factor
            for amount in entry.amounts:
                rho *= amount
            noisy.append(NoisyQuery(entry.level, entry.query, rho))
        return tuple(noisy)

    def _factor(self, section: TopDownSection) -> Fraction | None:
        if section.global_scale is not None:
            return 1 / section.global_scale**2
        if section.rho is None:
            what = "has shares, but the total is missing"
            self.place.report((ALLOCATION,), what, "add global_scale or rho")
        return section.rho

    def _check_rho(self, section: TopDownSection) -> None:
        if section.global_scale is not None:
            what = "is only for shares, but the allocation gives rho"
            self.place.report(("global_scale",), what, "leave it out")
        total = sum((entry.amounts[0] for entry in self.entries), Fraction(0))
        if section.rho is not None and total != section.rho:
            what = f"is not the sum of the allocation, {rational_text(total)}"
            self.place.report(("rho",), what, "correct one of them")

    def _check_shares(self) -> None:
        if self.amounts == ("share",):
            self._sums_to_one(self.entries, 0, "the shares sum")
            return
        for at, level in enumerate(self.spine):
            of_level = [entry for entry in self.entries if entry.level == at]
            for entry in of_level:
                if entry.amounts[0] != of_level[0].amounts[0]:
                    what = f"the level_share of {level.name} differs from that of its first row"
                    entry.row.report(
                        "differs from the level_share in the first row of its level", "", what
                    )
            self._sums_to_one(of_level, 1, f"the query_shares of {level.name} sum")
        firsts = {entry.level: entry for entry in reversed(self.entries)}
        self._sums_to_one(list(firsts.values())[::-1], 0, "the level_shares sum")

    def _sums_to_one(self, entries: Sequence[_Entry], amount: int, sentence: str) -> None:
        """A problem at the last row of those that should sum to 1."""
        total = sum((entry.amounts[amount] for entry in entries), Fraction(0))
        if entries and total != 1:
            what = f"{sentence} to {rational_text(total)}, not to 1"
            remedy = "correct them; fractions such as 1/3 are exact"
            entries[-1].row.report(what, remedy, what)


def _place_of(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None
