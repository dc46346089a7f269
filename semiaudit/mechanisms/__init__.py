"""The privacy loss of a mechanism between datasets at a distance, by the mechanism's kind.

``kind_of`` maps a part of a mechanism to the record of its kind, in the ``KINDS`` of the module
that the part names as its home. A module is loaded only if a part needs it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.model.mechanism import Declared, Part

if TYPE_CHECKING:
    from semiaudit.mechanisms.kind import MechanismKind

_PARTS = frozenset(get_args(Part))


def kind_of(part: Part) -> MechanismKind[Any]:
    """Return the record of a part's kind, which has all operations on it.

    Raises:
        RefusedError: the kind is unknown, even if it is derived from a known one.
    """
    described = part.measure if isinstance(part, Declared) else part
    types: tuple[Any, Any] = type(part), type(described)
    known = _kind(*types)
    if known is None:
        mark = getattr(part, "mark", NOWHERE)
        what = f"{type(described).__name__} is not a known kind of mechanism"
        remedy = "use one of the known kinds"
        raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
    return known


@cache
def _kind(part: Any, described: Any) -> MechanismKind[Any] | None:
    if part not in _PARTS:
        return None
    known: MechanismKind[Any] | None = import_module(f"{__name__}.{part.home}").KINDS.get(described)
    return known
