"""`semiaudit verify`: whether code does what its spec says."""

from dataclasses import replace

from semiaudit.report.renderers import late, presentation

_SHARED = presentation(
    "semiaudit.commands.verify.view",
    "semiaudit.commands.verify.document",
    page="semiaudit.commands.verify.page",
)

PRESENTATION = replace(
    _SHARED,
    renderers={**_SHARED.renderers, "junit": late("semiaudit.commands.verify.junit", "to_junit")},
)
