"""`semiaudit mechanism sample`: run the mechanism of a spec."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Sample")
"""The formats of the answer."""
