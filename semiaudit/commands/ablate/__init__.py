"""`semiaudit ablate`: the effect of each invariant of a release on its guarantee."""

from semiaudit.report.renderers import renderers

RENDERERS = renderers(__name__, rows=True, page=True)
"""The formats of the answer."""
