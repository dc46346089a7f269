"""K-norm noise for the hull K of a sensitivity space, many samples at a time.

Noise of density proportional to exp(-epsilon |v|_K) on the span of K has the law of E_1 v_1 + ... +
E_s v_s: v_1, ..., v_s are the corners of a simplex of K's surface, sampled in proportion to its
volume, and the E_i are independent exponential variables of mean 1/epsilon. (Inside the cone over
the simplex |v|_K is the sum of the weights, so that the weights are independent and exponential.)
|v|_K is then their sum, with the law Gamma(s). The sampling is exact except for floating-point
rounding.

Source: Cho and Awan, Algorithms 2 and 3; Hardt and Talwar (STOC 2010) for the length's law.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations, product
from math import comb, factorial, prod
from typing import TYPE_CHECKING

from semiaudit.mechanisms.sampling.hulls.facets import Facet, facets_of
from semiaudit.mechanisms.sampling.hulls.triangulation import simplices_of, volumes_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

MAX_SYMMETRIES = 20_000
"""The most orders of levels that are enumerated; with more, only the change of all signs is
used."""


class Triangulated:
    """K divided into simplices with one corner at 0; the surfaces are up to K's symmetries.

    Args:
        points: the integer vectors whose hull is K, each with its opposite: points x width.
        weights: their weights in a basis of K's span: points x rank.
        shape: the shape of the table whose row-major cells are the coordinates; () if there is
            none.

    Attributes:
        orbits: a facet of each orbit.
        images: for each symmetry, the index to which it maps each point.
        facets: the number of facets of K.
        volume: the volume of K in the coordinates of the weights.
    """

    def __init__(self, points: Integers, weights: Integers, shape: Sequence[int] = ()) -> None:
        import numpy as np

        self._level_symmetries, self._signs, self.images = symmetries_of(points, shape)
        self.orbits: list[Facet] = facets_of(weights, self.images)
        self.facets = sum(facet.images for facet in self.orbits)
        rank = weights.shape[1]
        corners, sizes = [], []
        for facet in self.orbits:
            simplices = simplices_of(facet, rank)
            corners.append(np.array(simplices))
            sizes.append(volumes_of(weights, simplices) * facet.images)
        self._corners = points.astype(float)[np.concatenate(corners)]
        self._up_to = np.cumsum(np.concatenate(sizes))
        self.volume = int(self._up_to[-1]) / factorial(rank)

    @property
    def simplices(self) -> int:
        """Return the number of stored simplices, each for all its images."""
        return len(self._up_to)

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample noise for epsilon 1: number x width."""
        import numpy as np

        at = generator.integers(self._up_to[-1], size=number)
        chosen = self._corners[np.searchsorted(self._up_to, at, side="right")]
        lengths = generator.standard_exponential(chosen.shape[:2])
        noise: Floats = np.einsum("ns,nsw->nw", lengths, chosen)
        turned = generator.integers(len(self._level_symmetries), size=number)
        noise = np.take_along_axis(noise, self._level_symmetries[turned], axis=1)
        signed: Floats = noise * self._signs[turned][:, None]
        return signed


class RootPolytope:
    """K = Hull{e_i - e_j}: the changes of a table by one record in all of D, at any size.

    A facet tells which i are above 0, p of them, and is the product of two simplices; of all
    volume the facets with p have comb(n, p) comb(n - 2, p - 1) parts of comb(2n - 2, n - 1).

    Args:
        width: n, the number of coordinates, at least 2.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.parts = [comb(width, p) * comb(width - 2, p - 1) for p in range(1, width)]

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample noise for epsilon 1: number x width."""
        import numpy as np

        shares = np.array([part / comb(2 * self.width - 2, self.width - 1) for part in self.parts])
        above = 1 + generator.choice(len(shares), size=number, p=shares / shares.sum())
        order = generator.permuted(np.tile(np.arange(self.width), (number, 1)), axis=1)
        positive = order < above[:, None]
        lengths = generator.standard_exponential((number, self.width))
        up, down = np.where(positive, lengths, 0), np.where(positive, 0, lengths)
        up /= up.sum(axis=1, keepdims=True)
        down /= down.sum(axis=1, keepdims=True)
        norm = generator.standard_gamma(self.width - 1, size=(number, 1))
        vectors: Floats = norm * (up - down)
        return vectors


def symmetries_of(points: Integers, shape: Sequence[int]) -> tuple[Integers, Integers, Integers]:
    """Return the orders of a table's levels and attributes, and the signs, that preserve a set.

    Args:
        points: each with its opposite.
        shape: of the table; () allows the change of all signs alone.

    Returns:
        For each symmetry, the order of the coordinates and the sign, and the index to which it maps
        each point. They are a group.
    """
    import numpy as np

    width = points.shape[1]
    place_of = {point.tobytes(): at for at, point in enumerate(points)}
    identity = np.arange(width)
    orders = [identity]
    if shape and prod(map(factorial, shape)) * factorial(len(shape)) <= MAX_SYMMETRIES:
        orders = [
            order
            for order in _level_symmetries(points, shape)
            if _places(points[:, order], place_of)
        ] or orders
    images, signs, symmetries = [], [], []
    for order in orders:
        for sign in (1, -1):
            image = _places(sign * points[:, order], place_of)
            if image:
                images.append(image)
                signs.append(sign)
                symmetries.append(order)
    return np.array(symmetries), np.array(signs), np.array(images)


def _level_symmetries(points: Integers, shape: Sequence[int]) -> list[Integers]:
    """Return orders of the cells from orders of levels, and of attributes with equal sizes.

    All orders of an attribute's levels are given, or none, by whether the set allows the
    exchange of every two neighboring ones; so are those of all attributes.
    """
    import numpy as np

    cells = np.arange(points.shape[1]).reshape(shape)
    known = {point.tobytes() for point in points}

    def keeps(moved: Integers) -> bool:
        return all(point.tobytes() in known for point in np.ascontiguousarray(points[:, moved]))

    levels: list[list[tuple[int, ...]]] = []
    for axis, size in enumerate(shape):
        plain = tuple(range(size))
        exchanges = []
        for first, second in pairwise(plain):
            order = list(plain)
            order[first], order[second] = second, first
            exchanges.append(np.take(cells, order, axis=axis).ravel())
        levels.append(list(permutations(plain)) if all(map(keeps, exchanges)) else [plain])
    axes = [
        order
        for order in permutations(range(len(shape)))
        if tuple(shape[axis] for axis in order) == tuple(shape)
    ]
    if not all(keeps(np.transpose(cells, order).ravel()) for order in axes):
        axes = [tuple(range(len(shape)))]
    return [
        np.transpose(cells[np.ix_(*chosen)], order).ravel()
        for chosen in product(*levels)
        for order in axes
    ]


def _places(images: Integers, place_of: dict[bytes, int]) -> list[int]:
    """Return the indices of moved points in their set; empty if one is not in the set."""
    import numpy as np

    places = [place_of.get(point.tobytes()) for point in np.ascontiguousarray(images)]
    return [] if None in places else [at for at in places if at is not None]
