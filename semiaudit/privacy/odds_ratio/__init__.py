"""Differentially private tests of the odds ratio of a 2x2 table with published margins."""
