"""The facets of a symmetric polytope, given by its points, up to its symmetries.

A walk from each facet to its neighbors across ridges finds the facets; the graph of facets is
connected, so the walk finds all of them. By symmetry, one facet represents its orbit: the hull of a
4 x 4 table's moves has 3,818 facets in a handful of orbits. qhull names the ridges of one facet in
floating point; every facet is then checked in integers: no point is beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.frozen import dataclass

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

MAX_DIMENSION = 9
"""The largest dimension of polytopes that are divided: qhull finds the ridges of a facet, and its
work grows fastest with the dimension."""

_CLOSE = 1e-8
_DENOMINATOR = 10_000


class NotFoundError(Exception):
    """A facet could not be written in integers."""


@dataclass(frozen=True)
class Facet:
    """A facet, which represents all its images under the symmetries.

    Attributes:
        normal, offset: normal . x <= offset for every point x, with equality on the facet.
        points: the indices of the points on it.
        ridges: for every ridge, the indices of its points.
        images: the number of facets in its orbit.
    """

    normal: tuple[int, ...]
    offset: int
    points: frozenset[int]
    ridges: tuple[frozenset[int], ...]
    images: int


def facets_of(points: Integers, symmetries: Integers) -> list[Facet]:
    """Return a facet of every orbit.

    Args:
        points: points x dimension; each point with its opposite; they span the space.
        symmetries: a group of permutations of the points by linear maps, one per row.

    Raises:
        NotFoundError: a normal could not be written in integers.
        OutOfTimeError: the time limit was reached.
    """
    known: set[bytes] = set()
    facets: list[Facet] = []
    waiting = [_first(points)]
    while waiting:
        deadline.check()
        normal, offset = waiting.pop()
        on = points @ normal == offset
        if _key(on) in known:
            continue
        images = {_key(image) for image in on[symmetries]}
        known |= images
        ridges = list(_ridges(points, normal, on))
        whole_normal = tuple(int(k) for k in normal)
        places = frozenset(on.nonzero()[0].tolist())
        facets.append(
            Facet(whole_normal, offset, places, tuple(_places(r) for r in ridges), len(images))
        )
        for ridge in ridges:
            beyond = _across(points, normal, offset, on, ridge)
            if _key(points @ beyond[0] == beyond[1]) not in known:
                waiting.append(beyond)
    return facets


def _key(mask: Mask) -> bytes:
    import numpy as np

    return np.packbits(mask).tobytes()


def _places(mask: Mask) -> frozenset[int]:
    return frozenset(mask.nonzero()[0].tolist())


def _first(points: Integers) -> tuple[Integers, int]:
    """Return a facet: a corner of the polar body, in a direction that is hardly ever symmetric."""
    import numpy as np
    from scipy.optimize import linprog

    direction = np.sqrt(np.arange(2, points.shape[1] + 2, dtype=float))
    answer = linprog(
        -direction, A_ub=points, b_ub=np.ones(len(points)), bounds=(None, None), method="highs-ds"
    )
    if answer.status != 0:
        raise NotFoundError
    return _checked(points, answer.x)


def _checked(points: Integers, normal: Floats) -> tuple[Integers, int]:
    """Return the facet of a floating-point normal . x <= 1, in integers."""
    import numpy as np

    rational = [Fraction(float(k)).limit_denominator(_DENOMINATOR) for k in normal]
    offset = lcm(*(k.denominator for k in rational))
    scaled = np.array([int(k * offset) for k in rational], dtype=np.int64)
    products = points @ scaled
    on = points[products == offset]
    if (products > offset).any() or np.linalg.matrix_rank(on) < points.shape[1]:
        raise NotFoundError
    return scaled, offset


def _ridges(points: Integers, normal: Integers, on: Mask) -> Iterator[Mask]:
    import numpy as np
    from scipy.spatial import ConvexHull

    places = on.nonzero()[0]
    dropped = int(np.abs(normal).argmax())
    flat = np.delete(points[places], dropped, axis=1).astype(float)
    dimension = flat.shape[1]
    if dimension == 1:  # a segment, which can contain more points than its two ends
        groups = np.zeros((2, len(places)), dtype=bool)
        groups[[0, 1], [flat.argmin(), flat.argmax()]] = True
    elif len(places) == dimension + 1:
        groups = ~np.eye(len(places), dtype=bool)
    else:
        equations = ConvexHull(flat).equations
        groups = np.unique(np.abs(equations[:, :-1] @ flat.T + equations[:, -1:]) < _CLOSE, axis=0)
    for group in groups:
        mask = np.zeros(len(points), dtype=bool)
        mask[places[group]] = True
        yield mask


def _across(
    points: Integers, normal: Integers, offset: int, on: Mask, ridge: Mask
) -> tuple[Integers, int]:
    """Return the facet across a ridge: the first that normal + t z meets, for t from 0 on.

    z vanishes on the ridge and is negative on the rest of the facet.
    """
    import numpy as np

    _, _, right = np.linalg.svd(points[ridge].astype(float))
    turned = right[-1]
    inner = points[on & ~ridge] @ turned
    if inner.mean() > 0:
        turned = -turned
    rise = points @ turned
    rising = rise > _CLOSE
    step = ((offset - points[rising] @ normal) / offset / rise[rising]).min()
    return _checked(points, normal / offset + step * turned)
