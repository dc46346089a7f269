"""The normal form of a product: no pair without a loss, equal pairs joined, one Gaussian pair."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.loss import ConcentratedLoss, GaussianLoss, Loss, PrivacyLoss
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

_PLACE = "the normal form of a privacy loss"


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Distinct pairs with a loss, and all Gaussian pairs joined into one.

    Attributes:
        gaussian: the sum of mu squared over all Gaussian pairs.
        parts: every other pair with how often it occurs; that of zCDP once, with all rhos.
    """

    gaussian: Fraction
    parts: tuple[tuple[Loss, int], ...]

    @property
    def sides(self) -> int:
        """Return the number of ordered products; 1 if both directions have the same loss.

        All pairs are on the same side, because the two datasets are the same; a pair that dominates
        in both directions can be on either side.

        Raises:
            RefusedError: the sides of the pairs cannot be matched.
        """
        kinds = [kind_of(pair, _PLACE) for pair, _ in self.parts]
        sides = {kind.sides for kind in kinds if kind.sides}
        if len(sides) > 1:
            raise RefusedError(
                Refusal("groups of different sizes have no common product", "declare a bound of it")
            )
        return max(sides, default=1 if all(kind.symmetric for kind in kinds) else 2)

    @property
    def has_two_orders(self) -> bool:
        """Return whether the sides are one product in both orders of the two datasets."""
        return self.sides == 2 and not any(kind_of(pair, _PLACE).sides for pair, _ in self.parts)

    @property
    def mu_fitted(self) -> bool:
        """Return whether a mu is fitted to the product."""
        return all(kind_of(pair, _PLACE).mu_fitted for pair, _ in self.parts)


def normal_form(loss: PrivacyLoss) -> NormalForm:
    """Drop pairs without a loss, merge Gaussian pairs, and count equal pairs together.

    N(0, 1) against N(mu, 1) composes to one such pair with the sum of all mu squared; zCDP to zCDP
    with the sum of all rhos.
    """
    gaussian = rho = Fraction(0)
    counts: dict[Loss, int] = {}
    for pair, repeat in loss.parts:
        simple = kind_of(pair, _PLACE).simplified
        if isinstance(simple, GaussianLoss):
            gaussian += repeat * simple.mu_squared
        elif isinstance(simple, ConcentratedLoss):
            rho += repeat * simple.rho
        elif simple is not None:
            counts[simple] = counts.get(simple, 0) + repeat
    if rho:
        counts[ConcentratedLoss(rho)] = 1
    return NormalForm(gaussian, tuple(counts.items()))


def only_pair(loss: PrivacyLoss) -> Loss | None:
    """Return the single pair of the normal form, if there is at most one; else None.

    For an empty form, it is the Gaussian pair with a mu of 0. For a product of one entry, the
    normal form is not computed, because it costs as much as a closed form.
    """
    if len(loss.parts) == 1 and loss.parts[0][1] == 1:
        return kind_of(loss.parts[0][0], _PLACE).simplified or GaussianLoss(Fraction(0))
    form = normal_form(loss)
    if not form.parts:
        return GaussianLoss(form.gaussian)
    lonely = not form.gaussian and len(form.parts) == 1 and form.parts[0][1] == 1
    return form.parts[0][0] if lonely else None
