"""semiaudit: what a differentially private release guarantees beside its exact counts.

The public API is loaded when it is first used::

    from semiaudit import audit
    print(audit("spec.yaml").render("markdown"))

Here and in all modules, what only some specs, commands or formats need is imported by the function
that needs it, so that a start loads no more (docs/decisions/0027-what-a-start-loads.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from semiaudit.version import __version__

if TYPE_CHECKING:
    from semiaudit.workflow.report import Report, audit, audit_many, load_spec

__all__ = ["Report", "__version__", "audit", "audit_many", "load_spec"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from semiaudit.workflow import report

        return getattr(report, name)
    raise AttributeError(f"module 'semiaudit' has no attribute {name!r}")
