"""Events of dp_accounting: `to_named_tuple()` as JSON, and the events themselves.

jax_privacy and TensorFlow Privacy make the same events. An event names no relation of neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up
from semiaudit.spec.importers import NEIGHBORS
from semiaudit.spec.importers.imported import (
    Choices,
    Imported,
    Importer,
    Mechanism,
    Value,
    composed,
    number_at,
    refuse,
    repeated,
    whole_at,
)
from semiaudit.spec.yaml12 import Node, Path_, YamlDocument

_MODULE = "dp_accounting"
_REPLACED = "replace_one"
_PLACES = 15
"""Decimals of an epsilon that is computed here, rounded up."""

_METRICS = {
    "add_remove": "symmetric_difference",
    "replace_one": "hamming",
    "zero_out": "hamming",
}


def _recognizes(node: Node) -> bool:
    return isinstance(node, list) and bool(node) and str(node[0]).split(".")[0] == _MODULE


def _read(document: YamlDocument, choices: Choices) -> Imported:
    """Make the spec of one event.

    Raises:
        SpecError: with the place of a part that no kind of mechanism describes.
    """
    parts = _Walk(document, choices.neighbors).parts(())
    if not parts:
        refuse(document, (), "no event of it touches the data", "import what was released")
    sections: dict[str, Value] = {
        "dataspace": {"unit": "record"},
        "adjacency": {"metric": _METRICS[choices.neighbors]},
        "mechanism": composed(parts),
    }
    notes = [
        "an event does not say what is published exactly; add dataspace.attributes and invariants "
        "if anything is"
    ]
    if choices.neighbors == "zero_out":
        notes.append(
            "zero_out compares a record with an empty one; the report is about a replaced record, "
            "which takes two such steps"
        )
    return Imported("an event of dp_accounting", sections, notes)


class _Walk:
    """One walk over an event, which makes the list of mechanisms in it."""

    def __init__(self, document: YamlDocument, neighbors: str) -> None:
        self._document = document
        self._neighbors = neighbors
        self._kinds: dict[str, tuple[int, Callable[[Path_], list[Mechanism]]]] = {
            "NoOpDpEvent": (0, lambda path: []),
            "ComposedDpEvent": (1, self._all_of),
            "SelfComposedDpEvent": (2, self._repeated),
            "GaussianDpEvent": (1, lambda path: self._noise("gaussian", "sigma", path)),
            "LaplaceDpEvent": (1, lambda path: self._noise("laplace", "scale", path)),
            "DiscreteLaplaceDpEvent": (2, self._discrete_laplace),
            "RandomizedResponseDpEvent": (2, self._randomized_response),
            "ZCDpEvent": (2, self._zcdp),
            "PoissonSampledDpEvent": (2, self._poisson_sampled),
        }

    def parts(self, path: Path_) -> list[Mechanism]:
        """The mechanisms of the event at a path."""
        name, fields = self._name(path)
        if name not in self._kinds:
            what = f"the event {name} is not supported"
            refuse(self._document, (*path, 1), what, f"supported are {', '.join(self._kinds)}")
        number, make = self._kinds[name]
        if fields != number:
            what = f"{name} has {fields} values, and not {number}"
            refuse(self._document, path, what, "write `to_named_tuple()` of the event")
        return make(path)

    def _name(self, path: Path_) -> tuple[str, int]:
        node = self._document.at(path)
        if not _recognizes(node) or not isinstance(node, list) or len(node) < 2:
            what = "is no event: it has no module and class of dp_accounting"
            refuse(self._document, path, what, "write `to_named_tuple()` of the event")
        return str(node[1]), len(node) - 2

    def _all_of(self, path: Path_) -> list[Mechanism]:
        events = self._document.at((*path, 2))
        if not isinstance(events, list):
            what = "is no list of events"
            refuse(self._document, (*path, 2), what, "write `to_named_tuple()` of the event")
        return [part for at in range(len(events)) for part in self.parts((*path, 2, at))]

    def _repeated(self, path: Path_) -> list[Mechanism]:
        times, inside = whole_at(self._document, (*path, 3)), self.parts((*path, 2))
        return [repeated(composed(inside), times)] if inside else []

    def _noise(self, kind: str, parameter: str, path: Path_) -> list[Mechanism]:
        number_at(self._document, (*path, 2))
        size = str(self._document.at((*path, 2)))
        return [self._shifted(kind, parameter, size, 1)]

    def _shifted(self, kind: str, parameter: str, size: str, shift: int) -> Mechanism:
        shift *= 2 if self._neighbors == _REPLACED else 1
        return {
            kind: {parameter: size, "shifts": [str(shift)], "neighbors": self._neighbors},
        }

    def _discrete_laplace(self, path: Path_) -> list[Mechanism]:
        parameter = number_at(self._document, (*path, 2))
        shift = whole_at(self._document, (*path, 3))
        return [self._shifted("discrete_laplace", "scale", str(1 / parameter), shift)]

    def _randomized_response(self, path: Path_) -> list[Mechanism]:
        if self._neighbors != _REPLACED:
            what = "randomized response is defined for a record that is replaced"
            refuse(self._document, path, what, f"use --neighbors {_REPLACED}")
        uniform = number_at(self._document, (*path, 2))
        levels = whole_at(self._document, (*path, 3))
        if uniform > 1 or levels < 2:
            what = "needs a probability of at most 1, and 2 or more buckets"
            refuse(self._document, path, what, "correct the file")
        odds = Interval.of(1 + levels * (1 - uniform) / uniform)
        epsilon = decimal_text_up(odds.ln().upper_rational, _PLACES)
        return [{"randomized_response": {"epsilon": epsilon, "levels": str(levels)}}]

    def _zcdp(self, path: Path_) -> list[Mechanism]:
        rho = number_at(self._document, (*path, 2), least=None)
        if number_at(self._document, (*path, 3), least=None) != 0 or rho < 0:
            what = "is (xi, rho)-zCDP with xi other than 0, which no kind of mechanism describes"
            refuse(self._document, path, what, "declare approx_dp for it by hand")
        declared = {"rho": str(self._document.at((*path, 2))), "neighbors": self._neighbors}
        return [{"zcdp": declared}]

    def _poisson_sampled(self, path: Path_) -> list[Mechanism]:
        rate = number_at(self._document, (*path, 2))
        inside, _ = self._name((*path, 3))
        if inside != "GaussianDpEvent" or rate > 1:
            what = f"Poisson sampling of {inside} is not supported"
            if rate > 1:
                what = "a sampling probability is at most 1"
            refuse(self._document, (*path, 3), what, "supported is that of GaussianDpEvent")
        number_at(self._document, (*path, 3, 2))
        return [
            {
                "subsampled_gaussian": {
                    "noise_multiplier": str(self._document.at((*path, 3, 2))),
                    "sampling_rate": str(self._document.at((*path, 2))),
                    "steps": "1",
                }
            }
        ]


def values_of_event(event: Any) -> object:
    """The nested lists of an event: `to_named_tuple()` without its names.

    Raises:
        TypeError: it is no event, and no named tuple of one.
    """
    make = getattr(event, "to_named_tuple", None)
    event = make() if callable(make) else event
    if not isinstance(event, (list, tuple)):
        raise TypeError(f"{type(event).__name__} is no event of dp_accounting")
    return [
        values_of_event(value)
        if isinstance(value, (list, tuple)) or hasattr(value, "to_named_tuple")
        else value
        for value in event
    ]


DP_EVENTS = Importer("dp_event", _recognizes, _read, {"neighbors": NEIGHBORS})
