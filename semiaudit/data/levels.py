"""From the texts in a column to the levels of an attribute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from semiaudit.data.bins import Binned, Span
from semiaudit.data.data_faults import DataFault, quoted
from semiaudit.data.reader import Reader
from semiaudit.errors import SemiauditError
from semiaudit.model.data_source import DataColumn
from semiaudit.model.dataspace import Attribute
from semiaudit.numeric.rationals import decimal_from_text

MOST_STRAY_TEXTS = 1000
_MOST_LEVELS_SHOWN = 6
_NO_LEVEL = -1


class StrayColumnError(SemiauditError):
    """A column has too many texts that are not levels to continue reading."""


class Levels:
    """The levels of one attribute, and the texts of its column that name them.

    Attributes:
        attribute: the attribute.
        column: the name of its column.
        stray: the texts so far that are not levels.
    """

    def __init__(self, attribute: Attribute, column: DataColumn) -> None:
        self.attribute = attribute
        self.column = column.name
        self._binned = Binned(attribute, column.bins) if column.bins else None
        self._index: dict[str | None, int] = {}
        self.stray: list[str | None] = []

    def indices(self, texts: Sequence[str | None]) -> list[int]:
        """Return the index of the level that each text names, or -1.

        Raises:
            StrayColumnError: more than 1000 different texts are not levels.
        """
        index = self._index
        new = list(set(texts).difference(index))
        if new:
            named = [text for text in new if text]
            index.update(dict.fromkeys(new, _NO_LEVEL))
            for text, number in zip(named, self._named.indices(named), strict=True):
                index[text] = _NO_LEVEL if number is None else number
            self.stray += [text for text in new if index[text] == _NO_LEVEL]
            if len(self.stray) > MOST_STRAY_TEXTS:
                raise StrayColumnError
        return list(map(index.__getitem__, texts))

    @property
    def spans(self) -> Sequence[Span]:
        """Return intervals of numbers that are one level, and need not be distinguished."""
        return self._binned.spans if self._binned else ()

    @property
    def _named(self) -> Binned | Attribute:
        return self._binned or self.attribute

    def synonyms(self) -> dict[str, str]:
        """Return the texts that name the same value as another text, with that text.

        A value is a level or, if levels are bins of numbers, a number.
        """
        texts: defaultdict[object, list[str]] = defaultdict(list)
        for text, index in self._index.items():
            if index != _NO_LEVEL and text is not None:
                number = decimal_from_text(text) if self._binned else None
                texts[("level", index) if number is None else number].append(text)
        return {text: min(same) for same in texts.values() if len(same) > 1 for text in same}

    def findings(self, reader: Reader) -> list[DataFault]:
        """Return every text that is not a level, and every missing one, with its first row."""
        name = self.column
        if len(self.stray) > MOST_STRAY_TEXTS:
            message = f"contains more than {MOST_STRAY_TEXTS} different values that are not levels"
            remedy = f"check whether the column is the attribute; its levels are {self._shown()}"
            return [DataFault(message, remedy, column=name)]
        sightings = reader.sightings(name, self.stray) if self.stray else {}
        findings = []
        for text in sorted(self.stray, key=lambda text: text or ""):
            sighting = sightings.get(text)
            times = f" ({sighting.number} rows)" if sighting and sighting.number > 1 else ""
            row = sighting.row if sighting else 0
            remedy = f"{self._spaces(text)}its levels are {self._shown()}"
            hidden = "a value" if text else "an empty value"
            shown = f"{quoted(text)} is not a level{times}"
            findings.append(DataFault(f"{hidden} is not a level", remedy, name, row, quoted=shown))
        return findings

    def _spaces(self, text: str | None) -> str:
        """Return what to do if only blanks around a text, or around the level, are wrong."""
        levels, meant = self.attribute.levels, (text or "").strip()
        if isinstance(levels, int):
            level = meant if meant.isascii() and meant.isdigit() and int(meant) < levels else ""
        else:
            level = next((str(level) for level in levels if str(level).strip() == meant), "")
        if not level or self._binned:
            return ""
        where, of = (
            (level, f" of the level {quoted(level)} in the spec")
            if text == meant
            else (text or "", " of the value")
        )
        places = ["start"] * (where != where.lstrip()) + ["end"] * (where != where.rstrip())
        return f"remove the space at the {' and the '.join(places)}{of}; "

    def _shown(self) -> str:
        levels = self.attribute.levels
        if isinstance(levels, int):
            return f"0 to {levels - 1}" if levels > 1 else "0"
        shown = ", ".join(quoted(str(level)) for level in levels[:_MOST_LEVELS_SHOWN])
        return shown if len(levels) <= _MOST_LEVELS_SHOWN else f"{shown}, …"
