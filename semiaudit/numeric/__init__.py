"""Exact numbers: rationals, intervals, matrices, lattices, and integer programs."""
