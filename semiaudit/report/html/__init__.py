"""Reports as HTML pages: one file each, which loads nothing and runs no code from a spec.

The code for pages is imported when a page is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from semiaudit.report.html.verdicts_page import verdicts_page

if TYPE_CHECKING:
    from semiaudit.model.verdict import Verdict
    from semiaudit.report.text.layout import Layout


def index_of(verdicts: Sequence[Verdict], layout: Layout, page_of: Callable[[str], str]) -> str:
    """Return the index page that links to the pages of many specs.

    Args:
        page_of: maps a spec's path to the file of its page.
    """
    return verdicts_page(verdicts, layout, page_of)
