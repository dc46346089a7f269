"""Discrete Laplace noise whose integers are merged: two distributions of mass 1 remain."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from semiaudit.model.loss import DiscreteLaplaceLoss
from semiaudit.privacy.loss.pairs.discrete_laplace_source import DiscreteLaplaceSource


@pytest.mark.parametrize(
    ("shift", "scale", "step"), [(1_200_000, 500_000, 0.01), (3_000_000, 1_000_000, 0.002)]
)
def test_merged_integers_have_all_mass_of_both_distributions(
    shift: int, scale: int, step: float
) -> None:
    """The mass under Q is that under P times e^-loss."""
    source = DiscreteLaplaceSource(DiscreteLaplaceLoss(shift, Fraction(scale)))
    atoms = source.atoms(step, 0.0)
    masses = np.exp(atoms.log_mass)
    losses = float(source.offset) + atoms.positions * step
    assert len(masses) < 4_000
    assert masses.sum() == pytest.approx(1, abs=1e-9)
    assert (masses * np.exp(-losses)).sum() == pytest.approx(1, abs=1e-9)
