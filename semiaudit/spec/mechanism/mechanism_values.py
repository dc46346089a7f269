"""A mechanism that is written in a program: the mechanism section of a spec, without a spec."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never, get_args

from semiaudit.errors import SpecError
from semiaudit.model.adjacency import Metric
from semiaudit.model.mechanism import (
    Composition,
    Declared,
    Finite,
    FiniteNoise,
    KNorm,
    Mechanism,
    Noise,
    NoisePart,
    OtherRecords,
    Randomizer,
    Swapping,
)
from semiaudit.model.topdown import TopDown
from semiaudit.spec.mechanism.mechanism_reader import Setting, mechanism_of
from semiaudit.spec.mechanism.mechanism_schema import MechanismSection
from semiaudit.spec.mechanism.query import QueryReader
from semiaudit.spec.python_values import document_of_values
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument

FILE = "<mechanism>"
"""The text in the place of a file's name in messages."""

KEY = "mechanism"

OF_A_QUERY = {"query", "support", "covariance", "basis", "table"}
"""Keys of noise that need the query of a spec."""

NOISE = {part.kind for part in (*get_args(NoisePart), FiniteNoise)} - {KNorm.kind}
"""Kinds of noise that may have shifts."""


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


def described(document: YamlDocument, metric: Metric) -> Mechanism:
    """The mechanism of a document that holds its section and nothing else.

    Noise with neither shifts nor a query is on one coordinate that moves by 1.

    Raises:
        SpecError: with every problem in the document.
    """
    node = document.root if isinstance(document.root, dict) else {}
    for _, part in parts_of(node.get(KEY), (KEY,)):
        for kind in part.keys() & NOISE:
            noise = part[kind]
            if isinstance(noise, dict) and not (OF_A_QUERY | {"shifts"}) & {*noise}:
                noise["shifts"] = [Scalar("1", plain=True)]
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


def parts_of(node: Node, path: Path_) -> list[tuple[Path_, dict[str, Node]]]:
    """Every mapping of a part or a composition, with its path."""
    if not isinstance(node, dict):
        return []
    inner = node.get("compose")
    listed = enumerate(inner) if isinstance(inner, list) else ()
    below = [parts_of(part, (*path, "compose", index)) for index, part in listed]
    return [(path, node), *(entry for parts in below for entry in parts)]


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
