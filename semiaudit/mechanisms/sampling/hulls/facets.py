"""The facets of a symmetric polytope that is given by its points, up to its symmetries.

Facets are found by walking from one to its neighbors across ridges; the graph of facets is
connected, so that the walk ends with all of them. Symmetries make one facet stand for its orbit:
the hull of a 4 x 4 table's moves has 3,818 facets in a handful of orbits. qhull names the ridges of
one facet in floating point; every facet is then checked in whole numbers: no point lies beyond it.
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
"""Polytopes of up to this dimension are taken apart: a ridge of a facet is found by qhull, whose
work grows with the dimension as nothing else here."""

_CLOSE = 1e-8
_DENOMINATOR = 10_000


class NotFoundError(Exception):
    """A facet could not be written in whole numbers."""


@dataclass(frozen=True)
class Facet:
    """A facet, which stands for all its images under the symmetries.

    Attributes:
        normal, offset: normal . x <= offset for every point x, with equality on the facet.
        points: the places of the points that lie on it.
        ridges: of every ridge the places of its points.
        images: how many facets its orbit has.
    """

    normal: tuple[int, ...]
    offset: int
    points: frozenset[int]
    ridges: tuple[frozenset[int], ...]
    images: int


def facets_of(points: Integers, symmetries: Integers) -> list[Facet]:
    """A facet of every orbit.

    Args:
        points: points x dimension; with every point its opposite, and they span the space.
        symmetries: a group, as permutations of the points, one a row, that linear maps make.

    Raises:
        NotFoundError: a normal was not found in whole numbers.
        OutOfTimeError: the time limit was reached.
    """
    seen: set[bytes] = set()
    facets: list[Facet] = []
    waiting = [_first(points)]
    while waiting:
        deadline.check()
        normal, offset = waiting.pop()
        on = points @ normal == offset
        if _key(on) in seen:
            continue
        images = {_key(image) for image in on[symmetries]}
        seen |= images
        ridges = list(_ridges(points, normal, on))
        whole_normal = tuple(int(k) for k in normal)
        places = frozenset(on.nonzero()[0].tolist())
        facets.append(
            Facet(whole_normal, offset, places, tuple(_places(r) for r in ridges), len(images))
        )
        for ridge in ridges:
            beyond = _across(points, normal, offset, on, ridge)
            if _key(points @ beyond[0] == beyond[1]) not in seen:
                waiting.append(beyond)
    return facets


def _key(mask: Mask) -> bytes:
    import numpy as np

    return np.packbits(mask).tobytes()


def _places(mask: Mask) -> frozenset[int]:
    return frozenset(mask.nonzero()[0].tolist())


def _first(points: Integers) -> tuple[Integers, int]:
    """A facet: a corner of the polar body, in a direction that no symmetry is likely to fix."""
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
    """The facet of a normal . x <= 1 in floating point, in whole numbers."""
    import numpy as np

    whole = [Fraction(float(k)).limit_denominator(_DENOMINATOR) for k in normal]
    offset = lcm(*(k.denominator for k in whole))
    scaled = np.array([int(k * offset) for k in whole], dtype=np.int64)
    reached = points @ scaled
    on = points[reached == offset]
    if (reached > offset).any() or np.linalg.matrix_rank(on) < points.shape[1]:
        raise NotFoundError
    return scaled, offset


def _ridges(points: Integers, normal: Integers, on: Mask) -> Iterator[Mask]:
    """The ridges of a facet: the facets of its image without a coordinate that its normal has."""
    import numpy as np
    from scipy.spatial import ConvexHull

    places = on.nonzero()[0]
    dropped = int(np.abs(normal).argmax())
    flat = np.delete(points[places], dropped, axis=1).astype(float)
    dimension = flat.shape[1]
    if dimension == 1:  # a segment, on which more points may lie than its two ends
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
    """The facet on the other side of a ridge: the first that normal + t z meets, t from 0 on.

    z vanishes on the ridge and is negative on the rest of the facet.
    """
    import numpy as np

    _, _, right = np.linalg.svd(points[ridge].astype(float))
    turned = right[-1]
    rest = points[on & ~ridge] @ turned
    if rest.mean() > 0:
        turned = -turned
    rise = points @ turned
    able = rise > _CLOSE
    step = ((offset - points[able] @ normal) / offset / rise[able]).min()
    return _checked(points, normal / offset + step * turned)
