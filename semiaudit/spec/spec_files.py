"""The files that a spec names: where they may be, which they are, and the rows of CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path

import yaml

from semiaudit.errors import Problem, SpecError
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.paths import REMEDY, OutsideError, is_inside, opened, path_inside
from semiaudit.spec.yaml12 import (
    MAX_BYTES,
    MAX_DEPTH,
    SAFE_LOADER,
    Path_,
    Scalar,
    YamlDocument,
    read_file,
    text_of,
)

LONGEST_NAME = 4096

Reporter = Callable[[str, str, str], None]
"""Adds a problem: what is wrong without any value of a file, what to do, and what is wrong with
the value quoted, for those who may see it."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """One row of a file that is not empty.

    Attributes:
        line: 1-based.
        cells: its values, without blanks around them.
        report: adds a problem with the row.
    """

    line: int
    cells: tuple[Scalar, ...]
    report: Reporter


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The files that one spec may name.

    Attributes:
        folder: the spec's own, which their names are relative to.
        access: what the caller allows.
    """

    folder: Path
    access: Access = CONFINED

    def path(self, document: YamlDocument, where: Path_, name: str) -> Path | None:
        """The path of a file, or None with the problem in the document that it lies outside."""
        try:
            return path_inside(self.folder, name, self.access.root)
        except OutsideError as error:
            document.report(where, str(error), REMEDY)
            return None

    def rows(self, document: YamlDocument, where: Path_, name: str, remedy: str) -> list[FileRow]:
        """The rows of a CSV file; as far as it can be read, with the problems in the document.

        Args:
            where: the path in the spec at which the file is named.
            remedy: what to write into it, where it is empty.
        """
        file = self.path(document, where, name)
        if file is None:
            return []
        try:
            text = text_of(read_file(file), str(file), remedy)
        except SpecError as error:
            document.report(where, str(error.problems[0]))
            return []
        rows = []
        reader = csv.reader(text.splitlines(), strict=True)
        try:
            for entries in reader:
                cells = tuple(Scalar(entry.strip(), plain=True) for entry in entries)
                if any(cells):
                    report = self._reporter(document, str(file), reader.line_num)
                    rows.append(FileRow(reader.line_num, cells, report))
        except csv.Error as error:
            what, where_ = f"is not CSV ({error})", reader.line_num
            document.problems.append(Problem(str(file), where_, 1, "", what, "correct it"))
        return rows

    def _reporter(self, document: YamlDocument, file: str, line: int) -> Reporter:
        def report(message: str, remedy: str, quoted: str) -> None:
            text = quoted if self.access.show_values else message
            document.problems.append(Problem(file, line, 1, "", text, remedy))

        return report


def report_in_spec(document: YamlDocument, where: Path_, *, key: bool = False) -> Reporter:
    """Report a problem with a value in the spec itself: quoted, at its place."""

    def report(_: str, remedy: str, quoted: str) -> None:
        document.report(where, quoted, remedy, key=key)

    return report


def words_of(data: bytes) -> frozenset[str]:
    """Every scalar of a YAML document, keys included, as far as it can be read."""
    words: set[str] = set()
    depth = 0
    try:
        for event in yaml.parse(data.decode("utf-8-sig"), Loader=SAFE_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:  # such a document is refused, and costs much to read on
                break
            if isinstance(event, yaml.ScalarEvent):
                words.add(event.value)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return frozenset(words)
    return frozenset(words)


def named_files(words: frozenset[str], folder: Path, root: str = "") -> list[Path]:
    """Return the files that words of a spec lead to from its folder, sorted.

    A word that happens to be a file's name counts as one. So a file may be watched in vain, but no
    file that the spec names under any key is missed. Files that no spec may read are ignored.

    Args:
        root: where files may lie in addition to the folder; empty for nowhere.
    """
    names = (os.path.join(folder, word) for word in words if 0 < len(word) <= LONGEST_NAME)
    return sorted(
        Path(name)
        for name in names
        if _is_file(name) and (is_inside(name, folder) or (root and is_inside(name, root)))
    )


def files_named_in(spec: str, text: bytes | None = None) -> list[Path]:
    """The files that a spec names, wherever they are; a database by its URL, too.

    None is missed if a spec is too large or damaged to be audited: then nothing else is read.

    Args:
        spec: the path of the spec, or any name in its folder if its text is given.
        text: the spec itself, if it is not in a file.
    """
    try:
        if text is None:
            with opened(spec) as stream:
                text = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError):
        return []
    words = words_of(text)
    urls = frozenset(word.partition("://")[2] for word in words)
    folder = Path(spec).parent
    return named_files(words | urls, folder, os.path.abspath(folder.anchor or os.sep))


def _is_file(name: str) -> bool:
    try:
        return os.path.isfile(name)
    except ValueError:
        return False
