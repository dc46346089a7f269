"""Answers: rendered once for the terminal and for every file, then put there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from semiaudit.cli.output import terminal, write_stderr, write_stdout
from semiaudit.cli.output_files import write_bytes, write_text
from semiaudit.frozen import dataclass
from semiaudit.report.renderers import Renderer
from semiaudit.report.text.layout import Layout


class Renderable(Protocol):
    """What can be rendered in a format."""

    def render(self, form: str = "text", *, width: int = 80, color: bool = False) -> str:
        """The answer in a format."""
        ...


@dataclass(frozen=True, slots=True)
class Rendering:
    """What was found, with the renderers of its command."""

    renderers: Mapping[str, Renderer]
    found: Any

    def render(self, form: str = "text", *, width: int = 80, color: bool = False) -> str:
        """What was found in a format."""
        return self.renderers[form](self.found, Layout(width, color))


def rendered(
    answer: Renderable, form: str, files: Iterable[tuple[str, str]]
) -> tuple[str, list[tuple[str, str]]]:
    """What is printed, and what every file is to hold, before any of them is written.

    Args:
        form: what is printed, laid out for the terminal. files: (format, path) pairs.
    """
    width, color = terminal()
    texts = [(path, answer.render(name)) for name, path in files]
    return answer.render(form, width=width, color=color), texts


def put(
    text: str,
    texts: Iterable[tuple[str, str]],
    refusals: Sequence[str] = (),
    pictures: Iterable[tuple[str, bytes]] = (),
) -> None:
    """Write the files, print the answer, and tell what had to be refused.

    Args:
        texts, pictures: (path, content) pairs.

    Raises:
        OutputError: a file, or standard output, cannot be written.
    """
    for path, content in texts:
        write_text(path, content)
    for path, picture in pictures:
        write_bytes(path, picture)
    write_stdout(text)
    for refusal in refusals:
        write_stderr(refusal)
