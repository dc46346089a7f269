"""Every kind of pair has one home, and a kind without one is refused wherever it arrives."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from semiaudit.model.loss import (
    ApproxLoss,
    ConcentratedLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    FixedSizeGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    RandomizedResponseLoss,
    ShuffledLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss.pairs.discrete_laplace import DiscreteLaplaceSource
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of
from tests.places import ROOT
from tests.privacy.loss.pairs.places import PLACES, PRODUCTS, received

ONE, HALF = Fraction(1), Fraction(1, 2)
EXAMPLES: list[Loss] = [
    GaussianLoss(ONE),
    LaplaceLoss(ONE),
    DiscreteGaussianLoss(1, ONE),
    DiscreteLaplaceLoss(1, ONE),
    RandomizedResponseLoss(ONE),
    ApproxLoss(ONE, HALF),
    FiniteLoss((HALF, HALF), (ONE / 3, ONE * 2 / 3)),
    SubsampledGaussianLoss(ONE, HALF),
    FixedSizeGaussianLoss(ONE, HALF),
    ShuffledLoss(ONE, 5),
    ConcentratedLoss(ONE),
]


def test_every_kind_of_the_model_is_tested() -> None:
    assert {type(pair) for pair in EXAMPLES} == set(get_args(Loss))


@pytest.mark.parametrize("pair", EXAMPLES, ids=lambda pair: type(pair).__name__)
def test_every_kind_answers_every_question(pair: Loss) -> None:
    kind = kind_of(pair, "a test")
    assert kind.simplified == pair
    assert kind.gaussian_size > 0
    assert kind.listable
    assert kind.size > 0
    mirrored, source = (kind.source(swapped) for swapped in (True, False))
    assert source is not None
    assert mirrored is not None
    if kind.symmetric:
        assert source.cumulants(0.5) == mirrored.cumulants(0.5)
    else:
        assert source.cumulants(0.5) != mirrored.cumulants(0.5)


@pytest.mark.parametrize(
    ("pair", "further"),
    [
        (GaussianLoss(Fraction(1, 4)), GaussianLoss(Fraction(9, 4))),
        (LaplaceLoss(HALF), LaplaceLoss(Fraction(3, 2))),
        (DiscreteGaussianLoss(2, ONE), DiscreteGaussianLoss(6, ONE)),
        (DiscreteLaplaceLoss(2, ONE), DiscreteLaplaceLoss(6, ONE)),
        (RandomizedResponseLoss(ONE), None),
        (ApproxLoss(ONE, HALF), None),
        (EXAMPLES[6], None),
        (SubsampledGaussianLoss(ONE, HALF), None),
        (ShuffledLoss(ONE, 5), None),
        (ConcentratedLoss(HALF), ConcentratedLoss(Fraction(9, 2))),
    ],
    ids=repr,
)
def test_only_log_concave_noise_and_zcdp_are_taken_three_steps_further(
    pair: Loss, further: Loss | None
) -> None:
    assert kind_of(pair, "a test").moved_further(3) == further


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("place", PLACES)
def test_a_pair_of_an_unknown_kind_is_refused_with_its_place(place: str, product: str) -> None:
    told = received(place, product)
    assert told.startswith("refused: ")
    assert told.endswith("StrangeLoss is a kind that is not known here")
    assert told.count(": ") == 2


def test_without_assertions_a_pair_of_an_unknown_kind_is_refused_all_the_same() -> None:
    """``python -O`` takes every assert out of the program."""
    command = [sys.executable, "-O", "-m", "tests.privacy.loss.pairs.places"]
    root = ROOT
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    wanted = [(place, product) for place in PLACES for product in PRODUCTS]
    assert lines == [f"{place}, {product}: {received(place, product)}" for place, product in wanted]


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
