"""The view of an audit that all readable formats share: blocks of text and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from semiaudit.model.audit import Audit, BudgetResult
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeRow, Numbers, WorstPair, WorstPairs
from semiaudit.model.labels import DEFINITION, budget_word, label, measure_name
from semiaudit.model.number_text import bound_text, certified_text, limit_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import leading_numbers
from semiaudit.report.blocks.epsilon_tables import epsilon_grids
from semiaudit.report.blocks.headline import attack_grids, headline
from semiaudit.report.blocks.plain_words import plain_audit
from semiaudit.report.blocks.semantics_view import semantics_blocks
from semiaudit.report.blocks.universe_view import (
    noise_block,
    semi_adjacency_block,
    sensitivity_block,
)
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

ORDER = (
    "A test assumes the first dataset of a pair, and at a δ an output is more likely for it. Of "
    "several worst pairs, the first is named."
)


def worst_pairs_block(audit: Audit) -> Lines | None:
    """Return the datasets that a finite mechanism distinguishes best; None if unknown."""
    if not audit.worst_pairs:
        return None
    items = tuple(item for pairs in audit.worst_pairs for item in _items(pairs))
    return Lines("Worst pairs of datasets", (*items, ("", ORDER)))


def _items(pairs: WorstPairs) -> Iterator[tuple[str, str]]:
    name = label(pairs.framework)
    for rate, pair in pairs.tradeoff:
        yield name, f"type I error {rational_text(rate)}: {_pair_text(pair, 'type II error')}"
        name = ""
    for delta, pair in pairs.approx_dp:
        yield name, f"δ = {rational_text(delta)}: {_pair_text(pair, 'ε')}"
        name = ""


def _pair_text(pair: WorstPair | None, number: str) -> str:
    if pair is None:
        return "none, all output distributions are equal"
    apart = "" if pair.distance is None else f", distance {pair.distance}"
    return f"{pair.first} against {pair.second}{apart}: {number} {bound_text(pair.number)}"


FITTED = (
    "If the regret is above 0, μ is the smallest certified value; the regret bounds how far its "
    "tradeoff function is below the certified one."
)


def view_of(
    audit: Audit, *, explain: bool = False, caveats: bool = False, verbose: bool = False
) -> View:
    """Arrange an audit for reading: the verdict, the comparison, the specification, the details.

    Args:
        explain: show the example pair of covering a(t) record by record.
        caveats: also show the remarks that are in every report.
        verbose: show the caveats, and references to theory: results, errata, and identifiers.
    """
    caveats = caveats or verbose
    audit = audit if verbose else plain_audit(audit)
    blocks: list[Block | None] = [
        headline(audit),
        guarantees_block(audit, caveats=caveats),
        *epsilon_grids(audit.rows),
        *attack_grids(audit.rows, caveats=caveats),
        *_semantics(audit),
        _worst_pairs(audit),
        ordering_block(audit, verbose=verbose),
        budgets_block(audit),
        statement_block(audit),
        semi_adjacency_block(audit, verbose=verbose),
        _explained(audit) if explain else None,
        sensitivity_block(audit, verbose=verbose),
        noise_block(audit, verbose=verbose),
        alternatives_block(audit),
        not_protected_block(audit) if caveats else None,
        findings_block(audit),
        left_out_block(audit),
    ]
    held = tuple(block for block in blocks if block is not None)
    return View(audit.release.title, subtitle_of(audit), held)


def _explained(audit: Audit) -> Lines | None:
    from semiaudit.report.blocks.explain import explained  # most reports do not need it

    return explained(audit)


def subtitle_of(audit: Audit) -> str:
    """Return the spec's path, the version, and why the report is incomplete, if it is."""
    late = heading(audit.incomplete_because)
    return f"{audit.release.path} · semiaudit {__version__}{late}"


def statement_block(audit: Audit) -> Lines:
    """Return the five building blocks, one sentence each."""
    statement = audit.statement
    items = (
        ("domain", statement.domain),
        ("scope", statement.scope),
        ("unit", statement.unit),
        ("standard", statement.standard),
        ("intensity", statement.intensity),
    )
    return Lines("Privacy specification", items)


