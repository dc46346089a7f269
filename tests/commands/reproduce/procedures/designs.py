"""Designs of `mechanism calibrate` for one target: squared errors, and swap rates."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.commands.reproduce.model import Ours
from semiaudit.commands.reproduce.results import floating, spec_path
from semiaudit.model.bound import Bound, upper
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.measure import GDP, PureDP
from semiaudit.model.results.design import AnyDesign, Target

SOURCE = "Gao, Gong and Yu"
TIME_LIMIT, TOLERANCE = 60, 1e-6


def squared_error(
    spec: str, design: AnyDesign, *, mu: Fraction | None = None, epsilon: Fraction | None = None
) -> Ours:
    """Return the expected squared error: the rank, times the variance in every direction.

    Args:
        mu, epsilon: the target, one of them.
    """
    calibrated = _design(spec, _target(mu, epsilon), design)
    if calibrated.scale is None or calibrated.rank is None:
        return "none"
    variance = (2 if "laplace" in design else 1) * calibrated.scale**2
    return upper(Fraction(calibrated.rank * variance), design, SOURCE)


def squared_error_of_a_cell(spec: str, design: AnyDesign, cells: int, epsilon: Fraction) -> Ours:
    whole = squared_error(spec, design, epsilon=epsilon)
    if not isinstance(whole, Bound):
        return whole
    return upper(Fraction(whole.value) / cells, "cells", SOURCE)


def costs_less(spec: str, one: AnyDesign, other: AnyDesign, mu: Fraction) -> bool:
    costs = [_design(spec, _target(mu, None), name).expected_l2 for name in (one, other)]
    return all(costs) and costs[0].value < costs[1].value


def swap_rate(spec: str, design: AnyDesign, epsilon: Fraction) -> Ours:
    calibrated = _design(spec, _target(None, epsilon), design, "invariant_dp")
    if calibrated.scale is None:
        return "none"
    return floating(float(calibrated.scale), "rounded to where less is lost")


def _target(mu: Fraction | None, epsilon: Fraction | None) -> Target:
    if mu is not None:
        return GDP(Fraction(mu))
    if epsilon is not None:
        return PureDP(Fraction(epsilon))
    raise ValueError("name a mu or an epsilon")


@cache
def _design(
    spec: str, target: Target, name: AnyDesign, framework: FrameworkName = "subspace_dp"
) -> Any:
    """Return one design for a target, calibrated and audited."""
    asked = CalibrationQuestion(str(spec_path(spec)), target, framework, (name,))
    (design,) = calibrate(asked, TIME_LIMIT, TOLERANCE, Access()).designs
    return design
