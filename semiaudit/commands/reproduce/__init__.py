"""`semiaudit reproduce`: recompute the published numbers and figures of the sources."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.reproduce.view",
    "semiaudit.commands.reproduce.document",
    rows=True,
    page="semiaudit.commands.reproduce.page",
)
