"""`semiaudit convert`: the guarantee of one mechanism in every measure."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.convert.view",
    "semiaudit.commands.convert.document",
    "Conversion",
    rows=True,
)
