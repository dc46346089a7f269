"""`semiaudit compare`: releases side by side."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, rows=True, page=True)
"""The formats of the answer."""
