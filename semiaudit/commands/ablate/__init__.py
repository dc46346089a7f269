"""`semiaudit ablate`: the effect of each invariant of a release on its guarantee."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.ablate.view",
    "semiaudit.commands.ablate.document",
    rows=True,
    page="semiaudit.commands.ablate.page",
)
