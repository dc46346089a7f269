"""The pair that dominates every rho-zCDP mechanism, for compositions with other pairs.

Its tradeoff function is the minimum over all rho-zCDP mechanisms. docs/theory/conversions.md, *zCDP
with privacy losses*, proves that it dominates them. The page also proves that several zCDP parts
are one part with the sum of their rhos, for any other parts of the composition, adaptive or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semiaudit.model.loss import ConcentratedLoss
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def concentrated(pair: ConcentratedLoss) -> PairKind:
    """Define the kind: the tightest pair that dominates zCDP; unbounded losses, so no mu."""

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
