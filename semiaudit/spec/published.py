"""The data section: from a table, margins or a dataset to the published value t."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from semiaudit.model.dataspace import (
    Attribute,
    Dataset,
    Dataspace,
    ListedSpace,
    ProductSpace,
    TableSpace,
)
from semiaudit.model.invariant import Invariant, Margin, Total
from semiaudit.model.published import ExampleDataset, MarginCounts, Published
from semiaudit.spec.scalars import LARGEST_SIZE, kind_of, whole
from semiaudit.spec.schema import DataSection
from semiaudit.spec.yaml12 import Document, Path_

Names = tuple[str, ...]


def published_values(
    document: Document, section: DataSection, space: Dataspace, invariants: Sequence[Invariant]
) -> Published | None:
    """t, or None with the problems in the document."""
    path: Path_ = ("data",)
    given = sorted(
        key for key in section.model_fields_set if document.at(("data", key)) is not None
    )
    if len(given) != 1:
        what = f"gives {' and '.join(given)}" if given else "is empty"
        document.report(path, what, "give t in one way: counts, margins or dataset")
        return None
    inner: Path_ = ("data", given[0])
    if not isinstance(space, TableSpace):
        if section.dataset is None:
            what = "does not fit an explicit dataspace"
            document.report(inner, what, "give one dataset: `dataset: [...]`")
            return None
        return _example(document, inner, tuple(section.dataset), space)
    if section.dataset is not None:
        document.report(inner, "fits explicit dataspaces only", "give counts or margins")
        return None
    wanted = [
        tuple(sorted(i.attributes, key=space.position)) for i in invariants if isinstance(i, Margin)
    ]
    if given == ["counts"]:
        fixed = space.size is not None or any(isinstance(i, Margin | Total) for i in invariants)
        return _from_counts(document, inner, space, wanted, tells_size=fixed)
    return _from_margins(document, inner, space, wanted)


def check_counts(document: Document) -> None:
    """Report every count that is none, where the dataspace is too broken to say the shape."""
    for key in ("counts", "margins"):
        _check_leaves(document, ("data", key), document.at(("data", key)))


def _check_leaves(document: Document, path: Path_, node: object) -> None:
    if isinstance(node, list | dict):
        items = enumerate(node) if isinstance(node, list) else node.items()
        for key, item in items:
            _check_leaves(document, (*path, key), item)
    elif path in document.marks:
        _collect(document, path, node, (), [])


def _example(
    document: Document, path: Path_, dataset: Dataset, space: ProductSpace | ListedSpace
) -> ExampleDataset | None:
    if len(dataset) != space.size:
        what = f"has {len(dataset)} records and the dataspace {space.size}"
        document.report(path, what, "give a dataset of the dataspace")
        return None
    if isinstance(space, ProductSpace):
        inside = set(dataset) <= set(space.values)
    else:
        inside = dataset in space.datasets
    if not inside:
        document.report(path, "is no dataset of the dataspace", "correct its records")
        return None
    return ExampleDataset(dataset, document.mark(path))


def _from_counts(
    document: Document,
    path: Path_,
    space: TableSpace,
    wanted: Sequence[Names],
    *,
    tells_size: bool,
) -> MarginCounts | None:
    """The margins of a table; None (without a problem) if not even its size is public."""
    if not space.attributes:
        what = "is a table over attributes, and the dataspace has none"
        document.report(path, what, "add dataspace.attributes")
        return None
    flat = _flat(document, path, space.attributes)
    if flat is None:
        return None
    size = sum(flat)
    if not _size_agrees(document, path, space, size) or not tells_size:
        return None
    margins = []
    for names in dict.fromkeys(wanted):
        places = [space.position(name) for name in names]
        sizes = [space.attributes[place].size for place in places]
        counts = [0] * prod(sizes)
        shape = [range(attribute.size) for attribute in space.attributes]
        for levels, number in zip(product(*shape), flat, strict=True):
            if number:
                cell = 0
                for place, levels_number in zip(places, sizes, strict=True):
                    cell = cell * levels_number + levels[place]
                counts[cell] += number
        margins.append((names, tuple(counts)))
    return MarginCounts(size, tuple(margins))


def _from_margins(
    document: Document, path: Path_, space: TableSpace, wanted: Sequence[Names]
) -> MarginCounts | None:
    before = len(document.problems)
    node = document.at(path)
    if not isinstance(node, dict) or not node:
        document.report(path, "is no mapping of margins", "write `attribute: [counts]`")
        return None
    found: dict[Names, tuple[int, ...]] = {}
    for key in node:
        names = tuple(part.strip() for part in key.replace("*", ",").split(","))
        where = (*path, key)
        known = [attribute.name for attribute in space.attributes]
        unknown = [name for name in names if name not in known]
        if unknown:
            what = f"{unknown[0]} is not an attribute of the dataspace"
            document.report(where, what, f"it has {', '.join(known)}", key=True)
            continue
        ordered = tuple(sorted(names, key=space.position))
        if ordered not in wanted:
            what = "is not published by any invariant"
            document.report(where, what, "add it to invariants, or leave it out", key=True)
            continue
        if ordered in found:
            document.report(where, "is given twice", "keep one of them", key=True)
            continue
        attributes = [space.attributes[space.position(name)] for name in names]
        flat = _flat(document, where, attributes)
        if flat is not None:
            found[ordered] = _reordered(flat, attributes, names, ordered)
    for names in dict.fromkeys(wanted):
        if names not in found and len(document.problems) == before:
            key = " * ".join(names)
            document.report(path, f"the counts of margin {key} are missing", f"add `{key}: [...]`")
    if len(document.problems) > before:
        return None
    return _consistent(document, path, space, found)


def _consistent(
    document: Document, path: Path_, space: TableSpace, found: dict[Names, tuple[int, ...]]
) -> MarginCounts | None:
    totals = {names: sum(counts) for names, counts in found.items()}
    size = next(iter(totals.values()))
    if not _size_agrees(document, path, space, size):
        return None
    for names, total in totals.items():
        if total != size:
            first = " * ".join(next(iter(totals)))
            what = f"margin {' * '.join(names)} sums to {total} and margin {first} to {size}"
            document.report(path, what, "correct the counts: they contradict each other")
            return None
    for names, counts in found.items():
        for other, larger in found.items():
            if set(names) < set(other) and _collapsed(space, other, larger, names) != counts:
                what = f"margin {' * '.join(names)} contradicts margin {' * '.join(other)}"
                document.report(path, what, "correct the counts")
                return None
    return MarginCounts(size, tuple(found.items()))


def _collapsed(
    space: TableSpace, names: Names, counts: tuple[int, ...], onto: Names
) -> tuple[int, ...]:
    sizes = {name: space.attributes[space.position(name)].size for name in names}
    result = [0] * prod(sizes[name] for name in onto)
    for levels, number in zip(product(*(range(sizes[n]) for n in names)), counts, strict=True):
        cell = 0
        for name in onto:
            cell = cell * sizes[name] + levels[names.index(name)]
        result[cell] += number
    return tuple(result)


def _reordered(
    flat: list[int], attributes: Sequence[Attribute], names: Names, ordered: Names
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


def _flat(document: Document, path: Path_, attributes: Sequence[Attribute]) -> list[int] | None:
    """Nested counts as a row-major list; every fault of shape or value is reported."""
    before = len(document.problems)
    result: list[int] = []
    _collect(document, path, document.at(path), attributes, result)
    return result if len(document.problems) == before else None


def _collect(
    document: Document,
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
    attribute, rest = attributes[0], attributes[1:]
    if isinstance(node, dict):
        _collect_named(document, path, node, attributes, result)
        return
    if not isinstance(node, list) or len(node) != attribute.size:
        what = f"a list of {len(node)}" if isinstance(node, list) else kind_of(node)
        need = f"{attribute.name} has {attribute.size} levels"
        document.report(path, f"is {what} where {need}", "give one entry a level, in order")
        return
    for index, item in enumerate(node):
        _collect(document, (*path, index), item, rest, result)


def _collect_named(
    document: Document,
    path: Path_,
    node: dict[str, object],
    attributes: Sequence[Attribute],
    result: list[int],
) -> None:
    """Counts by the names of the levels."""
    attribute = attributes[0]
    indices = attribute.indices(node)
    keys = dict(zip(indices, node, strict=True))
    unknown = [key for index, key in zip(indices, node, strict=True) if index is None]
    for key in unknown:
        what = f"{key} is not a level of {attribute.name}"
        document.report((*path, key), what, "name one of its levels", key=True)
    if unknown:
        return
    if len(keys) != attribute.size:
        what = f"names {len(keys)} of the {attribute.size} levels of {attribute.name}"
        document.report(path, what, "give every level its count, 0 included")
        return
    for index in range(attribute.size):
        key = keys[index]
        _collect(document, (*path, key), node[key], attributes[1:], result)


def _size_agrees(document: Document, path: Path_, space: TableSpace, size: int) -> bool:
    if space.size is None or space.size == size:
        return True
    document.report(path, f"sums to {size} and dataspace.size is {space.size}", "correct one")
    return False
