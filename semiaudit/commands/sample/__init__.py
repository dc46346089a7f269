"""`semiaudit mechanism sample`: the mechanism of a spec, performed."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__)
"""The formats of the answer."""
