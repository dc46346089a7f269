"""`semiaudit reproduce`: the published numbers and figures of the sources, computed anew."""

from semiaudit.report.answers import renderers

RENDERERS = renderers(__name__, rows=True)
"""The formats of the answer."""
