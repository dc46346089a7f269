"""Reports as pages: one HTML file each, which loads nothing and runs nothing that a spec wrote.

What makes a page is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from semiaudit.report.html.verdicts_page import verdicts_page

if TYPE_CHECKING:
    from semiaudit.model.verdict import Verdict
    from semiaudit.report.text.layout import Layout


def index_of(verdicts: Sequence[Verdict], layout: Layout, page_of: Callable[[str], str]) -> str:
    """The page that leads to the pages of many specs.

    Args:
        page_of: from a spec's path to the file of its page, as paths are seen.
    """
    return verdicts_page(verdicts, layout, page_of)
