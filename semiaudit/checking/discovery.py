"""The specs that a command audits: named files, and those that directories contain."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import assert_never

from semiaudit.errors import Problem
from semiaudit.frozen import dataclass
from semiaudit.paths import is_inside, wrong_kind
from semiaudit.spec.recognition import Recognised, recognised

NAMES = re.compile(r"([^/]+\.)?semiaudit\.ya?ml", re.IGNORECASE)
"""Names of specs: ``release.semiaudit.yaml``, ``semiaudit.yml``."""

ENDINGS = (".yaml", ".yml")
"""The endings of the names of files that can be specs by their keys, in small letters."""

SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})
"""Directories that contain no specs, as those whose names begin with a dot."""

Skipped = tuple[tuple[str, tuple[str, ...]], ...]
"""The reasons not to audit files and directories, each with their names."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The result of a search for specs.

    Attributes:
        specs: paths with ``/``, each real file once and by its own name rather than by a link's,
            in the order of the paths.
        problems: paths that name nothing, directories that cannot be read, and files that might
            be specs and may not be opened.
        folders: the directories that were searched.
        skipped: what is not a spec.
    """

    specs: tuple[str, ...]
    problems: tuple[Problem, ...]
    folders: tuple[str, ...] = ()
    skipped: Skipped = ()


class SpecSearch:
    """A search for specs.

    Attributes:
        problems: what could not be looked at.
    """

    def __init__(self, pattern: str | None = None, root: str = "") -> None:
        """Begin.

        Args:
            pattern: a glob over the names of files, or over their paths below the directory if
                it has a ``/``; what it matches is a spec.
            root: where else links may lead; empty for nowhere.
        """
        self.problems: list[Problem] = []
        self._pattern = pattern
        self._root = root
        self._skipped: dict[str, list[str]] = {}

    @property
    def skipped(self) -> Skipped:
        """Return the files that are not specs, by the reason."""
        return tuple((why, tuple(sorted(names))) for why, names in sorted(self._skipped.items()))

    def skip(self, path: str, reason: str) -> None:
        """Note that a path is not audited."""
        self._skipped.setdefault(reason, []).append(shown(path))

    def report(self, path: str, message: str, remedy: str) -> None:
        """Note that a path cannot be looked at."""
        self.problems.append(Problem(shown(path), 0, 0, "", message, remedy))

    def is_there(self, path: str) -> bool:
        """Return whether a file that is named exists, and leads no further than its folder."""
        if os.path.lexists(path):
            return self.may_lead(path, os.path.dirname(path) or ".")
        self.report(path, "there is no such file or directory", "check the path")
        return False

    def may_lead(self, path: str, folder: str) -> bool:
        """Return whether a path, with its links followed, is inside a folder or the root.

        A path that leads out is a problem: what it leads to may be a spec, and is not opened.
        """
        if is_inside(path, folder) or (self._root and is_inside(path, self._root)):
            return True
        what = "is a link that leads out of the directory"
        self.report(path, what, "name what it leads to, or allow it with --root")
        return False

    def is_spec(self, path: str, top: str) -> bool:
        """Return whether a file is to be audited, by its name or by its keys.

        A file that might be a spec and cannot be read is one, so that the audit names it.

        Args:
            top: the directory that is searched, which links may not leave.
        """
        by_name = self.is_named_as_a_spec(path, top)
        if not by_name and not path.lower().endswith(ENDINGS):
            self.skip(path, "not a YAML file, by its name")
            return False
        if not self.may_lead(path, top):
            return False
        if kind := wrong_kind(path):
            self.report(path, str(kind.strerror), kind.remedy)
            return False
        reason = "" if by_name else _no_spec(recognised(path))
        if reason:
            self.skip(path, reason)
        return not reason

    def is_named_as_a_spec(self, path: str, top: str) -> bool:
        """Return whether a path has a spec's name, or matches the pattern below ``top``."""
        name = os.path.basename(path)
        if NAMES.fullmatch(name):
            return True
        if not self._pattern:
            return False
        if "/" in self._pattern:
            return fnmatchcase(shown(os.path.relpath(path, top)), self._pattern)
        return fnmatchcase(name, self._pattern)


def _no_spec(kind: Recognised) -> str:
    """Return why a YAML file is not a spec; empty if it is one."""
    match kind:
        case "spec" | "closed":
            return ""
        case "companion":
            return "a policy or waivers"
        case "other":
            return "YAML without the key semiaudit"
        case "damaged":
            return "not YAML, and no line begins with semiaudit"
        case "large":
            return "more than 1 MB, and no line begins with semiaudit"
        case _:
            assert_never(kind)


def specs_under(paths: Sequence[str], pattern: str | None = None, root: str = "") -> Discovered:
    """Find the specs that paths name.

    A file that is named is a spec whatever its name. In a directory, at any depth, specs are the
    YAML files that were meant as specs by their keys, those with a spec's name, and those that
    ``pattern`` names. Links are followed, but no real directory is entered twice, so a loop of
    links ends. Hidden directories are skipped.

    A link may lead no further than the directory that is searched or, for a file that is named,
    than its folder.

    Args:
        pattern, root: as ``SpecSearch`` has them.
    """
    spec_paths: list[str] = []
    search = SpecSearch(pattern, root)
    for path in paths:
        if os.path.isdir(path):
            spec_paths += in_directory(path, search, path)
        elif search.is_there(path):
            spec_paths.append(path)
    folders = tuple(shown(path) for path in paths if os.path.isdir(path))
    return discovered(spec_paths, search, folders)


def discovered(paths: Sequence[str], search: SpecSearch, folders: tuple[str, ...]) -> Discovered:
    """Return what a search found, each real file once."""
    specs: dict[str, str] = {}
    here = os.path.realpath(os.curdir)
    for path in sorted({shown(path) for path in paths}, key=_order):
        real = os.path.realpath(path)
        if real not in specs or real == os.path.normpath(os.path.join(here, path)):
            specs[real] = path  # a link takes no file over under another name
    ordered = tuple(sorted(specs.values(), key=_order))
    problems = sorted(search.problems, key=lambda problem: _order(problem.file))
    return Discovered(ordered, tuple(problems), folders, search.skipped)


def in_directory(top: str, search: SpecSearch, start: str) -> Iterator[str]:
    """Yield the specs below ``start``, which is ``top`` or inside it; of any depth."""
    entered: set[tuple[int, int]] = set()
    waiting, links = [start], list[str]()
    while waiting or links:
        folder = waiting.pop() if waiting else links.pop()
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name, reverse=True)
        except OSError as error:
            search.report(folder, f"cannot be searched ({error.strerror})", "check the directory")
            continue
        for entry in listed:
            if not _is_directory(entry):
                if search.is_spec(entry.path, top):
                    yield entry.path
            elif entry.name.startswith(".") or entry.name in SKIPPED:
                search.skip(entry.path, "a directory that is not searched")
            elif not entry.is_symlink():
                waiting.append(entry.path)
            elif search.may_lead(entry.path, top):
                links.append(entry.path)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry may be a directory; one that cannot be looked at may be."""
    try:
        return entry.is_dir()
    except OSError as error:
        return error.errno != errno.ELOOP


def shown(path: str) -> str:
    """Return a path with ``/``, without ``./`` before it."""
    text = path.replace(os.sep, "/")
    while text.startswith("./") and len(text) > 2:
        text = text[2:].lstrip("/")
    return text


def _order(path: str) -> tuple[list[str], str]:
    return path.split("/"), path
