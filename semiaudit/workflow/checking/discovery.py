"""Which specs a command is to audit: named files, and what directories hold."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import assert_never

from semiaudit.errors import Problem
from semiaudit.paths import is_inside, wrong_kind
from semiaudit.spec.recognition import recognised

NAMES = re.compile(r"([^/]+\.)?semiaudit\.ya?ml")
"""Names of specs: ``release.semiaudit.yaml``, ``semiaudit.yml``; the pre-commit hook's files."""

YAML = re.compile(r".+\.ya?ml", re.IGNORECASE)
"""Names of files that are specs if they have the key ``semiaudit``."""

SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})
"""Directories that hold no specs, beside those whose names begin with a dot."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """What was found.

    Attributes:
        specs: paths with ``/``, each real file once and by its own name rather than by a link's,
            in the order of the paths.
        problems: paths that name nothing, and directories that cannot be read.
        folders: the directories that were searched.
        passed_over: why files of these are no specs, and how many for each reason.
    """

    specs: tuple[str, ...]
    problems: tuple[Problem, ...]
    folders: tuple[str, ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class _Search:
    """One search under way.

    Attributes:
        pattern, root: as ``specs_under`` has them.
    """

    pattern: str | None
    root: str
    problems: list[Problem] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)


def specs_under(paths: Sequence[str], pattern: str | None = None, root: str = "") -> Discovered:
    """Find the specs that paths name.

    A file that is named is a spec whatever its name. In a directory, at any depth, specs are the
    YAML files with the key ``semiaudit``, those with a spec's name, and those that ``pattern``
    names. Links are followed, but no real directory is entered twice, so a loop of links ends.
    Hidden directories are passed by.

    A link may lead no further than the directory that is searched or, for a file that is named,
    than its folder. A name that begins with a dash, which some command might take for an option,
    is no spec's.

    Args:
        pattern: a glob over the names of files, or over their paths below the directory if it
            has a ``/``.
        root: where else links may lead; empty for nowhere.
    """
    found: list[str] = []
    search = _Search(pattern, root)
    problems = search.problems
    for path in paths:
        if path.startswith("-"):
            problems.append(_problem(path, "begins with a dash", "write ./ before it"))
        elif os.path.isdir(path):
            found += _in_directory(path, search)
        elif not os.path.lexists(path):
            problems.append(_problem(path, "there is no such file or directory", "check the path"))
        elif wrong := _misled(path, os.path.dirname(path) or ".", root):
            problems.append(wrong)
        else:
            found.append(path)
    specs: dict[str, str] = {}
    here = os.path.realpath(os.curdir)
    for path in sorted({_shown(path) for path in found}, key=_order):
        real = os.path.realpath(path)
        if real not in specs or real == os.path.normpath(os.path.join(here, path)):
            specs[real] = path  # a link takes no file over under another name
    folders = tuple(_shown(path) for path in paths if os.path.isdir(path))
    passed_over = tuple(sorted(search.passed_over.items()))
    return Discovered(
        tuple(sorted(specs.values(), key=_order)), tuple(problems), folders, passed_over
    )


def _misled(path: str, folder: str, root: str) -> Problem | None:
    """Why a file is no spec to be read: its name, or where it leads; None if it is one."""
    if os.path.basename(path).startswith("-"):
        return _problem(_shown(path), "has a name that begins with a dash", "rename it")
    if is_inside(path, folder) or (root and is_inside(path, root)):
        return None
    what = "is a link that leads out of the directory"
    return _problem(_shown(path), what, "name what it leads to, or allow it with --root")


def _in_directory(top: str, search: _Search) -> Iterator[str]:
    """The specs of a directory tree; without recursion, so that no depth is too much."""
    entered: set[tuple[int, int]] = set()
    waiting, links = [top], list[str]()
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
            what = f"cannot be searched ({error.strerror})"
            search.problems.append(_problem(_shown(folder), what, "check the directory"))
            continue
        for entry in listed:
            if _is_directory(entry):
                if entry.name.startswith(".") or entry.name in SKIPPED:
                    search.passed_over["a directory that is not searched"] += 1
                    continue
                wrong = _misled(entry.path, top, search.root) if entry.is_symlink() else None
                if wrong is None:
                    (links if entry.is_symlink() else waiting).append(entry.path)
                else:
                    search.problems.append(wrong)
            elif reason := _no_spec(entry, top, search):
                search.passed_over[reason] += 1
            elif kind := wrong_kind(entry.path):
                told = _problem(_shown(entry.path), str(kind.strerror), kind.remedy)
                search.problems.append(told)
            elif wrong := _misled(entry.path, top, search.root):
                search.problems.append(wrong)
            else:
                yield entry.path


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _no_spec(entry: os.DirEntry[str], top: str, search: _Search) -> str:
    """Why an entry is no spec; empty if it is one, by its name or by its keys.

    A link that leads nowhere, or out of the directory, has no keys, as it is not opened; by its
    name it may be a spec, so that it is told.
    """
    pattern = search.pattern
    if NAMES.fullmatch(entry.name) or (pattern and _matches(entry, top, pattern)):
        return ""
    if not YAML.fullmatch(entry.name):
        return "no YAML file by its name"
    if not os.path.isfile(entry.path):
        return "a link that leads nowhere, or no regular file"
    if _misled(entry.path, top, search.root):
        return "a link that leads out of the directory"
    kind = recognised(entry.path)
    match kind:
        case "spec" | "closed":  # what is closed may be a spec; the audit will tell
            return ""
        case "beside":
            return "a policy, or waivers"
        case "other":
            return "YAML without the key semiaudit"
        case "damaged":
            return "no YAML inside, and no line that begins with semiaudit:"
        case "large":
            return "more than 1 MB, and no line that begins with semiaudit:"
        case _:
            assert_never(kind)


def _matches(entry: os.DirEntry[str], top: str, pattern: str) -> bool:
    if "/" in pattern:
        return fnmatchcase(_shown(os.path.relpath(entry.path, top)), pattern)
    return fnmatchcase(entry.name, pattern)


def _shown(path: str) -> str:
    text = path.replace(os.sep, "/")
    while text.startswith("./") and len(text) > 2:
        text = text[2:].lstrip("/")
    return text


def _order(path: str) -> tuple[list[str], str]:
    return path.split("/"), path


def _problem(path: str, message: str, remedy: str) -> Problem:
    return Problem(path, 0, 0, "", message, remedy)
