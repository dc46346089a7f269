"""YAML 1.2 core, read safely, with the place of every key and value.

PyYAML's events are used, not its constructors: no tag, alias or number is ever interpreted by it.
A plain scalar stays its own text (only null is recognized), so ``1e-10`` reaches the schema as it
was written, ``no`` is a word, and a number is parsed exactly where a number is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import yaml

from semiaudit.errors import NOWHERE, Mark, Problem, SpecError
from semiaudit.model.data_source import HELD, HeldTable
from semiaudit.paths import KindError, opened

MAX_BYTES = 1_000_000
MAX_NODES = 300_000
MAX_DEPTH = 60
MOST_PRINTED = 50_000
"""Bytes of a spec that a report contains or quotes."""

_NULLS = {"", "~", "null", "Null", "NULL"}
NON_FINITE = {sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")} | {
    ".nan",
    ".NaN",
    ".NAN",
}
SAFE_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MOST_KEPT = 2_000
"""Problems of one document that are kept; the others are only counted."""

MOST_TEXT = 1_000
"""Characters of a problem's message, and of its remedy: both may quote what the document holds."""

MOST_KEY = 60
"""Characters of a key in a path: each problem below a key quotes it."""

Key = str | int
SPACE_COLONS = "put a space after each colon"
QUOTE_STAR = "quote a value that begins with *"

Path_ = tuple[Key, ...]


class Scalar(str):
    """A scalar's text; ``plain`` if it was written without quotes."""

    __slots__ = ("plain",)
    plain: bool

    def __new__(cls, text: str, *, plain: bool) -> Self:
        """Keep the text and how it was written."""
        scalar = super().__new__(cls, text)
        scalar.plain = plain
        return scalar

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, bool]]:
        return (str(self),), {"plain": self.plain}


class HeldScalar(Scalar):
    """A table that Python holds, where a spec has the name of a file."""

    __slots__ = ("held",)
    held: HeldTable

    def __new__(cls, held: HeldTable) -> Self:  # type: ignore[override, unused-ignore]
        """Keep the table."""
        scalar = super().__new__(cls, HELD, plain=False)
        scalar.held = held
        return scalar

    def __getnewargs_ex__(self) -> tuple[tuple[HeldTable], dict[str, bool]]:  # type: ignore[override]
        return (self.held,), {}


Node = dict[str, "Node"] | list["Node"] | Scalar | None


class Problems:
    """The problems of a document: the first ones, and their number.

    They are capped while they are collected, in number and in length, so that a small document
    cannot fill the memory with what is wrong with it.

    Attributes:
        beyond: how many came when there was no room left.
    """

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self.beyond = 0

    def append(self, problem: Problem) -> None:
        """Add a problem, or count it."""
        if self.full:
            self.beyond += 1
            return
        message, remedy = _cut(problem.message), _cut(problem.remedy)
        self._kept.append(replace(problem, message=message, remedy=remedy))

    @property
    def full(self) -> bool:
        """Return whether further problems are only counted."""
        return len(self._kept) >= MOST_KEPT

    def __len__(self) -> int:
        """All of them, kept or not."""
        return len(self._kept) + self.beyond

    def __iter__(self) -> Iterator[Problem]:
        """Iterate over the problems that are kept."""
        return iter(self._kept)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."


@dataclass(slots=True)
class YamlDocument:
    """A YAML document and where everything in it stands."""

    file: str
    root: Node = None
    marks: dict[Path_, Mark] = field(default_factory=dict)
    key_marks: dict[Path_, Mark] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    def mark(self, path: Path_, *, key: bool = False) -> Mark:
        """The place of a value (or of its key); of its nearest parent if it is not there."""
        places = self.key_marks if key else self.marks
        if path in places:
            return places[path]
        while path:
            if path in self.marks:
                return self.marks[path]
            path = path[:-1]
        return self.marks.get((), NOWHERE)

    def report(self, path: Path_, message: str, remedy: str = "", *, key: bool = False) -> None:
        """Add a problem at a path."""
        if self.problems.full:
            self.problems.beyond += 1
            return
        mark = self.mark(path, key=key)
        self.problems.append(
            Problem(self.file, mark.line, mark.column, path_text(path), message, remedy)
        )

    def at(self, path: Path_) -> Node:
        """The node at a path, or None."""
        node = self.root
        for key in path:
            if isinstance(node, dict) and key in node:
                node = node[str(key)]
            elif isinstance(node, list) and isinstance(key, int) and key < len(node):
                node = node[key]
            else:
                return None
        return node


