"""The names of canonical noise."""

from __future__ import annotations

from typing import Literal, get_args

NoiseName = Literal["tulap", "lemma_36", "normal"]
NOISE_NAMES: tuple[NoiseName, ...] = get_args(NoiseName)
"""Which distribution is meant; a tradeoff function may have more than one that is canonical."""
