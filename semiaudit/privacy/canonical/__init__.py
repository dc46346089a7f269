"""Canonical noise: distributions whose tradeoff function under a shift is exactly a given one."""
