"""The blocks of a report that speak of the universe: a(t), its witness, what queries can change."""

from __future__ import annotations

from typing import assert_never

from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Audit
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.report.layout import Grid
from semiaudit.report.numbers import bound_text, root_of

SHOWN_CELLS = 4

METHODS = {
    "closed_form": "closed form",
    "set_cover": "minimum set cover",
    "enumeration": "enumeration of D_t",
    "supremum_over_t": "supremum over all t",
    "integer_program": "integer programs",
    "none": "no method: between what is always so and n",
}


def semi_adjacency_block(audit: Audit) -> Grid:
    """Both readings of a(t) with what stands beside them and the witness."""
    semi = audit.universe.semi_adjacency
    rows = [
        _reading("covering", "worst starting dataset", semi.covering),
        _reading("definition_13", "as printed, infimum over both", semi.definition_13),
    ]
    beside = [
        f"{name} {value}"
        for name, value in (
            ("Theorem 16's bound", semi.theorem_16_bound),
            ("a_min", semi.a_min),
            ("a_maxmin", semi.a_maxmin),
        )
        if value is not None
    ]
    notes = [f"The reading {semi.reading} is used."]
    if semi.own is not None:
        notes.append(f"This is a(t) of {semi.own.covered}; {semi.own.not_joint}.")
    notes += [f"Beside it: {', '.join(beside)}."] if beside else []
    notes += _witness_notes(semi.covering.witness, semi.metric)
    disclosed = audit.universe.disclosed
    if disclosed.forced_cells is not None:
        notes.append(
            f"The invariants alone fix the counts of {disclosed.forced_cells} of "
            f"{disclosed.cells} cells."
        )
    columns = ("reading of a(t)", "value", "meaning", "method")
    title = "How far apart datasets with the same invariants are"
    return Grid(title, columns, tuple(rows), (False, True, False, False), tuple(notes))


def _reading(name: str, meaning: str, parameter: Parameter) -> tuple[str, ...]:
    value = interval_text(parameter)
    return name, value, meaning, METHODS[parameter.method]


def interval_text(parameter: Parameter) -> str:
    """What is known of a(t): its value, or the interval that it lies in."""
    if parameter.upper is None:
        return f"at least {parameter.lower}" if parameter.lower else "not known"
    if parameter.lower == parameter.upper:
        return str(parameter.upper)
    if not parameter.established:
        return f"not established ({parameter.lower} to {parameter.upper})"
    return f"{parameter.lower} to {parameter.upper}"


def _witness_notes(witness: Witness | None, metric: Metric) -> list[str]:
    if witness is None:
        return []
    others = witness.distance - 1
    match metric:
        case "hamming":
            also = f"{others} other record{'s' * (others != 1)} must change"
            also = also if others else "no other must"
        case "multiset_hamming" | "symmetric_difference":
            also = f"the tables are {witness.distance} apart"
        case _:
            assert_never(metric)
    before, after = dict(witness.start), dict(witness.end)
    cells = [cell for cell in {**before, **after} if before.get(cell, 0) != after.get(cell, 0)]
    moves = [f"{_cell(c)} from {before.get(c, 0)} to {after.get(c, 0)}" for c in cells]
    more = len(moves) - SHOWN_CELLS
    shown = ", ".join(moves[:SHOWN_CELLS]) + (f" and {more} more" if more > 0 else "")
    table = f"Counts: {shown}." if moves else "The table stays as it is: records exchange places."
    if witness.record_from is None or witness.record_to is None:
        entering = witness.record_from is None
        record = witness.record_to if entering else witness.record_from
        verb = "enters" if entering else "leaves"
        change = f"a record {_cell(record)} {verb}" if record else "a record enters or leaves"
        return [f"Witness, made up from the invariants: {change}. {table}"]
    return [
        "Witness, made up from the invariants: a record "
        f"{_cell(witness.record_from)} becomes {_cell(witness.record_to)}; {also}. {table}"
    ]


def _cell(cell: Cell) -> str:
    return f"({', '.join(map(str, cell))})"


def sensitivity_block(audit: Audit) -> Grid | None:
    """The sensitivity space of every query, and of all together; None without queries."""
    if not audit.sensitivities:
        return None
    spaces = [(str(query), found) for query, found in audit.sensitivities]
    if audit.joint_sensitivity is not None and len(spaces) > 1:
        spaces.append(("all together", audit.joint_sensitivity))
    rows = []
    for name, found in spaces:
        rows.append(
            (
                name,
                bound_text(found.l1),
                bound_text(root_of(found.l2_squared)),
                bound_text(found.linf),
                "-" if found.rank is None else str(found.rank),
                "-" if found.elements is None else str(found.elements),
                "exact" if found.exact else "upper bounds",
            )
        )
    distance = audit.sensitivities[0][1].distance
    columns = ("query", "l1", "l2", "linf", "rank", "elements", "")
    title = f"By how much each query can change inside D_t, up to distance {distance}"
    return Grid(title, columns, tuple(rows), (False, True, True, True, True, True, False))


def noise_block(audit: Audit) -> Grid | None:
    """The variances of noise that keeps the invariants; None where there is none."""
    if not audit.spreads:
        return None
    rows = tuple(
        (
            f"{found.kind} on {found.query}",
            str(found.rank),
            bound_text(found.variance),
            bound_text(root_of(found.variance)),
            bound_text(found.expected_l2_squared),
        )
        for found in audit.spreads
    )
    columns = ("noise", "rank", "variance", "sd", "expected squared l2")
    title = "How large the noise is: the largest variance and sd of a coordinate, exact"
    return Grid(title, columns, rows, (False, True, True, True, True))
