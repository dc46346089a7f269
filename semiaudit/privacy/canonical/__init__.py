"""Canonical noise: the distributions that a tradeoff function is exactly the price of."""
