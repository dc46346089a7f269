"""A signal while DuckDB runs: it swallows what the handler raises, and says so in its own way."""

from __future__ import annotations


def raise_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt where an error of DuckDB means that a signal ended a query."""
    if type(error) is RuntimeError and "interrupted" in str(error).lower():
        raise KeyboardInterrupt from None
