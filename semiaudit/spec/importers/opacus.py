"""The history of an accountant of Opacus: `accountant.state_dict()` as JSON, or a checkpoint's.

The history is the same for batches by Poisson sampling, of a fixed size, and of a shuffled epoch.
"""

from __future__ import annotations

from fractions import Fraction

from semiaudit.spec.importers import SAMPLING
from semiaudit.spec.importers.imported import (
    Choices,
    Imported,
    Importer,
    Mechanism,
    Value,
    composed,
    number_at,
    refuse,
    whole_at,
)
from semiaudit.spec.yaml12 import Node, Path_, YamlDocument

_STATE = "privacy_accountant_state_dict"
_ROUNDED = Fraction(1, 10**9)
"""The relative error by which a rate may differ from the reciprocal of a whole number."""


def _recognizes(node: Node) -> bool:
    return isinstance(node, dict) and (_STATE in node or "history" in node)


def _read(document: YamlDocument, choices: Choices) -> Imported:
    """Make the spec of a history.

    Raises:
        SpecError: with the place of a step that is none.
    """
    path: Path_ = (_STATE, "history") if document.at((_STATE,)) else ("history",)
    history = document.at(path)
    if not isinstance(history, list) or not history:
        what = "is no list of (noise multiplier, sampling rate, steps)"
        refuse(document, path, what, "write `accountant.state_dict()` as JSON")
    parts: list[Mechanism] = []
    epoch, position = 0, 0  # batches of an epoch, and those of it that were drawn before
    known = True  # whether the position is; else an entry may begin at the last batch of an epoch
    for at, entry in enumerate(history):
        if not isinstance(entry, list) or len(entry) != 3:
            what = "is no (noise multiplier, sampling rate, steps)"
            refuse(document, (*path, at), what, "write `accountant.state_dict()` as JSON")
        number_at(document, (*path, at, 0))
        rate = number_at(document, (*path, at, 1))
        steps = whole_at(document, (*path, at, 2))
        if rate > 1:
            refuse(document, (*path, at, 1), "is above 1", "correct the file")
        batches = _batches(rate)
        known = known and (not position or batches == epoch)
        position = position if known else batches - 1
        epochs = -(-(position + steps) // batches)
        partial = position or steps % batches
        epoch, position = batches, (position + steps) % batches
        noise: dict[str, Value] = {"noise_multiplier": str(entry[0])}
        match choices.sampling:
            case "shuffle" if partial:
                # No record is in more batches than epochs, but some may be in fewer.
                gaussian = {"sigma": str(entry[0]), "shifts": ["2"], "neighbors": "replace_one"}
                parts.append({"gaussian": gaussian, "repeat": str(epochs)})
                continue
            case "shuffle":
                noise |= {"steps_per_epoch": str(batches), "epochs": str(epochs)}
            case "fixed_size":
                # The last batch may be a smaller one: then the share of a full batch is larger.
                most = f"1/{max(batches - 1, 1)}"
                noise |= {"sampling_rate": most, "steps": str(steps)}
            case _:
                noise |= {"sampling_rate": str(entry[1]), "steps": str(steps)}
        if choices.sampling != "poisson":
            noise["sampling"] = choices.sampling
        parts.append({"subsampled_gaussian": noise})
    poisson = choices.sampling == "poisson"
    sections: dict[str, Value] = {
        "dataspace": {"unit": "record"},
        "adjacency": {"metric": "symmetric_difference" if poisson else "hamming"},
        "mechanism": composed(parts),
    }
    return Imported("a history of Opacus", sections, _notes(choices.sampling))


def _batches(rate: Fraction) -> int:
    """Batches of an epoch, of which Opacus writes the reciprocal as a double."""
    nearest = round(1 / rate)
    return nearest if abs(rate * nearest - 1) < _ROUNDED else int(1 / rate)


def _notes(sampling: str) -> list[str]:
    notes = [
        "a history does not say what is published exactly, nor how gradients are averaged: a "
        "division by the true number of records publishes it; add `total` then"
    ]
    if sampling != "poisson":
        notes.append(
            f"batches were drawn by {sampling}, whereas Opacus computes epsilon as if it were "
            "Poisson: the report shows both numbers"
        )
    if sampling == "fixed_size":
        notes.append(
            "the history has no batch size: the rate is that of the largest batches of which so "
            "many cover all records; replace it by the batch size over the number of records"
        )
    return notes


OPACUS = Importer("opacus", _recognizes, _read, {"sampling": SAMPLING})