def guarantees_block(audit: Audit, *, caveats: bool) -> Grid:
    """Return what each privacy definition guarantees: universe, distance, and leading numbers.

    Args:
        caveats: explain the tables that are in every report.
    """
    measures: list[tuple[str, Callable[[Numbers], Bound | None]]] = [
        ("ρ", lambda n: n.zcdp),
        ("μ", lambda n: n.gdp),
        ("regret", lambda n: n.gdp_regret),
        ("ε at δ = 0", lambda n: n.pure_dp),
    ]
    # A row without a mu of its own has one that was fitted to another measure. Its regret bounds
    # how far that function is below the certified one. Without such a row every regret is 0.
    fitted = any(row.numbers.gdp and not row.numbers.own_gdp for row in audit.rows)
    measures = [(name, number) for name, number in measures if fitted or name != "regret"]
    shown = [m for m in measures if any(m[1](row.numbers) is not None for row in audit.rows)]
    rows = tuple(
        (
            label(row.guarantee.framework),
            label(row.guarantee.universe),
            "-" if row.guarantee.distance is None else str(row.guarantee.distance),
            _covers(row),
            *(_value(measure(row.numbers)) for _, measure in shown),
        )
        for row in audit.rows
    )
    columns = (DEFINITION, "universe", "distance", "covers invariants", *(n for n, _ in shown))
    metric = label(audit.release.adjacency.metric)
    notes = [f"Metric of the distances: {metric}. Upper bounds, rounded up."] if caveats else []
    if fitted and caveats:
        notes.append(FITTED)
    remarks: dict[str, list[str]] = {}
    for row in audit.rows:
        guarantee = row.guarantee
        note = guarantee.refused or (guarantee.note if caveats else guarantee.specific)
        remarks.setdefault(note, []).append(label(guarantee.framework))
    notes += [f"{', '.join(names)}: {note}." for note, names in remarks.items() if note]
    notes += cut_short_notes((label(row.guarantee.framework), row.numbers) for row in audit.rows)
    numeric = (False, False, True, False, *(True for _ in shown))
    glued = frozenset(i for i, name in enumerate(columns) if name == "regret")
    first = next(iter(leading_numbers(audit)), None)
    leading = "" if first is None else f"{first.symbol}{first.at}"
    places = range(len(columns) - len(shown), len(columns))
    decisive = tuple(sorted(places, key=lambda place: columns[place] != leading))
    return Grid("Guarantees", columns, rows, numeric, tuple(notes), glued, decisive=decisive)


def cut_short_notes(rows: Iterable[tuple[str, Numbers]]) -> list[str]:
    """Return which numbers the time limit cut short, in one sentence for each list of numbers."""
    named: dict[str, list[str]] = {}
    for name, numbers in rows:
        if numbers.cut_short:
            named.setdefault(_all_cut_short(numbers), []).append(name)
    return [
        f"{', '.join(filter(None, names)) or 'The mechanism'}: the time limit cut short {numbers}; "
        "these numbers hold, and can be loose."
        for numbers, names in named.items()
    ]


def _all_cut_short(numbers: Numbers) -> str:
    places: dict[str, list[str]] = {}
    for measure, at in numbers.cut_short:
        places.setdefault(CUT_SHORT_AT[measure], []).append(rational_text(at))
    return " and ".join(f"{name} {', '.join(at)}" for name, at in places.items())


CUT_SHORT_AT = {"epsilon": "ε at δ =", "delta": "δ at ε =", "type_ii": "the attack at FPR"}


def _covers(row: GuaranteeRow) -> str:
    if row.guarantee.refused:
        return "-"
    return "yes" if row.guarantee.covers_joint_release else "no"


