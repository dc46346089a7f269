"""The data section: from a table, margins or a dataset to the published value t.

Counts nested by attribute, as lists or by the names of the levels, and in which order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

from semiaudit.errors import Problem
from semiaudit.frozen import dataclass
from semiaudit.model.audit import ExampleDataset, Published, PublishedCounts
from semiaudit.model.dataspace import (
    Attribute,
    Dataset,
    Dataspace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    holds,
)
from semiaudit.model.invariants import Invariant
from semiaudit.model.invariants.constraint import SameMargin, is_published
from semiaudit.spec.data.data_schema import DataSection
from semiaudit.spec.data.published_from_counts import (
    Levels,
    Tallies,
    contradictions,
    groupings,
    names_of,
    published_counts,
    size_is_fixed,
)
from semiaudit.spec.scalars import LARGEST_SIZE, kind_of, whole
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument


@dataclass(frozen=True, slots=True)
class Nesting:
    """The place of nested counts, and the order of attributes in which they are nested.

    Attributes:
        path: of the outermost list or mapping.
        attributes: from the outermost to the innermost.
        in_spec: the spec tells the order.
    """

    path: Path_
    attributes: tuple[Attribute, ...]
    in_spec: bool


def table_of(document: YamlDocument, path: Path_) -> Path_:
    """Return the counts themselves: with an ``order``, they are under ``table``."""
    node = document.at(path)
    if isinstance(node, dict) and "order" in node and node.keys() <= {"order", "table"}:
        return (*path, "table")
    return path


def nesting_of(
    document: YamlDocument, path: Path_, attributes: Sequence[Attribute]
) -> Nesting | None:
    """Return the order in which counts are nested; None, with the problem reported, if it is wrong.

    A mapping of ``order`` and ``table`` tells it, unless the first attribute has such levels.
    Without it the counts are nested in the order of the attributes.
    """
    inner = table_of(document, path)
    if inner == path or None not in attributes[0].indices(["order", "table"]):
        return Nesting(path, tuple(attributes), in_spec=False)
    order, by_name = document.at((*path, "order")), {a.name: a for a in attributes}
    names = [str(name) for name in order] if isinstance(order, list) else []
    if sorted(names) != sorted(by_name) or not all(isinstance(n, Scalar) for n in order or ()):
        what = "is not an order of the attributes"
        document.report((*path, "order"), what, f"list each of {', '.join(by_name)} once")
        return None
    if inner[-1] not in (document.at(path) or {}):
        document.report(path, "has an order, but no table", "add `table`: the nested counts")
        return None
    return Nesting(inner, tuple(by_name[name] for name in names), in_spec=True)


def fits_another_order(node: Node, attributes: Sequence[Attribute]) -> bool:
    """Return whether counts that are nested in one order have the shape of another one too.

    Then there are two attributes that can be exchanged: with as many levels, and with levels of
    the same names if a level of nesting goes by names.
    """
    named = [False] * len(attributes)
    layer: list[Node] = [node]
    for depth in range(len(attributes)):
        named[depth] = any(isinstance(one, dict) for one in layer)
        layer = [
            inner
            for one in layer
            if isinstance(one, list | dict)
            for inner in (one if isinstance(one, list) else one.values())
        ]
    return any(
        first.size == second.size
        and (not (named[i] or named[j]) or _names(first) == _names(second))
        for (i, first), (j, second) in combinations(enumerate(attributes), 2)
        if first.size > 1
    )


def _names(attribute: Attribute) -> set[str]:
    return {str(attribute.label(index)) for index in range(attribute.size)}


def flat_counts(
    document: YamlDocument, path: Path_, attributes: Sequence[Attribute]
) -> list[int] | None:
    """Nested counts as a row-major list; every fault of shape or value is reported."""
    before = len(document.problems)
    result: list[int] = []
    _collect(document, path, document.at(path), attributes, result)
    return result if len(document.problems) == before else None


def check_count(document: YamlDocument, path: Path_, node: object) -> None:
    """Report a count that is none."""
    _collect(document, path, node, (), [])


def _collect(
    document: YamlDocument,
    path: Path_,
    node: object,
    attributes: Sequence[Attribute],
    result: list[int],
) -> None:
    if not attributes:
        try:
            number = whole(node)
            if number < 0:
                raise ValueError(f"{number} is negative; a count is at least 0")
            if number > LARGEST_SIZE:
                raise ValueError(f"{number} is too large; a count is at most {LARGEST_SIZE}")
            result.append(number)
        except ValueError as error:
            message, _, remedy = str(error).partition("; ")
            document.report(path, message, remedy)
        return
    attribute, inner = attributes[0], attributes[1:]
    if isinstance(node, dict):
        _collect_named(document, path, node, attributes, result)
        return
    if not isinstance(node, list) or len(node) != attribute.size:
        what = f"a list of {len(node)}" if isinstance(node, list) else kind_of(node)
        need = f"{attribute.name} has {attribute.size} levels"
        document.report(path, f"is {what}, but {need}", "give one entry for each level, in order")
        return
    for index, item in enumerate(node):
        _collect(document, (*path, index), item, inner, result)


def _collect_named(
    document: YamlDocument,
    path: Path_,
    node: dict[str, object],
    attributes: Sequence[Attribute],
    result: list[int],
) -> None:
    attribute = attributes[0]
    indices = attribute.indices(node)
    keys = dict(zip(indices, node, strict=True))
    unknown = [key for index, key in zip(indices, node, strict=True) if index is None]
    for key in unknown:
        what = f"{key} is not a level of {attribute.name}"
        document.report((*path, key), what, "name one of its levels", key=True)
    if unknown:
        return
    if not len(keys) == len(node) == attribute.size:
        what = f"does not name each of the {attribute.size} levels of {attribute.name} once"
        document.report(path, what, "give a count for each level, even if it is 0")
        return
    for index in range(attribute.size):
        key = keys[index]
        _collect(document, (*path, key), node[key], attributes[1:], result)


Names = tuple[str, ...]


def published_values(
    document: YamlDocument, section: DataSection, space: Dataspace, invariants: Sequence[Invariant]
) -> Published | None:
    """t, or None with the problems in the document."""
    path: Path_ = ("data",)
    keys = sorted(
        key
        for key in section.model_fields_set - {"columns"}
        if document.at(("data", key)) is not None
    )
    if keys in (["engine"], ["engine", "records"], ["engine", "table"], ["records"], ["table"]):
        return None
    if len(keys) != 1:
        what = f"gives {' and '.join(keys)}" if keys else "is empty"
        document.report(
            path,
            what,
            "give the published values in one way: counts, margins, table, records, or dataset",
        )
        return None
    inner: Path_ = ("data", keys[0])
    if not isinstance(space, TableSpace):
        if section.dataset is None:
            what = "does not fit an explicit dataspace"
            document.report(inner, what, "give one dataset: `dataset: [...]`")
            return None
        return _example(document, inner, tuple(section.dataset), space)
    if section.dataset is not None:
        document.report(inner, "is only for explicit dataspaces", "give counts or margins")
        return None
    if keys == ["counts"]:
        fixed = size_is_fixed(space, invariants)
        return _from_counts(document, inner, space, invariants, tells_size=fixed)
    if keys == ["margins"]:
        return _from_margins(document, inner, space, invariants)
    raise ValueError(f"{keys[0]} is not a known way to give the published values")


def check_counts(document: YamlDocument) -> None:
    """Report every count that is none, where the dataspace is too broken to say the shape."""
    for key in ("counts", "margins"):
        path = table_of(document, ("data", key))
        _check_leaves(document, path, document.at(path))


def _check_leaves(document: YamlDocument, path: Path_, node: object) -> None:
    if isinstance(node, list | dict):
        items = enumerate(node) if isinstance(node, list) else node.items()
        for key, item in items:
            _check_leaves(document, (*path, key), item)
    elif path in document.marks:
        check_count(document, path, node)


def _example(
    document: YamlDocument, path: Path_, dataset: Dataset, space: ProductSpace | ListedSpace
) -> ExampleDataset | None:
    if len(dataset) != space.size:
        what = f"has {len(dataset)} records, but the datasets of the dataspace have {space.size}"
        document.report(path, what, "give a dataset of the dataspace")
        return None
    if not holds(space, dataset):
        document.report(path, "is not a dataset of the dataspace", "correct its records")
        return None
    return ExampleDataset(dataset, document.mark(path))


def _from_counts(
    document: YamlDocument,
    path: Path_,
    space: TableSpace,
    invariants: Sequence[Invariant],
    *,
    tells_size: bool,
) -> PublishedCounts | None:
    """The published value of a table; None (without a problem) if nothing of it is public."""
    if not space.attributes:
        what = "is a table over attributes, but the dataspace has no attributes"
        document.report(path, what, "add dataspace.attributes")
        return None
    ordered = _table(document, path, space.attributes)
    if ordered is None:
        return None
    every = tuple(attribute.name for attribute in space.attributes)
    size = sum(ordered)
    if not _size_agrees(document, path, space, size):
        return None
    table = _held(space, every, ordered)
    tallies = {onto: collapsed(table, every, onto) for onto in groupings(space, invariants)}
    if not _agrees(document, path, space, invariants, tallies):
        return None
    if not invariants and not tells_size:
        return None
    mark = document.mark(path)
    counts = published_counts(space, invariants, size if tells_size else None, tallies, mark)
    nesting = nesting_of(document, path, space.attributes)
    guessed = (
        nesting is not None
        and not nesting.in_spec
        and fits_another_order(document.at(path), space.attributes)
    )
    return replace(counts, nesting=every) if guessed else counts


def _table(
    document: YamlDocument, path: Path_, attributes: Sequence[Attribute]
) -> tuple[int, ...] | None:
    """Nested counts, row-major in the order of the attributes; None with the problems."""
    nesting = nesting_of(document, path, attributes)
    flat = None if nesting is None else flat_counts(document, nesting.path, nesting.attributes)
    if nesting is None or flat is None:
        return None
    names = tuple(attribute.name for attribute in nesting.attributes)
    every = tuple(attribute.name for attribute in attributes)
    return _reordered(flat, nesting.attributes, names, every)


def table_inside(document: YamlDocument, space: TableSpace) -> tuple[int, ...] | None:
    """The confidential table that a spec itself holds, row-major; None if it holds none."""
    path: Path_ = ("data", "counts")
    if document.at(path) is None:
        return None
    return _table(document, path, space.attributes)


def _agrees(
    document: YamlDocument,
    path: Path_,
    space: TableSpace,
    invariants: Sequence[Invariant],
    tallies: Tallies,
) -> bool:
    before = len(document.problems)
    for what, index in contradictions(space, invariants, tallies):
        if index is None:
            document.report(path, what, "correct the counts or the dataspace")
        else:
            mark, remedy = invariants[index].mark, "correct the bound or the data"
            where = f"invariants[{index}]"
            document.problems.append(
                Problem(document.file, mark.line, mark.column, where, what, remedy)
            )
    return len(document.problems) == before


def collapsed(table: Mapping[Levels, int], names: Names, onto: Names) -> dict[Levels, int]:
    """Counts by some attributes, summed to counts by fewer of them."""
    places = [names.index(name) for name in onto]
    counts: dict[Levels, int] = {}
    for levels, number in table.items():
        key = tuple(levels[place] for place in places)
        counts[key] = counts.get(key, 0) + number
    return counts


def _from_margins(
    document: YamlDocument, path: Path_, space: TableSpace, invariants: Sequence[Invariant]
) -> PublishedCounts | None:
    before = len(document.problems)
    required = [names_of(space, i) for i in invariants if isinstance(i.constraint, SameMargin)]
    node = document.at(path)
    if not isinstance(node, dict) or not node:
        document.report(path, "is not a mapping of margins", "write `attribute: [counts]`")
        return None
    margins: dict[Names, tuple[int, ...]] = {}
    for key in node:
        names = tuple(part.strip() for part in key.replace("*", ",").split(","))
        where = (*path, key)
        attribute_names = [attribute.name for attribute in space.attributes]
        unknown = [name for name in names if name not in attribute_names]
        if unknown:
            what = f"{unknown[0]} is not an attribute of the dataspace"
            document.report(where, what, f"it has {', '.join(attribute_names)}", key=True)
            continue
        ordered = tuple(sorted(names, key=space.position))
        if ordered not in required:
            what = "is not published by any invariant"
            document.report(where, what, "add it to invariants, or leave it out", key=True)
            continue
        if ordered in margins:
            document.report(where, "is given twice", "keep one of them", key=True)
            continue
        attributes = [space.attributes[space.position(name)] for name in names]
        flat = flat_counts(document, where, attributes)
        if flat is not None:
            margins[ordered] = _reordered(flat, attributes, names, ordered)
    for names in dict.fromkeys(required):
        if names not in margins and len(document.problems) == before:
            key = " * ".join(names)
            document.report(path, f"the counts of margin {key} are missing", f"add `{key}: [...]`")
    if len(document.problems) > before:
        return None
    return _consistent(document, path, space, invariants, margins)


def _consistent(
    document: YamlDocument,
    path: Path_,
    space: TableSpace,
    invariants: Sequence[Invariant],
    margins: dict[Names, tuple[int, ...]],
) -> PublishedCounts | None:
    tables = {names: _held(space, names, counts) for names, counts in margins.items()}
    totals = {names: sum(counts) for names, counts in margins.items()}
    size = next(iter(totals.values()))
    if not _size_agrees(document, path, space, size):
        return None
    for names, total in totals.items():
        if total != size:
            first = " * ".join(next(iter(totals)))
            what = f"margin {' * '.join(names)} sums to {total}, but margin {first} sums to {size}"
            document.report(path, what, "correct the counts: they contradict each other")
            return None
    for names, other in combinations(tables, 2):
        common = tuple(name for name in names if name in other)
        if common and collapsed(tables[names], names, common) != collapsed(
            tables[other], other, common
        ):
            what = f"margin {' * '.join(names)} contradicts margin {' * '.join(other)}"
            document.report(path, what, "correct the counts")
            return None
    tallies: dict[Names, dict[Levels, int]] = {}
    for wanted in groupings(space, invariants):
        telling = next((names for names in tables if set(wanted) <= set(names)), None)
        if telling is not None:
            tallies[wanted] = collapsed(tables[telling], telling, wanted)
    for invariant in invariants:
        wanted, constraint = names_of(space, invariant), invariant.constraint
        if constraint is not None and is_published(constraint) and wanted not in tallies and wanted:
            what = f"do not determine {invariant}"
            document.report(path, what, "give the table instead: `counts`, `table` or `records`")
            return None
    if not _agrees(document, path, space, invariants, tallies):
        return None
    return published_counts(space, invariants, size, tallies, document.mark(path))


def _held(space: TableSpace, names: Names, counts: tuple[int, ...]) -> dict[Levels, int]:
    shape = [range(space.attributes[space.position(name)].size) for name in names]
    return {levels: n for levels, n in zip(product(*shape), counts, strict=True) if n}


def _reordered(
    flat: Sequence[int], attributes: Sequence[Attribute], names: Names, ordered: Names
) -> tuple[int, ...]:
    """Row-major counts in the order of ``names``, in the order of ``ordered`` instead."""
    if names == ordered:
        return tuple(flat)
    shape = [range(attribute.size) for attribute in attributes]
    by_levels = dict(zip(product(*shape), flat, strict=True))
    places = [names.index(name) for name in ordered]
    result = []
    for levels in product(*(shape[place] for place in places)):
        original = [0] * len(names)
        for place, level in zip(places, levels, strict=True):
            original[place] = level
        result.append(by_levels[tuple(original)])
    return tuple(result)


def _size_agrees(document: YamlDocument, path: Path_, space: TableSpace, size: int) -> bool:
    if space.size is None or space.size == size:
        return True
    document.report(path, f"sums to {size}, but dataspace.size is {space.size}", "correct one")
    return False
