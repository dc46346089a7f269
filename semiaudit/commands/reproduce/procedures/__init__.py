"""Computations and figures that no report has; rows of published.csv and entries.csv call them."""
