"""Samples of a noise mechanism that needs no spec."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from semiaudit.library.arguments import Numbers, number, whole
from semiaudit.library.mechanism_guarantee import release_of_mechanism
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.query import TableQuery
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from numpy.typing import NDArray


def noisy(
    part: Any, answer: int | Numbers | None, shape: int | tuple[int, ...], seed: int | None
) -> NDArray[np.float64]:
    """Return independent noise in a shape, or an answer of whole numbers with noise.

    The noise is on a grid that contains the whole numbers: the sum reveals nothing by its digits.
    """
    answers = None if answer is None else np.asarray(answer, dtype=object)
    places = shape if isinstance(shape, tuple) else (shape,)
    whole_places = tuple(whole(size, "shape", 0) for size in places)
    asked = whole_places if answers is None else answers.shape
    if not prod(asked):
        return np.zeros(asked)
    given = None if answers is None else [_whole(value) for value in answers.ravel().tolist()]
    release = release_of_mechanism(part, "hamming")
    space = TableSpace("record", None, (Attribute("coordinate", prod(asked)),))
    spaces, query = SensitivitySpaces(replace(release, dataspace=space)), TableQuery()
    on_table = replace(part, shifts=(), query=query)
    drawing = kind_of(part).sampler(on_table)(spaces, None)
    source = Randomness(None if seed is None else whole(seed, "seed", 0))
    (row,) = drawing.outputs(given, 1, source)
    return np.array(row, dtype=np.float64).reshape(asked)


def _whole(value: Any) -> int:
    exact = number(value, "answer")
    if exact.denominator != 1:
        what = f"answer: {value} is not a whole number, and the digits of its sum would reveal it"
        raise ValueError(f"{what}; round it, or scale it")
    return exact.numerator
