"""`semiaudit reproduce`: published numbers and figures compared with ours."""

from __future__ import annotations

import math
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from semiaudit.cli.options import NumberRange, format_option, output_option
from semiaudit.cli.output import parse_outputs, spare, terminal, write_stderr, write_stdout
from semiaudit.cli.output_files import write_bytes, write_text
from semiaudit.cli.status_line import watching
from semiaudit.commands.reproduce import PRESENTATION
from semiaudit.commands.reproduce.document import to_csv
from semiaudit.commands.reproduce.model import Reproduction
from semiaudit.commands.reproduce.page import page_of
from semiaudit.commands.reproduce.published_results import names_of, tasks
from semiaudit.commands.reproduce.results import reproduction
from semiaudit.commands.reproduce.view import closing_text, entry_text, heading_text
from semiaudit.errors import OutputError, SemiauditError
from semiaudit.report import Layout
from semiaudit.report.figures import require_converter
from semiaudit.report.figures.files import plotted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from semiaudit.commands.reproduce.model import ReproductionEntry

FORMATS = tuple(PRESENTATION.renderers)
AGREES, DIFFERS = 0, 1
TEXTS = ("index.html", "reproduce.csv")


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listed", is_flag=True, help="List the names without computing anything.")
@click.option(
    "--reports",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write reproduce.csv, figures (SVG, PNG), and index.html to DIR; needs vl-convert.",
)
@click.option(
    "--time-limit",
    type=NumberRange(min=0, min_open=True, max=1e6),
    metavar="SECONDS",
    help="Stop after this time with the results so far and exit code 2. Default: no limit.",
)
@format_option(FORMATS)
@output_option()
def reproduce(
    names: tuple[str, ...],
    listed: bool,
    reports: str | None,
    time_limit: float | None,
    form: str,
    outputs: tuple[str, ...],
) -> int:
    """Recompute published numbers and figures, and compare them with the originals.

    Each result is equal; or an erratum explains that the published value is wrong, is a valid but
    looser bound, or is not comparable; or it is different. Text and CSV appear entry by entry.

    NAME is an entry, or the beginning of the names of several entries, such as su or
    cho-awan-figure. Without NAME, all entries are computed. Approximations are labeled: they are
    not guarantees.

    Exit codes: 0 every result is equal or explained by an erratum; 1 a result is different; 2 the
    time limit is reached.
    """
    files = parse_outputs(outputs, formats=FORMATS)
    if reports is not None:
        require_converter(["svg", "png"])
    if listed:
        write_stdout(_list(names))
        return AGREES
    with watching("starting") as line:
        entries = names_of(names)
        if reports is not None:
            own = [*TEXTS, *(f"{entry}.{end}" for entry in entries for end in ("svg", "png"))]
            spare([*files, *(("--reports", os.path.join(reports, name)) for name in own)], ())
        layout = Layout(*terminal())
        first, part, last = _parts(form, layout)
        with line.hidden():
            write_stdout(first)

        def each(entry: ReproductionEntry) -> None:
            if part is not None:
                with line.hidden():
                    write_stdout(part(entry))

        reproduced = reproduction(names, math.inf if time_limit is None else time_limit, each)
        rendered = [(p, PRESENTATION.renderers[name](reproduced, Layout())) for name, p in files]
        texts, pictures = _pages(reproduced) if reports is not None else ({}, {})
    write_stdout(last(reproduced))
    for path, content in rendered:
        write_text(path, content)
    if reports is not None:
        _write(reports, texts, pictures)
    if reproduced.unexplained:
        differing = ", ".join(
            f"{r.published.entry} {r.published.name}" for r in reproduced.unexplained
        )
        write_stderr(
            f"reproduce: different from the published value, without an erratum: {differing}"
        )
        return DIFFERS
    if not reproduced.complete:
        raise SemiauditError("reproduce: the time limit is reached; raise --time-limit")
    return AGREES


def _list(names: Sequence[str]) -> str:
    widest = max(map(len, tasks()))
    return "".join(f"{name:{widest}}  {tasks()[name].title}\n" for name in names_of(names))


Parts = tuple[str, "Callable[[ReproductionEntry], str] | None", "Callable[[Reproduction], str]"]
"""What is printed at first, of every entry as soon as it is done, and at last."""


def _parts(form: str, layout: Layout) -> Parts:
    if form == "text":
        return (
            heading_text(layout),
            partial(entry_text, layout=layout),
            partial(closing_text, layout=layout),
        )
    if form == "csv":
        head = to_csv(Reproduction(()))
        return head, lambda entry: to_csv(entry).removeprefix(head), lambda reproduced: ""
    return "", None, lambda reproduced: PRESENTATION.renderers[form](reproduced, layout)


def _pages(reproduced: Reproduction) -> tuple[dict[str, str], dict[str, bytes]]:
    drawn = {entry.name: entry.figures for entry in reproduced.entries if entry.figures}
    pictures = {f"{name}.svg": plotted(figures, "svg") for name, figures in drawn.items()}
    pictures |= {f"{name}.png": plotted(figures, "png") for name, figures in drawn.items()}
    page = page_of(reproduced, Layout())
    return dict(zip(TEXTS, (page, to_csv(reproduced)), strict=True)), pictures


def _write(folder: str, texts: dict[str, str], pictures: dict[str, bytes]) -> None:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: the directory cannot be created ({error.strerror})") from None
    for name, text in texts.items():
        write_text(os.path.join(folder, name), text)
    for name, picture in pictures.items():
        write_bytes(os.path.join(folder, name), picture)
