"""The optimal membership attack: its advantage, and its TPR at each FPR."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.labels import DEFINITION, label
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.epsilon_tables import FEW
from semiaudit.report.text.layout import Grid

TITLE = "Optimal membership attack"
_AT_MOST = (
    "Upper bounds: TPR and FPR are the true and false positive rates of an attacker who decides "
    "between two datasets. The type II error at a type I error (FPR) is at least 1 - TPR."
)
_SOURCES = {
    "gaussian_exact": "the exact Gaussian tradeoff function",
    "tradeoff_exact": "the tradeoff function's vertices",
    "tradeoff_merged": "a tradeoff function with merged pieces, which is looser and stays valid",
    "loss_distribution": "the privacy-loss distribution of the noise itself",
    "cks20_envelope": "the Rényi divergences of all orders (only zCDP is known)",
}


def attack_grids(rows: Sequence[GuaranteeRow], *, verbose: bool) -> list[Grid]:
    """Advantage and TPR of every guarantee; with many type I errors, these in a table of their own.

    None if no guarantee has operating points.

    Args:
        verbose: say what the same tables of every report mean.
    """
    known = [row for row in rows if row.numbers.advantage is not None]
    if not known:
        return []
    caveats = (_AT_MOST,) if verbose else ()
    notes = (*caveats, f"Computed from {_SOURCES[known[0].numbers.operating_points_from]}.")
    rates = [type_i for type_i, _ in known[0].numbers.tpr_at_fpr]
    names = tuple(label(row.guarantee.framework) for row in known)
    few = rates if len(rates) <= FEW else []
    columns = (DEFINITION, "advantage", *(f"TPR at FPR {_rate(rate)}" for rate in few))
    cells = tuple(
        (
            label(row.guarantee.framework),
            _value(row.numbers.advantage),
            *(_value(power) for _, power in row.numbers.tpr_at_fpr[: len(few)]),
        )
        for row in known
    )
    first = Grid(TITLE, columns, cells, (False, *(True for _ in columns[1:])), notes)
    if few or not rates:
        return [first]
    powers = [dict(row.numbers.tpr_at_fpr) for row in known]
    lines = tuple((_rate(rate), *(_value(power.get(rate)) for power in powers)) for rate in rates)
    title = f"TPR of the optimal membership attack at {len(rates)} FPRs"
    return [first, Grid(title, ("FPR", *names), lines, (True, *(True for _ in names)), caveats)]


def _rate(type_i: Fraction) -> str:
    return rational_text(type_i, up=False)


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
