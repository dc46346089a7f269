"""The elements of a listed sensitivity space for display, and a basis of their span."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semiaudit.frozen import dataclass

if TYPE_CHECKING:
    import numpy.typing as npt

    from semiaudit.universe.sensitivity.answers import Coordinate
    from semiaudit.universe.sensitivity.listed_space import Listed
    from semiaudit.universe.sensitivity.query_classes import CellSystem


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a sensitivity space.

    Attributes:
        coordinates: the meaning of each entry of a vector: (which margin of the query, or 0; its
            row-major cell, or the row of a matrix). Other coordinates do not change.
        vectors: 0 and pairs of opposite signs up to a limit, in lexicographic order.
        count: the number of elements.
    """

    coordinates: tuple[Coordinate, ...]
    vectors: tuple[tuple[int, ...], ...]
    count: int


def shown(cells: CellSystem, listed: Listed, most: int) -> Elements | None:
    """Return the elements of a space; None if not all of it was listed."""
    vectors = listed.differences.vectors
    if not listed.whole or vectors is None:
        return None
    one_sign = [tuple(vector) for vector in vectors[: max(most // 2, 0)].tolist()]
    both = [*one_sign, *(tuple(-k for k in vector) for vector in one_sign)]
    elements = tuple(sorted([(0,) * len(cells.coordinates), *both]))
    return Elements(cells.coordinates, elements, 2 * len(vectors) + 1)


def orthonormal(listed: Listed) -> npt.NDArray[np.float64] | None:
    """Return an orthonormal basis of the span, in floating point.

    None if not all of it was listed.
    """
    vectors = listed.differences.vectors
    if not listed.whole or vectors is None:
        return None
    if not len(vectors):
        return np.zeros((0, vectors.shape[1]))
    wide = vectors.astype(float)
    _, sizes, right = np.linalg.svd(wide, full_matrices=False)
    threshold = sizes[0] * max(wide.shape) * np.finfo(float).eps
    rank = max(int((sizes > threshold).sum()), listed.differences.rank)
    return np.asarray(right[:rank])