def alternatives_block(audit: Audit) -> Grid | None:
    """Return other methods for the guarantees; None if there are none."""
    rows: list[tuple[str, ...]] = []
    deltas = [point.delta for row in audit.rows for point in row.numbers.approx_dp][:1]
    for row in audit.rows:
        for name, numbers in row.alternatives:
            best = [p.epsilon for p in numbers.approx_dp if p.delta in deltas]
            epsilon = min(best, key=lambda bound: bound.value) if best else None
            measure = numbers.own_gdp or numbers.zcdp or numbers.pure_dp
            kind = "μ" if numbers.own_gdp else "ρ" if numbers.zcdp else "ε"
            leading = f"{kind} {_value(measure)}" if measure else "-"
            rows.append((label(row.guarantee.framework), label(name), leading, _value(epsilon)))
    if not rows:
        return None
    at = rational_text(deltas[0]) if deltas else ""
    columns = (DEFINITION, "bound", "measure", f"ε at δ = {at}")
    return Grid(
        "Other bounds, and other distances",
        columns,
        tuple(rows),
        (False, False, False, True),
        decisive=(1, 3),
    )


def ordering_block(audit: Audit, *, verbose: bool = False) -> Lines:
    """Return which privacy definition is stronger than which.

    Args:
        verbose: name the definition of the order.
    """
    strict = [
        f"{label(o.weaker)} is weaker than {label(o.stronger)}" for o in audit.ordering if o.strict
    ]
    names = [row.guarantee.framework for row in audit.rows]
    equal_pairs = {(o.stronger, o.weaker) for o in audit.ordering if not o.strict}
    equal = [
        f"{label(first)} equals {label(second)}"
        for i, first in enumerate(names)
        for second in names[i + 1 :]
        if (first, second) in equal_pairs and (second, first) in equal_pairs
    ]
    orders = [*strict, *equal]
    others = "No other order is proven."
    text = f"{'; '.join(orders)}. {others}" if orders else "No order of the guarantees is proven."
    by = " (Definition 20)" if verbose else ""
    return Lines(f"Which guarantee is stronger{by}", (("", text),))


def budgets_block(audit: Audit) -> Grid | None:
    """Return every budget with the certified number; None if there is none."""
    if not audit.budgets:
        return None
    return budget_grid("Budgets", [(b, _budget_text(audit, b)) for b in audit.budgets])


def budget_grid(title: str, results: Iterable[tuple[BudgetResult, str]]) -> Grid:
    """Return the table of budgets: each with its limit, the certified number, and its verdict.

    Args:
        results: each with its verdict in words.
    """
    rows = tuple(
        (
            label(result.budget.framework),
            measure_name(result.budget.measure, result.budget.at, result.budget.distance),
            limit_text(result.budget.limit, result.actual),
            "-" if result.actual is None else certified_text(result.actual, result.budget.limit),
            verdict,
        )
        for result, verdict in results
    )
    columns = (DEFINITION, "measure", "limit", "certified", "verdict")
    return Grid(title, columns, rows, (False, False, True, True, False), decisive=(4,))


def _budget_text(audit: Audit, result: BudgetResult) -> str:
    """The verdict on a budget, and why; numbers of a placeholder pass none."""
    if result.holds and audit.release.placeholder is not None:
        return "not judged: placeholder"
    return budget_word(result) + (f": {result.reason}" if result.reason else "")


def not_protected_block(audit: Audit) -> Lines:
    """Return what each guarantee does not protect, one sentence each."""
    items = tuple(
        (label(row.guarantee.framework), row.guarantee.not_protected) for row in audit.rows
    )
    return Lines("What each guarantee does not protect", items)


def findings_block(audit: Audit) -> Lines | None:
    """Return the findings with their lines; None if there are none."""
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
    """Return what the audit omits, and its sources; None if there is nothing to list."""
    release = audit.release
    items = [("left out", text) for text in release.leaves_out]
    items += [("source", text) for text in release.references]
    return Lines("Scope and sources of this audit", tuple(items)) if items else None


def _value(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)


def _semantics(audit: Audit) -> list[Grid]:
    if not audit.semantics:
        return []
    return semantics_blocks(audit)


def _worst_pairs(audit: Audit) -> Lines | None:
    if not audit.worst_pairs:
        return None

    return worst_pairs_block(audit)
