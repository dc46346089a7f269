"""`semiaudit init`: a commented spec to start from."""

from __future__ import annotations

import csv
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from semiaudit.auditing.counting import MOST_CELLS
from semiaudit.cli.output import write_stderr, write_stdout
from semiaudit.cli.output_files import write_text
from semiaudit.data.survey import survey
from semiaudit.errors import OutputError, Problem, SemiauditError, SpecError
from semiaudit.frozen import dataclass
from semiaudit.model.results.survey import Survey
from semiaudit.paths import is_inside, opened
from semiaudit.resources import shipped, shipped_configs
from semiaudit.spec.drafts.draft import MOST_LEFT_OUT, SpecDraft, short
from semiaudit.spec.drafts.modeline import with_modeline
from semiaudit.spec.importers import KINDS, NEIGHBORS, SAMPLING, TABLES
from semiaudit.spec.spec_files import named_files, words_of
from semiaudit.spec.yaml12 import YamlDocument, parse_document, read_file, text_of

STARTER = "starter"
PATH = "spec.semiaudit.yaml"
UNFINISHED = """\
leaves_out:                       # delete this when the spec describes your release
  - your release; every value below is a placeholder that init wrote
"""
"""What a starter says that is not filled in yet, so that no gate accepts it."""

_MISSING = frozenset({"na", "n/a", "nan", "null", "none", "?", ".", "-"})
_LONGEST_TITLE = 100

MOST_NAMED = 20
"""Attributes that a note names with their numbers of levels, at most."""


@click.command()
@click.argument("path", required=False)
@click.option(
    "--from",
    "data",
    metavar="FILE",
    help="Write a spec for this CSV or Parquet file, or for this JSON of another tool.",
)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="With --from: what the file is; by default, its content says so.",
)
@click.option(
    "--neighbors",
    type=click.Choice(NEIGHBORS),
    help="With --from and an event: the relation for which its noise is normalized.",
)
@click.option(
    "--sampling",
    type=click.Choice(SAMPLING),
    help="With --from and a history of Opacus: how batches were drawn.",
)
@click.option(
    "--queries",
    metavar="FILE",
    help="With --from and an accountant of OpenDP: the JSON of `query.summarize()`.",
)
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="A,B",
    help="With --from: the counts of these columns are published exactly; repeatable.",
)
@click.option(
    "--count-column",
    metavar="NAME",
    help="With --from: each row is a cell of a table, and this column contains its count.",
)
@click.option(
    "--drop",
    "dropped",
    multiple=True,
    metavar="COLUMN",
    help="With --from: leave this column out, such as an identifier; repeatable.",
)
@click.option(
    "--keep-total",
    "kept",
    multiple=True,
    metavar="COLUMN",
    help="With --from: a level of this column may be the sum of its other levels; repeatable.",
)
@click.option("--example", metavar="NAME", help="Write a spec that ships with the program.")
@click.option("--list", "listed", is_flag=True, help="List the specs that ship with the program.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def init(
    path: str | None,
    data: str | None,
    kind: str | None,
    neighbors: str | None,
    sampling: str | None,
    queries: str | None,
    margins: Sequence[str],
    count_column: str | None,
    dropped: Sequence[str],
    kept: Sequence[str],
    example: str | None,
    listed: bool,
    force: bool,
) -> int:
    """Write a commented spec to PATH (default: spec.semiaudit.yaml).

    With --from FILE, the spec describes a table or microdata: the attributes with their levels, and
    the margins that you name. The levels are copied from the data. With --example NAME, it is one
    of the specs that --list shows.
    """
    ways = [way for way in (data, example, listed or None) if way is not None]
    if len(ways) > 1:
        raise click.UsageError("give only one of --from, --example, and --list")
    if data is None and (margins or count_column is not None or dropped or kept):
        raise click.UsageError(
            "--margin, --count-column, --drop, and --keep-total need --from FILE; add it"
        )
    if listed:
        if path is not None:
            raise click.UsageError("--list does not write a file; remove PATH")
        write_stdout(_list())
        return 0
    imports = {"neighbors": neighbors, "sampling": sampling, "queries": queries}
    given = {name: value for name, value in imports.items() if value is not None}
    if data is None and (given or kind):
        raise click.UsageError(f"--{next(iter({**given, 'kind': kind}))} needs --from FILE; add it")
    if data is not None and _is_json(data, kind):
        if margins or count_column is not None or dropped or kept:
            raise click.UsageError(
                "--margin, --count-column, --drop, and --keep-total are for CSV and Parquet files; "
                "remove them"
            )
        return _import(data, path or PATH, force, kind or "", given)
    if given:
        raise click.UsageError(f"--{next(iter(given))} is for JSON of another tool; remove it")
    if data is not None:
        return _from(data, path or PATH, force, count_column, (margins, dropped, kept))
    return _example(example or STARTER, path or PATH, force)


