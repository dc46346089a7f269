"""K-norm noise for the balls of the l1, l2 and l-infinity norm: Algorithms 4 to 6.

Every sample has a density proportional to exp(-|v|) in the given norm; times Delta/epsilon, it is
the algorithms' noise. The shape of the length is that of points uniform in the ball for l-infinity
(d + 1), and of directions uniform on the sphere for l2 (d): E23.

Source: Cho and Awan, appendix B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, assert_never

import numpy as np

from semiaudit.frozen import dataclass

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Norm = Literal["l1", "l2", "linf"]


@dataclass(frozen=True)
class NormBallNoise:
    """Noise of density proportional to exp(-|v|) on some coordinates, and 0 on the others.

    Attributes:
        norm: the norm of the noise.
        width: the number of coordinates.
        places: the coordinates that have noise; None for all.
    """

    norm: Norm
    width: int
    places: tuple[int, ...] | None = None

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample noise: number x width."""
        noise = self._on_places(number, generator)
        if self.places is None:
            return noise
        wide = np.zeros((number, self.width))
        wide[:, self.places] = noise
        return wide

    def _on_places(self, number: int, generator: np.random.Generator) -> Floats:
        rank = self.width if self.places is None else len(self.places)
        shape = number, rank
        match self.norm:
            case "l1":
                return generator.laplace(size=shape)
            case "l2":
                directions = generator.standard_normal(shape)
                directions /= np.linalg.norm(directions, axis=1, keepdims=True)
                return directions * generator.standard_gamma(rank, size=(number, 1))
            case "linf":
                lengths = generator.standard_gamma(rank + 1, size=(number, 1))
                return generator.uniform(-1, 1, shape) * lengths
            case _:
                assert_never(self.norm)
