"""What an audit reads, and whether it stays as it is: the spec and every file that it names."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from semiaudit.frozen import dataclass
from semiaudit.paths import opened
from semiaudit.spec.spec_files import named_files, words_of

LARGEST_SPEC = 1_000_001
"""Bytes that are looked through for names; a spec with so many is refused."""

DATED = frozenset({"waivers", "expires"})
"""Words of a spec whose verdict depends on the day."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files of one audit as they were at one moment.

    Attributes:
        files: each with what the file system says of it and the SHA-256 of its content.
        engine: the spec reads from an engine, whose content nobody can fingerprint.
        dated: the verdict may depend on the day.
    """

    files: tuple[tuple[str, tuple[int, ...], bytes], ...]
    engine: bool
    dated: bool

    def changed(self) -> str:
        """The first file that is no longer what it was; empty if there is none."""
        for name, state, digest in self.files:
            if _look(name) != (state, digest):
                return name
        return ""

    def fingerprint(self, key: bytes, options: str) -> str:
        """A keyed digest of all contents and of what else a verdict depends on.

        It is keyed because a plain digest of a small confidential table would give the table away
        to whoever tries them all.

        Args:
            key: secret; fingerprints under different keys have nothing in common.
            options: everything but the files that the verdict depends on.

        Returns:
            Hexadecimal digits; empty if equal files do not mean an equal audit.
        """
        if self.engine or not self.files or any(not state for _, state, _ in self.files):
            return ""
        description = repr((options, [(name, digest) for name, _, digest in self.files]))
        return hmac.new(key, description.encode(), hashlib.sha256).hexdigest()


def inputs_of(path: str, root: str = "") -> Inputs:
    """The spec at a path and the files that it names, as they are now.

    Args:
        root: a folder in which they may lie, in addition to the spec's own; others are skipped.
    """
    try:
        with opened(path) as stream:
            words = words_of(stream.read(LARGEST_SPEC))
    except (OSError, ValueError):
        words = frozenset()
    names = [path, *map(str, named_files(words, Path(path).parent, root))]
    files = tuple((name, *_look(name)) for name in dict.fromkeys(names))
    return Inputs(files, "engine" in words, not DATED.isdisjoint(words))


def _look(name: str) -> tuple[tuple[int, ...], bytes]:
    """What the file system says of a file, and its digest; nothing where it cannot be read."""
    try:
        with opened(name) as stream:
            digest = hashlib.file_digest(stream, "sha256").digest()
            status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return (), b""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns), digest
