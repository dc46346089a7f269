"""The version, in one place, and the addresses of the files that were released with it."""

from __future__ import annotations

import posixpath
import re

__version__ = "0.1.0"

REPOSITORY = "https://github.com/semiaudit/semiaudit"
"""The address of the source and the pages, in this place only."""

FILES = f"{REPOSITORY}/blob/v{__version__}"
"""The files of the repository as this version was released with them."""

_SCHEMAS = f"{REPOSITORY}/raw/v{__version__}/docs"
_LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)([^)\s]*)\)")


def schema_address(name: str) -> str:
    """The ``$id`` of a JSON Schema, where it lies as this version was released with it.

    Args:
        name: as ``semiaudit schema`` takes it.
    """
    return f"{_SCHEMAS}/{name}.schema.json"


def with_addresses(markdown: str, file: str) -> str:
    """Return Markdown whose relative links are addresses, for readers anywhere.

    Args:
        file: the path of the file in the repository from which its links lead.
    """

    def address(link: re.Match[str]) -> str:
        path = posixpath.join(posixpath.dirname(file), link[1]) if link[1] else file
        return f"]({FILES}/{posixpath.normpath(path)}{link[2]})"

    return _LINK.sub(address, markdown)
