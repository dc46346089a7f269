"""Which specs a command is to audit: named files, and what directories hold."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from semiaudit.errors import Problem
from semiaudit.paths import is_inside

NAMES = re.compile(r"([^/]+\.)?semiaudit\.ya?ml")
"""Names of specs: ``release.semiaudit.yaml``, ``semiaudit.yml``; the pre-commit hook's files."""

SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})
"""Directories that hold no specs, beside those whose names begin with a dot."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """What was found.

    Attributes:
        specs: paths with ``/``, each real file once and by its own name rather than by a link's,
            in the order of the paths.
        problems: paths that name nothing, and directories that cannot be read.
    """

    specs: tuple[str, ...]
    problems: tuple[Problem, ...]


def specs_under(paths: Sequence[str], pattern: str | None = None, root: str = "") -> Discovered:
    """Find the specs that paths name.

    A file that is named is a spec whatever its name. In a directory, at any depth, specs are the
    files with a spec's name and those that ``pattern`` names. Links are followed, but no real
    directory is entered twice, so a loop of links ends. Hidden directories are passed by.

    A link may lead no further than the directory that is searched or, for a file that is named,
    than its folder. A name that begins with a dash, which some command might take for an option,
    is no spec's.

    Args:
        pattern: a glob over the names of files, or over their paths below the directory if it
            has a ``/``.
        root: where else links may lead; empty for nowhere.
    """
    found: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        if path.startswith("-"):
            problems.append(_problem(path, "begins with a dash", "write ./ before it"))
        elif os.path.isdir(path):
            found += _in_directory(path, pattern, root, problems)
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
    return Discovered(tuple(sorted(specs.values(), key=_order)), tuple(problems))


def _misled(path: str, folder: str, root: str) -> Problem | None:
    """Why a file is no spec to be read: its name, or where it leads; None if it is one."""
    if os.path.basename(path).startswith("-"):
        return _problem(_shown(path), "has a name that begins with a dash", "rename it")
    if is_inside(path, folder) or (root and is_inside(path, root)):
        return None
    what = "is a link that leads out of the directory"
    return _problem(_shown(path), what, "name what it leads to, or allow it with --root")


def _in_directory(
    top: str, pattern: str | None, root: str, problems: list[Problem]
) -> Iterator[str]:
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
            problems.append(_problem(_shown(folder), what, "check the directory"))
            continue
        for entry in listed:
            if _is_directory(entry):
                if entry.name.startswith(".") or entry.name in SKIPPED:
                    continue
                wrong = _misled(entry.path, top, root) if entry.is_symlink() else None
                if wrong is None:
                    (links if entry.is_symlink() else waiting).append(entry.path)
                else:
                    problems.append(wrong)
            elif _is_spec(entry, top, pattern):
                if os.path.exists(entry.path) and not os.path.isfile(entry.path):
                    problems.append(_problem(_shown(entry.path), "is no file", "remove it"))
                elif wrong := _misled(entry.path, top, root):
                    problems.append(wrong)
                else:
                    yield entry.path


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_spec(entry: os.DirEntry[str], root: str, pattern: str | None) -> bool:
    """Whether the name is a spec's; a link that leads nowhere is one, so that it is told."""
    if NAMES.fullmatch(entry.name):
        return True
    if pattern is None:
        return False
    if "/" in pattern:
        return fnmatchcase(_shown(os.path.relpath(entry.path, root)), pattern)
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
