"""Many verdicts as SARIF 2.1.0: one run, every result with a place, the rules with their pages."""

from __future__ import annotations

import hashlib
import posixpath
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from semiaudit.model.rules import RULES
from semiaudit.model.verdict import Verdict, exit_code_of_run
from semiaudit.report.blocks.notices import Notice, in_repository, notices_of, specs_of, summary_of
from semiaudit.report.rule_pages import advice_of, meaning_of, page_of
from semiaudit.report.text.layout import Layout
from semiaudit.report.text.shield import json_text
from semiaudit.version import REPOSITORY, __version__

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_ROOT = "%SRCROOT%"
_ROOT_IS = "The root of the repository, or else the working directory."


def to_sarif(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """Render verdicts, with paths relative to the repository of the layout."""
    notices = [notice for verdict in verdicts for notice in notices_of(verdict)]
    places = {rule: place for place, rule in enumerate(RULES)}
    seen: Counter[str] = Counter()
    results = [_result(notice, layout, places, seen) for notice in notices]
    made = {"holds", "exceeds", "audited"}.issuperset(v.outcome for v in verdicts)
    audited = made and bool(specs_of(verdicts)) and not layout.incomplete
    code = exit_code_of_run(verdicts)
    invocation: dict[str, Any] = {"executionSuccessful": audited, "exitCode": code}
    if not audited:
        text = f"semiaudit: {summary_of(verdicts, incomplete=layout.incomplete)}"
        notification = {"level": "error", "message": {"text": text}}
        invocation["toolExecutionNotifications"] = [notification]
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"description": {"text": _ROOT_IS}}},
                "invocations": [invocation],
                "results": results,
            }
        ],
    }
    return json_text(log)


def _driver() -> dict[str, Any]:
    return {
        "name": "semiaudit",
        "version": __version__,
        "semanticVersion": __version__,
        "informationUri": REPOSITORY,
        "rules": [
            {
                "id": rule.id,
                "name": _pascal(rule.name),
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": meaning_of(rule)},
                "help": {
                    "text": f"{meaning_of(rule)}\n\nWhat to do: {advice_of(rule)}",
                    "markdown": page_of(rule),
                },
                "helpUri": rule.page,
                "defaultConfiguration": {"level": rule.level},
            }
            for rule in RULES.values()
        ],
    }


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _result(
    notice: Notice, layout: Layout, places: dict[str, int], seen: Counter[str]
) -> dict[str, Any]:
    file = in_repository(notice.file, layout)
    region = {"startLine": notice.line}
    if notice.column:
        region["startColumn"] = notice.column
    result: dict[str, Any] = {
        "ruleId": notice.rule,
        "ruleIndex": places[notice.rule],
        "level": notice.level,
        "message": {"text": notice.message},
        "locations": [
            {"physicalLocation": {"artifactLocation": _location(file), "region": region}}
        ],
        "partialFingerprints": {
            "semiaudit/v2": _fingerprint(("v2", notice.rule, file, notice.key), seen),
        },
    }
    if notice.waived is not None:
        kind = "inSource" if notice.waived.inside else "external"
        suppression = {"kind": kind, "status": "accepted", "justification": str(notice.waived)}
        result["suppressions"] = [suppression]
    return result


def _fingerprint(parts: Sequence[str], seen: Counter[str]) -> str:
    """Return the hash of a finding's identity, and of how many equal ones came before.

    Args:
        parts: the version of the fingerprint, rule, file, and key.
        seen: how often each fingerprint's text was there already.
    """
    key = "\n".join(parts)
    seen[key] += 1
    text = f"{key}\n{seen[key]}".encode("utf-8", "replace")
    return hashlib.sha256(text).hexdigest()[:32]


def _location(path: str) -> dict[str, str]:
    quoted = quote(path, safe="/", errors="replace")
    if posixpath.isabs(path):
        return {"uri": f"file://{quoted}"}
    return {"uri": quoted, "uriBaseId": _ROOT}
