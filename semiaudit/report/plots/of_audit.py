"""The figures of an audit, from its curves and its rows. Nothing is computed."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.labels import label, labelled, secret_label
from semiaudit.model.topdown import Semantic
from semiaudit.report.plots.series import (
    bars,
    epsilon_figure,
    epsilons_figure,
    is_finite,
    tradeoff_figure,
)


def figures_of(audit: Audit) -> tuple[Figure, ...]:
    """Return every figure with known numbers, of an audit with its curves."""
    figures = (
        tradeoff_figure(labelled(audit.curves)),
        epsilon_figure(labelled(audit.curves)),
        comparison_figure(audit.rows),
        semantics_figure(audit.semantics),
    )
    return tuple(figure for figure in figures if figure.series)


def comparison_figure(rows: Sequence[GuaranteeRow]) -> Figure:
    """Return the privacy definitions side by side: epsilon at each delta of the report."""
    finite = [row for row in rows if any(is_finite(p.epsilon) for p in row.numbers.tightest)]
    deltas = list(dict.fromkeys(p.delta for row in finite for p in row.numbers.tightest))
    places = [
        {point.delta: point.epsilon for point in row.numbers.tightest if is_finite(point.epsilon)}
        for row in finite
    ]
    categories = tuple(_category(row) for row in finite)
    return epsilons_figure("ε by privacy definition", deltas, places, categories)


def semantics_figure(secrets: Sequence[Semantic]) -> Figure:
    """Return rho of each kind of secret of a hierarchical release, in D and inside D_t."""
    names = list(dict.fromkeys(secret.name for secret in secrets if secret.zcdp is not None))
    universes = list(dict.fromkeys(s.universe for s in secrets if s.zcdp is not None))

    def largest(name: str, universe: UniverseName) -> Bound | None:
        bounds = (s.zcdp for s in secrets if (s.name, s.universe) == (name, universe))
        return max((b for b in bounds if b and is_finite(b)), key=lambda b: b.value, default=None)

    return Figure(
        "semantics",
        "Privacy loss for each kind of secret",
        "",
        "ρ, at most",
        tuple(bars(f"in {label(u)}", [largest(name, u) for name in names]) for u in universes),
        categories=tuple((secret_label(name),) for name in names),
        horizontal=True,
        formulas=("", r"$\rho$"),
    )


def _category(row: GuaranteeRow) -> tuple[str, ...]:
    distance = row.guarantee.distance
    reach = () if distance is None else (f"up to {distance}",)
    return (label(row.guarantee.framework), *reach)
