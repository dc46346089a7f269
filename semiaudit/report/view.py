"""The one neutral view of an audit that the readable formats share: blocks of text and tables."""

from __future__ import annotations

from collections.abc import Callable

from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers, Row
from semiaudit.report.attack import attack_grids
from semiaudit.report.budget_names import budget_word, measure_name
from semiaudit.report.epsilons import epsilon_grids
from semiaudit.report.explain import explained
from semiaudit.report.headline import headline
from semiaudit.report.layout import Block, Grid, Lines, View, heading
from semiaudit.report.numbers import bound_text, rational_text
from semiaudit.report.semantics_view import semantics_blocks
from semiaudit.report.universe_view import noise_block, semi_adjacency_block, sensitivity_block
from semiaudit.report.worst_pairs_view import worst_pairs_block
from semiaudit.version import __version__

FITTED = (
    "mu with a regret above 0 is the smallest that is certified to hold; the regret is how far "
    "its tradeoff function lies below the one that is certified, at most."
)


def view_of(audit: Audit, *, explain: bool = False, verbose: bool = False) -> View:
    """Arrange an audit for reading: the answer, the comparison, what is stated, and the details.

    Args:
        explain: tell the witness of covering a(t) record by record.
        verbose: tell what is the same in every report too.
    """
    blocks: list[Block | None] = [
        headline(audit),
        guarantees_block(audit, verbose=verbose),
        *epsilon_grids(audit.rows),
        *attack_grids(audit.rows, verbose=verbose),
        *semantics_blocks(audit),
        worst_pairs_block(audit),
        ordering_block(audit),
        budgets_block(audit),
        statement_block(audit),
        semi_adjacency_block(audit),
        explained(audit) if explain else None,
        sensitivity_block(audit),
        noise_block(audit),
        alternatives_block(audit),
        not_protected_block(audit) if verbose else None,
        findings_block(audit),
        left_out_block(audit),
    ]
    held = tuple(block for block in blocks if block is not None)
    return View(audit.release.title, subtitle_of(audit), held)


def subtitle_of(audit: Audit) -> str:
    """Which spec, by which version, and whether it is incomplete, and why."""
    example = " · shipped example" if audit.release.example else ""
    late = heading(audit.incomplete_because)
    return f"{audit.release.path}{example} · semiaudit {__version__}{late}"


def statement_block(audit: Audit) -> Lines:
    """The five building blocks, a sentence each."""
    statement = audit.statement
    items = (
        ("domain", statement.domain),
        ("scope", statement.scope),
        ("unit", statement.unit),
        ("standard", statement.standard),
        ("intensity", statement.intensity),
    )
    return Lines("What is stated", items)


def guarantees_block(audit: Audit, *, verbose: bool) -> Grid:
    """What each notion states: its universe, its distance, and its leading numbers."""
    measures: list[tuple[str, Callable[[Numbers], Bound | None]]] = [
        ("rho", lambda n: n.zcdp),
        ("mu", lambda n: n.gdp),
        ("regret", lambda n: n.gdp_regret),
        ("epsilon, delta 0", lambda n: n.pure_dp),
    ]
    fitted = any(row.numbers.gdp and not row.numbers.own_gdp for row in audit.rows)
    measures = [(name, number) for name, number in measures if fitted or name != "regret"]
    shown = [m for m in measures if any(m[1](row.numbers) is not None for row in audit.rows)]
    rows = tuple(
        (
            row.guarantee.framework,
            row.guarantee.universe,
            "-" if row.guarantee.distance is None else str(row.guarantee.distance),
            _covers(row),
            *(_value(measure(row.numbers)) for _, measure in shown),
        )
        for row in audit.rows
    )
    columns = ("guarantee", "universe", "distance", "covers invariants", *(n for n, _ in shown))
    metric = audit.release.adjacency.metric
    notes = [f"Distances are {metric} distances. Upper bounds, rounded up."] if verbose else []
    if fitted and verbose:
        notes.append(FITTED)
    for row in audit.rows:
        stated = row.guarantee
        note = stated.refused or (stated.note if verbose else stated.specific)
        notes += [f"{stated.framework}: {note}."] if note else []
    numeric = (False, False, True, False, *(True for _ in shown))
    glued = frozenset(i for i, name in enumerate(columns) if name == "regret")
    return Grid("What is guaranteed", columns, rows, numeric, tuple(notes), glued)


