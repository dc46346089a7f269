"""Recognition of YAML files that were meant as specs, by their keys, before they are read.

A file that might have been meant as a spec is handed to the reader, which names what is wrong with
it, so that a damaged or misspelled spec is an error and never a file without interest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Literal

import yaml

from semiaudit.paths import opened
from semiaudit.spec.yaml12 import MAX_BYTES, MAX_DEPTH, SAFE_LOADER

KEY = "semiaudit"
SECTIONS = frozenset({"dataspace", "invariants", "adjacency", "mechanism", "releases"})
"""Sections of a spec; a mapping with two of them was meant as one."""

COMPANIONS = frozenset({"semiaudit_policy", "semiaudit_waivers"})
"""The keys of files that are named on the command line together with specs."""

Recognised = Literal["spec", "companion", "other", "damaged", "large", "closed"]
"""Meant as a spec; a policy or waivers; other YAML; not YAML,
and without a line that begins as a spec's; the same of more bytes than a spec may have; a file that
cannot be opened."""

MOST_TYPOS = 2
"""Letters that are added, left out, replaced, or exchanged in a near miss of the key, at most."""

_MERGE = "<<"
_LINE = re.compile(
    r"(?:\A|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029{,])[^A-Za-z0-9_#\n\r]*([^\s:\"'{}\[\],#]{1,40})"
)
"""A word with which a line begins, or an entry of a mapping in braces. There may be white space,
signs, and characters that are not ASCII before it."""

_BY_ZEROS = {
    (0, 1, 2): "utf-32-be",
    (1, 2, 3): "utf-32-le",
    (0, 2): "utf-16-be",
    (0,): "utf-16-be",
    (1, 3): "utf-16-le",
    (1,): "utf-16-le",
}
"""The encoding of a text without a byte order mark, by the places of zeros in its first bytes."""

_OVERLAP = 200
"""Characters of one piece of a file that are looked at again with the next one."""


def recognised(path: str) -> Recognised:
    """Return what a file is, by its content."""
    try:
        with opened(path) as stream:
            data = stream.read(MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                return "spec" if _begins_as_a_spec(_pieces(data, stream)) else "large"
    except OSError:
        return "closed"
    return recognised_bytes(data)


def recognised_bytes(data: bytes) -> Recognised:
    """Return what a file of this content is.

    A mapping at the top, or in a list at the top, was meant as a spec if it has the key
    ``semiaudit`` or a near miss of it, or two sections of a spec. If the content is not YAML, the
    words with which its lines begin decide in place of the keys. A mapping further down, as when a
    spec was pasted below a key, was meant as one if it has two of the key ``semiaudit`` and the
    sections, letter by letter.
    """
    if len(data) > MAX_BYTES:
        return "spec" if _begins_as_a_spec([_visible(data)]) else "large"
    try:
        mappings, below = _mappings(data.decode(_encoding(data)))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return "spec" if _begins_as_a_spec([_visible(data)]) else "damaged"
    if any(_is_meant(keys - COMPANIONS) for keys in mappings):
        return "spec"
    if any(keys & COMPANIONS for keys in mappings):
        return "companion"
    return "spec" if any(len(keys & {KEY, *SECTIONS}) > 1 for keys in below) else "other"


def _is_meant(keys: Iterable[str]) -> bool:
    return len(SECTIONS.intersection(keys)) > 1 or any(map(is_near, keys))


def is_near(key: str) -> bool:
    """Return whether a key is ``semiaudit``, contains it, or is a near miss of it."""
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", key).casefold()))
    if KEY in letters:
        return True
    return abs(len(letters) - len(KEY)) <= MOST_TYPOS and _typos(letters) <= MOST_TYPOS


def _typos(word: str) -> int:
    """Return the distance from the key (Damerau and Levenshtein, optimal string alignment)."""
    before, last = [0] * (len(KEY) + 1), list(range(len(KEY) + 1))
    for i, letter in enumerate(word, start=1):
        row = [i]
        for j, other in enumerate(KEY, start=1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != other)))
            if i > 1 and j > 1 and letter == KEY[j - 2] and word[i - 2] == other:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


@dataclass(slots=True)
class _Open:
    """A list or a mapping that is being read.

    Attributes:
        keys: the set that the keys of a mapping go to; for a list, that of the mapping into which
            its items are merged, None if there is none.
        key: the key of a mapping whose value is next; None if a key is next.
    """

    is_mapping: bool
    keys: set[str] | None
    key: str | None = None


def _mappings(text: str) -> tuple[list[set[str]], list[set[str]]]:
    """Return the keys of every mapping of every document: at the top, and further down.

    A mapping in a list at the top is at the top. The keys of a mapping that is merged into one at
    the top are among its keys. Reading ends with the key of a spec at the top.
    """
    keys_of_documents: list[set[str]] = []
    below: list[set[str]] = []
    stack: list[_Open] = []
    anchors: dict[str, set[str]] = {}
    for event in yaml.parse(text, Loader=SAFE_LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
        elif isinstance(event, yaml.NodeEvent):
            target = _target(event, stack[-1], anchors) if stack else None
            if isinstance(event, yaml.AliasEvent) and target is not None:
                target |= anchors.get(event.anchor or "", set())
            elif isinstance(event, yaml.CollectionStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                keys = set[str]() if target is None and is_mapping else target
                if keys is not None and event.anchor:
                    anchors[event.anchor] = keys
                if is_mapping and keys is not None:
                    (keys_of_documents if _is_top(stack) else below).append(keys)
                stack.append(_Open(is_mapping, keys))
            elif isinstance(event, yaml.ScalarEvent) and event.anchor:
                anchors[event.anchor] = {event.value}
            if len(stack) > MAX_DEPTH:
                raise yaml.YAMLError("is nested too deeply")
            if keys_of_documents and KEY in keys_of_documents[-1]:
                break
    return keys_of_documents, below


def _is_top(stack: list[_Open]) -> bool:
    return not stack or (len(stack) == 1 and not stack[0].is_mapping)


def _target(event: yaml.NodeEvent, parent: _Open, anchors: dict[str, set[str]]) -> set[str] | None:
    """Note a key of a mapping; return the set of keys into which a value is merged, if it is."""
    if not parent.is_mapping:
        return parent.keys
    if parent.key is not None:
        merged, parent.key = parent.key == _MERGE, None
        return parent.keys if merged else None
    parent.key = ""
    if isinstance(event, yaml.ScalarEvent):
        parent.key = event.value
    elif isinstance(event, yaml.AliasEvent):
        parent.key = next(iter(anchors.get(event.anchor or "", ())), "")
    if parent.keys is not None:
        parent.keys.add(parent.key)
    return None


def _encoding(data: bytes) -> str:
    """Return the encoding of a YAML stream, by its first bytes (YAML 1.2.2, section 5.2)."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    zeros = tuple(place for place, byte in enumerate(data[:4]) if not byte)
    return _BY_ZEROS.get(zeros, "utf-8-sig")


def _begins_as_a_spec(pieces: Iterable[str]) -> bool:
    """Return whether lines of a text begin with the key of specs, or with two of their sections."""
    words: set[str] = set()
    for piece in pieces:
        words.update(_LINE.findall(piece))
        if _is_meant(words):
            return True
        words &= SECTIONS
    return False


def _pieces(data: bytes, stream: IO[bytes]) -> Iterator[str]:
    """Yield a file of any size in pieces that overlap, so that no line's first word is cut."""
    text = _visible(data)
    while True:
        yield text
        chunk = stream.read(MAX_BYTES)
        if not chunk:
            return
        text = "_" + text[-_OVERLAP:] + _visible(chunk)


def _visible(data: bytes) -> str:
    return data.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").decode("latin-1")
