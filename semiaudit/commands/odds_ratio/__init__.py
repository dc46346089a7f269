"""`semiaudit mechanism test odds-ratio`: a private test of a 2x2 table with published margins."""

from semiaudit.report.renderers import presentation

PRESENTATION = presentation(
    "semiaudit.commands.odds_ratio.view",
    "semiaudit.commands.odds_ratio.document",
    "Test",
)
