"""All importers, and the spec that they write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from semiaudit.errors import Problem, SpecError
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.spec.drafts.draft import scalar
from semiaudit.spec.importers.dp_events import DP_EVENTS
from semiaudit.spec.importers.imported import Choices, Imported, Importer, Value
from semiaudit.spec.importers.opacus import OPACUS
from semiaudit.spec.importers.opendp import OPENDP
from semiaudit.spec.yaml12 import YamlDocument

IMPORTERS = (OPENDP, DP_EVENTS, OPACUS)
"""Every importer; the first one that recognizes a document reads it."""


def importer_of(document: YamlDocument, kind: str = "") -> Importer:
    """Return the importer of a document, or of the kind that its user names.

    Raises:
        SpecError: none recognizes it.
    """
    for importer in IMPORTERS:
        if importer.name == kind or (not kind and importer.recognizes(document.root)):
            return importer
    what = "is no JSON that an importer recognizes"
    remedy = f"write one of these: {', '.join(importer.name for importer in IMPORTERS)}"
    raise SpecError([Problem(document.file, 0, 0, "", what, remedy)])


def imported(document: YamlDocument, choices: Choices, kind: str = "") -> Imported:
    """Read a document with its importer.

    Raises:
        SpecError: no importer recognizes it, a choice is missing, or a part is not supported; each
            with its place.
    """
    importer = importer_of(document, kind)
    for name, values in importer.needs.items():
        if not getattr(choices, name):
            what = f"does not say its {name}"
            remedy = f"add --{name} with one of {', '.join(values)}"
            raise SpecError([Problem(document.file, 0, 0, "", what, remedy)])
    return importer.read(document, choices)


def spec_text(made: Imported, title: str) -> str:
    """The commented spec."""
    return "".join(f"{line}\n" for line in _lines(made, title))


def _lines(made: Imported, title: str) -> Iterator[str]:
    yield f"# Made by `semiaudit init` from {made.source}."
    for note in made.notes:
        yield f"# CHECK: {note}."
    yield "semiaudit: 1"
    yield f"title: {scalar(title)}"
    for key, value in made.sections.items():
        yield from _section(f"{key}:", value, "")


def _section(start: str, value: Value, indent: str) -> Iterator[str]:
    """A value below its key; short ones in one line."""
    flow = _flow(value)
    if isinstance(value, str) or not value or len(indent) + len(start) + len(flow) < 96:
        yield f"{indent}{start} {flow}"
    elif isinstance(value, Mapping):
        yield f"{indent}{start}"
        for key, below in value.items():
            yield from _section(f"{scalar(key)}:", below, f"{indent}  ")
    else:
        yield f"{indent}{start}"
        for item in value:
            yield f"{indent}  - {_flow(item)}"


def _flow(value: Value) -> str:
    if isinstance(value, str):
        with suppress(ValueError):
            rational_from_text(value)
            return value
        return scalar(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{scalar(key)}: {_flow(below)}' for key, below in value.items())}}}"
    return f"[{', '.join(map(_flow, value))}]"
