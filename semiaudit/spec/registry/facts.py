"""Facts about a deployment that no spec has, for a registry entry: read from the user's file.

The file has the keys of an entry, as many as are known, without those that an audit answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import create_model

from semiaudit.model.results.registry import Node
from semiaudit.spec.registry.entry import opened, raise_problems
from semiaudit.spec.registry.entry_grammar import (
    AccountingSection,
    AdministrativeSection,
    BasicSection,
    ImplementationSection,
    ModelSection,
    Status,
)
from semiaudit.spec.registry.values import Text, Tier, maybe
from semiaudit.spec.scalars import Section
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import YamlDocument


def _partly(section: type[Section]) -> type[Section]:
    """Return a section with the same keys, each of which may be left out."""
    fields: dict[str, Any] = {
        name: (field.rebuild_annotation(), maybe(field.description or ""))
        for name, field in section.model_fields.items()
    }
    return create_model(f"Some{section.__name__}", __base__=Section, **fields)


SECTIONS: Mapping[str, type[Section]] = {
    "basic": _partly(BasicSection),
    "deployment_model": ModelSection,
    "accounting": AccountingSection,
    "implementation": ImplementationSection,
    "administrative": _partly(AdministrativeSection),
}
"""Sections of a file of facts; the other parts of an entry come from the audit."""


class FactsSection(Section):
    """Facts of an entry in addition to the deployment."""

    url_slug: Text = maybe()
    status: Status = maybe()
    tier: Tier = maybe()


def load_facts(path: str | Path) -> dict[str, Node]:
    """Read what a spec does not know, as a part of an entry.

    Raises:
        SpecError: with every problem of the file.
    """
    document, root, _ = opened(path, "write the keys of an entry")
    reader = Validation(document)
    deployment = root.pop("deployment", {})
    top = reader.whole(FactsSection, root)
    facts: dict[str, Node] = _plain(top)
    inner: dict[str, Node] = {}
    if isinstance(deployment, dict):
        for key in deployment:
            if key in SECTIONS:
                section = reader.section(SECTIONS[key], key, deployment, ("deployment",))
                inner[key] = _plain(section)
            else:
                _refuse(document, key)
    else:
        document.report(("deployment",), "must be a mapping", "write its keys below it")
    raise_problems(document)
    return {**facts, "deployment": inner}


def _refuse(document: YamlDocument, key: str) -> None:
    if key in ("dp_variant", "privacy_loss"):
        what, remedy = "comes from the audit", "remove it: it is written from the spec"
    else:
        what, remedy = "is not a known key", f"known are {', '.join(SECTIONS)}"
    document.report(("deployment", key), what, remedy, key=True)


def _plain(section: Section | None) -> dict[str, Node]:
    if section is None:
        return {}
    return {key: _node(value) for key, value in section.model_dump(exclude_unset=True).items()}


def _node(value: Any) -> Node:
    """A value to be written; what has no type in the schema is kept as text."""
    return value if isinstance(value, int | list) else str(value)
