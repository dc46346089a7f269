"""Whether the code of a spec was verified: by the report of `semiaudit verify`, and hashes.

The verdict of a report is computed again from its counts. A report can be forged, as any file can:
keep those who write it apart from those whom the gate checks.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from typing import Any

from semiaudit.model.audit import Finding, Release, RequiredVerification
from semiaudit.model.policy import Policy
from semiaudit.model.rules import UNVERIFIED, finding_of
from semiaudit.numeric.rationals import rational_text
from semiaudit.paths import is_inside, opened

MOST_BYTES = 200_000_000

LARGEST_FACTOR = 3
"""A consistent verification would have found a claim that is wrong by it."""


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
        report: dict[str, Any] = json.loads(
            _content(os.path.join(folder, name), folder), parse_constant=_no_number
        )
        code = {str(file["path"]): file["sha256"] for file in report["code"]}
        checks = [
            (report["spec"]["sha256"] == release.sha256, f"{name} is about another spec"),
            (report["verdict"] == "consistent", f"{name} says {report['verdict']}"),
            (
                float(asked.confidence) <= report["confidence"] < 1,
                f"{name} has a confidence below {rational_text(asked.confidence)}",
            ),
            (report["complete"] is True, f"{name} is not complete"),
            (bool(code), f"{name} names no file of the code"),
            (_is_shown(report), f"{name} has counts that do not show its verdict"),
        ]
    except OSError as error:
        return f"{name} cannot be read ({error.strerror})"
    except (ValueError, KeyError, TypeError, IndexError, ArithmeticError, RecursionError):
        return f"{name} is not a report of verify"
    for file, digest in code.items():
        try:
            content = _content(os.path.join(folder, file), folder)
            checks.append((hashlib.sha256(content).hexdigest() == digest, f"{file} has changed"))
        except (OSError, ValueError):
            checks.append((False, f"{file} cannot be read in the folder of the spec"))
    return next((why for holds, why in checks if not holds), "")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _is_shown(report: dict[str, Any]) -> bool:
    """Return whether the counts of a report show that its claim is consistent with them.

    Every lower bound must be at most its claim. At least one test must be able to find a claim that
    is wrong by ``LARGEST_FACTOR``, and must have found it in its control; of one run, the guesses
    must be better than chance. Half of the runs must have an output.
    """
    # With numpy and scipy, which a gate without a verification does not need.
    from semiaudit.privacy.empirical.counts import Counts, epsilon_bound, mu_bound, rho_bound
    from semiaudit.privacy.empirical.one_run import p_value

    tests, alpha, able = report["tests"], 1 - report["confidence"], False
    share = alpha / (sum(test["kind"] != "exact" for test in tests) + 1)
    judged, failures = sum(report["runs"]) - report["first"], report["failures"]
    if report["findings"] or report["pair"]["inside"] is not True:
        return False
    if report["first"] < 0 or 2 * sum(f["on_x"] + f["on_y"] for f in failures) > judged:
        return False
    for test in tests:
        kind, claim, delta = test["kind"], test["claim"], test["delta"] or 0
        (hit, other_hit), (run, other_run) = test["hits"], test["runs"]
        if kind == "one_run":
            holds = 0 <= hit <= other_run <= run == report["moves"]
            holds = holds and p_value(run, other_run, hit, claim, delta) > alpha
            found = holds and p_value(run, other_run, hit, 0.0, 0.0) <= alpha
        else:
            coins = report["coins"] is True and kind != "exact"
            counts = Counts((hit, other_hit), (run, other_run), coins)
            holds = run + other_run == judged and 0 <= hit <= run and 0 <= other_hit <= other_run
            match kind:
                case "epsilon" | "exact":
                    holds = holds and epsilon_bound(counts, delta, share) <= claim
                case "mu":
                    holds = holds and mu_bound(counts, share) <= claim
                case "rho":
                    holds = holds and rho_bound(counts, share) <= claim
                case _:
                    holds = holds and kind == "e_process" and test["bound"] < -math.log(share)
            found = test["controls"][-1:] == [True]
        if not holds or test["rejects"] is not False:
            return False
        factor = test["detectable"]
        able = able or (found and factor is not None and 1 < factor <= LARGEST_FACTOR)
    return able


def _content(path: str, folder: str) -> bytes:
    """Return the bytes of a file, which must be in a folder."""
    if not is_inside(path, folder):
        raise OSError(None, "it is outside of the folder of the spec")
    with opened(path) as file:
        return file.read(MOST_BYTES)
