"""`semiaudit mechanism calibrate`: designs of noise for a query and a target."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, "Design of noise", rows=True)
"""The formats of the answer."""
