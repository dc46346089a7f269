"""The 2020 Census: the privacy loss for one secret, as bars."""

from __future__ import annotations

from semiaudit.commands.reproduce.ours import report_of
from semiaudit.library.report import audit_of
from semiaudit.model.figure import Figure
from semiaudit.report.plots.series import bars

KINDS = "attribute:", "geography:"


def secrets(spec: str, name: str, title: str) -> tuple[Figure, ...]:
    """Return rho of each attribute, and of the block within each level, in D."""
    shown = [
        one
        for one in audit_of(report_of(spec)).semantics
        if one.universe == "D" and one.zcdp is not None and one.name.startswith(KINDS)
    ]
    words = tuple((one.name.partition(":")[2].replace("_", " "),) for one in shown)
    note = "rho of everything about one record is no less: secrets share queries. Rounded up."
    series = bars("rho", [one.zcdp for one in shown])
    figure = Figure(
        name,
        f"{title}: privacy loss for one secret",
        "",
        "rho",
        (series,),
        categories=words,
        note=note,
    )
    return (figure,)
