"""Outputs of samplers: the answers with their noise."""

from __future__ import annotations

from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Still


def test_noise_is_added_to_the_answers() -> None:
    answers = [5, -2, 0]
    assert list(Still(3).outputs(answers, 2, Randomness(1))) == [answers, answers]
    assert list(Still(3).outputs(None, 1, Randomness(1))) == [[0, 0, 0]]
