"""A polytope as simplices with one corner at the center, for exact sampling.

A facet is divided by pulling: into the pyramids over its ridges without its first corner, and so on
for each ridge. This triangulates every polytope, and needs only which points are on which ridge, so
there is no rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.mechanisms.sampling.hulls.facets import Facet

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

Simplex = tuple[int, ...]
"""The indices of the corners of a simplex of a facet."""


def simplices_of(facet: Facet, dimension: int) -> list[Simplex]:
    """Return the simplices of a facet.

    Args:
        dimension: the dimension of the polytope, one more than that of the facet.
    """
    known: dict[int, list[int]] = {}

    def pulled(face: int, subfaces: Sequence[int], corners: int) -> list[int]:
        """Return the simplices, as bits, of a face with this number of ``corners``."""
        if face not in known:
            deadline.check()
            if face.bit_count() == corners:
                known[face] = [face]
            else:
                apex = face & -face
                known[face] = [
                    simplex | apex
                    for sub in subfaces
                    if not sub & apex
                    for simplex in pulled(sub, _largest(sub, subfaces), corners - 1)
                ]
        return known[face]

    places = sorted(facet.points)
    bit = {place: 1 << at for at, place in enumerate(places)}
    all_places = (1 << len(places)) - 1
    ridges = [sum(bit[place] for place in ridge) for ridge in facet.ridges]
    return [
        tuple(place for place in places if simplex & bit[place])
        for simplex in pulled(all_places, ridges, dimension)
    ]


def _largest(face: int, others: Sequence[int]) -> list[int]:
    """Return the facets of a face: its largest intersections with faces of the same dimension."""
    largest: list[int] = []
    meetings = {face & other for other in others if other != face} - {0}
    for meeting in sorted(meetings, key=int.bit_count, reverse=True):
        if not any(meeting & ~larger == 0 for larger in largest):
            largest.append(meeting)
    return largest


def volumes_of(points: Integers, simplices: Sequence[Simplex]) -> Integers:
    """Return dimension! times the volume of each simplex with the center as its last corner.

    The results are integers: determinants of small integers, computed in floating point and
    rounded.
    """
    import numpy as np

    corners = points[np.array(simplices)].astype(float)
    volumes: Integers = np.abs(np.rint(np.linalg.det(corners))).astype(np.int64)
    return volumes
