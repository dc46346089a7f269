"""Distributed privatization: every agent samples all noise from one seed, and adds its own part.

Source: Gao, Gong and Yu, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Drawing

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


def central(drawing: Drawing, seed: int, answers: Sequence[int]) -> Floats:
    """Return the noisy answers of one curator who has all answers."""
    noisy: Floats = np.array(answers, dtype=float) + drawing.draw(1, Randomness(seed))[0]
    return noisy


def share(drawing: Drawing, seed: int, coordinate: int, answer: int) -> float:
    """Return the noisy answer of an agent who has only one coordinate.

    All agents' shares equal the central curator's answers bit for bit, and together they satisfy
    the invariants. The seed is a secret of the agents: anyone who knows it can remove the noise.

    Args:
        drawing: a new sampler for each agent, of the same mechanism.
        coordinate: the index of the agent's answer, from 0.
    """
    return float(answer + drawing.draw(1, Randomness(seed))[0, coordinate])
