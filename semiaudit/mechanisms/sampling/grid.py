"""The grid of floating-point noise, on which sums are exact.

Noise is first sampled as weights in a basis of integer vectors. The weights are rounded to
multiples of a power of 2, and the coordinates are sums of them: doubles add such numbers without
rounding, so that the invariants hold exactly in what is printed. Answers are integers, and all
integers are on the grid; so rounding acts on the noisy answer, for any data, and is
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
"""The step is at most the noise's scale over 2^20: far below any statistical effect."""

EXACT = 2.0**53
"""All integers up to here are doubles."""


def step_of(scale: float) -> float:
    """Return the step of the grid for noise of a scale above 0: a power of 2, at most 1."""
    _, exponent = frexp(scale)
    return 2.0 ** min(0, exponent - 1 - BITS)


def on_grid(weights: Floats, step: float) -> Floats:
    """Round numbers to the grid, in place."""
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