def _from(
    data: str, path: str, force: bool, count: str | None, columns: Sequence[Sequence[str]]
) -> int:
    margins, dropped, kept = columns
    _check(path, force)
    if os.path.exists(path) and os.path.exists(data) and os.path.samefile(path, data):
        raise click.UsageError(f"{path} is the data file; name another file for the spec")
    if count == "":
        raise click.UsageError("--count-column: the name is empty; name a column")
    if count in dropped:
        raise click.UsageError(f"--drop {count}: this column contains the counts; name another one")

    named = [_names(margin) for margin in margins]
    drafted = draft(data, path, named, count or "", dropped=dropped, kept=kept)
    write_text(path, with_modeline(drafted.text))
    for sentence in drafted.notes:
        write_stderr(f"{data}: {sentence}")
    root = f" --root {shlex.quote(drafted.root)}" if drafted.root else ""
    if root:
        write_stderr(
            f"the data are outside the folder of {path}; audits need --root with a folder that "
            "contains both"
        )
    write_stderr(
        f"wrote {path}; replace the placeholder in its mechanism section with your mechanism"
    )
    write_stderr(f"now run: semiaudit analyze {shlex.quote(path)}{root}")
    return 0


def _is_json(file: str, kind: str | None) -> bool:
    """Whether a file is JSON, by the kind that its user names, else by its first character."""
    if kind is not None:
        return kind not in TABLES
    try:
        with opened(file) as stream:
            return stream.read(4096).lstrip()[:1] in {b"{", b"["}
    except OSError:
        return False  # reading it as a table says what is wrong


def _import(file: str, path: str, force: bool, kind: str, given: Mapping[str, str]) -> int:
    from semiaudit.spec.importers.imported import Choices
    from semiaudit.spec.importers.importers import imported, spec_text

    _check(path, force)
    if os.path.exists(path) and os.path.samefile(path, file):
        raise click.UsageError(f"{path} is the file to import; name another file for the spec")
    queries = _document(given["queries"]) if "queries" in given else None
    choices = Choices(given.get("neighbors", ""), given.get("sampling", ""), queries)
    made = imported(_document(file), choices, kind)
    write_text(path, with_modeline(spec_text(made, os.path.basename(file)[:_LONGEST_TITLE])))
    for sentence in made.notes:
        write_stderr(f"{file}: {sentence}")
    write_stderr(f"wrote {path}; now run: semiaudit analyze {shlex.quote(path)}")
    return 0


def _document(file: str) -> YamlDocument:
    document = parse_document(text_of(read_file(file), file, "write JSON"), file)
    if document.problems:
        raise SpecError(list(document.problems))
    return document


def _names(margin: str) -> list[str]:
    """The columns of a margin; names with commas stand in quotes."""
    try:
        (names,) = csv.reader([margin], strict=True)
    except (ValueError, csv.Error):
        names = []
    if not names or (len(names) > 1 and not all(names)):
        raise click.UsageError(
            f"--margin {margin!r}: write the names of columns, separated by commas"
        )
    return names


def _example(name: str, path: str, force: bool) -> int:
    example = shipped(f"configs/{name}.yaml") if name in shipped_configs() else None
    if example is None and name == STARTER:
        raise SemiauditError(f"the starter spec {name} is missing from this installation")
    if example is None:
        raise click.UsageError(
            f"--example {name}: there is no such example; `semiaudit init --list` lists the "
            "examples"
        )
    _check(path, force)
    files = _files_of_example(example, path)
    taken = [target for _, target in files if os.path.lexists(target)]
    if taken and not force:
        raise click.UsageError(
            f"{taken[0]} exists, and {name} needs its own version; use another folder"
        )
    for source, target in files:
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        except OSError as error:
            raise OutputError(f"{target}: cannot be written ({error.strerror})") from None
        write_text(target, source.read_text(encoding="utf-8"))
    text = example.read_text(encoding="utf-8")
    if name == STARTER:
        text = text.replace("\ndataspace:", f"{UNFINISHED}\ndataspace:", 1)
    write_text(path, with_modeline(text))
    for _, target in files:
        write_stderr(f"wrote {target}, which it names")
    write_stderr(f"wrote {path}; now run: semiaudit analyze {shlex.quote(path)}")
    return 0


def _files_of_example(spec: Path, path: str) -> list[tuple[Path, str]]:
    folder, target = spec.parent, os.path.dirname(os.path.abspath(path))
    files = named_files(words_of(spec.read_bytes()), folder)
    return [(file, os.path.join(target, os.path.relpath(file, folder))) for file in files]


