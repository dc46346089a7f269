"""Distributed privatisation: every agent draws all noise from one seed, and adds its own part.

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
    """The noisy answers of one curator who holds them all."""
    noisy: Floats = np.array(answers, dtype=float) + drawing.draw(1, Randomness(seed))[0]
    return noisy


def share(drawing: Drawing, seed: int, coordinate: int, answer: int) -> float:
    """The noisy answer of an agent who holds one coordinate alone.

    All agents' shares are the central curator's answers bit for bit, and the invariants hold for
    them together. The seed is a secret of the agents: whoever knows it can take the noise out.

    Args:
        drawing: a new one for each agent, made of the same mechanism.
        coordinate: the place of the agent's answer, from 0.
    """
    return float(answer + drawing.draw(1, Randomness(seed))[0, coordinate])
