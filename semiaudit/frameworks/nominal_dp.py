"""The advertised guarantee: any two neighboring datasets, with any invariants."""

from __future__ import annotations

from semiaudit.frameworks.context import Context, Stated, refused
from semiaudit.mechanisms.mechanism_loss import refusal


def stated(context: Context) -> Stated:
    """Return (D, A_1, f)-DP of the noisy output alone (Definition 3; E31: the claim stays true)."""
    agree = context.universe.neighbors_agree
    gap = (
        "It does not protect what several records reveal together."
        if agree
        else "It does not cover the invariants: an attacker who reads them can always distinguish "
        "neighboring datasets whose invariants differ."
    )
    mechanism, spaces = context.made, context.spaces
    why = "" if agree else refusal(mechanism, "disagreeing", spaces)
    why = why or refusal(mechanism, "nominal_dp", spaces)
    measures = () if why else context.loss_at(1, "D")
    if not measures:
        return refused(1, gap, why or context.no_measure(1))
    return Stated(
        1,
        measures,
        agree,
        gap,
        note="" if agree else "the advertised guarantee; it holds for the noisy output alone",
    )
