"""Privacy of the last iterate of noisy gradient descent on a strongly convex loss.

Su's review prints a table (Table 1) without its parameters. A = L/(b sigma) = 2/3, l = 40 batches
an epoch, contraction c = 0.9999 and delta = 1e-5 reproduce all nine numbers (erratum E35). These
parameters and the form of the Renyi column were inferred from the numbers. So an agreement with the
table is a fit, not a confirmation.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.measure import GDP, ZCDP
from semiaudit.privacy.approximations.approximation import Approximation
from semiaudit.privacy.measures import gdp, zcdp

Column = Literal["composition", "renyi", "f_dp"]

_SOURCES: dict[Column, str] = {
    "composition": "Dong, Roth and Su 2022, Corollary 3.3 (Su's review, Table 1)",
    "renyi": "after Altschuler and Talwar 2022 (Su's review, Table 1); its form was fitted",
    "f_dp": "Bok, Su and Altschuler 2024 (Su's review, Table 1)",
}
_CAVEAT = "parameters inferred from the published numbers (erratum E35)"


@dataclass(frozen=True, slots=True)
class CyclicDescent:
    """Noisy cyclic gradient descent.

    Attributes:
        step: A = L/(b sigma), the mu of one batch. batches: l, of an epoch, at least 1.
        contraction: c in (0, 1), by which a step brings two iterates together.
    """

    step: float
    batches: int
    contraction: float


def last_iterate_mu(run: CyclicDescent, epochs: int) -> Approximation:
    """A sqrt(1 + c^(2l-2) (1-c^2)/(1-c^l)^2 (1-c^(l(E-1)))/(1+c^(l(E-1)))): bounded in E."""
    c, length = run.contraction, run.batches
    power = c ** (length * (epochs - 1))
    gain = c ** (2 * length - 2) * (1 - c * c) / (1 - c**length) ** 2 * (1 - power) / (1 + power)
    return _named(run.step * math.sqrt(1 + gain), f"mu after {epochs} epochs", "f_dp")


def composition_mu(run: CyclicDescent, epochs: int) -> Approximation:
    """Return A sqrt(E), the mu if all iterates are released; it grows without bound."""
    return _named(run.step * math.sqrt(epochs), f"mu after {epochs} epochs", "composition")


def last_iterate_rho(run: CyclicDescent, epochs: int) -> Approximation:
    """(A^2/2) (1 + c^(l-1) (1-c^2)/(1-c^l)^2 (1-c^(l(E-1)))): bounded in E."""
    c, length = run.contraction, run.batches
    power = c ** (length * (epochs - 1))
    gain = c ** (length - 1) * (1 - c * c) / (1 - c**length) ** 2 * (1 - power)
    return _named(run.step**2 / 2 * (1 + gain), f"rho after {epochs} epochs", "renyi")


def last_iterate_epsilon(
    run: CyclicDescent, epochs: int, delta: Fraction, column: Column
) -> Approximation:
    """Return epsilon at delta: one number of Table 1.

    The Gaussian columns use the exact profile, the Renyi column uses cks20.
    """
    if column == "renyi":
        rho = last_iterate_rho(run, epochs).estimate
        value = float(zcdp.epsilon_cks20(ZCDP(Fraction(rho)), delta))
    else:
        mu_of = composition_mu if column == "composition" else last_iterate_mu
        mu = Fraction(mu_of(run, epochs).estimate)
        value = gdp.epsilon_at(GDP(mu * mu), delta)[1]
    return _named(value, f"epsilon after {epochs} epochs at delta {float(delta):g}", column)


def _named(value: float, what: str, column: Column) -> Approximation:
    return Approximation(value, what, f"last_iterate_{column}", _SOURCES[column], _CAVEAT)
