"""Figures: from the curves of an audit to a drawing, for pages and for files."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from semiaudit.errors import OutputError


def require_converter(forms: Sequence[str]) -> None:
    """Fail early if a file cannot be written.

    Raises:
        OutputError: PNG or PDF is requested, and vl-convert-python is not installed.
    """
    if {*forms} - {"svg"} and importlib.util.find_spec("vl_convert") is None:
        raise OutputError(
            "PNG and PDF need vl-convert-python; pip install 'semiaudit[plot]', or write SVG"
        )
