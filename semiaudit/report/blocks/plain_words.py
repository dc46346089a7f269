"""An audit without references to theory, which only verbose reports and JSON contain.

References to numbered results and errata support a sentence without being part of it: each is in
parentheses, or is a separate part of a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from semiaudit.model.audit import Audit, Finding
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.verdict import Verdict

_RESULT = (
    r"(?:erratum E\d{1,2}"
    r"|(?:Definition|Theorem|Proposition|Corollary|Remark|Lemma|section) \d[\d.]*)"
)
_REFERENCE = re.compile(rf" \({_RESULT}(?:, {_RESULT})*\)")
_REASON = re.compile(rf"\({_RESULT}: ")
_ERRATUM = re.compile(r" \(E\d{1,2}\)|; E\d{1,2}(?=\))")
"""References to errata in notes; a finding can quote a level of the spec such as E5."""

_DIVERGENCE = "D_nor"
"""The divergence of the slides; a part of a note that names it is for their readers."""


def plain(text: str) -> str:
    """Return a text of the program without its references to theory."""
    return _REASON.sub("(", _REFERENCE.sub("", text))


def plain_note(note: str) -> str:
    """Return a note, or the description of a design, without its references to theory."""
    return plain(_ERRATUM.sub("", note))


def plain_audit(audit: Audit) -> Audit:
    """Return an audit without references in its texts; the spec's own texts stay unchanged."""
    rows = tuple(map(_plain_row, audit.rows))
    return replace(audit, rows=rows, findings=_plain_findings(audit.findings))


def plain_verdicts(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return verdicts whose findings have no references."""
    return [replace(v, findings=_plain_findings(v.findings)) for v in verdicts]


def _plain_findings(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(replace(finding, message=plain(finding.message)) for finding in findings)


def _plain_row(row: GuaranteeRow) -> GuaranteeRow:
    stated = row.guarantee
    note = "; ".join(part for part in stated.note.split("; ") if _DIVERGENCE not in part)
    guarantee = replace(
        stated,
        note=plain_note(note),
        refused=plain_note(stated.refused),
        specific=plain_note(stated.specific),
    )
    return replace(row, guarantee=guarantee)
