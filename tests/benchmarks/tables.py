"""Tables of the documentation that benchmarks write."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path


def write_table(page: Path, name: str, lines: Sequence[str]) -> None:
    """Put lines between the marks of a table on a page."""
    begin, end = f"<!-- {name}: begin -->\n", f"\n<!-- {name}: end -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise ValueError(f"{page.name} has no table {name}")
    page.write_text("".join([before, begin, "\n".join(lines), end, after]), encoding="utf-8")


def versions_of(*packages: str) -> str:
    """The installed versions of packages, as a sentence."""
    return "Versions: " + ", ".join(f"{name} {version(name)}" for name in packages) + "."
