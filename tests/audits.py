"""Whole audits of specs that are given as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from semiaudit.library.report import Report, audit


def audit_of(folder: Path, text: str, **options: Any) -> Report:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return audit(path, **options)


def report(folder: Path, text: str, **options: Any) -> dict[str, Any]:
    return audit_of(folder, text, **options).as_dict()


def rows(folder: Path, text: str) -> dict[str, dict[str, Any]]:
    return by_framework(report(folder, text))


def by_framework(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["framework"]: row for row in found["guarantees"]}
