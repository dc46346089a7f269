"""The verdicts of a batch on disk, as they come: memory does not grow, and a stop loses none."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, overload

from semiaudit.checking.record import record_of_text
from semiaudit.checking.verdict import not_reached
from semiaudit.errors import OutputError, SemiauditError
from semiaudit.frozen import dataclass
from semiaudit.model.verdict import Outcome, Verdict
from semiaudit.paths import wrong_kind
from semiaudit.private_folders import temporary_file

KIND = b'"semiaudit batch journal '
HEADER = KIND + b'5"\n'
"""The first line; its number is that of the layout of the others."""

_SEPARATOR = b"\t"
"""The separator of the text of an entry, which is JSON and contains none, and its seal."""

IN_DIRECTORY = "semiaudit-batch.journal"
"""The journal's name where a directory is given."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of a journal.

    Attributes:
        fingerprint: of what the verdict rests on; empty if it must be made anew.
        reports: the spec's own reports, each with the SHA-256 of its text.
    """

    path: str
    fingerprint: str
    reports: tuple[tuple[str, str], ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Known:
    """The result of an earlier run for one spec, and its files."""

    fingerprint: str
    reports: tuple[tuple[str, str], ...]
    outcome: Outcome
    offset: int


def files_of_journal(name: str) -> tuple[str, str]:
    """Return the files of a journal, which is in a directory of this name or is a file: its key."""
    file = os.path.join(name, IN_DIRECTORY) if os.path.isdir(name) else name
    return file, f"{file}.key"


class Journal:
    """Entries in the order in which they came, and where the verdict of each spec stands.

    Each line ends with its seal, a keyed digest of its text: a line that somebody without the key
    wrote or changed counts as none.

    Attributes:
        key: the secret under which fingerprints and seals are made; it is in a file next to a
            named journal, and not in it, so that a journal alone gives nothing away.
    """

    def __init__(self, paths: Sequence[str], name: str | None) -> None:
        """Begin a journal of some specs, or take up the one that a file holds.

        Args:
            name: a file, or a directory for a file of a fixed name; None for a temporary one.

        Raises:
            SemiauditError: the file is there and is no journal.
            OutputError: it cannot be written.
        """
        self.paths = paths
        self.name = None if name is None else files_of_journal(name)[0]
        key_file = None if name is None else files_of_journal(name)[1]
        self._offsets = array("q", [-1]) * len(paths)
        self._known: dict[str, Known] = {}
        with self._write_errors(key_file):
            self.key = secrets.token_bytes(32) if key_file is None else self._key(key_file)
        with self._write_errors():
            self._stream = self._opened()

    def known(self, path: str) -> Known | None:
        """Return the result of an earlier run for a spec."""
        return self._known.get(path)

    def append(self, index: int, line: str) -> None:
        """Write an entry's line; it is on disk, in the named file, when this returns."""
        with self._write_errors():
            offset = self._stream.seek(0, os.SEEK_END)
            text = line.encode()
            self._stream.write(text + _SEPARATOR + self._seal(text) + b"\n")
            if self.name is not None:
                self._stream.flush()
        self._offsets[index] = offset

    def keep(self, index: int, earlier: Known) -> None:
        """Let an earlier entry stand."""
        self._offsets[index] = earlier.offset

    def verdicts(self) -> Verdicts:
        """The verdicts in the order of the paths, read from disk one at a time."""
        with self._write_errors():
            self._stream.flush()
        return Verdicts(self)

    def has(self, index: int) -> bool:
        """Return whether a spec has an entry yet."""
        return self._offsets[index] >= 0

    def entry(self, index: int) -> JournalEntry | None:
        """The entry of a spec, or None if it has none yet."""
        if not self.has(index):
            return None
        with self._write_errors():
            self._stream.seek(self._offsets[index])
            text = self._sealed(self._stream.readline())
        if text is None:
            raise SemiauditError(f"{self.name}: was changed meanwhile; run the batch again")
        return record_of_text(JournalEntry, text)

    def close(self) -> None:
        """Leave the named file with one line a spec, in the order of the paths.

        The line of an earlier run stays if this run did not reach the spec.
        """
        try:
            if self.name is not None:
                with self._write_errors():
                    self._compact(self.name)
        finally:
            with suppress(OSError):
                self._stream.close()

    def _compact(self, name: str) -> None:
        with temporary_file(os.path.dirname(name) or ".") as temporary:
            with open(temporary, "wb") as target:
                target.write(HEADER)
                for path, reached in zip(self.paths, self._offsets, strict=True):
                    earlier = self._known.get(path)
                    offset = earlier.offset if reached < 0 and earlier is not None else reached
                    if offset >= 0:
                        self._stream.seek(offset)
                        target.write(self._stream.readline())
                target.flush()
                os.fsync(target.fileno())
            os.replace(temporary, name)

    def _opened(self) -> IO[bytes]:
        if self.name is None:
            return tempfile.TemporaryFile(prefix="semiaudit-")
        handle = self._own_file(self.name)
        stream = open(handle, "r+b")  # noqa: SIM115 - open as long as the journal
        _lock(stream, self.name)
        first = stream.readline()
        if not first:
            stream.write(HEADER)
        elif first != HEADER:
            stream.close()
            what, remedy = "is not a journal of a batch", "name another file"
            if first.startswith(KIND):
                what, remedy = "is the journal of another version", f"remove it, or {remedy}"
            raise SemiauditError(f"{self.name}: {what}; {remedy}")
        self._load(stream)
        return stream

    def _load(self, stream: IO[bytes]) -> None:
        """Note the entries of earlier runs; the last of a spec counts, and half a line none."""
        while True:
            offset = stream.tell()
            line = stream.readline()
            if not line.endswith(b"\n"):
                stream.truncate(offset)
                return
            text = self._sealed(line)
            if text is None:
                continue
            try:
                entry = record_of_text(JournalEntry, text)
            except ValueError:
                continue
            outcome = entry.verdict.outcome
            self._known[entry.path] = Known(entry.fingerprint, entry.reports, outcome, offset)

    def _seal(self, text: bytes) -> bytes:
        return hmac.new(self.key, text, hashlib.sha256).hexdigest().encode()

    def _sealed(self, line: bytes) -> bytes | None:
        """The text of a line; None if its seal is not that of the key."""
        text, _, seal = line.removesuffix(b"\n").rpartition(_SEPARATOR)
        return text if hmac.compare_digest(seal, self._seal(text)) else None

    def _key(self, key_file: str) -> bytes:
        """Read the journal's secret; if there is none, or others could read it, write a new one."""
        handle = self._own_file(key_file)
        with open(handle, "r+b") as stream:
            shared = os.name == "posix" and os.fstat(handle).st_mode & 0o077
            key = stream.read(33)
            if len(key) not in (0, 32):
                remedy = "name another journal, so that nothing is lost"
                raise SemiauditError(f"{key_file}: is not a key of a journal; {remedy}")
            if len(key) != 32 or shared:  # a key that others could read proves nothing
                key = secrets.token_bytes(32)
                os.chmod(handle, 0o600)
                stream.seek(0)
                stream.truncate()
                stream.write(key)
        return key

    @staticmethod
    def _own_file(name: str) -> int:
        """A handle of a file that has one name, and is no link, pipe or device.

        It is written to, and what another name leads to must not be.
        """
        flags = os.O_RDWR | os.O_CREAT | _NO_LINK | _NO_WAIT
        if os.path.islink(name):  # a clear message; opening it would refuse a link as well
            raise SemiauditError(f"{name}: is a link; name another file")
        if wrong := wrong_kind(name):
            raise SemiauditError(f"{name}: {wrong.strerror}; name another file")
        handle = os.open(name, flags, 0o600)
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            return handle
        os.close(handle)
        what = "is not a regular file" if status.st_nlink == 1 else "is a link to a file of two "
        "names"
        raise SemiauditError(f"{name}: {what}; name another file")

    @contextmanager
    def _write_errors(self, file: str | None = None) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            where = os.environ.get("TMPDIR", "the temporary directory")
            name = file or self.name or f"the journal in {where}"
            raise OutputError(f"{name}: cannot be written ({error.strerror})") from None


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A journal and its key are written to, so that a link must not lead to another file."""

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""A pipe of the journal's name is refused, and not waited for."""


def _lock(stream: IO[bytes], name: str) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        raise SemiauditError(f"{name}: another batch is using this journal") from None


class Verdicts(Sequence[Verdict]):
    """A batch's verdicts in the order of its paths; none of them is held in memory.

    A spec without an entry was not audited, and says so.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def __len__(self) -> int:
        return len(self._journal.paths)

    def reached(self, index: int) -> bool:
        """Return whether a spec has a verdict of its own."""
        return self._journal.has(index)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Verdict]: ...

    def __getitem__(self, index: int | slice) -> Verdict | Sequence[Verdict]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        entry = self._journal.entry(place)
        return not_reached(self._journal.paths[place]) if entry is None else entry.verdict
