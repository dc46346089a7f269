"""A spec of which every name, title and message would like to be more than a text."""

from __future__ import annotations

import json

SCRIPT = "<script>alert(1)</script>"
CLOSING = "</script></style></title><img src=x onerror=alert(1)>"
QUOTES = '" onload="alert(1)" x=\''
TURNED = "\u05d0\u05d1 \u0627\u0644"
CONTROLS = "\u202etxt.exe\u2066\u200f"
"""Turns the direction of writing; a spec with it is refused, and the message quotes it."""
ADDRESS = "javascript:alert(1)"


def spec(*, budget: str = "1", more: str = "") -> str:
    """The text of a spec: two margins with hostile names, a budget, references, what it omits.

    Args:
        more: stands in the title too.
    """
    words = [json.dumps(word) for word in (SCRIPT, CLOSING, QUOTES, TURNED, ADDRESS)]
    script, closing, quotes, turned, address = words
    title = json.dumps(f"{SCRIPT}{CLOSING}{QUOTES}{TURNED}{more}::set-output::##[error]{ADDRESS}")
    return (
        f"semiaudit: 1\ntitle: {title}\nreference: [{address}, {closing}]\nleaves_out: [{quotes}]\n"
        f"dataspace: {{unit: {script}, size: 10, "
        f"attributes: {{{closing}: [{script}, {quotes}], {turned}: [{address}, {turned}]}}}}\n"
        f"invariants: [{{margin: [{closing}]}}, {{margin: [{turned}]}}]\n"
        "mechanism: {zcdp: {rho: 0.5}}\n"
        f"budgets: [{{framework: semi_dp, rho: {budget}}}]\n"
    )
