"""`semiaudit registry`: entries of the OpenDP registry, written and reviewed."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.registry.view",
    "semiaudit.commands.registry.document",
    "Review",
)
