"""A mechanism that is written in a program: the mechanism section of a spec, without a spec."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from semiaudit.errors import SpecError
from semiaudit.model.adjacency import Metric
from semiaudit.model.mechanism import (
    Composition,
    Declared,
    Finite,
    Mechanism,
    Noise,
    OtherRecords,
    Randomizer,
    Swapping,
)
from semiaudit.model.topdown import TopDown
from semiaudit.spec.mechanism import mechanism_of
from semiaudit.spec.mechanism_schema import MechanismSection
from semiaudit.spec.plain import document_of_values
from semiaudit.spec.query import QueryReader
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.spec_place import Setting
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import Document

FILE = "<mechanism>"
"""What stands for the name of a file in messages."""

KEY = "mechanism"


def mechanism_of_values(section: object, metric: Metric = "hamming") -> Mechanism:
    """The mechanism that plain values describe, as a spec's mechanism section would.

    Args:
        section: a mapping with one kind as its key, and maybe ``repeat``.
        metric: what one unit of distance does to the records.

    Raises:
        SpecError: with every problem, and the path of keys at which it is.
    """
    document = document_of_values({KEY: section}, FILE)
    if document.problems:
        raise SpecError(list(document.problems))
    return described(document, metric)


def described(document: Document, metric: Metric) -> Mechanism:
    """The mechanism of a document that holds its section and nothing else.

    Raises:
        SpecError: with every problem in the document.
    """
    node = document.root if isinstance(document.root, dict) else {}
    section = Validation(document).section(MechanismSection, KEY, node, required=True)
    mechanism = None
    if section is not None:
        queries = QueryReader(document, SpecFiles(Path()), None)
        setting = Setting(document, queries, metric, None, without_space=True)
        mechanism = mechanism_of(setting, section, (KEY,))
    if mechanism is not None and _has_query(mechanism):
        what = "needs the dataspace of a spec, because it has a query"
        document.report((KEY,), what, "write the section into a spec, or use shifts for the noise")
    if mechanism is None or document.problems:
        raise SpecError(list(document.problems))
    return mechanism


def _has_query(mechanism: Mechanism) -> bool:
    match mechanism:
        case Composition():
            return any(_has_query(part) for part, _ in mechanism.parts)
        case Noise() | Finite():
            return mechanism.query is not None
        case Declared() | Randomizer() | Swapping() | TopDown() | OtherRecords():
            return False
        case _:
            assert_never(mechanism)
