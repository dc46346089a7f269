"""The variances of noise that keeps the invariants: by hand, and of no kind that is not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms import kind_of, supports
from semiaudit.model.mechanism import (
    BasisLaplace,
    CorrelatedGaussian,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
    Noise,
    Part,
)
from semiaudit.model.query import TableQuery
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.strangers import StrangeNoise

KEPT: dict[str, Any] = {"query": TableQuery(), "support": "null_space"}
ON_THE_TABLE: dict[str, Any] = {"query": TableQuery()}
ONE = Fraction(1)
BASIS = ((ONE, -ONE, Fraction(0), Fraction(0)), (2 * ONE, Fraction(0), -2 * ONE, Fraction(0)))


@dataclass(frozen=True, slots=True)
class WholeNoise(Noise):
    """Noise on the integers that nothing but its base class tells of."""

    kind: ClassVar[str] = "whole"
    whole: ClassVar[bool] = True


def spaces(folder: Path, invariants: str) -> SensitivitySpaces:
    path = folder / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {size: 4, attributes: {a: 2, b: 2}}\n"
        f"invariants: {invariants}\nmechanism: {{zcdp: {{rho: 1}}}}\n"
    )
    return SensitivitySpaces(load_release(path))


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        # Both margins leave the multiples of (1, -1, -1, 1), on which each unit has a quarter.
        (Gaussian(4 * ONE, **KEPT), (1, ONE, 4 * ONE)),
        (Laplace(3 * ONE, **KEPT), (1, 18 * ONE / 4, 18 * ONE)),
        (CorrelatedGaussian(((2 * ONE, 2 * ONE), (2 * ONE, 3 * ONE)), **ON_THE_TABLE), (2, 3, 5)),
        # The columns of the basis have the squared lengths 5, 1, 4 and 0; a Laplace variable 2.
        (BasisLaplace(BASIS, ONE, **ON_THE_TABLE), (2, 10, 20)),
        (Gaussian(4 * ONE, **ON_THE_TABLE), None),
        (Laplace(ONE, shifts=(ONE,)), None),
        (DiscreteGaussian(4 * ONE, **KEPT), None),
        (KNorm(ONE, **KEPT), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_variances_are_those_of_the_covariance(
    part: Part, expected: tuple[int, Fraction, Fraction] | None, tmp_path: Path
) -> None:
    within_margins = spaces(tmp_path, "[{margin: [a]}, {margin: [b]}]")
    found = kind_of(part).spread(part, within_margins)
    if found is not None:
        told = found.rank, found.variance.value, found.expected_l2_squared.value
        assert told == expected
    assert (found is None) is (expected is None)


def test_noise_of_no_known_kind_is_refused_and_not_left_out(tmp_path: Path) -> None:
    strange: Any = StrangeNoise(**KEPT)
    with pytest.raises(RefusedError, match="StrangeNoise"):
        kind_of(strange).spread(strange, spaces(tmp_path, "[{margin: [a]}]"))


def test_any_whole_noise_must_hold_the_projected_steps(tmp_path: Path) -> None:
    """Moving a record between the rows of a 2x2 table changes a projection by halves."""
    within_rows = spaces(tmp_path, "[{margin: [a]}]")
    for noise in (WholeNoise(**KEPT), DiscreteGaussian(ONE, **KEPT)):
        found = supports.refusal(noise, TableQuery(), "subspace_dp", within_rows)
        assert found == supports.LEAVES
    assert not supports.refusal(Gaussian(ONE, **KEPT), TableQuery(), "subspace_dp", within_rows)


@pytest.mark.parametrize(
    ("part", "variance"),
    [
        (DiscreteGaussian(4 * ONE, **ON_THE_TABLE), (range(-99, 100), lambda k: exp(-k * k / 8))),
        (DiscreteGaussian(ONE / 4, **ON_THE_TABLE), (range(-99, 100), lambda k: exp(-k * k * 2))),
        (DiscreteLaplace(2 * ONE, **ON_THE_TABLE), (range(-400, 401), lambda k: exp(-abs(k) / 2))),
    ],
)
def test_plain_discrete_noise_has_the_variance_of_its_series(
    part: Part, variance: tuple[range, Callable[[int], float]], tmp_path: Path
) -> None:
    numbers, mass = variance
    total = sum(mass(k) for k in numbers)
    expected = sum(k * k * mass(k) for k in numbers) / total
    found = kind_of(part).spread(part, spaces(tmp_path, "[]"))
    assert found is not None
    assert (found.rank, found.variance.side) == (4, "upper")
    assert expected * (1 - 1e-12) <= found.variance.value <= expected * (1 + 1e-12)
    assert found.expected_l2_squared.value == pytest.approx(4 * expected, rel=1e-12)


@pytest.mark.parametrize(
    ("fills", "joined", "reason"),
    [
        (True, False, ""),
        (True, None, ""),
        (False, True, ""),
        (False, None, supports.MAYBE_PARTS),
        (False, False, supports.PARTS),
    ],
)
def test_a_part_is_published_unless_the_span_is_all_or_d_t_is_connected(
    fills: bool, joined: bool | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaces: Any = SimpleNamespace(subspaces=SimpleNamespace(fills=lambda *_: fills))
    part: Any = SimpleNamespace(made_for=2)
    query: Any = None
    monkeypatch.setattr(supports, "connected", lambda *_: joined)
    assert supports.revealed_parts(part, query, spaces) == reason
    undesigned: Any = SimpleNamespace(made_for=None)
    assert supports.revealed_parts(undesigned, query, spaces) == supports.NO_DISTANCE
