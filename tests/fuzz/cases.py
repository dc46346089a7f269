"""One use of the program: files, command lines, and what must come of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fuzz.tables import SECRET, Content

SPEC = "release.semiaudit.yaml"
FOLDER = "work"
"""Where commands run; what lies next to it is outside."""

ANY = frozenset({0, 1, 2, 3})
"""Exit codes that a use may end with."""

Line = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One use of the program.

    Attributes:
        files: contents by name, relative to a new folder; a callable writes the file itself.
        lines: command lines, run one after another in the folder ``work``.
        limit: seconds that ``--time-limit`` of each command line gives.
        stdin: what comes on standard input.
        secrets: what may not be printed.
        meant: files that a person meant as specs, and that no search may skip unless the run
            says so with exit code 2.
        codes: the exit codes that the last command line may end with.
        links: symbolic links, and what each leads to.
        hard: hard links, and the file that each is another name of.
        written: files that may be written besides those of ``-o``, or folders of such files.
        processes: a batch starts processes of its own, as it does for users.
    """

    kind: str
    files: dict[str, Content]
    lines: tuple[Line, ...]
    limit: float
    stdin: bytes = b""
    secrets: tuple[str, ...] = (SECRET,)
    meant: tuple[str, ...] = ()
    codes: frozenset[int] = ANY
    links: dict[str, str] = field(default_factory=dict)
    hard: dict[str, str] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    processes: bool = False

    def place(self, folder: str) -> None:
        for name, content in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(content, bytes):
                with open(path, "wb") as stream:
                    stream.write(content)
            else:
                content(path)
        for name, other in self.hard.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            os.link(os.path.join(folder, other), os.path.join(folder, name))
        for name, target in self.links.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            os.symlink(target, os.path.join(folder, name))


Make = Callable[..., Case]
