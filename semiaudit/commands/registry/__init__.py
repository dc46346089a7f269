"""`semiaudit registry`: entries of the OpenDP registry, written and reviewed."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Review")
"""The formats of the answer."""
