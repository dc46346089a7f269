"""Figures of Su's review (approximations, which are not guarantees) and of the 2020 Census."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.commands.reproduce.results import report_of
from semiaudit.library.approximations import Accounting, CentralLimit, Edgeworth, LastIterate
from semiaudit.library.report import audit_of
from semiaudit.library.tradeoff import ApproxTradeoff
from semiaudit.model.figure import Figure, Series
from semiaudit.report.figures.figures_of import dots

DELTA = Fraction(1, 10**5)
NO_GUARANTEES = "Approximations are not guarantees: they err on either side (erratum E6)."


def table_1() -> tuple[Figure, ...]:
    """Return Table 1 as curves."""
    columns: dict[Accounting, str] = {
        "composition": "composition of all iterates",
        "renyi": "last iterate, Renyi",
        "f_dp": "last iterate, f-DP",
    }
    run = LastIterate("2/3", 40, "0.9999")
    epochs = (1, 2, 5, 10, 20, 50, 100, 200, 400, 800)
    figure = Figure(
        "table-1",
        "Table 1 as curves: epsilon at delta 1e-5",
        "epochs",
        "epsilon",
        tuple(
            Series(words, tuple((float(e), run.epsilon(e, DELTA, column).estimate) for e in epochs))
            for column, words in columns.items()
        ),
        logarithmic=frozenset("xy"),
        note="Parameters were inferred from the printed numbers, and so was the form of the Renyi "
        "column: the agreement is a fit (erratum E35). No guarantees.",
    )
    return (figure,)


def clt() -> tuple[Figure, ...]:
    """Return ten randomized responses: certified, by the limit, and by the Edgeworth accountant."""
    whole = ApproxTradeoff(1).repeat(10)
    limit, expansion = CentralLimit(whole), Edgeworth(whole)
    rates = [Fraction(place, 40) for place in range(1, 40)]
    curves = {
        "certified, from below": [float(whole(at)) for at in rates],
        "limit": [limit.type_ii(at).estimate for at in rates],
        "Edgeworth": [expansion.type_ii(at).estimate for at in rates],
    }
    shown = [float(at) for at in rates]
    figure = Figure(
        "clt",
        "Ten randomized responses, epsilon 1",
        "type I error",
        "type II error",
        tuple(Series(name, tuple(zip(shown, ys, strict=True))) for name, ys in curves.items()),
        logarithmic=frozenset("y"),
        note=NO_GUARANTEES,
    )
    return (figure,)


KINDS = "attribute:", "geography:"


def secrets(spec: str, name: str, title: str) -> tuple[Figure, ...]:
    """Return rho of each attribute, and of the block within each level, in D."""
    shown = [
        one
        for one in audit_of(report_of(spec)).semantics
        if one.universe == "D" and one.zcdp is not None and one.name.startswith(KINDS)
    ]
    words = tuple(one.name.partition(":")[2].replace("_", " ") for one in shown)
    note = "rho of everything about one record is no less: secrets share queries. Rounded up."
    series = dots("", [one.zcdp for one in shown])
    figure = Figure(
        name,
        f"{title}: privacy loss for one secret",
        "",
        "ρ, at most",
        (series,),
        categories=words,
        note=note,
    )
    return (figure,)
