"""Small specs for the gate: one for each way in which a budget can end.

Their numbers are known without the program: with two one-way margins a(t) is 3 in the worst case
(Cho and Awan, Theorem 16 and Example 5), so rho of semi_dp is 9 times the declared one.
"""

from __future__ import annotations

import hashlib
import random
from datetime import date
from pathlib import Path

from semiaudit.checking.verdict import verdict_of
from semiaudit.model.audit import Audit
from semiaudit.model.policy import GateOptions
from semiaudit.model.verdict import Verdict

TODAY = date(2026, 7, 1)
BASE = (
    "semiaudit: 1\ndataspace: {size: 100, attributes: {a: 2, b: 2, c: 2}}\n"
    "invariants: [margin: [a], margin: [b]]\n"
)
HOLDS = BASE + "mechanism: {zcdp: {rho: 0.5}}\nbudgets:\n  - {framework: semi_dp, rho: 5}\n"
EXCEEDS = HOLDS.replace("rho: 5}", "rho: 4.4}")
NO_BUDGET = BASE + "mechanism: {zcdp: {rho: 0.5}}\n"
UNREADABLE = "semiaudit: 1\ndataspace: [\n"
UNKNOWN_KEY = HOLDS + "color: red\n"
_NAMES = [f"a{i}" for i in range(10)]
OPEN = (
    f"semiaudit: 1\ndataspace: {{attributes: {{{', '.join(f'{n}: 2' for n in _NAMES)}}}}}\n"
    f"invariants: [{', '.join(f'margin: [{n}]' for n in _NAMES)}]\n"
    f"data: {{margins: {{{', '.join(f'{n}: [15, 35]' for n in _NAMES)}}}}}\n"
    "mechanism: {zcdp: {rho: 1}}\nbudgets:\n"
)
"""covering a(t) of ten margins 15 : 35 lies in [5, 6] as far as it is proven."""
_ANY = random.Random(1)
_COUNTS = [[[_ANY.randint(0, 2) for _ in range(4)] for _ in range(4)] for _ in range(4)]
SLOW = (
    "semiaudit: 1\ndataspace: {attributes: {a: 4, b: 4, c: 4}}\n"
    "invariants: [margin: [a, b], margin: [a, c], margin: [b, c]]\n"
    f"data: {{counts: {_COUNTS}}}\nmechanism: {{zcdp: {{rho: 1}}}}\n"
    "budgets: [{framework: semi_dp, rho: 3600}]\n"
)
"""All two-way margins of a 4x4x4 table: integer programs that need more than a moment."""
FAR = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
    "invariants: [margin: [a, b], margin: [a, c], margin: [b, c]]\n"
    "data: {counts: [[[25, 25], [25, 25]], [[25, 25], [25, 25]]]}\n"
    "adjacency: {reading: definition_13}\nmechanism: {zcdp: {rho: 0.1}}\nbudgets:\n"
)
"""All two-way margins: the nearest other table is 4 records away, and places exchange at 2."""


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def spec(folder: Path, text: str, name: str = "x.semiaudit.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def verdict(
    folder: Path, text: str, gate: GateOptions | None = None, time_limit: float = 600
) -> Verdict:
    gate = gate or GateOptions(today=TODAY)
    return verdict_of(spec(folder, text), time_limit=time_limit, gate=gate)


def audited(folder: Path, text: str) -> Audit:
    seen: list[Audit] = []
    verdict_of(spec(folder, text), time_limit=600, report=seen.append)
    return seen[0]


def rules(found: Verdict, level: str = "error") -> list[str]:
    """The rules of findings of a level that are not waived."""
    return [f.rule for f in found.findings if f.level == level and f.waived is None]
