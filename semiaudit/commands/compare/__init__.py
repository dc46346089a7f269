"""`semiaudit compare`: releases side by side."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.compare.view",
    "semiaudit.commands.compare.document",
    rows=True,
    page="semiaudit.commands.compare.page",
)
