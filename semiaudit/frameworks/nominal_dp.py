"""The advertised guarantee: any two neighboring datasets, with any invariants."""

from __future__ import annotations

from semiaudit.frameworks.context import UNCOVERED, Context, Stated, refused


def stated(context: Context) -> Stated:
    """Return (D, A_1, f)-DP of the noisy output alone (Definition 3; E31: the claim stays true)."""
    agree = context.universe.neighbors_agree
    gap = "It does not protect what several records reveal together." if agree else UNCOVERED
    loss = context.answer("nominal_dp", 1, disagree=not agree)
    if loss.refused:
        return refused(1, gap, loss.refused)
    return Stated(1, loss.measures, agree, gap)
