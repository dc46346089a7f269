"""Every place at which a privacy loss arrives, asked about a pair of a kind that nobody knows.

As a program it prints, place by place, how such a pair was received.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from semiaudit.errors import UnknownKindError
from semiaudit.model.loss import GaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP, PureDP
from semiaudit.privacy import loss as facade
from semiaudit.privacy.composition import compose
from semiaudit.privacy.conversion import zcdp_from_loss
from semiaudit.privacy.domination import dominating_loss, product_of_losses
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.loss import engine
from semiaudit.privacy.loss.delta_points import delta_points
from semiaudit.privacy.loss.normal_form import normal_form, only_pair
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of
from semiaudit.privacy.loss.reach import in_reach
from semiaudit.privacy.ordering.implication import implies, strongest
from semiaudit.privacy.ordering.matching import loss_implies

HALF = Fraction(1, 2)
KNOWN = PrivacyLoss(((GaussianLoss(Fraction(1)), 1),))


@dataclass(frozen=True)
class StrangeLoss:
    """It has the attributes of every kind, so that no missing one gives it away."""

    mu_squared: Fraction = Fraction(1)
    epsilon: Fraction = Fraction(1)
    delta: Fraction = HALF
    shift: int = 1
    scale: Fraction = Fraction(1)
    sigma_squared: Fraction = Fraction(1)
    rate: Fraction = HALF
    levels: int = 2
    first: tuple[Fraction, ...] = (HALF, HALF)
    second: tuple[Fraction, ...] = (Fraction(1), Fraction(0))


STRANGE: Any = StrangeLoss()

PLACES: dict[str, Callable[[PrivacyLoss], object]] = {
    "the registry": lambda loss: kind_of(loss.parts[-1][0], "the registry"),
    "normal_form": normal_form,
    "only_pair": only_pair,
    "in_reach": in_reach,
    "epsilon_at": lambda loss: facade.epsilon_at(loss, HALF),
    "delta_at": lambda loss: facade.delta_at(loss, HALF),
    "type_ii_at": lambda loss: facade.type_ii_at(loss, HALF),
    "advantage": facade.advantage,
    "fitted_mu": lambda loss: facade.fitted_mu(loss, ZCDP(HALF)),
    "delta_points": lambda loss: delta_points(loss, facade.DEFAULT),
    "engine.epsilon": lambda loss: engine.epsilon_bracket(loss, HALF),
    "engine.delta": lambda loss: engine.delta_bracket(loss, HALF),
    "engine.type_ii": lambda loss: engine.type_ii_bracket(loss, HALF),
    "zcdp_from_loss": zcdp_from_loss,
    "group": lambda loss: group((loss,), 2),
    "compose": lambda loss: compose([((loss,), 2)]),
    "compose with another": lambda loss: compose([((loss,), 1), ((PureDP(HALF),), 1)]),
    "dominating_loss": lambda loss: dominating_loss((loss,)),
    "product_of_losses": lambda loss: product_of_losses([(KNOWN, 1), (loss, 1)]),
    "the stronger loss": lambda loss: loss_implies(loss, KNOWN),
    "the weaker loss": lambda loss: loss_implies(KNOWN, loss),
    "implies": lambda loss: implies(loss, KNOWN),
    "strongest": lambda loss: strongest((loss,), (KNOWN,)),
    "numbers_of": lambda loss: numbers_of((loss,), [], []),
    "epsilons_at": lambda loss: epsilons_at((loss,), HALF),
}

PRODUCTS = {
    "alone": PrivacyLoss(((STRANGE, 1),)),
    "twice": PrivacyLoss(((STRANGE, 2),)),
    "in a product": PrivacyLoss((*KNOWN.parts, (STRANGE, 1))),
}


def received(place: str, product: str) -> str:
    """How a place took it: what it answered, or the refusal."""
    try:
        return f"answered {PLACES[place](PRODUCTS[product])}"
    except UnknownKindError as error:
        return f"refused: {error}"


if __name__ == "__main__":
    for place in PLACES:
        for product in PRODUCTS:
            print(f"{place}, {product}: {received(place, product)}")
