"""Whole audits of specs that are given as text."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from semiaudit.auditing.curve_points import with_curves
from semiaudit.library import answer
from semiaudit.library.answer import FiguredAnswer
from semiaudit.library.report import Report, audit


@cache
def shipped_report(spec: Path) -> Report:
    """The report of a spec that is shipped, made once in each worker: no test changes it."""
    return audit(spec)


def audit_of(folder: Path, text: str, **options: Any) -> Report:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return audit(path, **options)


def page_of(found: FiguredAnswer[Any]) -> str:
    """The page of an audit, a comparison, or an ablation, with few points on its curves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer, "with_curves", partial(with_curves, most=8))
        return found.render("html")


def report(folder: Path, text: str, **options: Any) -> dict[str, Any]:
    return audit_of(folder, text, **options).as_dict()


def rows(folder: Path, text: str) -> dict[str, dict[str, Any]]:
    return by_framework(report(folder, text))


def by_framework(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["framework"]: row for row in found["guarantees"]}