def _check(path: str, force: bool) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder):
        raise click.UsageError(
            f"{path} is a directory, or its directory does not exist; name a file in an existing "
            "directory"
        )
    if os.path.lexists(path) and not force:
        raise click.UsageError(f"{path} exists; name another file, or use --force")


def _list() -> str:
    names = shipped_configs()
    width = max(map(len, names), default=0)
    lines = []
    for name in names:
        file = shipped(f"configs/{name}.yaml")
        document = parse_document(text_of(read_file(file), name), name) if file else None
        title = document.at(("title",)) if document else None
        lines.append(f"{name:{width}}  {title or 'untitled'}".rstrip() + "\n")
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A first spec.

    Attributes:
        text: the spec.
        notes: findings and decisions, one sentence each.
        root: the folder that audits of the spec must be given with ``--root``; empty if none.
    """

    text: str
    notes: tuple[str, ...]
    root: str = ""


def draft(
    file: str,
    target: str,
    margins: Sequence[Sequence[str]] = (),
    count: str = "",
    *,
    dropped: Sequence[str] = (),
    kept: Sequence[str] = (),
) -> Drafted:
    """Draft a spec that can be audited as it is.

    Args:
        file: a CSV or Parquet file; a table of cells with counts, or microdata.
        target: the path of the new spec; the data path is relative to its folder.
        margins: the margins that are published exactly, by names of columns.
        count: the column of counts; empty to find it, if there is one.
        dropped: names of columns that are left out.
        kept: names of columns of which a level may be the sum of the others.

    Raises:
        SpecError: the file cannot be read, none of its columns can be an attribute, a margin names
            no attribute, or a margin has too many cells; or as ``survey`` says.
    """
    names = {name for margin in margins for name in margin}
    asked = sorted(names | {part.strip() for name in names for part in name.split("*")})
    surveyed = survey(Path(file), count, asked, dropped=dropped, kept=kept)
    drafted = SpecDraft(surveyed, asked)
    if not drafted.attributes:
        reasons = "; ".join(f"{short(c.name)!r} {reason}" for c, reason in drafted.left_out[:5])
        what = f"no column can be an attribute{': ' if reasons else ''}{reasons}"
        raise SpecError(
            [Problem(file, 0, 0, "", what, "use columns with levels; docs/data.md explains them")]
        )
    named = list(dict.fromkeys(drafted.margin(file, margin) for margin in margins))
    for margin in named:
        if drafted.cells(margin) > MOST_CELLS:
            where, what = (
                " * ".join(margin),
                f"has more than {MOST_CELLS} cells, the limit for counting",
            )
            raise SpecError([Problem(file, 0, 0, where, what, "use a coarser margin")])
    place, root = _place(file, target)
    name = "".join(c if c.isprintable() else "?" for c in os.path.basename(file))
    text = drafted.text(place, name[:_LONGEST_TITLE], named)
    return Drafted(text, tuple(_notes(surveyed, drafted)), root)


def _place(file: str, target: str) -> tuple[str, str]:
    folder = os.path.realpath(os.path.dirname(os.path.abspath(target)))
    inside = is_inside(file, folder)
    place = os.path.relpath(os.path.realpath(file), folder).replace(os.sep, "/")
    if not place.isprintable():
        what = "has control characters in its path, which a spec cannot contain"
        raise SpecError([Problem(file, 0, 0, "", what, "rename it")])
    return place, "" if inside else os.path.commonpath([folder, os.path.realpath(file)])


def _notes(surveyed: Survey, drafted: SpecDraft) -> Iterator[str]:
    yield from surveyed.notes
    for name, column in drafted.attributes.items():
        missing = [level for level in column.levels if level.lower() in _MISSING]
        if missing:
            yield f"{name!r} has the level {missing[0]!r}, which may mean a missing value"
    for column, reason in drafted.left_out[:MOST_LEFT_OUT]:
        yield f"left out: {short(column.name)!r} {reason}"
    if len(drafted.left_out) > MOST_LEFT_OUT:
        yield f"left out: {len(drafted.left_out) - MOST_LEFT_OUT} more"
    if drafted.can_be_binned:
        yield "bins make levels of numbers: see the comments in the spec"
    levels = [f"{short(n)} ({len(c.levels)})" for n, c in drafted.attributes.items()]
    more = len(levels) - MOST_NAMED
    shown = ", ".join(levels[:MOST_NAMED]) + (f", and {more} more" if more > 0 else "")
    number = len(levels)
    yield f"{number} attribute{'s' * (number > 1)}, with the number of levels: {shown}"
