"""The first line of a YAML file by which an editor finds its schema."""

from __future__ import annotations

import re

from semiaudit.version import schema_address

_MODELINE = re.compile(r"\A# yaml-language-server: \$schema=[^\n]*\n")


def with_modeline(text: str, name: str = "spec") -> str:
    """A spec, or another YAML file, with the address of its schema in the first line.

    Args:
        text: the file; a modeline that it begins with gives way.
        name: of the schema, as ``semiaudit schema`` takes it.
    """
    return f"# yaml-language-server: $schema={schema_address(name)}\n{_MODELINE.sub('', text)}"
