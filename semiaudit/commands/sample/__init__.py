"""`semiaudit mechanism sample`: the mechanism of a spec, performed."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Sample")
"""The formats of the answer."""
