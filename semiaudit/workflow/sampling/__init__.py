"""Performing the mechanism of a spec: the numbers, and what is said of them."""