def path_text(path: Path_) -> str:
    """A path as people write it: ``invariants[1].margin``; long keys are cut."""
    text = ""
    for key in path:
        if isinstance(key, str) and len(key) > MOST_KEY:
            key = f"{key[: MOST_KEY - 3]}..."
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def read_file(path: str | Path) -> bytes:
    """The bytes of a spec or data file of at most 1 MB.

    Raises:
        SpecError: it is missing, no file, not readable, or too large.
    """
    name = str(path)
    try:
        with opened(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _file_error(name, "there is no such file", "check the path") from None
    except IsADirectoryError:
        raise _file_error(name, "is a directory", "name a file in it") from None
    except KindError as error:
        raise _file_error(name, str(error.strerror), error.remedy) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _file_error(name, f"cannot be read ({reason})", "check the file") from None
    return within_size(data, name)


def within_size(data: bytes, file: str) -> bytes:
    """Return the bytes if they are no more than a spec may have.

    Raises:
        SpecError: there are more.
    """
    if len(data) > MAX_BYTES:
        raise _file_error(file, "has more than 1 MB", "publish margins instead of a large table")
    return data


def text_of(data: bytes, file: str, remedy: str = "write one with `semiaudit init`") -> str:
    """The bytes as UTF-8 text.

    Raises:
        SpecError: they are no text, or empty.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise _file_error(file, "is not UTF-8 text", "save it as UTF-8", line, column) from None
    if not text.strip():
        raise _file_error(file, "the file is empty", remedy)
    return text


def parse_document(text: str, file: str) -> YamlDocument:
    """Parse one document.

    Returns:
        The document; duplicate keys, aliases, tags and non-finite numbers are among its
        ``problems``, and reading goes on behind them.

    Raises:
        SpecError: the text is not YAML, holds more or less than one document, or is too deep or
            too large.
    """
    document = YamlDocument(file)
    try:
        _NodeBuilder(document, iter(yaml.parse(text, Loader=SAFE_LOADER))).build()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark and error.context_mark and mark.line >= len(lines_of(text)):
            mark = error.context_mark  # what was opened and never closed, not the end of the file
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what, remedy = _explained(error, text, line)
        raise _file_error(file, what, remedy, line, column, _quotable(text)) from None
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line, column = before.count("\n") + 1, error.start - before.rfind("\n")
        raise _file_error(file, "is not UTF-8 text", "write it in UTF-8", line, column) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0) or 0
        before = text[:position]
        line, column = before.count("\n") + 1, position - before.rfind("\n")
        why = "contains a control character: the file is binary or damaged"
        raise _file_error(file, why, "save it as UTF-8 text", line, column) from None
    return document


def lines_of(text: str) -> list[str]:
    """Return the lines of a document, as marks count them."""
    *lines, last = _BREAK.split(text)
    return [*lines, last] if last else lines


_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_SPEC = re.compile(r"""^["']?semiaudit["']?\s*:""", re.MULTILINE)
_DATA = re.compile(r"""\bdata["']?\s*(?::|$)""", re.MULTILINE)
"""Anything that can be a section of data, which may hold confidential counts or name a server."""


def _quotable(text: str) -> list[str]:
    if _DATA.search(text) or not _SPEC.search(text) or len(text) > MOST_PRINTED:
        return []
    return lines_of(text)


def _explained(error: yaml.MarkedYAMLError, text: str, line: int) -> tuple[str, str]:
    lines = lines_of(text)
    here = lines[line - 1] if line <= len(lines) else ""
    if "\t" in here[: len(here) - len(here.lstrip())] or "'\\t'" in str(error.problem):
        return "is indented with a tab", "indent with spaces"
    problem = " ".join(str(part) for part in (error.context, error.problem) if part)
    if "found unexpected ':'" in str(error.problem):
        return "has a colon without a space after it", SPACE_COLONS
    is_glob = error.context == "while scanning an alias"
    return f"is not YAML ({problem})", QUOTE_STAR if is_glob else "correct the syntax"


class _NodeBuilder:
    def __init__(self, document: YamlDocument, events: Iterator[yaml.Event]) -> None:
        self.document = document
        self.events = events
        self.nodes = 0

    def build(self) -> None:
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._error(event, "a second document starts here", "keep one per file")
            elif isinstance(event, yaml.NodeEvent):
                self.document.root = self._node(event, ())
        if not documents:
            raise _file_error(self.document.file, "is empty", "write one with `semiaudit init`")

    def _node(self, event: yaml.NodeEvent, path: Path_) -> Node:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self._error(event, f"has more than {MAX_NODES} values", "publish margins instead")
        if len(path) > MAX_DEPTH:
            raise self._error(event, f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
        self.document.marks[path] = _mark(event)
        if isinstance(event, yaml.AliasEvent):
            remedy = f"write the value out, or {QUOTE_STAR}"
            self.document.report(path, f"uses the alias *{event.anchor}", remedy)
            return None
        if event.anchor:
            self.document.report(path, f"defines the anchor &{event.anchor}", "remove it")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.document.report(path, f"uses the tag {tag}", "remove it")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        raise self._error(event, "is not a value", "write a word, a list or a mapping")

    def _scalar(self, event: yaml.ScalarEvent, path: Path_) -> Node:
        plain = not event.style
        if plain and event.value in _NULLS:
            return None
        if plain and event.value in NON_FINITE:
            self.document.report(path, f"{event.value} is not a finite number", "give a number")
        return Scalar(event.value, plain=plain)

    def _sequence(self, path: Path_) -> Node:
        items: list[Node] = []
        while isinstance(event := next(self.events), yaml.NodeEvent):
            items.append(self._node(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path_) -> Node:
        result: dict[str, Node] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self._error(event, "a key is not a plain word", "use a word as the key")
            inner = (*path, event.value)
            if event.anchor:
                mark = _mark(event)
                self._add(mark, inner, f"defines the anchor &{event.anchor}", "remove it")
            if event.tag is not None:
                self._add(_mark(event), inner, f"uses the tag {event.tag}", "remove it")
            if event.value in result:
                mark = _mark(event)
                self._add(mark, inner, "is a duplicate key", "keep one of them")
                marks = self.document.marks[inner], self.document.key_marks[inner]
                self._value(inner)
                self.document.marks[inner], self.document.key_marks[inner] = marks
                continue
            self.document.key_marks[inner] = _mark(event)
            result[event.value] = self._value(inner)
        return result

    def _value(self, path: Path_) -> Node:
        event = next(self.events)
        if isinstance(event, yaml.NodeEvent):
            return self._node(event, path)
        raise self._error(event, "has no value", "write one")

    def _add(self, mark: Mark, path: Path_, message: str, remedy: str) -> None:
        problem = Problem(
            self.document.file, mark.line, mark.column, path_text(path), message, remedy
        )
        self.document.problems.append(problem)

    def _error(self, event: yaml.Event, message: str, remedy: str) -> SpecError:
        mark = _mark(event)
        return _file_error(self.document.file, message, remedy, mark.line, mark.column)


def _mark(event: yaml.Event) -> Mark:
    start = event.start_mark
    return Mark(start.line + 1, start.column + 1) if start else NOWHERE


def _file_error(
    file: str,
    message: str,
    remedy: str,
    line: int = 0,
    column: int = 0,
    lines: Sequence[str] = (),
) -> SpecError:
    problem = Problem(file, line, column, "", message, remedy)
    return SpecError([problem], file=file, lines=lines)
