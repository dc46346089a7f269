"""The pair that dominates every rho-zCDP mechanism, for compositions with parts that have a loss.

Its tradeoff function is the least of all rho-zCDP mechanisms. docs/theory/conversions.md, *zCDP
with privacy losses*, proves that it dominates them, and that several zCDP parts are one with the
sum of their rhos, whatever else is composed with them, adaptively or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semiaudit.model.loss import ConcentratedLoss
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def concentrated(pair: ConcentratedLoss) -> PairKind:
    """The tightest pair that dominates zCDP; unbounded losses, so that no mu is known."""

    def source(_side: int) -> Source:
        from semiaudit.privacy.loss.pairs.concentrated_source import source_of_zcdp

        return source_of_zcdp(pair.rho)

    return PairKind(
        symmetric=True,
        gaussian_size=2 * pair.rho,
        listable=True,
        mu_fitted=False,
        family=Family((ConcentratedLoss,), "summed"),
        size=pair.rho,
        rho=lambda: pair.rho,
        simplified=pair if pair.rho else None,
        moved_further=lambda k: ConcentratedLoss(k * k * pair.rho),
        closed_form=lambda: None,
        source=source,
    )
