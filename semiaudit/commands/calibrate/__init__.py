"""`semiaudit mechanism calibrate`: designs of noise for a query and a target."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.calibrate.view",
    "semiaudit.commands.calibrate.document",
    "Design of noise",
    rows=True,
)
