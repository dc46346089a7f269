"""A spec as an argument: the path of a file, a YAML text, plain values, or a ``Spec``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from semiaudit.auditing.run import TIME_LIMIT, problems_of
from semiaudit.errors import SpecError
from semiaudit.library.spec import MAPPING, TEXT, Origin, Spec, read_document
from semiaudit.model.data_source import Access
from semiaudit.spec.build import loaded
from semiaudit.spec.python_values import document_of_values

if TYPE_CHECKING:
    from semiaudit.model.audit import Release
    from semiaudit.spec.build import Loaded

AnySpec: TypeAlias = "str | os.PathLike[str] | Mapping[str, object] | Spec"
"""A spec in any form. A text contains a line break; any other ``str`` is a path."""


def loaded_of(
    spec: AnySpec, access: Access, time_limit: float = TIME_LIMIT, *, designs: bool = False
) -> tuple[Loaded, Access]:
    """Read a spec in any form, and return its permissions too.

    Args:
        spec: a path of a file; a YAML text; plain
            values; or a ``Spec``.
        time_limit: seconds to search for further problems of a spec that is not valid.
        designs: whether a design can replace the mechanism.

    Raises:
        TypeError: it is none of these.
        SpecError: with every problem of the spec.
    """
    if isinstance(spec, str | os.PathLike):
        name, text = os.fspath(spec), None
        if "\n" in name:
            name, text = TEXT, name.encode("utf-8", "surrogatepass")
        with problems_of(name, time_limit):
            return loaded(name, access, text=text, designs=designs), access
    if isinstance(spec, Spec):
        if spec._open is not None and not designs:
            raise SpecError(spec._open.problems)
        return spec._loaded, spec._allowed(access)
    if not isinstance(spec, Mapping | Sequence) and not hasattr(spec, "to_mapping"):
        what = "is not a path, a Spec, a mapping, or YAML text"
        raise TypeError(f"spec: {spec!r} {what}")
    with problems_of(MAPPING, time_limit):
        document = document_of_values(spec, MAPPING)
        origin = Origin(MAPPING, access)
        return read_document(document, Path(), origin, designs=designs), access


def release_of(
    spec: AnySpec, access: Access, time_limit: float = TIME_LIMIT
) -> tuple[Release, Access]:
    """Return the release of a spec in any form, and its permissions; see ``loaded_of``."""
    read, allowed = loaded_of(spec, access, time_limit)
    return read.release, allowed
