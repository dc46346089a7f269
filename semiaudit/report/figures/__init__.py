"""Figures: from the curves of an audit to a drawing, for pages and for files."""
