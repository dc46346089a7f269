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
    parts = []
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
        epoch, position = batches, (position + steps) % batches
        times = epochs if choices.sampling == "shuffle" else steps
        parts.append(_part(choices.sampling, str(entry[0]), str(entry[1]), times))
    poisson = choices.sampling == "poisson"
    sections: dict[str, Value] = {
        "dataspace": {"unit": "record"},
        "adjacency": {"metric": "symmetric_difference" if poisson else "hamming"},
        "mechanism": composed(parts),
    }
    return Imported("a history of Opacus", sections, _notes(choices.sampling))


def _part(sampling: str, noise_text: str, rate_text: str, times: int) -> Mechanism:
    """One entry of the history. Without Poisson sampling, nothing is gained from sampling.

    In a shuffled epoch every record is in one batch, so that the noise of its batch is all that it
    meets; in batches of a fixed size it may be in every one.

    Args:
        times: the steps; of shuffled batches, the epochs that the entry is a part of.
    """
    if sampling == "poisson":
        return {
            "subsampled_gaussian": {
                "noise_multiplier": noise_text,
                "sampling_rate": rate_text,
                "steps": str(times),
            }
        }
    return {
        "gaussian": {"sigma": noise_text, "shifts": ["2"], "neighbors": "replace_one"},
        "repeat": str(times),
    }


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
            f"batches were drawn by {sampling}: the audit claims nothing for sampling, whereas "
            "Opacus computes epsilon as if it were Poisson"
        )
    return notes


OPACUS = Importer("opacus", _recognizes, _read, {"sampling": SAMPLING})
