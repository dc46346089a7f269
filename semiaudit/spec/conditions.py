"""Names of attributes and conditions on their levels: do they fit the dataspace?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from semiaudit.model.dataspace import (
    EXPLICIT_ATTRIBUTE,
    Condition,
    Dataspace,
    Level,
    ListedSpace,
    ProductSpace,
    TableSpace,
)
from semiaudit.spec.yaml12 import Path_, YamlDocument

SHOWN_NAMES = 8


def names_fit(
    document: YamlDocument, space: Dataspace | None, names: Sequence[str], path: Path_
) -> bool:
    """True if every name is an attribute, once; reported otherwise."""
    known = attribute_names(document, space)
    good = True
    for place, name in enumerate(names):
        where = (*path, place) if (*path, place) in document.marks else path
        if known is not None and name not in known:
            shown = ", ".join(known[:SHOWN_NAMES]) + (", ..." if known[SHOWN_NAMES:] else "")
            has = f"it has {shown}" if known else "it has none"
            document.report(where, f"{name} is not an attribute of the dataspace", has)
            good = False
        elif name in names[:place]:
            document.report(where, f"names {name} twice", "name it once")
            good = False
    return good


def condition_of(
    document: YamlDocument,
    space: Dataspace | None,
    where: Mapping[str, tuple[Level, ...]],
    path: Path_,
) -> Condition | None:
    """The condition in the levels of the dataspace; None, reported, if it names what is not there.

    A level is found by its text as it is written, so that 01 is the level 01 if there is one.
    """
    good = names_fit(document, space, list(where), path)
    if not isinstance(space, TableSpace) or not good:
        return tuple(where.items()) if good else None
    condition = []
    for name, levels in where.items():
        attribute = space.attributes[space.position(name)]
        indices = attribute.indices(levels)
        for level, index in zip(levels, indices, strict=True):
            if index is None:
                what = f"{level} is not a level of {name}"
                document.report((*path, name), what, "name one of its levels")
                good = False
        condition.append((name, tuple(attribute.label(i) for i in indices if i is not None)))
    return tuple(condition) if good else None


def attribute_names(document: YamlDocument, space: Dataspace | None) -> list[str] | None:
    """The known names; from the raw document where the dataspace is not valid."""
    match space:
        case TableSpace():
            return [attribute.name for attribute in space.attributes]
        case ProductSpace() | ListedSpace():
            return [EXPLICIT_ATTRIBUTE]
        case None:
            raw = document.at(("dataspace", "attributes"))
            return list(raw) if isinstance(raw, dict) else None
        case _:
            assert_never(space)
