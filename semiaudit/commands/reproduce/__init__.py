"""`semiaudit reproduce`: the published numbers and figures of the sources, computed anew."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, rows=True, page=True)
"""The formats of the answer."""
