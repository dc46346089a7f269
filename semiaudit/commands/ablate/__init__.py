"""`semiaudit ablate`: what each invariant of a release costs."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, rows=True, page=True)
"""The formats of the answer."""
