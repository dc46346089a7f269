"""`semiaudit mechanism test odds-ratio`: the semi-private test of a 2x2 table."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Test")
"""The formats of the answer."""
