"""`semiaudit convert`: the guarantee of one mechanism in every measure."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Conversion", rows=True)
"""The formats of the answer."""
