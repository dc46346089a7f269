"""Export a spec as an entry of the OpenDP deployments registry.

The entry is read back as a check.
"""

from __future__ import annotations

from semiaudit.auditing.run import audit_file
from semiaudit.commands.registry.entry_from_audit import entry_of
from semiaudit.errors import SemiauditError
from semiaudit.library.report import refusal_of
from semiaudit.model.data_source import Access
from semiaudit.model.results.registry import SCHEMA_COMMIT, Node
from semiaudit.spec.registry.entry import load_entry
from semiaudit.spec.registry.facts import load_facts
from semiaudit.spec.registry.writing import entry_text

REMARK = (
    f"An entry of the OpenDP deployments registry (schema at commit {SCHEMA_COMMIT[:7]}). Check it "
    "with `semiaudit registry review`."
)


def export(
    spec: str,
    facts: str | None,
    time_limit: float,
    tolerance: float,
    access: Access,
    standard_input: bytes | None = None,
) -> str:
    """Return an entry as YAML.

    Args:
        spec: the path of a file, or of a shipped example. facts: the path of a file with
            information that no spec has.
        time_limit: seconds for all computations.
        tolerance: the relative bracket width of a composed loss.
        standard_input: the content of standard input, if the spec comes from there.

    Raises:
        SpecError: the spec or the facts cannot be read, or the spec cannot be audited.
        SemiauditError: there is no effective guarantee.
    """
    given: dict[str, Node] = load_facts(facts) if facts is not None else {}
    audit = audit_file(
        spec, time_limit, tolerance, access=access, examples=True, text=standard_input
    )
    refused = refusal_of(audit)
    if refused:
        raise SemiauditError(
            f"{spec}: {refused}; without an effective guarantee, there is no entry to export"
        )
    text = entry_text(entry_of(audit, given), REMARK)
    load_entry("the entry of " + spec, text.encode("utf-8"))
    return text
