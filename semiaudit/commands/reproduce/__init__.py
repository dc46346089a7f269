"""`semiaudit reproduce`: recompute the published numbers and figures of the sources."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, rows=True, page=True)
"""The formats of the answer."""
