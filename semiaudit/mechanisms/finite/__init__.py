"""Finite mechanisms: exact probabilities, compared for all pairs of datasets."""
