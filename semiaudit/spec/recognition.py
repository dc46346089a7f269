"""Whether a YAML file is a spec: told by its keys, before it is read as one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Literal

import yaml

from semiaudit.paths import opened
from semiaudit.spec.yaml12 import MAX_BYTES, MAX_DEPTH, SAFE_LOADER

KEY = "semiaudit"
BESIDE = frozenset({"semiaudit_policy", "semiaudit_waivers"})
"""The keys of files that are given on the command line beside the specs."""

Recognised = Literal["spec", "beside", "other", "damaged", "large", "closed"]
"""A spec; a policy or waivers; other YAML; no YAML, and without a line that begins as a spec's;
the same of more bytes than a spec may have; a file that cannot be opened."""

_LINE = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n])[\"']?semiaudit[\"']?[ \t]*:")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_OVERLAP = 64
"""Bytes of one piece of a file that are looked at again with the next: more than ``_LINE`` takes"""


def recognised(path: str) -> Recognised:
    """What a file is. A file that might have been meant as a spec is one, so that it is told.

    A top-level mapping with the key ``semiaudit`` makes a spec, wherever the key stands. Where the
    text is no YAML, or more than a spec may have, a line decides that begins with the key.
    """
    try:
        with opened(path) as stream:
            data = stream.read(MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                return "spec" if _has_line(data, stream) else "large"
    except OSError:
        return "closed"
    try:
        text = data.decode("utf-16" if data.startswith(_BYTE_ORDER_MARKS) else "utf-8-sig")
        keys = frozenset(_top_level_keys(text))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return "spec" if _LINE.search(data) or _LINE.search(_as_utf_8(data)) else "damaged"
    if KEY in keys:
        return "spec"
    return "beside" if keys & BESIDE else "other"


def _top_level_keys(text: str) -> Iterator[str]:
    """The keys of every document's mapping, until the one that makes a spec.

    Raises:
        yaml.YAMLError: the text is no YAML, or is nested deeper than a spec may be.
    """
    depth, is_mapping, is_key = 0, False, False
    for event in yaml.parse(text, Loader=SAFE_LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            if depth == 1 and is_mapping:
                is_key = not is_key
                if is_key and isinstance(event, yaml.ScalarEvent):
                    yield event.value
                    if event.value == KEY:
                        return
            if isinstance(event, yaml.CollectionStartEvent):
                if not depth:
                    is_mapping, is_key = isinstance(event, yaml.MappingStartEvent), False
                depth += 1
            if depth > MAX_DEPTH:
                raise yaml.YAMLError("is nested too deeply")


def _has_line(data: bytes, stream: IO[bytes]) -> bool:
    """Whether a file of any size has a line that begins with the key of specs."""
    while data:
        if _LINE.search(data):
            return True
        more = stream.read(MAX_BYTES)
        data = b"\0" + data[-_OVERLAP:] + more if more else b""
    return False


def _as_utf_8(data: bytes) -> bytes:
    """A text of another encoding, as far as its byte order mark tells which."""
    if data.startswith(_BYTE_ORDER_MARKS):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data
