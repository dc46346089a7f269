"""`semiaudit mechanism test odds-ratio`: a private test of a 2x2 table with published margins."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Test")
"""The formats of the answer."""
