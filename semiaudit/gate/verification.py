"""Whether the code of a spec was verified: by the report of `semiaudit verify`, and hashes."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from semiaudit.model.audit import Finding, Release, RequiredVerification
from semiaudit.model.policy import Policy
from semiaudit.model.rules import UNVERIFIED, finding_of
from semiaudit.numeric.rationals import rational_text
from semiaudit.paths import is_inside, opened

MOST_BYTES = 200_000_000


def unverified(release: Release, policy: Policy | None) -> list[Finding]:
    """Return a finding for each verification that a spec or the policy requires in vain."""
    own = next((asked.record for asked in release.verifications), "")
    findings = []
    for asked in (*release.verifications, *(policy.verifications if policy else ())):
        folder, name = os.path.split(os.path.abspath(release.path))
        record = asked.record or own or f"{os.path.splitext(name)[0]}.verify.json"
        if why := _reason(record, folder, release, asked):
            message = f"the code is not verified: {why}; run `semiaudit verify` again"
            findings.append(finding_of(UNVERIFIED, message, asked.mark, "verification"))
    return findings


def _reason(name: str, folder: str, release: Release, asked: RequiredVerification) -> str:
    """Return why a report does not cover the spec and its code; empty if it does."""
    try:
        report: dict[str, Any] = json.loads(_content(os.path.join(folder, name), folder))
        code = {str(file["path"]): file["sha256"] for file in report["code"]}
        checks = [
            (report["spec"]["sha256"] == release.sha256, f"{name} is about another spec"),
            (report["verdict"] == "consistent", f"{name} says {report['verdict']}"),
            (
                report["confidence"] >= float(asked.confidence),
                f"{name} has a confidence below {rational_text(asked.confidence)}",
            ),
            (bool(code), f"{name} names no file of the code"),
        ]
    except OSError as error:
        return f"{name} cannot be read ({error.strerror})"
    except (ValueError, KeyError, TypeError):
        return f"{name} is not a report of verify"
    for file, digest in code.items():
        try:
            content = _content(os.path.join(folder, file), folder)
            checks.append((hashlib.sha256(content).hexdigest() == digest, f"{file} has changed"))
        except (OSError, ValueError):
            checks.append((False, f"{file} cannot be read in the folder of the spec"))
    return next((why for holds, why in checks if not holds), "")


def _content(path: str, folder: str) -> bytes:
    """Return the bytes of a file, which must be in a folder."""
    if not is_inside(path, folder):
        raise OSError(None, "it is outside of the folder of the spec")
    with opened(path) as file:
        return file.read(MOST_BYTES)
