"""The grid on which floating-point noise is printed, so that sums of it are exact.

Noise is first drawn as weights in a basis of whole vectors. The weights are rounded to multiples of
a power of 2, and the coordinates are sums of them: doubles add such numbers without rounding, so
that the invariants hold exactly in what is printed. Answers are whole numbers, and the grid holds
them all; rounding therefore acts on the noisy answer, whatever the data are, and is
post-processing. The grid depends on the scale of the noise alone.
"""

from __future__ import annotations

from math import frexp
from typing import TYPE_CHECKING

from semiaudit.errors import Refusal, RefusedError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

BITS = 20
"""The step is at most the noise's scale over 2^20: far below what changes any statistic."""

EXACT = 2.0**53
"""Whole numbers up to here are doubles, all of them."""


def step_of(scale: float) -> float:
    """The power of 2, at most 1, that is the grid's step for noise of a scale above 0."""
    _, exponent = frexp(scale)
    return 2.0 ** min(0, exponent - 1 - BITS)


def on_grid(weights: Floats, step: float) -> Floats:
    """Numbers rounded to the grid, in place."""
    import numpy as np

    weights *= 1 / step
    np.rint(weights, out=weights)
    weights *= step
    return weights


def check_exact(values: Floats, step: float) -> None:
    """Refuse numbers that are too large for the grid to be kept without rounding.

    Raises:
        RefusedError: the sum of a row could need more than 53 bits.
    """
    import numpy as np

    if values.size and float(np.abs(values).sum(axis=1).max()) >= EXACT * step:
        what = "the answers are so large compared with the noise that 53 bits cannot hold both "
        "exactly"
        raise RefusedError(
            Refusal(what, "use discrete noise, whose samples are whole numbers", "mechanism")
        )
