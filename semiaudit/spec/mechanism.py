"""The mechanism section: its parts, how often each runs, and what they are said to add up to."""

from __future__ import annotations

from semiaudit.model.mechanism import Allocation, Composition, Mechanism
from semiaudit.spec.mechanism_schema import MechanismSection
from semiaudit.spec.scalars import LARGEST_REPEAT
from semiaudit.spec.spec_place import Setting, SpecPlace
from semiaudit.spec.yaml12 import Path_, path_text


def mechanism_of(
    setting: Setting, section: MechanismSection, path: Path_, times: int = 1
) -> Mechanism | None:
    """The mechanism, or None with its problems in the document.

    Args:
        times: how often the mechanism runs that this one is a part of.
    """
    document = setting.document
    mark = document.mark(path)
    times *= section.repeat
    if times > LARGEST_REPEAT:
        what = f"repeats its parts more than {LARGEST_REPEAT} times in all"
        document.report((*path, "repeat"), what, "repeat less")
        return None
    part: Mechanism | None
    if section.compose is None:
        part = section.parameters.part(SpecPlace(setting, (*path, section.kind)))
    else:
        part = _composition(
            setting, section.compose, path, times, _allocation(setting, section, path)
        )
    if part is not None and section.repeat > 1:
        return Composition(((part, section.repeat),), mark)
    return part


def _composition(
    setting: Setting,
    sections: list[MechanismSection],
    path: Path_,
    times: int,
    allocation: Allocation | None,
) -> Composition | None:
    parts_read = [
        mechanism_of(setting, section, (*path, "compose", index), times)
        for index, section in enumerate(sections)
    ]
    parts = tuple((part, 1) for part in parts_read if part is not None)
    if len(parts) < len(parts_read):
        return None
    return Composition(parts, setting.document.mark(path), allocation)


def _allocation(setting: Setting, section: MechanismSection, path: Path_) -> Allocation | None:
    """What the parts are said to add up to, and where."""
    if section.total_rho is None:
        return None
    where = (*path, "total_rho")
    return Allocation(section.total_rho, path_text(where), setting.document.mark(where))
