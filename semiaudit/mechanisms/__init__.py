"""The privacy loss of a mechanism between datasets at a distance, by the mechanism's kind.

``kind_of`` leads from a part of a mechanism to the record of its kind, which is in the ``KINDS`` of
the module that the part names as its home. A module is loaded if a part needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.model.mechanism import Declared, Part

if TYPE_CHECKING:
    from semiaudit.mechanisms.kind import MechanismKind

_PARTS = frozenset(get_args(Part))


def kind_of(part: Part) -> MechanismKind[Any]:
    """The record of a part's kind, which answers everything that the program asks of it.

    Raises:
        RefusedError: no such kind is known, whatever it may be derived from.
    """
    described = part.measure if isinstance(part, Declared) else part
    known: MechanismKind[Any] | None = None
    if type(part) in _PARTS:
        known = import_module(f"{__name__}.{part.home}").KINDS.get(type(described))
    if known is None:
        mark = getattr(part, "mark", NOWHERE)
        what = f"{type(described).__name__} is not a known kind of mechanism"
        remedy = "use one of the known kinds"
        raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
    return known
