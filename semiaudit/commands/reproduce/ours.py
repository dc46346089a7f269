"""Our numbers for comparison with published ones: bounds, estimates, and words."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.library.report import Report, audit
from semiaudit.model.bound import exact
from semiaudit.resources import shipped

if TYPE_CHECKING:
    from semiaudit.privacy.approximations.approximation import Approximation

YES, NO = "yes", "no"
FOLDER = Path(__file__).parent
"""The folder of ``specs/``, the specs that are not among the examples of ``configs/``."""


@cache
def report_of(spec: str) -> Report:
    """Return the audit of a spec, computed once.

    Args:
        spec: ``configs/NAME.yaml``, an example of the program; or ``specs/NAME.yaml`` of this
            folder.

    Raises:
        FileNotFoundError: there is no such file.
    """
    return audit(spec_path(spec))


def spec_path(spec: str) -> Path:
    """Return the file of a spec.

    Raises:
        FileNotFoundError: there is no such file.
    """
    path = FOLDER / spec if spec.startswith("specs/") else shipped(spec)
    if path is None or not path.is_file():
        raise FileNotFoundError(f"{spec} does not ship with this program")
    return path


def approximated(estimate: Approximation) -> Estimate:
    """Convert an approximation, with its known faults."""
    return Estimate(estimate.estimate, "approximation", f"{estimate.method}: {estimate.caveat}")


def floating(value: float, method: str) -> Estimate:
    """Convert a formula that was evaluated in floating point."""
    return Estimate(float(value), "floating", method)


def simulated(value: float, method: str) -> Estimate:
    """Convert the mean, or a quantile, of a simulation with a fixed seed."""
    return Estimate(float(value), "simulated", method)


def counted(value: Fraction | int | None, method: str, source: str) -> Ours:
    """Convert an exact number; "not known" for None."""
    return "not known" if value is None else exact(value, method, source)


def answered(holds: bool) -> str:
    """Return "yes" for a claim that holds, else "no"."""
    return YES if holds else NO
