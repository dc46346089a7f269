"""`semiaudit mechanism sample`: run the mechanism of a spec."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.sample.view",
    "semiaudit.commands.sample.document",
    "Sample",
)
