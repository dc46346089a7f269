"""Find the files that a spec names, without reading it as a spec."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from semiaudit.paths import is_inside, opened
from semiaudit.spec.yaml12 import MAX_BYTES, MAX_DEPTH, SAFE_LOADER

LONGEST_NAME = 4096


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
    """The files that words of a spec lead to from its folder, sorted.

    A word that happens to be a file's name is taken for one. So a file may be watched in vain, but
    none that the spec names is missed, whatever the key. What lies where no spec may lead is not
    looked at.

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