def _covers(row: Row) -> str:
    if row.guarantee.refused:
        return "-"
    return "yes" if row.guarantee.covers_joint_release else "no"


def alternatives_block(audit: Audit) -> Grid | None:
    """Other ways to the guarantees; None where there are none."""
    rows: list[tuple[str, ...]] = []
    deltas = [point.delta for row in audit.rows for point in row.numbers.approx_dp][:1]
    for row in audit.rows:
        for name, numbers in row.alternatives:
            best = [p.epsilon for p in numbers.approx_dp if p.delta in deltas]
            epsilon = min(best, key=lambda bound: bound.value) if best else None
            measure = numbers.own_gdp or numbers.zcdp or numbers.pure_dp
            kind = "mu" if numbers.own_gdp else "rho" if numbers.zcdp else "epsilon"
            leading = f"{kind} {_value(measure)}" if measure else "-"
            rows.append((row.guarantee.framework, name, leading, _value(epsilon)))
    if not rows:
        return None
    at = rational_text(deltas[0]) if deltas else ""
    columns = ("guarantee", "way", "measure", f"epsilon, delta {at}")
    return Grid(
        "Other ways, and other distances", columns, tuple(rows), (False, False, False, True)
    )


def ordering_block(audit: Audit) -> Lines:
    """Which notion is stronger than which."""
    strict = [f"{o.weaker} is weaker than {o.stronger}" for o in audit.ordering if o.strict]
    names = [row.guarantee.framework for row in audit.rows]
    both = {(o.stronger, o.weaker) for o in audit.ordering if not o.strict}
    equal = [
        f"{first} equals {second}"
        for i, first in enumerate(names)
        for second in names[i + 1 :]
        if (first, second) in both and (second, first) in both
    ]
    said = [*strict, *equal]
    text = f"{'; '.join(said)}. No other pair is ordered." if said else "No pair is ordered."
    return Lines("Which guarantee is stronger (Definition 20)", (("", text),))


def budgets_block(audit: Audit) -> Grid | None:
    """Every budget beside the certified number; None where there is none."""
    if not audit.budgets:
        return None
    rows = tuple(
        (
            result.budget.framework,
            measure_name(result),
            rational_text(result.budget.limit, up=False),
            _value(result.actual),
            budget_word(result) + (f": {result.reason}" if result.reason else ""),
        )
        for result in audit.budgets
    )
    columns = ("guarantee", "measure", "limit", "certified", "verdict")
    return Grid("Budgets", columns, rows, (False, False, True, True, False))


def not_protected_block(audit: Audit) -> Lines:
    """What each notion does not protect, a sentence each."""
    items = tuple((row.guarantee.framework, row.guarantee.not_protected) for row in audit.rows)
    return Lines("What each does not protect", items)


def findings_block(audit: Audit) -> Lines | None:
    """The findings with their lines; None where there are none."""
    path = audit.release.path
    items = tuple(
        (
            f"{finding.rule} {finding.level}",
            finding.message + (f" ({path}:{finding.mark.line})" if finding.mark.line else ""),
        )
        for finding in audit.findings
    )
    return Lines("Findings", items) if items else None


def left_out_block(audit: Audit) -> Lines | None:
    """What the audit leaves out, and its sources; None where nothing is told."""
    release = audit.release
    items = [("left out", text) for text in release.leaves_out]
    items += [("source", text) for text in release.references]
    return Lines("Of this audit", tuple(items)) if items else None


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)
