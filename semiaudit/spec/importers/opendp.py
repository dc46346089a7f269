"""The accountant of an OpenDP context: `dp.serialize(context.accountant)`, or the context itself.

OpenDP's relation compares datasets of the accountant's domain, and margins belong to the domain. A
number therefore holds between datasets that agree on the invariants of its margins. It is declared
here where a path of neighbors that keep these invariants joins any two datasets that agree on them,
so that group privacy applies along the path; otherwise the import is refused.

- Lengths of margins that are nested: records are replaced inside the smallest groups.
- Keys, if a record enters or leaves: first all new records enter, then all old ones leave. With a
  bound on the size of the groups of one margin: first the old ones leave, except for one of each
  group that would be empty; these give way to new ones; then the rest enters.
- Keys of one margin, if a record is replaced: first one record of each group, then the others.
- Bounds alone: old records leave before new ones enter; or they are replaced in their own group,
  and what is left over moves from groups that become smaller to groups that become larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NoReturn

from semiaudit.frozen import dataclass
from semiaudit.spec.importers.imported import (
    Choices,
    Imported,
    Importer,
    Mechanism,
    Value,
    composed,
    number_at,
    refuse,
    whole_at,
)
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument

_FUNCTION, _ARGUMENTS, _MARGIN, _TUPLE = "__function__", "__kwargs__", "__margin__", "__tuple__"
_COMPOSITIONS = frozenset(
    {
        "make_adaptive_composition",
        "make_sequential_composition",
        "make_fully_adaptive_composition",
    }
)
_METRICS = {"symmetric_distance": "symmetric_difference", "change_one_distance": "multiset_hamming"}
_NULL = "null is a level of it too, as the column is nullable"


@dataclass(frozen=True, slots=True)
class _Margin:
    """A margin of the domain; `invariant` is lengths, keys, or empty."""

    by: tuple[str, ...]
    invariant: str
    most: str
    path: Path_


def _recognizes(node: Node) -> bool:
    return isinstance(node, dict) and _FUNCTION in node


def _read(document: YamlDocument, choices: Choices) -> Imported:
    """Make the spec of an accountant.

    Raises:
        SpecError: with the place of a part that a spec cannot have, or for which nothing is proven.
    """
    name = _function(document, ())
    if name not in _COMPOSITIONS:
        refuse(document, (_FUNCTION,), f"{name} is no composition", "serialize context.accountant")
    top: Path_ = (_ARGUMENTS,)
    found, margins = _domain(document, (*top, "input_domain"))
    metric = _metric(document, (*top, "input_metric"))
    rows = whole_at(document, (*top, "d_in"))
    left_out = _check_paths(document, margins, metric, rows)
    replaced = metric == "multiset_hamming" or (bool(_exact(margins, "lengths")) and rows > 1)
    neighbors = "replace_one" if replaced else "add_remove"
    measure = _measure(document, (*top, "output_measure"))
    mids = document.at((*top, "d_mids"))
    if not isinstance(mids, list) or not mids:
        what = "is no list of losses"
        refuse(document, (*top, "d_mids"), what, "serialize a context with split_evenly_over")
    parts = [_part(document, (*top, "d_mids", at), measure, neighbors) for at in range(len(mids))]
    notes: list[str] = []
    if choices.queries is not None:
        noise, notes = _noise(choices.queries, len(mids), replaced=replaced)
        parts = noise or parts
    levels = choices.levels or {}
    columns = {
        name: (nullable, [*map(str, levels.get(name, []))]) for name, nullable in found.items()
    }
    imported = _imported(columns, margins, (metric, replaced, rows), composed(parts))
    imported = replace(imported, notes=[*imported.notes, *notes])
    if not left_out:
        return imported
    sections = {"leaves_out": left_out, **imported.sections}
    return replace(imported, sections=sections)


def _imported(
    columns: dict[str, tuple[bool, list[str]]],
    margins: Sequence[_Margin],
    relation: tuple[str, bool, int],
    mechanism: Mechanism,
) -> Imported:
    metric, replaced, rows = relation
    invariants: list[Value] = []
    for margin in margins:
        if margin.invariant == "lengths":
            invariants.append({"margin": [*margin.by]} if margin.by else "total")
        elif margin.invariant == "keys":
            invariants.append({"keys": [*margin.by]})
    sizes_agree = replaced and not _exact(margins, "lengths")
    if sizes_agree:
        invariants.append("total")
    open_columns = {name: nullable for name, (nullable, known) in columns.items() if not known}
    notes = [f"the levels of {name!r} are not known: fill them in" for name in open_columns]
    notes += [f"{name!r}: {_NULL}" for name, nullable in open_columns.items() if nullable]
    notes += [
        f"the {'keys' if margin.invariant == 'keys' else 'lengths'} of margin "
        f"{' * '.join(margin.by) or 'total'} are published exactly"
        for margin in margins
        if margin.invariant
    ]
    notes += [
        f"no group of margin {' * '.join(margin.by) or 'total'} has more than {margin.most} "
        "records: write it as `bound` for each group if everybody knows it"
        for margin in margins
        if margin.most
    ]
    if sizes_agree:
        notes.append("change_one_distance compares datasets of one size: the total is an invariant")
    within: dict[str, Value] = {
        "unit": "record",
        "attributes": {name: known for name, (_, known) in columns.items()},
    }
    sections: dict[str, Value] = {
        "dataspace": within,
        "adjacency": {"metric": "multiset_hamming" if replaced else metric},
    }
    if rows > 1:
        sections["dataspace"] = {"unit": "contributor"}
        touches = {"attribute": str(rows)}
        if not replaced:
            touches["presence"] = str(rows)
        release: dict[str, Value] = {"dataspace": within, "touches": touches}
        if invariants:
            release["invariants"] = invariants
        sections["releases"] = [{**release, "mechanism": mechanism}]
        notes.append(
            f"a contributor has up to {rows} records (d_in); the losses, which were accounted for "
            f"{rows} rows that change, are declared for one row: they hold, and may be loose"
        )
    else:
        if invariants:
            sections["invariants"] = invariants
        sections["mechanism"] = mechanism
    return Imported("the accountant of an OpenDP context", sections, notes)


def _exact(margins: Sequence[_Margin], invariant: str) -> list[_Margin]:
    return [margin for margin in margins if margin.invariant == invariant]


def _check_paths(document: YamlDocument, margins: Sequence[_Margin], metric: str, rows: int) -> str:
    """Refuse margins for which no path of neighbors is known that stays in the domain.

    Returns:
        What must be true in addition; empty if nothing.
    """
    lengths, keys = _exact(margins, "lengths"), _exact(margins, "keys")
    if lengths and metric == "symmetric_difference" and rows == 1:
        what = (
            "is vacuous: with exact lengths no two datasets differ in one record, so no loss is "
            "bounded, and OpenDP adds no noise to sums"
        )
        refuse(document, (_ARGUMENTS, "d_in"), what, "use contributions=2 or changes=1")
    nested = sorted(lengths, key=lambda margin: len(margin.by))
    for inner, outer in pairwise(nested):
        if not {*inner.by} <= {*outer.by}:
            _refuse_path(document, outer)
    finest = {*nested[-1].by} if nested else set()
    free = [margin for margin in margins if not (lengths and {*margin.by} <= finest)]
    free = [margin for margin in free if margin.invariant or margin.most]
    if lengths and free:
        _refuse_path(document, free[-1])
    if not keys or lengths:
        if metric == "multiset_hamming" and len([margin for margin in free if margin.by]) > 1:
            _refuse_path(document, free[-1])
        return ""
    bounds = [margin for margin in free if margin.most]
    if len(keys) > 1 and (bounds or metric == "multiset_hamming"):
        _refuse_path(document, keys[-1])
    few = ""
    for bound in bounds:
        if metric == "multiset_hamming" and bound.by:
            _refuse_path(document, bound)
        if not bound.by:
            few = f"datasets of exactly {bound.most} records, the most that max_length allows"
        elif not {*keys[0].by} <= {*bound.by} or bound.most == "1":
            _refuse_path(document, bound)
    return few if metric == "symmetric_difference" else ""


def _refuse_path(document: YamlDocument, margin: _Margin) -> NoReturn:
    what = "does not go with the other margins: neighbors need not agree on all of them"
    remedy = "no loss is proven between datasets that agree on all; declare one by hand"
    refuse(document, margin.path, what, remedy)


def _function(document: YamlDocument, path: Path_) -> str:
    node = document.at(path)
    if not isinstance(node, dict) or not isinstance(node.get(_FUNCTION), Scalar):
        refuse(document, path, "is no object of OpenDP", "write `dp.serialize(context.accountant)`")
    return str(node[_FUNCTION])


def _domain(document: YamlDocument, path: Path_) -> tuple[dict[str, bool], list[_Margin]]:
    """The columns, each with whether it is nullable, and the margins, the outermost last."""
    margins: list[_Margin] = []
    while (name := _function(document, path)) == "with_margin":
        margins.append(_margin(document, (*path, _ARGUMENTS, "margin", _MARGIN)))
        path = (*path, _ARGUMENTS, "frame_domain")
    if name not in {"lazyframe_domain", "dataframe_domain"}:
        refuse(document, path, f"{name} is no domain of tables", "import a context of a LazyFrame")
    inside: Path_ = (*path, _ARGUMENTS, "series_domains")
    series = document.at(inside)
    if not isinstance(series, list) or not series:
        refuse(document, inside, "is no list of columns", "serialize context.accountant")
    columns = {}
    for at in range(len(series)):
        column: Path_ = (*inside, at)
        if (kind := _function(document, column)) != "series_domain":
            refuse(document, column, f"{kind} is no column", "serialize context.accountant")
        name = _word(document, (*column, _ARGUMENTS, "name"))
        element = _function(document, (*column, _ARGUMENTS, "element_domain"))
        columns[name] = element == "option_domain"
    for margin in margins:
        for name in margin.by:
            if name not in columns:
                refuse(document, margin.path, f"has no column {name!r}", "correct the file")
    return columns, margins[::-1]


def _margin(document: YamlDocument, path: Path_) -> _Margin:
    node = document.at(path)
    if not isinstance(node, dict):
        refuse(document, path, "is no margin", "serialize context.accountant")
    if unknown := {*node} - {"by", "max_length", "max_groups", "invariant"}:
        refuse(document, path, f"has the unknown key {min(unknown)}", "remove it")
    if node.get("max_groups") is not None:
        what = "bounds the number of groups, which no invariant of a spec says"
        refuse(document, (*path, "max_groups"), what, "leave it out of the margin")
    by = node.get("by", [])
    if not isinstance(by, list):
        refuse(document, (*path, "by"), "is no list of columns", "serialize context.accountant")
    names = tuple(_word(document, (*path, "by", at)) for at in range(len(by)))
    invariant = "" if node.get("invariant") is None else str(node["invariant"])
    if invariant not in {"", "lengths", "keys"}:
        what = f"{invariant!r} is unknown"
        refuse(document, (*path, "invariant"), what, "it is lengths, keys, or null")
    most = node.get("max_length")
    if most is not None:
        whole_at(document, (*path, "max_length"))
    return _Margin(names, invariant, "" if most is None else str(most), path)


def _word(document: YamlDocument, path: Path_) -> str:
    node = document.at(path)
    if not isinstance(node, Scalar) or not node:
        refuse(document, path, "is no name of a column", "name columns by texts")
    return str(node)


def _metric(document: YamlDocument, path: Path_) -> str:
    name = _function(document, path)
    if name not in _METRICS:
        what = f"the metric {name} is not supported"
        refuse(document, path, what, f"supported are {', '.join(_METRICS)}")
    return _METRICS[name]


def _measure(document: YamlDocument, path: Path_) -> str:
    name = _function(document, path)
    if name == "approximate":
        inner = _function(document, (*path, _ARGUMENTS, "measure"))
        name = f"approximate {inner}"
    if name not in _KINDS:
        what = f"the measure {name} is not supported"
        refuse(document, path, what, f"supported are {', '.join(_KINDS)}")
    return name


_KINDS = {
    "max_divergence": "pure_dp",
    "zero_concentrated_divergence": "zcdp",
    "approximate max_divergence": "approx_dp",
}


def _part(document: YamlDocument, path: Path_, measure: str, neighbors: str) -> Mechanism:
    kind = _KINDS[measure]
    if kind != "approx_dp":
        number_at(document, path, least=None)
        parameter = "rho" if kind == "zcdp" else "epsilon"
        return {kind: {parameter: str(document.at(path)), "neighbors": neighbors}}
    pair: Path_ = (*path, _TUPLE)
    losses = document.at(pair)
    if not isinstance(losses, list) or len(losses) != 2:
        refuse(document, path, "is no pair of epsilon and delta", "serialize context.accountant")
    for at in range(2):
        number_at(document, (*pair, at), least=None)
    epsilon, delta = map(str, losses)
    return {kind: {"epsilon": epsilon, "delta": delta, "neighbors": neighbors}}


_NOISES = {
    "Integer Gaussian": "discrete_gaussian",
    "Integer Laplace": "discrete_laplace",
}


def _noise(
    queries: YamlDocument, losses: int, *, replaced: bool
) -> tuple[list[Mechanism], list[str]]:
    """The noise of counts by the table of `summarize()`; no parts if some loss is not that noise.

    One record moves one count by 1, or two counts if it is replaced. If counts below a threshold
    are left out, the groups that occur are published too, and the noise does not cover them.

    Args:
        losses: of the accountant; a table with fewer rows lacks a query.
    """
    rows = queries.root
    if not isinstance(rows, list) or not rows:
        refuse(queries, (), "is no list of rows", "write `query.summarize().write_json(...)`")
    parts: list[Mechanism] = []
    notes: list[str] = []
    unknown = "" if len(rows) >= losses else f"{losses - len(rows)} of {losses} queries"
    for at, row in enumerate(rows):
        wanted = {"column", "aggregate", "distribution", "scale"}
        if not isinstance(row, dict) or not wanted <= {*row}:
            what = f"has not the columns {', '.join(sorted(wanted))}"
            refuse(queries, (at,), what, "write `query.summarize().write_json(...)`")
        scale = number_at(queries, (at, "scale"), least=-1)
        name, aggregate = str(row["column"]), str(row["aggregate"])
        kind = _NOISES.get(str(row["distribution"]), "")
        if scale <= 0:
            notes.append(f"{aggregate} of {name!r} has scale 0: it is published exactly")
        elif row.get("threshold") is not None:
            unknown = f"the groups that reach the threshold of {name!r}"
        elif aggregate not in {"Frame Length", "Length"} or not kind:
            unknown = f"{aggregate} of {name!r}"
        else:
            size = {"sigma_squared": str(scale**2)} if "gaussian" in kind else {"scale": str(scale)}
            shifts = ["1", "1"] if replaced else ["1"]
            neighbors = "replace_one" if replaced else "add_remove"
            parts.append({kind: {**size, "shifts": shifts, "neighbors": neighbors}})
    if unknown:
        notes.append(
            f"the change of {unknown} by one record is not in the table of queries, so the losses "
            "of the accountant are declared instead of the noise"
        )
        return [], notes
    return parts, notes


def values_of_accountant(value: Any) -> object:
    """The JSON of an accountant, read from the records that OpenDP's objects keep of themselves.

    Unlike `dp.serialize`, it does not fail for domains that OpenDP inferred. Expressions stay out.
    """
    accountant = getattr(value, "accountant", None)
    if accountant is not None:
        return values_of_accountant(accountant)
    record = getattr(value, "__opendp_dict__", None)
    if isinstance(record, dict):
        return {key: values_of_accountant(below) for key, below in record.items()}
    if isinstance(value, dict):
        return {str(key): values_of_accountant(below) for key, below in value.items()}
    if isinstance(value, tuple):
        return {_TUPLE: [values_of_accountant(below) for below in value]}
    if isinstance(value, list):
        return [values_of_accountant(below) for below in value]
    if hasattr(value, "by") and hasattr(value, "invariant"):
        names = ("by", "max_length", "max_groups", "invariant")
        return {_MARGIN: {name: _plain(getattr(value, name)) for name in names}}
    return _plain(value)


def _plain(value: Any) -> object:
    if isinstance(value, list):
        return [_plain(below) for below in value]
    return value if isinstance(value, (int, float, str)) or value is None else str(value)


OPENDP = Importer("opendp", _recognizes, _read)
