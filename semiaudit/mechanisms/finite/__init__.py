"""Finite mechanisms: exact probabilities, set against pairs of datasets one by one."""
